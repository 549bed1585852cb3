//! Which move to try first. Decides no score: an order changes only how long a proof takes.

use sandboard_games::reversi::bits::moves;

use crate::EMPTIES_MAX;
use crate::board::Board;

const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares beside a corner, which give it away while it is empty.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// A move and what it leads to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Child {
    pub square: u8,
    pub board: Board,
    /// The higher the earlier.
    rank: i32,
}

/// The moves of a position, on the stack.
pub(crate) struct Children {
    list: [Child; EMPTIES_MAX as usize],
    len: usize,
}

impl Children {
    /// Ranked: the move that was best once first, then those that leave the other few answers
    /// ("fastest first"), of equal ones those into a quadrant with an odd number of empty squares.
    pub fn of(board: &Board, mut legal: u64, best: Option<u8>) -> Children {
        let mut children = Children { list: [Child::default(); EMPTIES_MAX as usize], len: 0 };
        // No more moves than empty squares, of which there are no more than that.
        for place in &mut children.list {
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
            *place = Child { square: square as u8, board: after, rank };
            children.len += 1;
        }
        children
    }

    /// The best of those from `from` on; none: there are no more.
    pub fn next(&mut self, from: usize) -> Option<Child> {
        let rest = self.list[..self.len].get_mut(from..)?;
        let best = (0..rest.len()).max_by_key(|at| rest[*at].rank)?;
        rest.swap(0, best);
        rest.first().copied()
    }
}

fn rank(board: &Board, square: u32, after: &Board) -> i32 {
    let answers = moves(after.own, after.opponent);
    let few = 16 * (answers.count_ones() + (answers & CORNERS).count_ones()) as i32;
    let at = |squares: u64| (squares >> square & 1) as i32;
    8 * at(board.odd) + 12 * at(CORNERS) - 6 * at(BESIDE_CORNERS) - few
}
