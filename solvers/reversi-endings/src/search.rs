//! The proof: alpha-beta from the root down to the last squares. With many empty squares moves
//! are ranked and positions remembered, with few they are tried as they come. Reads no clock;
//! who asks may stop it.

use sandboard_games::reversi::bits::moves;

use crate::board::Board;
use crate::error::SolveError;
use crate::order::Children;
use crate::table::{Known, Table};

/// The most empty squares of a position that is solved. What that takes doubles and more with
/// each: positions of games take 3 ms with 14, 17 ms with 16 and 84 ms with 18, the slowest of
/// 30 some three times as much (`cargo run -p sandboard-reversi-endings --example figures`).
pub const EMPTIES_MAX: u32 = 20;
/// The usual size of a solver's table in bytes.
pub const TABLE_BYTES: usize = 4 << 20;
/// About how many positions are looked at between two questions whether to go on.
pub const POSITIONS_PER_QUESTION: u64 = 1 << 16;

/// Up to so many empty squares moves are tried as they come.
const FEW: u32 = 6;
/// Lower than any score.
const NONE: i32 = -99;
const MOST: i32 = 64;

/// Solves positions, and keeps between two of them what it has found out.
pub struct Solver {
    table: Table,
    nodes: u64,
    ask_at: u64,
}

struct Stopped;

impl Solver {
    /// With a table of about so many bytes; [`TABLE_BYTES`] is usual, none will do.
    pub fn new(table_bytes: usize) -> Solver {
        Solver { table: Table::new(table_bytes), nodes: 0, ask_at: 0 }
    }

    /// How many positions have been looked at so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The final score of who moves and has the discs `own`, when both sides play perfectly:
    /// discs less the opponent's, empty squares for who has more. Bits of the words are squares
    /// as in [`bits`](sandboard_games::reversi::bits).
    ///
    /// # Errors
    /// Two discs on one square, more than [`EMPTIES_MAX`] empty squares, or `go_on`, asked every
    /// [`POSITIONS_PER_QUESTION`] positions, said no.
    pub fn score(
        &mut self,
        own: u64,
        opponent: u64,
        go_on: &dyn Fn() -> bool,
    ) -> Result<i32, SolveError> {
        if own & opponent != 0 {
            return Err(SolveError::Overlap);
        }
        let board = Board::new(own, opponent);
        if board.empties > EMPTIES_MAX {
            return Err(SolveError::TooManyEmpty { empties: board.empties });
        }
        self.ask_at = self.nodes;
        self.many(&board, -MOST, MOST, go_on).map_err(|Stopped| SolveError::Stopped)
    }

    /// The score if it is above `alpha` and below `beta`; else a bound of it on that side.
    fn many(
        &mut self,
        board: &Board,
        mut alpha: i32,
        mut beta: i32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<i32, Stopped> {
        if board.empties <= FEW {
            return Ok(self.few(board, alpha, beta, false));
        }
        self.nodes += 1;
        if self.nodes > self.ask_at {
            self.ask_at = self.nodes + POSITIONS_PER_QUESTION;
            if !go_on() {
                return Err(Stopped);
            }
        }
        let legal = moves(board.own, board.opponent);
        if legal == 0 {
            let passed = board.passed();
            if moves(passed.own, passed.opponent) == 0 {
                return Ok(board.ended());
            }
            return Ok(-self.many(&passed, -beta, -alpha, go_on)?);
        }
        let known = self.table.get(board);
        let (lower, upper) =
            known.map_or((-MOST, MOST), |it| (i32::from(it.lower), i32::from(it.upper)));
        if lower >= beta || lower == upper {
            return Ok(lower);
        }
        if upper <= alpha {
            return Ok(upper);
        }
        (alpha, beta) = (alpha.max(lower), beta.min(upper));
        let mut children = Children::of(board, legal, known.and_then(|it| it.best));
        let (mut best, mut best_move, mut reached) = (NONE, None, alpha);
        let mut tried = 0;
        while let Some(child) = children.next(tried) {
            let next = &child.board;
            // After the first, only whether it is better; exactly how much better if it is.
            let mut score = NONE;
            if tried > 0 {
                score = -self.many(next, -reached - 1, -reached, go_on)?;
            }
            if tried == 0 || score > reached && score < beta {
                score = -self.many(next, -beta, -reached.max(score), go_on)?;
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
        let known = Known {
            lower: if best > alpha { best as i8 } else { lower as i8 },
            upper: if best < beta { best as i8 } else { upper as i8 },
            best: best_move.or(known.and_then(|it| it.best)),
        };
        self.table.put(board, known);
        Ok(best)
    }

    /// The same with few empty squares: those of odd quadrants first, for who moves there last
    /// has the last word.
    fn few(&mut self, board: &Board, mut alpha: i32, beta: i32, passed: bool) -> i32 {
        self.nodes += 1;
        let empty = board.empty();
        if board.empties == 1 {
            return last(board, empty.trailing_zeros());
        }
        let mut best = NONE;
        for mut squares in [empty & board.odd, empty & !board.odd] {
            while squares != 0 {
                let square = squares.trailing_zeros();
                squares &= squares - 1;
                let flipped = board.flips(square);
                if flipped == 0 {
                    continue;
                }
                let score = -self.few(&board.after(square, flipped), -beta, -alpha, false);
                if score >= beta {
                    return score;
                }
                best = best.max(score);
                alpha = alpha.max(score);
            }
        }
        match (best, passed) {
            (NONE, true) => board.ended(),
            (NONE, false) => -self.few(&board.passed(), -beta, -alpha, true),
            _ => best,
        }
    }
}

/// One empty square: whoever can move there does, and then the board is full.
#[inline]
fn last(board: &Board, square: u32) -> i32 {
    let own = board.own.count_ones() as i32;
    let flipped = board.flips(square).count_ones() as i32;
    if flipped > 0 {
        return 2 * (own + flipped + 1) - 64;
    }
    let flipped = board.passed().flips(square).count_ones() as i32;
    if flipped > 0 { 2 * (own - flipped) - 64 } else { board.ended() }
}
