//! The state of every pattern place of the board, one number for each, updated with each move.

use super::patterns::{LANES, STEPS};

/// The numbers of all places from one colour's point of view: in base three, with digit 1 for an
/// own disc and -1 for an opponent's. From the other point of view, all numbers are negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(pub(super) [i16; LANES]);

impl Features {
    /// The features of a position from the point of view of `own`.
    pub fn new(own: u64, opponent: u64) -> Self {
        let mut features = Features([0; LANES]);
        squares(own).for_each(|square| features.add(square, 1));
        squares(opponent).for_each(|square| features.add(square, -1));
        features
    }

    /// Updates the features for a move to `square` that flips these discs. `own`: made by the
    /// colour whose point of view the numbers have.
    #[inline]
    pub fn play(&mut self, square: u32, flipped: u64, own: bool) {
        let sign = if own { 1 } else { -1 };
        self.add(square, sign);
        squares(flipped).for_each(|square| self.add(square, 2 * sign));
    }

    #[inline]
    fn add(&mut self, square: u32, times: i16) {
        // The compiler handles eight places with one multiplication and addition.
        for (number, step) in self.0.iter_mut().zip(&STEPS[square as usize & 63]) {
            *number = number.wrapping_add(step.wrapping_mul(times));
        }
    }
}

/// The squares of a set, in ascending order.
#[inline]
fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(square)
    })
}
