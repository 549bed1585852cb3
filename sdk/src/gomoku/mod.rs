//! What the search skeleton needs to play gomoku: [`Lines`] sees threats and
//! proposes moves, [`Windows`] values positions; [`Patterns`] does both better,
//! and finds forced wins. No rule of the game is here.

mod lines;
mod patterns;
mod rows;
mod shape;
#[cfg(test)]
mod tests;
mod window;
mod windows;
mod worth;

pub use lines::{
    BLOCK_FIVE, BLOCK_FOUR, COUNTER_FOUR, FOUR, Lines, MAKE_FIVE, STOP_FOUR, STOP_THREE,
    STRAIGHT_FOUR, THREE,
};
pub use patterns::{PATTERN_WEIGHTS, Patterns, Skill};
pub use windows::{WEIGHTS, Windows};

use sandboard_games::gomoku::Gomoku;

/// The search for gomoku by the parts that are simplest to read.
pub type GomokuSearch = crate::Search<Gomoku, Lines, Windows>;

/// The search for gomoku by the parts that play best.
pub type StrongGomokuSearch = crate::Search<Gomoku, Patterns, crate::NoValue>;
