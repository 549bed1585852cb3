//! The SDK for engine authors: an engine is one function, the next move.
//!
//! Three layers, each built on the one before it:
//!
//! 1. [`Chooser`] has one required method, from a [`Turn`] to a [`Reply`]. All others have
//!    defaults, including the decisions of opening procedures (swap, offer, pick).
//! 2. [`BaseEngine`] makes an [`Engine`] of it, the six calls of the ABI. It keeps the position,
//!    checks moves and options, and seeds the random numbers.
//! 3. [`export_engine!`] makes a native library and a wasm component of either.
//!
//! The SDK also has a search for every game with [`games::Rules`]: [`Search`] over an
//! [`Analyzer`], an [`Evaluator`] and a [`SearchBoard`]. [`SearchEngine`] makes a [`Chooser`] of
//! these parts. Ready-made parts exist for [`gomoku`] and [`xiangqi`]. [`Mcts`] is a search that
//! needs none of these parts.
//!
//! Games with hidden information, chance, moves at the same time or more than two sides have
//! [`games::general::GeneralRules`]. Their engines implement [`GeneralChooser`], which
//! [`GeneralEngine`] makes an [`Engine`] of. They get positions that fit what their seat has seen
//! from a [`Determinize`], and may search with [`IsMcts`] or [`MaxN`].
//!
//! An engine calls its host through a [`Host`], whose calls are [`HostCalls`]. The values that
//! cross the ABI are in [`abi`]; the ABI itself is `abi/wit/since-v1/engine.wit` in the repository.
//!
//! The tutorial `docs/authoring.md` leads from a random mover to a search; its engines are in
//! `sdk/examples`. The SDK reads the clock only through the host, and draws random numbers only
//! from the game's seed.
//!
//! ```
//! use sandboard_sdk::abi::{Decision, Limits, Setup};
//! use sandboard_sdk::games::gomoku::Gomoku;
//! use sandboard_sdk::{BaseEngine, Chooser, Engine, Host, Reply, Turn};
//!
//! /// Plays the first legal move.
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
//! // The calls of a host: start a game, play a move, choose a move.
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
//! let mut engine = BaseEngine::<First>::start(&setup, Host::null())?;
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
mod chooser;
mod decisions;
mod engine;
mod engine_limits;
mod evaluator;
#[allow(unsafe_code)]
pub mod export;
mod general;
pub mod gomoku;
mod host;
mod level;
pub mod mcts;
mod noise;
mod options;
mod ponder;
mod random;
pub mod search;
mod search_board;
mod search_engine;
pub mod time_management;
pub mod transposition_table;
mod weights;
pub mod xiangqi;

pub use analyzer::{
    AllMoves, Analyzer, Candidate, ForcedWin, NullEvaluator, ProofEffort, Scope, URGENT,
};
pub use chooser::{Chooser, NewGame, Reply, Turn};
pub use engine::{BaseEngine, CrateInfo, Engine};
pub use engine_limits::EngineLimits;
pub use evaluator::{Evaluator, ProbCut, WIN_BOUND};
pub use general::{
    Determinize, GeneralChooser, GeneralEngine, GeneralReply, GeneralTask, GeneralTurn, IsMcts,
    IsMctsResult, Knowledge, MaxN, MaxNResult, MoveStatistics, RandomGames, ReplaySampler,
    SeatEvaluator, relative_scores,
};
pub use host::{Host, HostCalls, Team};
pub use level::{LEVELS, Level, level_option};
pub use mcts::{Mcts, MctsParams, Playout, PlayoutResult, RandomPlayout};
pub use noise::{Noise, NoisyEvaluator};
pub use options::{pick_option, toggle_option, whole_option};
pub use random::Random;
pub use sandboard_abi as abi;
pub use sandboard_games as games;
pub use search::{Search, SearchParams, SearchResult, SearchTask, Switches};
pub use search_board::SearchBoard;
pub use search_engine::{GameSearch, SearchConfig, SearchEngine};
pub use weights::{Weight, Weights};

/// The code in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
