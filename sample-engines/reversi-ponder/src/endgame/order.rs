//! Which move to try first. Never decides a score: an order changes only how long
//! the proof takes.

use sandboard_sdk::games::reversi::bits::{flips, moves};

use super::squares::{CORNERS, OF_QUADRANTS, WORTH};
use super::stable::Stable;

/// A guess at the final score of a position, by which moves are ordered far from the end.
pub trait Guess {
    /// About the final score of the mover, who is not on his last squares, in 1/8 discs.
    fn guess(&self, own: u64, opponent: u64) -> i32;
}

/// The guess of a solver that was given none: who can move where, and who has the corners.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Guess for Mobility {
    fn guess(&self, own: u64, opponent: u64) -> i32 {
        let worth = |own: u64, opponent: u64| {
            let moves = moves(own, opponent);
            let empty = !(own | opponent);
            4 * moves.count_ones() as i32
                + 4 * (moves & CORNERS).count_ones() as i32
                + 2 * (beside(opponent) & empty).count_ones() as i32
                + 24 * (own & CORNERS).count_ones() as i32
        };
        2 * (worth(own, opponent) - worth(opponent, own))
    }
}

/// The squares of `discs` and beside them.
#[inline(always)]
pub(super) fn beside(discs: u64) -> u64 {
    let row = discs | (discs << 1 & !0x0101_0101_0101_0101) | (discs >> 1 & !0x8080_8080_8080_8080);
    row | row << 8 | row >> 8
}

/// A move and what it leads to: the opponent is to move with `own`.
#[derive(Clone, Copy, Default)]
pub(super) struct Child {
    pub(super) own: u64,
    pub(super) opponent: u64,
    pub(super) square: u8,
    /// The higher the earlier.
    pub(super) rank: i32,
}

/// The moves of a position, on the stack.
pub(super) struct Children {
    list: [Child; 34],
    len: usize,
}

impl Children {
    /// What every move of `moves` leads to.
    #[inline]
    pub(super) fn of(own: u64, opponent: u64, mut moves: u64) -> Self {
        let mut children = Self { list: [Child::default(); 34], len: 0 };
        while moves != 0 {
            let square = moves.trailing_zeros();
            moves &= moves - 1;
            let flipped = flips(square, own, opponent);
            children.list[children.len] = Child {
                own: opponent ^ flipped,
                opponent: own | flipped | 1 << square,
                square: square as u8,
                rank: 0,
            };
            children.len += 1;
        }
        children
    }

    pub(super) fn all(&mut self) -> &mut [Child] {
        &mut self.list[..self.len]
    }

    /// The best of those from `from` on, moved to `from`.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Child {
        let rest = &mut self.list[from..self.len];
        let mut best = 0;
        for at in 1..rest.len() {
            if rest[at].rank > rest[best].rank {
                best = at;
            }
        }
        rest.swap(0, best);
        rest[0]
    }
}

/// Fastest first: what leaves the opponent few moves has a small tree.
#[inline(always)]
pub(super) fn by_mobility(child: &Child, odd: u8) -> i32 {
    let replies = moves(child.own, child.opponent);
    let parity = i32::from(OF_QUADRANTS[odd as usize % 16] >> child.square & 1 != 0);
    let few = 16 * (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    8 * parity + i32::from(WORTH[child.square as usize % 64]) - few
}

/// With more empty squares: mobility of both kinds, safe discs, and a guess.
pub(super) fn by_guess<G: Guess>(
    child: &Child,
    odd: u8,
    depth: u32,
    guess: &G,
    stable: &Stable,
) -> i32 {
    let replies = moves(child.own, child.opponent);
    let parity = i32::from(OF_QUADRANTS[odd as usize % 16] >> child.square & 1 != 0);
    let empty = !(child.own | child.opponent);
    let mobility = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let potential = (beside(child.opponent) & empty).count_ones() as i32;
    let safe = stable.edges(child.opponent, child.own).count_ones() as i32;
    let value = -shallow(child.own, child.opponent, depth, -10_000, 10_000, replies, guess);
    8 * value - 64 * mobility - 8 * potential
        + 24 * safe
        + 8 * parity
        + i32::from(WORTH[child.square as usize % 64])
}

/// A plain search by guesses, in 1/8 discs.
pub(super) fn shallow<G: Guess>(
    own: u64,
    opponent: u64,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    mut moves_left: u64,
    guess: &G,
) -> i32 {
    if depth == 0 {
        return guess.guess(own, opponent);
    }
    if moves_left == 0 {
        let replies = moves(opponent, own);
        if replies == 0 {
            return 8 * super::last::ended(own, opponent);
        }
        return -shallow(opponent, own, depth, -beta, -alpha, replies, guess);
    }
    while moves_left != 0 {
        let square = moves_left.trailing_zeros();
        moves_left &= moves_left - 1;
        let flipped = flips(square, own, opponent);
        let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
        let replies = if depth == 1 { 0 } else { moves(next, then) };
        alpha = alpha.max(-shallow(next, then, depth - 1, -beta, -alpha, replies, guess));
        if alpha >= beta {
            break;
        }
    }
    alpha
}
