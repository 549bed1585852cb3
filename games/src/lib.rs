//! The rules of every game in Sandboard: positions, legal moves, results, notation and file
//! formats.
//!
//! The crate is deterministic on every platform, including wasm. It never reads a clock or a file,
//! has no randomness and no threads, and does no I/O.
//!
//! Each game is one folder and one row of [`GAMES`]. Engines that search use the typed trait
//! [`Rules`]. Games with chance, hidden information or more than two sides have
//! [`general::GeneralRules`]. Hosts use the object-safe trait [`DynGame`] for both. A [`board`]
//! shows a position to people.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod board;
pub mod bridge;
#[cfg(test)]
mod conformance;
mod ending;
mod erased;
mod fields;
pub mod formats;
mod games;
pub mod general;
pub mod gomoku;
mod info;
pub mod messages;
mod opening_names;
mod perft;
mod phase;
mod playouts;
pub mod reversi;
mod rules;
pub mod splitmix;
pub mod xiangqi;

pub use ending::{Ending, winner};
pub use erased::{DynGame, Game};
pub use games::Games;
pub use info::{
    Features, GameInfo, NO_TRANSLATIONS, PluggedIn, SetUpFn, Setting, SettingInfo, Sizes,
    Translations, Variant, VariantInfo,
};
pub use opening_names::OpeningName;
pub use perft::perft;
pub use phase::Phase;
pub use playouts::{PlayoutPlan, Playouts, playouts, playouts_by_text};
pub use rules::{
    MoveCode, MoveSet, Outcome, PositionError, PositionFault, Refusal, Rules, Seat, SetupError,
    Side,
};

/// The built-in games, in the order of listings. [`Games`] also has those that were plugged in.
pub static GAMES: &[&GameInfo] = &[&gomoku::INFO, &reversi::INFO, &bridge::INFO, &xiangqi::INFO];

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
