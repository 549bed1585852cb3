//! The evaluation of 8×8 positions: weights for the states of ten patterns on the board, for the
//! mobility of both sides, and for parity (M. Buro, "From Simple Features to Sophisticated
//! Evaluation Functions", 1998). It does not look ahead.

mod features;
mod ordering_evaluator;
mod patterns;
mod prob_cut;
mod state_classes;
#[cfg(test)]
mod tests;
mod weights;

use sandboard_sdk::games::reversi::bits;

pub use features::Features;
pub use patterns::{CENTRES, PATTERNS, PLACES, STATES};
pub use prob_cut::{CUT_DEPTHS, CUT_STAGES, CutStatistics, CutTable, shallow_depth, stage};
pub use state_classes::{CLASSES, classes_of_states};
pub use weights::{
    DISC, FILE_BYTES, KNOT, KNOTS, MOVES_MAX, OPPONENT_MOVES, OWN_MOVES, PARITY, Weights,
    WeightsError, knots_around,
};

use patterns::LANES;

/// The largest value of the evaluation, and minus this the smallest: a game ends with at most 64
/// discs.
pub const VALUE_MAX: i32 = 64 * DISC - 1;

/// A position from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// The discs of the side to move.
    pub own: u64,
    /// The discs of the opponent.
    pub opponent: u64,
}

impl Weights {
    /// The value for the side to move, in 128ths of a disc. `own`: that side is the one whose point
    /// of view the features have.
    #[inline]
    pub fn value(&self, features: &Features, discs: Discs, own: bool) -> i32 {
        let count = (discs.own | discs.opponent).count_ones();
        let table = self.table(count);
        let sign = if own { 1 } else { -1 };
        let mut sum = 0;
        for (&number, &centre) in features.0.iter().zip(&CENTRES).take(PLACES) {
            let state = centre + sign * i32::from(number);
            sum += i32::from(table.states[state as usize]);
        }
        let own_moves = bits::moves(discs.own, discs.opponent).count_ones();
        let opponent_moves = bits::moves(discs.opponent, discs.own).count_ones();
        sum += table.extra(own_moves, opponent_moves, count);
        sum.clamp(-VALUE_MAX, VALUE_MAX)
    }
}

/// The indices of the weights of a knot that apply to a position, for the training. Computed from
/// scratch; [`Weights::value`] adds up the same weights.
pub fn weight_indices(discs: Discs, classes: &[u32]) -> [u32; PLACES + 3] {
    let features = Features::new(discs.own, discs.opponent);
    let mut indices = [0; PLACES + 3];
    for (place, index) in indices[..PLACES].iter_mut().enumerate() {
        *index = classes[(CENTRES[place] + i32::from(features.0[place])) as usize];
    }
    let moves = |own, opponent| (bits::moves(own, opponent).count_ones() as usize).min(MOVES_MAX);
    let empty = (!(discs.own | discs.opponent)).count_ones() as usize;
    let extra = [
        OWN_MOVES + moves(discs.own, discs.opponent),
        OPPONENT_MOVES + moves(discs.opponent, discs.own),
        PARITY + empty % 2,
    ];
    for (index, extra) in indices[PLACES..].iter_mut().zip(extra) {
        *index = extra as u32;
    }
    indices
}

const _: () = assert!(PLACES <= LANES && FILE_BYTES <= 400_000);
