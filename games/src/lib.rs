//! The rules of every game that Sandboard plays: positions, legal moves, ends
//! of games, notation. Same input, same output, on every platform and in wasm;
//! no clock, no file, no randomness, no threads, no I/O.
//!
//! A game is one folder here and one row of [`GAMES`]. [`Rules`] is the typed
//! face, for engines that search; [`DynGame`] the erased one, for hosts.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod bridge;
#[cfg(test)]
mod conformance;
mod erased;
pub mod formats;
pub mod gomoku;
mod info;
mod perft;
mod phase;
pub mod reversi;
mod rules;
mod splitmix;
mod words;
pub mod xiangqi;

pub use erased::{DynGame, Game};
pub use info::{GameInfo, SetUp, Setting, SettingInfo, Sizes, Variant, VariantInfo};
pub use perft::perft;
pub use phase::Phase;
pub use rules::{
    Coded, Generate, Outcome, PositionError, PositionFault, Refusal, Rules, Seat, SetupError, Side,
};

/// Every game, in the order in which they are listed.
pub static GAMES: &[&GameInfo] = &[&gomoku::INFO, &reversi::INFO, &bridge::INFO, &xiangqi::INFO];

/// The game with this id, if there is one.
pub fn game(id: &str) -> Option<&'static GameInfo> {
    GAMES.iter().copied().find(|info| info.id == id)
}
