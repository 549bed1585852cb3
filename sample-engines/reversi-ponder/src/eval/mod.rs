//! What a position of the 8×8 board is worth to the side to move, by weights for
//! the states of ten shapes on it, for the moves that either side has, and for
//! parity (M. Buro, "From Simple Features to Sophisticated Evaluation
//! Functions", 1998). Looks ahead not at all.

mod classes;
mod cuts;
mod features;
mod guess;
mod shapes;
#[cfg(test)]
mod tests;
mod weights;

use sandboard_sdk::games::reversi::bits;

pub use classes::{CLASSES, of_states};
pub use cuts::{CUT_DEPTHS, CUT_STAGES, Cut, Cuts, shallow, stage};
pub use features::Features;
pub use shapes::{CENTRES, PLACES, SHAPES, STATES};
pub use weights::{
    DISC, FILE, KNOT, KNOTS, MOVES_MAX, OPPONENT_MOVES, OWN_MOVES, PARITY, Weights, WeightsError,
    between,
};

use shapes::LANES;

/// No evaluation says more, nor less than its negative: the end of a game is
/// worth at most 64 discs.
pub const VALUE_MAX: i32 = 64 * DISC - 1;

/// A position in which someone moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discs {
    /// Those of the side to move.
    pub own: u64,
    /// Those of the other.
    pub opponent: u64,
}

impl Weights {
    /// The value for the side to move, in 128ths of a disc. `own` says whether
    /// that is the side from whose view the features are.
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

/// The weights of a knot that count in a position, for the training: their
/// indexes. Made from scratch; [`Weights::value`] adds the same ones up.
pub fn indexes(discs: Discs, classes: &[u32]) -> [u32; PLACES + 3] {
    let features = Features::new(discs.own, discs.opponent);
    let mut indexes = [0; PLACES + 3];
    for (place, index) in indexes[..PLACES].iter_mut().enumerate() {
        *index = classes[(CENTRES[place] + i32::from(features.0[place])) as usize];
    }
    let moves = |own, opponent| (bits::moves(own, opponent).count_ones() as usize).min(MOVES_MAX);
    let empty = (!(discs.own | discs.opponent)).count_ones() as usize;
    let extra = [
        OWN_MOVES + moves(discs.own, discs.opponent),
        OPPONENT_MOVES + moves(discs.opponent, discs.own),
        PARITY + empty % 2,
    ];
    for (index, extra) in indexes[PLACES..].iter_mut().zip(extra) {
        *index = extra as u32;
    }
    indexes
}

const _: () = assert!(PLACES <= LANES && FILE <= 400_000);
