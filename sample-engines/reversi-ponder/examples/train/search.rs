//! The searches of the training: a plain one to a fixed depth, and exact endgame search. Without
//! table and clock, so that results depend on the position alone.

use reversi_ponder::eval::{DISC, Weights};

use super::board::{Board, squares};

const INFINITY: i32 = 65 * DISC;

/// The value of a position at a fixed depth, in 128ths of a disc, by alpha-beta.
pub(crate) fn value(weights: &Weights, board: &Board, depth: u32, alpha: i32, beta: i32) -> i32 {
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

/// The best move at a fixed depth and its value; the first of equal moves.
pub(crate) fn best_move(weights: &Weights, board: &Board, depth: u32) -> Option<(u32, i32)> {
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

/// The children in ascending order of their scores; equal ones in the order of squares.
fn ordered<T>(moves: u64, child: impl Fn(u32) -> (i32, T)) -> Vec<(i32, T)> {
    let mut children: Vec<_> = squares(moves).map(child).collect();
    children.sort_by_key(|(score, _)| *score);
    children
}

/// The number of moves of the side to move; corners count twice.
fn mobility(board: &Board) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let moves = board.moves();
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// The result for the side to move in discs: exact within the window, a bound outside it.
pub(crate) fn exact(board: &Board, alpha: i32, beta: i32) -> i32 {
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

/// The first move that keeps an exact result.
pub(crate) fn move_keeping_result(board: &Board, result: i32) -> Option<u32> {
    squares(board.moves()).find(|&square| {
        let after = board.after(square);
        -exact(&after, -result, 1 - result) >= result
    })
}

#[cfg(test)]
mod tests {
    use reversi_ponder::endgame::{MobilityEvaluator, Solver, SolverTask};
    use sandboard_sdk::Random;

    use super::*;

    /// Boards after this many random plies on which the game is not over.
    fn boards(plies: usize) -> impl Iterator<Item = Board> {
        (0..40).filter_map(move |seed| {
            let (mut random, mut board) = (Random::seeded(seed), Board::start());
            for _ in 0..plies {
                let moves = board.moves();
                board = match moves {
                    0 => board.passed(),
                    _ => {
                        let chosen = random.below(moves.count_ones() as usize);
                        board.after(squares(moves).nth(chosen)?)
                    }
                };
            }
            (!board.is_over()).then_some(board)
        })
    }

    #[test]
    fn exact_results_agree_with_the_solver() {
        let mut solver = Solver::new(1 << 20, MobilityEvaluator);
        for board in boards(52) {
            let result = exact(&board, -64, 64);
            let task = SolverTask::exact(board.discs.own, board.discs.opponent);
            assert_eq!(result, solver.solve(&task, &mut || false).lower);
            if let Some(square) = move_keeping_result(&board, result) {
                assert_eq!(-exact(&board.after(square), -64, 64), result);
                let before = squares(board.moves()).take_while(|&other| other != square);
                for worse in before {
                    assert!(-exact(&board.after(worse), -64, 64) < result);
                }
            }
        }
    }

    /// Minimax without pruning.
    fn minimax(weights: &Weights, board: &Board, depth: u32) -> i32 {
        if board.is_over() {
            return board.result() * DISC;
        }
        if board.moves() == 0 {
            return -minimax(weights, &board.passed(), depth);
        }
        if depth == 0 {
            return board.value(weights);
        }
        let value = |square| -minimax(weights, &board.after(square), depth - 1);
        squares(board.moves()).map(value).max().unwrap_or_default()
    }

    #[test]
    fn values_agree_with_minimax() {
        let weights = Weights::built_in();
        for board in boards(20).chain(boards(56)) {
            for depth in 0..4 {
                let expected = minimax(weights, &board, depth);
                assert_eq!(value(weights, &board, depth, -INFINITY, INFINITY), expected);
            }
            if let Some((square, value)) = best_move(weights, &board, 3) {
                assert_eq!(value, minimax(weights, &board, 3));
                assert_eq!(-minimax(weights, &board.after(square), 2), value);
            }
        }
    }
}
