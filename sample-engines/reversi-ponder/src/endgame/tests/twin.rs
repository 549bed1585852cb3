//! The solver once more, from the text of the rules: squares in an array, every move
//! tried, alpha-beta and nothing else.

const WAYS: [(i32, i32); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// 1 the mover's, -1 the opponent's, 0 empty.
type Board = [[i32; 8]; 8];

fn board(own: u64, opponent: u64) -> Board {
    let mut board = [[0; 8]; 8];
    for square in 0..64 {
        board[square / 8][square % 8] =
            (own >> square & 1) as i32 - (opponent >> square & 1) as i32;
    }
    board
}

fn at(board: &Board, row: i32, column: i32) -> i32 {
    let inside = (0..8).contains(&row) && (0..8).contains(&column);
    if inside { board[row as usize][column as usize] } else { 0 }
}

/// How many discs a move flips along one way.
fn bracketed(board: &Board, row: i32, column: i32, (down, right): (i32, i32)) -> i32 {
    let mut run = 0;
    while at(board, row + (run + 1) * down, column + (run + 1) * right) == -1 {
        run += 1;
    }
    if at(board, row + (run + 1) * down, column + (run + 1) * right) == 1 { run } else { 0 }
}

/// The board after a move, seen by the one who moved; nothing if it is not legal.
fn after(board: &Board, row: i32, column: i32) -> Option<Board> {
    if at(board, row, column) != 0 {
        return None;
    }
    let mut after = *board;
    let mut flipped = 0;
    for way in WAYS {
        let run = bracketed(board, row, column, way);
        flipped += run;
        for step in 1..=run {
            after[(row + step * way.0) as usize][(column + step * way.1) as usize] = 1;
        }
    }
    after[row as usize][column as usize] = 1;
    (flipped > 0).then_some(after)
}

fn turned(board: &Board) -> Board {
    board.map(|row| row.map(|cell| -cell))
}

/// Final discs of the mover less the opponent's, empty squares to the winner.
pub(super) fn score(own: u64, opponent: u64) -> i32 {
    search(&board(own, opponent), -64, 64, false)
}

fn search(board: &Board, mut alpha: i32, beta: i32, passed: bool) -> i32 {
    let mut best = None;
    for square in 0..64 {
        let Some(next) = after(board, square / 8, square % 8) else { continue };
        let score = -search(&turned(&next), -beta, -alpha, false);
        best = best.max(Some(score));
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    match best {
        Some(best) => best,
        None if passed => ended(board),
        None => -search(&turned(board), -beta, -alpha, true),
    }
}

fn ended(board: &Board) -> i32 {
    let lead: i32 = board.iter().flatten().sum();
    let empty = board.iter().flatten().filter(|cell| **cell == 0).count() as i32;
    lead + lead.signum() * empty
}

/// Discs of `own` that no sequence of moves flips, whoever moves (in turn or not):
/// the truth that stability approaches from below. For few empty squares only.
pub(super) fn stable(own: u64, opponent: u64) -> u64 {
    let mut stable = own;
    lasting(&board(own, opponent), &mut stable);
    stable
}

fn lasting(board: &Board, stable: &mut u64) {
    for square in 0..64 {
        if board[square / 8][square % 8] != 1 {
            *stable &= !(1 << square);
        }
    }
    for square in 0..64 {
        let (row, column) = (square / 8, square % 8);
        if let Some(next) = after(board, row, column) {
            lasting(&next, stable);
        }
        if let Some(next) = after(&turned(board), row, column) {
            lasting(&turned(&next), stable);
        }
    }
}
