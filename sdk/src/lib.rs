//! What an engine author adds to Sandboard: one function, the next move.
//!
//! From the smallest to the whole, each over the one before it:
//!
//! 1. [`Chooser`]: one function. A [`Turn`] goes in, a [`Reply`] comes out; all else has a default,
//!    the decisions of opening procedures (swap, offer, pick) included.
//! 2. [`BaseEngine`] makes an [`Engine`] of it, the six calls of the border: it keeps the position,
//!    checks moves and options, seeds the randomness.
//! 3. [`export_engine!`] makes a native library and a wasm component of either.
//!
//! Beside them stand the search skeleton ([`Search`] over an [`Analyzer`], an [`Evaluator`] and a
//! [`PredictedBoard`]), which serves every game with [`games::Rules`], and ready-made parts for
//! single games ([`gomoku`], [`xiangqi`]). What an engine may ask of its host is [`HostCalls`], behind a
//! [`Host`]. The values that cross the border are in [`abi`]; the border itself is
//! `abi/wit/since-v1/engine.wit` in the repository.
//!
//! The way from a random mover to a search is `docs/authoring.md`; its six engines are whole files
//! in `sdk/examples`. Nothing here reads a clock or draws a random number but through the host.
//!
//! ```
//! use sandboard_sdk::abi::{Decision, Limits, Setup};
//! use sandboard_sdk::games::gomoku::Gomoku;
//! use sandboard_sdk::{BaseEngine, Chooser, Engine, Host, Reply, Turn};
//!
//! /// The one function.
//! #[derive(Default)]
//! struct First;
//!
//! impl Chooser for First {
//!     type Rules = Gomoku;
//!
//!     fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
//!         turn.legal_moves().first().map_or(Reply::resign(), |&mv| Reply::play(mv))
//!     }
//! }
//!
//! // What a host does, without one: a game begins, a move is played, a move is asked for.
//! let setup = Setup {
//!     game: "gomoku".into(),
//!     variant: "freestyle".into(),
//!     seats: vec![1],
//!     seed: 7,
//!     # start: String::new(),
//!     # moves: String::new(),
//!     # options: Vec::new(),
//!     # memory_bytes: 0,
//!     # threads: 1,
//!     # helper: 0,
//!     # helpers: 0,
//!     # table_slots: 0,
//!     // … and so on
//! };
//! let mut engine = BaseEngine::<First>::start(&setup, Host::none())?;
//! engine.played("a1")?;
//! let choice = engine.choose(&Limits::default(), &[])?;
//! assert_eq!(choice.decision, Decision::Play("b1".into()));
//! # Ok::<(), String>(())
//! ```
#![deny(missing_docs)]
#![deny(unsafe_code)]

#[cfg(target_arch = "wasm32")]
extern crate self as sandboard_sdk;

mod analyzer;
mod decisions;
mod engine;
mod evaluator;
#[allow(unsafe_code)]
pub mod export;
pub mod gomoku;
mod host;
mod level;
mod noise;
mod own;
mod ponder;
mod predicted;
mod random;
pub mod search;
pub mod table;
pub mod time;
mod weights;
pub mod xiangqi;

pub use analyzer::{AllMoves, Analyzer, Candidate, Effort, Forced, NoValue, Scope, URGENT};

pub use engine::{BaseEngine, Cargo, Chooser, Engine, NewGame, Reply, Turn, pick, toggle, whole};
pub use evaluator::{Evaluator, ProbableCut, WIN_BOUND};
pub use host::{Host, HostCalls, Team};
pub use level::{LEVELS, Level, level_option};
pub use noise::{Noise, Noisy};
pub use own::OwnLimits;
pub use predicted::PredictedBoard;
pub use random::Random;
pub use sandboard_abi as abi;
pub use sandboard_games as games;
pub use search::{Found, Manner, Search, Switches, Task};
pub use weights::{Weight, Weights};

/// The code in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
