//! What stands in every place of the board, kept up to date move by move: one
//! number for each place. Values nothing.

use super::shapes::{LANES, STEPS};

/// The numbers of all places from one colour's view: to base three, an own disc
/// being 1, an opponent's -1. From the other's view every number is its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(pub(super) [i16; LANES]);

impl Features {
    /// Those of a position, from the view of `own`.
    pub fn new(own: u64, opponent: u64) -> Self {
        let mut features = Features([0; LANES]);
        squares(own).for_each(|square| features.add(square, 1));
        squares(opponent).for_each(|square| features.add(square, -1));
        features
    }

    /// A move to `square` that flips these discs; `own` says whether it is made
    /// by the colour from whose view the numbers are.
    #[inline]
    pub fn play(&mut self, square: u32, flipped: u64, own: bool) {
        let sign = if own { 1 } else { -1 };
        self.add(square, sign);
        squares(flipped).for_each(|square| self.add(square, 2 * sign));
    }

    #[inline]
    fn add(&mut self, square: u32, times: i16) {
        // One multiplication and addition for eight places at a time.
        for (number, step) in self.0.iter_mut().zip(&STEPS[square as usize & 63]) {
            *number = number.wrapping_add(step.wrapping_mul(times));
        }
    }
}

/// The squares of a set, from the lowest on.
#[inline]
fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(square)
    })
}
