//! The searches of the training: a plain one to a fixed depth, and the exact end
//! of a game. No table, no clock, so that nothing depends on what came before.

use reversi_ponder::eval::{DISC, Weights};

use super::board::{Board, squares};

const INFINITY: i32 = 65 * DISC;

/// The value of a position to a fixed depth, in 128ths of a disc; alpha-beta.
pub fn value(weights: &Weights, board: &Board, depth: u32, alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        return if board.is_over() {
            board.result() * DISC
        } else {
            -value(weights, &board.passed(), depth, -beta, -alpha)
        };
    }
    if depth == 0 {
        return board.value(weights);
    }
    let (mut best, mut alpha) = (-INFINITY, alpha);
    let mut consider = |after: &Board| {
        let value = -value(weights, after, depth - 1, -beta, -alpha);
        best = best.max(value);
        alpha = alpha.max(value);
        alpha >= beta
    };
    if depth == 1 {
        let _ = squares(moves).any(|square| consider(&board.after(square)));
    } else {
        let _ = ordered(moves, |square| {
            let after = board.after(square);
            (if depth > 2 { after.value(weights) } else { mobility(&after) }, after)
        })
        .iter()
        .any(|(_, after)| consider(after));
    }
    best
}

/// The best move to a fixed depth and its value; of equals the first.
pub fn best_move(weights: &Weights, board: &Board, depth: u32) -> Option<(u32, i32)> {
    let mut best = None;
    let mut alpha = -INFINITY;
    let children = ordered(board.moves(), |square| {
        let after = board.after(square);
        (after.value(weights), (square, after))
    });
    for (_, (square, after)) in children {
        let value = -value(weights, &after, depth - 1, -INFINITY, -alpha);
        if value > alpha {
            (alpha, best) = (value, Some((square, value)));
        }
    }
    best
}

/// The children from the lowest figure on; equals in the order of their squares.
fn ordered<T>(moves: u64, child: impl Fn(u32) -> (i32, T)) -> Vec<(i32, T)> {
    let mut children: Vec<_> = squares(moves).map(child).collect();
    children.sort_by_key(|(figure, _)| *figure);
    children
}

/// How many moves the side to move has, corners twice.
fn mobility(board: &Board) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let moves = board.moves();
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// The exact result for the mover, in discs, within the window or on the right
/// side of it.
pub fn exact(board: &Board, alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves == 0 {
        return if board.is_over() {
            board.result()
        } else {
            -exact(&board.passed(), -beta, -alpha)
        };
    }
    let (mut best, mut alpha) = (-64, alpha);
    let mut consider = |after: &Board| {
        let value = -exact(after, -beta, -alpha);
        best = best.max(value);
        alpha = alpha.max(value);
        alpha >= beta
    };
    if board.empties() < 5 {
        let _ = squares(moves).any(|square| consider(&board.after(square)));
    } else {
        let _ = ordered(moves, |square| {
            let after = board.after(square);
            (mobility(&after), after)
        })
        .iter()
        .any(|(_, after)| consider(after));
    }
    best
}

/// Of the moves that keep an exact result, the first.
pub fn keeping_move(board: &Board, result: i32) -> Option<u32> {
    squares(board.moves()).find(|&square| {
        let after = board.after(square);
        -exact(&after, -result, 1 - result) >= result
    })
}
