//! The evaluation as the evaluator with which the endgame solver orders moves.

use super::{DISC, Discs, Features, Weights};
use crate::endgame::OrderingEvaluator;

impl OrderingEvaluator for &Weights {
    type State = Features;

    fn state(&self, own: u64, opponent: u64) -> Features {
        Features::new(own, opponent)
    }

    #[inline]
    fn play(&self, features: &mut Features, square: u32, flipped: u64, by_viewer: bool) {
        features.play(square, flipped, by_viewer);
    }

    #[inline]
    fn evaluate(&self, features: &Features, own: u64, opponent: u64, viewer_moves: bool) -> i32 {
        self.value(features, Discs { own, opponent }, viewer_moves) / (DISC / 8)
    }
}
