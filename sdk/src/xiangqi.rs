//! Parts for a [`Search`](crate::Search) of xiangqi: [`XiangqiAnalyzer`] proposes moves, lists
//! noisy ones and judges repetitions, [`XiangqiEvaluator`] evaluates positions. Contains no rule of
//! the game.

mod analyzer;
mod evaluator;
mod piece_square;
mod positional;
#[cfg(test)]
mod tests;
mod weights;

pub use analyzer::XiangqiAnalyzer;
pub use evaluator::XiangqiEvaluator;
pub use weights::WEIGHTS;

use sandboard_games::xiangqi::Xiangqi;

/// The search for xiangqi, with noise for levels of strength.
pub type XiangqiSearch =
    crate::Search<Xiangqi, XiangqiAnalyzer, crate::NoisyEvaluator<XiangqiEvaluator>>;
