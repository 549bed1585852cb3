//! What an engine author adds to Sandboard: one function, the next move.
//!
//! [`Chooser`] is that function; [`BaseEngine`] the rest of the border over it;
//! [`export_engine!`] makes a native library and a wasm component of it. The
//! search skeleton ([`Search`] over [`Analyzer`], [`Evaluator`] and
//! [`PredictedBoard`]) serves every game with [`games::Rules`]. Nothing here
//! reads a clock or draws a random number but through the host.
#![deny(missing_docs)]
#![deny(unsafe_code)]

#[cfg(target_arch = "wasm32")]
extern crate self as sandboard_sdk;

mod analyzer;
mod engine;
mod evaluator;
#[allow(unsafe_code)]
pub mod export;
pub mod gomoku;
mod host;
mod predicted;
mod random;
pub mod search;
pub mod table;
pub mod time;
mod weights;

pub use analyzer::{AllMoves, Analyzer, Candidate, Scope, URGENT};

pub use engine::{BaseEngine, Cargo, Chooser, Engine, NewGame, Reply, Turn, pick, toggle, whole};
pub use evaluator::{Evaluator, WIN_BOUND};
pub use host::{Host, HostCalls};
pub use predicted::PredictedBoard;
pub use random::Random;
pub use sandboard_abi as abi;
pub use sandboard_games as games;
pub use search::{Found, Search, Switches, Task};
pub use weights::{Weight, Weights};

/// The code in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
