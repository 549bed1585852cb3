//! What the search skeleton needs to play gomoku: [`Lines`] sees threats and
//! proposes moves, [`Windows`] values positions. No rule of the game is here.

mod lines;
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
pub use windows::{WEIGHTS, Windows};

/// The search for gomoku.
pub type GomokuSearch = crate::Search<sandboard_games::gomoku::Gomoku, Lines, Windows>;
