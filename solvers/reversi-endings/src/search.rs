//! The search: alpha-beta from the root to the last squares. With many empty squares moves are
//! ordered and positions stored; with few they are tried in board order. Reads no clock; a callback
//! of the caller can stop it.

use sandboard_games::reversi::bits::moves;

use crate::board::Board;
use crate::error::SolveError;
use crate::order::Children;
use crate::transposition::{ScoreBounds, TranspositionTable};

/// The largest number of empty squares of a position that is solved. The time more than doubles
/// with each: positions from games take 3 ms with 14, 17 ms with 16 and 84 ms with 18 empty
/// squares; the slowest of 30 takes about three times as long (`cargo run -p
/// sandboard-reversi-endings --example reversi-endings-figures`).
pub const EMPTIES_MAX: u32 = 20;
/// The recommended size of the transposition table in bytes.
pub const TABLE_BYTES: usize = 4 << 20;
/// The approximate number of positions searched between two calls of the stop check.
pub const POSITIONS_PER_STOP_CHECK: u64 = 1 << 16;

/// Up to this number of empty squares, moves are tried in board order.
const UNORDERED_EMPTIES_MAX: u32 = 6;
/// A value below any score.
const BELOW_ALL: i32 = -99;
const SCORE_MAX: i32 = 64;

/// Solves positions; results are kept in a transposition table between calls.
pub struct Solver {
    table: TranspositionTable,
    nodes: u64,
    next_stop_check: u64,
}

struct SearchStopped;

impl Solver {
    /// Creates a solver with a table of about this many bytes. [`TABLE_BYTES`] is recommended; 0 is
    /// allowed.
    pub fn new(table_bytes: usize) -> Solver {
        Solver { table: TranspositionTable::new(table_bytes), nodes: 0, next_stop_check: 0 }
    }

    /// The number of positions searched so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The final score of the player to move, who has the discs `own`, with perfect play: the
    /// difference in discs, with empty squares counted for the winner. The bits of the discs are
    /// squares as in [`bits`](sandboard_games::reversi::bits).
    ///
    /// # Errors
    /// Two discs are on the same square, there are more than [`EMPTIES_MAX`] empty squares, or
    /// `should_continue`, called every [`POSITIONS_PER_STOP_CHECK`] positions, returned false.
    pub fn score(
        &mut self,
        own: u64,
        opponent: u64,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<i32, SolveError> {
        if own & opponent != 0 {
            return Err(SolveError::Overlap);
        }
        let board = Board::new(own, opponent);
        if board.empties > EMPTIES_MAX {
            return Err(SolveError::TooManyEmpty { empties: board.empties });
        }
        self.next_stop_check = self.nodes;
        self.search(&board, -SCORE_MAX, SCORE_MAX, should_continue)
            .map_err(|SearchStopped| SolveError::Stopped)
    }

    /// The score if it is between `alpha` and `beta`, else a bound on that side.
    fn search(
        &mut self,
        board: &Board,
        mut alpha: i32,
        mut beta: i32,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<i32, SearchStopped> {
        if board.empties <= UNORDERED_EMPTIES_MAX {
            return Ok(self.search_unordered(board, alpha, beta, false));
        }
        self.nodes += 1;
        if self.nodes > self.next_stop_check {
            self.next_stop_check = self.nodes + POSITIONS_PER_STOP_CHECK;
            if !should_continue() {
                return Err(SearchStopped);
            }
        }
        let legal = moves(board.own, board.opponent);
        if legal == 0 {
            let passed = board.passed();
            if moves(passed.own, passed.opponent) == 0 {
                return Ok(board.final_score());
            }
            return Ok(-self.search(&passed, -beta, -alpha, should_continue)?);
        }
        let known = self.table.get(board);
        let (lower, upper) =
            known.map_or((-SCORE_MAX, SCORE_MAX), |it| (i32::from(it.lower), i32::from(it.upper)));
        if lower >= beta || lower == upper {
            return Ok(lower);
        }
        if upper <= alpha {
            return Ok(upper);
        }
        (alpha, beta) = (alpha.max(lower), beta.min(upper));
        let mut children = Children::ranked(board, legal, known.and_then(|it| it.best));
        let (mut best, mut best_move, mut reached) = (BELOW_ALL, None, alpha);
        let mut tried = 0;
        while let Some(child) = children.next(tried) {
            let next = &child.board;
            // Later moves get a null-window search first, and an exact one if they are better.
            let mut score = BELOW_ALL;
            if tried > 0 {
                score = -self.search(next, -reached - 1, -reached, should_continue)?;
            }
            if tried == 0 || score > reached && score < beta {
                score = -self.search(next, -beta, -reached.max(score), should_continue)?;
            }
            tried += 1;
            if score > best {
                best = score;
                if score > reached {
                    (reached, best_move) = (score, Some(child.square));
                }
                if score >= beta {
                    break;
                }
            }
        }
        let bounds = ScoreBounds {
            lower: if best > alpha { best as i8 } else { lower as i8 },
            upper: if best < beta { best as i8 } else { upper as i8 },
            best: best_move.or(known.and_then(|it| it.best)),
        };
        self.table.put(board, bounds);
        Ok(best)
    }

    /// Like `search` for few empty squares. Moves in odd quadrants come first: the player to move
    /// can then also make the last move there.
    fn search_unordered(&mut self, board: &Board, mut alpha: i32, beta: i32, passed: bool) -> i32 {
        self.nodes += 1;
        let empty = board.empty();
        if board.empties == 1 {
            return last_square_score(board, empty.trailing_zeros());
        }
        let mut best = BELOW_ALL;
        for mut squares in [empty & board.odd, empty & !board.odd] {
            while squares != 0 {
                let square = squares.trailing_zeros();
                squares &= squares - 1;
                let flipped = board.flips(square);
                if flipped == 0 {
                    continue;
                }
                let score =
                    -self.search_unordered(&board.after(square, flipped), -beta, -alpha, false);
                if score >= beta {
                    return score;
                }
                best = best.max(score);
                alpha = alpha.max(score);
            }
        }
        match (best, passed) {
            (BELOW_ALL, true) => board.final_score(),
            (BELOW_ALL, false) => -self.search_unordered(&board.passed(), -beta, -alpha, true),
            _ => best,
        }
    }
}

/// The score with one empty square: the player who can move there fills the board.
#[inline]
fn last_square_score(board: &Board, square: u32) -> i32 {
    let own = board.own.count_ones() as i32;
    let flipped = board.flips(square).count_ones() as i32;
    if flipped > 0 {
        return 2 * (own + flipped + 1) - 64;
    }
    let flipped = board.passed().flips(square).count_ones() as i32;
    if flipped > 0 { 2 * (own - flipped) - 64 } else { board.final_score() }
}
