//! The evaluation as the guess by which the endgame solver orders moves. Proves nothing.

use super::{DISC, Discs, Features, Weights};
use crate::endgame::Guess;

impl Guess for &Weights {
    type Seen = Features;

    fn see(&self, own: u64, opponent: u64) -> Features {
        Features::new(own, opponent)
    }

    #[inline]
    fn play(&self, seen: &mut Features, square: u32, flipped: u64, viewer: bool) {
        seen.play(square, flipped, viewer);
    }

    #[inline]
    fn guess(&self, seen: &Features, own: u64, opponent: u64, viewer: bool) -> i32 {
        self.value(seen, Discs { own, opponent }, viewer) / (DISC / 8)
    }
}
