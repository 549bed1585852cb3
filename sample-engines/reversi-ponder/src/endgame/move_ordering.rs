//! Move ordering of the solver. It affects only the cost of a proof, never the score.

use sandboard_sdk::games::reversi::bits::{flips, moves};

use super::last_squares::final_score;
use super::squares::{CORNERS, QUADRANT_SQUARES, SQUARE_VALUES};
use super::stability::StabilityTable;

/// An estimate of a position's final score, for move ordering far from the end.
pub trait OrderingEvaluator {
    /// State of a position that is updated with each move, from one player's point of view.
    type State: Clone;

    /// The state of a position, from the point of view of the side to move.
    fn state(&self, own: u64, opponent: u64) -> Self::State;

    /// Updates the state for a disc on `square` that flips `flipped`. `by_viewer`: made by the
    /// player whose point of view the state has.
    fn play(&self, state: &mut Self::State, square: u32, flipped: u64, by_viewer: bool);

    /// The estimated final score for the side to move, in 1/8 discs. `viewer_moves`: that side is
    /// the player whose point of view the state has.
    fn evaluate(&self, state: &Self::State, own: u64, opponent: u64, viewer_moves: bool) -> i32;
}

/// The default evaluator: mobility and corners.
#[derive(Clone, Copy, Debug, Default)]
pub struct MobilityEvaluator;

impl OrderingEvaluator for MobilityEvaluator {
    type State = ();

    fn state(&self, _: u64, _: u64) {}

    fn play(&self, (): &mut (), _: u32, _: u64, _: bool) {}

    fn evaluate(&self, (): &(), own: u64, opponent: u64, _: bool) -> i32 {
        let value = |own: u64, opponent: u64| {
            let moves = moves(own, opponent);
            let empty = !(own | opponent);
            4 * moves.count_ones() as i32
                + 4 * (moves & CORNERS).count_ones() as i32
                + 2 * (with_neighbours(opponent) & empty).count_ones() as i32
                + 24 * (own & CORNERS).count_ones() as i32
        };
        2 * (value(own, opponent) - value(opponent, own))
    }
}

/// The squares of `discs` and their neighbours.
#[inline(always)]
pub(super) fn with_neighbours(discs: u64) -> u64 {
    let row = discs | (discs << 1 & !0x0101_0101_0101_0101) | (discs >> 1 & !0x8080_8080_8080_8080);
    row | row << 8 | row >> 8
}

/// A move and the position after it: `own` are the discs of the opponent, who is to move.
#[derive(Clone, Copy, Default)]
pub(super) struct Child {
    pub(super) own: u64,
    pub(super) opponent: u64,
    pub(super) square: u8,
    /// Moves with a higher rank come first.
    pub(super) rank: i32,
}

/// An upper bound for the number of moves in a position.
pub(super) const MOVES_MAX: usize = 34;

/// The moves of a position, on the stack: at most `MAX`.
pub(super) struct Children<const MAX: usize = MOVES_MAX> {
    list: [Child; MAX],
    len: usize,
}

impl<const MAX: usize> Children<MAX> {
    /// The children of all moves in `moves`.
    #[inline]
    pub(super) fn of(own: u64, opponent: u64, mut moves: u64) -> Self {
        let mut children = Self { list: [Child::default(); MAX], len: 0 };
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

    /// The child with the highest rank from index `from` on; it is moved to `from`.
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

/// The rank by mobility (fastest first): moves that leave the opponent few moves have small trees.
#[inline(always)]
pub(super) fn rank_by_mobility(child: &Child, odd: u8) -> i32 {
    let replies = moves(child.own, child.opponent);
    let parity = i32::from(QUADRANT_SQUARES[odd as usize % 16] >> child.square & 1 != 0);
    let mobility = 16 * (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    8 * parity + i32::from(SQUARE_VALUES[child.square as usize % 64]) - mobility
}

/// The rank with many empty squares: evaluation, mobility, potential mobility and stable discs.
pub(super) fn rank_by_evaluation<G: OrderingEvaluator>(
    child: &Child,
    odd: u8,
    depth: u32,
    look_ahead: &LookAhead<'_, G>,
    stability: &StabilityTable,
) -> i32 {
    let replies = moves(child.own, child.opponent);
    let parity = i32::from(QUADRANT_SQUARES[odd as usize % 16] >> child.square & 1 != 0);
    let empty = !(child.own | child.opponent);
    let mobility = (replies.count_ones() + (replies & CORNERS).count_ones()) as i32;
    let potential = (with_neighbours(child.opponent) & empty).count_ones() as i32;
    let stable = stability.stable_edge_discs(child.opponent, child.own).count_ones() as i32;
    8 * look_ahead.move_value(child, depth, replies) - 128 * mobility - 8 * potential
        + 24 * stable
        + 8 * parity
        + i32::from(SQUARE_VALUES[child.square as usize % 64])
}

/// A plain alpha-beta search by an evaluator, from one position; values in 1/8 discs.
pub(super) struct LookAhead<'a, G: OrderingEvaluator> {
    evaluator: &'a G,
    state: G::State,
    opponent: u64,
}

/// Greater than every value.
const INFINITY: i32 = 1 << 20;

impl<'a, G: OrderingEvaluator> LookAhead<'a, G> {
    pub(super) fn new(evaluator: &'a G, own: u64, opponent: u64) -> Self {
        Self { evaluator, state: evaluator.state(own, opponent), opponent }
    }

    /// The value of the position for the side to move, `depth` plies deep.
    pub(super) fn position_value(&self, own: u64, depth: u32) -> i32 {
        let legal = moves(own, self.opponent);
        self.search(&self.state, [own, self.opponent], depth, [-INFINITY, INFINITY], legal, true)
    }

    /// The value of a move for the side that makes it, `depth` plies after it.
    fn move_value(&self, child: &Child, depth: u32, replies: u64) -> i32 {
        let flipped = self.opponent & !child.own;
        let mut state = self.state.clone();
        self.evaluator.play(&mut state, child.square.into(), flipped, true);
        -self.search(
            &state,
            [child.own, child.opponent],
            depth,
            [-INFINITY, INFINITY],
            replies,
            false,
        )
    }

    fn search(
        &self,
        state: &G::State,
        [own, opponent]: [u64; 2],
        depth: u32,
        [mut alpha, beta]: [i32; 2],
        mut legal: u64,
        viewer: bool,
    ) -> i32 {
        if depth == 0 {
            return self.evaluator.evaluate(state, own, opponent, viewer);
        }
        if legal == 0 {
            let replies = moves(opponent, own);
            if replies == 0 {
                return 8 * final_score(own, opponent);
            }
            return -self.search(state, [opponent, own], depth, [-beta, -alpha], replies, !viewer);
        }
        while legal != 0 {
            let square = legal.trailing_zeros();
            legal &= legal - 1;
            let flipped = flips(square, own, opponent);
            let after = [opponent ^ flipped, own | flipped | 1 << square];
            let mut state = state.clone();
            self.evaluator.play(&mut state, square, flipped, viewer);
            let replies = if depth == 1 { 0 } else { moves(after[0], after[1]) };
            let score = -self.search(&state, after, depth - 1, [-beta, -alpha], replies, !viewer);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}
