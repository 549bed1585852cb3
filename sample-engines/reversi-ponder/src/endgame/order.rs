//! Which move to try first. Never decides a score: an order changes only how long
//! the proof takes.

use sandboard_sdk::games::reversi::bits::{flips, moves};

use super::last::ended;
use super::squares::{CORNERS, OF_QUADRANTS, WORTH};
use super::stable::Stable;

/// A guess at the final score of a position, by which moves are ordered far from the end.
pub trait Guess {
    /// What is kept of a position from move to move, always from the view of one player.
    type Seen: Clone;

    /// What is to be kept of a position, from the view of its mover.
    fn see(&self, own: u64, opponent: u64) -> Self::Seen;

    /// A disc is put on `square` and flips `flipped`; `viewer`: by the player of the view.
    fn play(&self, seen: &mut Self::Seen, square: u32, flipped: u64, viewer: bool);

    /// About the final score of the mover, in 1/8 discs; `viewer`: he is the player of the view.
    fn guess(&self, seen: &Self::Seen, own: u64, opponent: u64, viewer: bool) -> i32;
}

/// The guess of a solver that was given none: who can move where, and who has the corners.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

impl Guess for Mobility {
    type Seen = ();

    fn see(&self, _: u64, _: u64) {}

    fn play(&self, (): &mut (), _: u32, _: u64, _: bool) {}

    fn guess(&self, (): &(), own: u64, opponent: u64, _: bool) -> i32 {
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

/// More moves than any position has.
pub(super) const MOST_MOVES: usize = 34;

/// The moves of a position, on the stack: at most `MOST`.
pub(super) struct Children<const MOST: usize = MOST_MOVES> {
    list: [Child; MOST],
    len: usize,
}

impl<const MOST: usize> Children<MOST> {
    /// What every move of `moves` leads to.
    #[inline]
    pub(super) fn of(own: u64, opponent: u64, mut moves: u64) -> Self {
        let mut children = Self { list: [Child::default(); MOST], len: 0 };
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
    ahead: &Ahead<'_, G>,
    stable: &Stable,
) -> i32 {
    let replies = moves(child.own, child.opponent);
    let parity = i32::from(OF_QUADRANTS[odd as usize % 16] >> child.square & 1 != 0);
    let empty = !(child.own | child.opponent);
    let mobility = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let potential = (beside(child.opponent) & empty).count_ones() as i32;
    let safe = stable.edges(child.opponent, child.own).count_ones() as i32;
    8 * ahead.value(child, depth, replies) - 128 * mobility - 8 * potential
        + 24 * safe
        + 8 * parity
        + i32::from(WORTH[child.square as usize % 64])
}

/// A plain search by guesses, from the moves of one position on; in 1/8 discs.
pub(super) struct Ahead<'a, G: Guess> {
    guess: &'a G,
    seen: G::Seen,
    opponent: u64,
}

/// Beyond every guess.
const ALL: i32 = 1 << 20;

impl<'a, G: Guess> Ahead<'a, G> {
    pub(super) fn new(guess: &'a G, own: u64, opponent: u64) -> Self {
        Self { guess, seen: guess.see(own, opponent), opponent }
    }

    /// What the position is worth to its mover, so many plies ahead.
    pub(super) fn whole(&self, own: u64, depth: u32) -> i32 {
        let legal = moves(own, self.opponent);
        self.search(&self.seen, [own, self.opponent], depth, [-ALL, ALL], legal, true)
    }

    /// What a move is worth to who makes it, `depth` plies after it.
    fn value(&self, child: &Child, depth: u32, replies: u64) -> i32 {
        let flipped = self.opponent & !child.own;
        let mut seen = self.seen.clone();
        self.guess.play(&mut seen, child.square.into(), flipped, true);
        -self.search(&seen, [child.own, child.opponent], depth, [-ALL, ALL], replies, false)
    }

    fn search(
        &self,
        seen: &G::Seen,
        [own, opponent]: [u64; 2],
        depth: u32,
        [mut alpha, beta]: [i32; 2],
        mut legal: u64,
        viewer: bool,
    ) -> i32 {
        if depth == 0 {
            return self.guess.guess(seen, own, opponent, viewer);
        }
        if legal == 0 {
            let replies = moves(opponent, own);
            if replies == 0 {
                return 8 * ended(own, opponent);
            }
            return -self.search(seen, [opponent, own], depth, [-beta, -alpha], replies, !viewer);
        }
        while legal != 0 {
            let square = legal.trailing_zeros();
            legal &= legal - 1;
            let flipped = flips(square, own, opponent);
            let after = [opponent ^ flipped, own | flipped | 1 << square];
            let mut seen = seen.clone();
            self.guess.play(&mut seen, square, flipped, viewer);
            let replies = if depth == 1 { 0 } else { moves(after[0], after[1]) };
            let score = -self.search(&seen, after, depth - 1, [-beta, -alpha], replies, !viewer);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}
