//! Parts for a [`Search`](crate::Search) of gomoku: [`LineAnalyzer`] finds threats and proposes
//! moves, [`WindowEvaluator`] evaluates positions. [`PatternAnalyzer`] does both, plays stronger,
//! and proves forced wins. Contains no rule of the game.

mod five_window;
mod line_analyzer;
mod line_shape;
mod patterns;
mod point_set;
mod point_values;
#[cfg(test)]
mod tests;
mod window_evaluator;

pub use line_analyzer::{
    BLOCK_FIVE, BLOCK_FOUR, COUNTER_FOUR, FOUR, LineAnalyzer, MAKE_FIVE, STOP_FOUR, STOP_THREE,
    STRAIGHT_FOUR, THREE,
};
pub use patterns::{PATTERN_WEIGHTS, PatternAnalyzer, Skill};
pub use window_evaluator::{WINDOW_WEIGHTS, WindowEvaluator};

use sandboard_games::gomoku::Gomoku;

/// A search for gomoku with the simple parts.
pub type GomokuSearch = crate::Search<Gomoku, LineAnalyzer, WindowEvaluator>;

/// A search for gomoku with the strong analyzer.
pub type StrongGomokuSearch = crate::Search<Gomoku, PatternAnalyzer, crate::NullEvaluator>;
