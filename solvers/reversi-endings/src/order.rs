//! The move ordering. It affects only the time of a search, never a score.

use sandboard_games::reversi::bits::moves;

use crate::EMPTIES_MAX;
use crate::board::Board;

const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares next to a corner, which give the corner away while it is empty.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// A move with the position after it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Child {
    pub(crate) square: u8,
    pub(crate) board: Board,
    /// The ordering key; higher keys are tried first.
    rank: i32,
}

/// The moves of a position, stored on the stack.
pub(crate) struct Children {
    list: [Child; EMPTIES_MAX as usize],
    len: usize,
}

impl Children {
    /// Ranks the moves: first the best move known from the transposition table, then moves that
    /// leave the opponent few replies ("fastest first"), and among equals those into a quadrant
    /// with an odd number of empty squares.
    pub(crate) fn ranked(board: &Board, mut legal: u64, best: Option<u8>) -> Children {
        let mut children = Children { list: [Child::default(); EMPTIES_MAX as usize], len: 0 };
        // There are at most as many moves as empty squares, and at most `EMPTIES_MAX` of these.
        for slot in &mut children.list {
            if legal == 0 {
                break;
            }
            let square = legal.trailing_zeros();
            legal &= legal - 1;
            let after = board.after(square, board.flips(square));
            let rank = match best {
                Some(best) if u32::from(best) == square => i32::MAX,
                _ => rank(board, square, &after),
            };
            *slot = Child { square: square as u8, board: after, rank };
            children.len += 1;
        }
        children
    }

    /// The best of the moves from index `from` on; `None` if there are no more.
    pub(crate) fn next(&mut self, from: usize) -> Option<Child> {
        let rest = self.list[..self.len].get_mut(from..)?;
        let best = (0..rest.len()).max_by_key(|at| rest[*at].rank)?;
        rest.swap(0, best);
        rest.first().copied()
    }
}

fn rank(board: &Board, square: u32, after: &Board) -> i32 {
    let replies = moves(after.own, after.opponent);
    let mobility = 16 * (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let is_in = |squares: u64| (squares >> square & 1) as i32;
    8 * is_in(board.odd) + 12 * is_in(CORNERS) - 6 * is_in(BESIDE_CORNERS) - mobility
}
