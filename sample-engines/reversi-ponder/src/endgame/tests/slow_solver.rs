//! A slow solver written from the rules: squares in an array, every move tried, plain alpha-beta.

const DIRECTIONS: [(i32, i32); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

/// 1: a disc of the side to move, -1: of the opponent, 0: empty.
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

/// The number of discs that a move flips in one direction.
fn flips_in_direction(board: &Board, row: i32, column: i32, (down, right): (i32, i32)) -> i32 {
    let mut run = 0;
    while at(board, row + (run + 1) * down, column + (run + 1) * right) == -1 {
        run += 1;
    }
    if at(board, row + (run + 1) * down, column + (run + 1) * right) == 1 { run } else { 0 }
}

/// The board after a move, from the mover's point of view; `None` if the move is illegal.
fn after(board: &Board, row: i32, column: i32) -> Option<Board> {
    if at(board, row, column) != 0 {
        return None;
    }
    let mut after = *board;
    let mut flipped = 0;
    for direction in DIRECTIONS {
        let run = flips_in_direction(board, row, column, direction);
        flipped += run;
        for step in 1..=run {
            after[(row + step * direction.0) as usize][(column + step * direction.1) as usize] = 1;
        }
    }
    after[row as usize][column as usize] = 1;
    (flipped > 0).then_some(after)
}

fn with_sides_exchanged(board: &Board) -> Board {
    board.map(|row| row.map(|cell| -cell))
}

/// Final discs of the side to move minus the opponent's, empty squares to the winner.
pub(super) fn score(own: u64, opponent: u64) -> i32 {
    search(&board(own, opponent), -64, 64, false)
}

fn search(board: &Board, mut alpha: i32, beta: i32, passed: bool) -> i32 {
    let mut best = None;
    for square in 0..64 {
        let Some(next) = after(board, square / 8, square % 8) else { continue };
        let score = -search(&with_sides_exchanged(&next), -beta, -alpha, false);
        best = best.max(Some(score));
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    match best {
        Some(best) => best,
        None if passed => final_score(board),
        None => -search(&with_sides_exchanged(board), -beta, -alpha, true),
    }
}

fn final_score(board: &Board) -> i32 {
    let lead: i32 = board.iter().flatten().sum();
    let empty = board.iter().flatten().filter(|cell| **cell == 0).count() as i32;
    lead + lead.signum() * empty
}

/// All stable discs of `own`: those that no sequence of moves flips, by either side in any order.
/// For few empty squares only.
pub(super) fn stable(own: u64, opponent: u64) -> u64 {
    let mut stable = own;
    remove_flippable(&board(own, opponent), &mut stable);
    stable
}

fn remove_flippable(board: &Board, stable: &mut u64) {
    for square in 0..64 {
        if board[square / 8][square % 8] != 1 {
            *stable &= !(1 << square);
        }
    }
    for square in 0..64 {
        let (row, column) = (square / 8, square % 8);
        if let Some(next) = after(board, row, column) {
            remove_flippable(&next, stable);
        }
        if let Some(next) = after(&with_sides_exchanged(board), row, column) {
            remove_flippable(&with_sides_exchanged(&next), stable);
        }
    }
}
