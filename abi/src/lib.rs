//! The interface between a Sandboard host and its engines: the values that cross it, their C
//! mirror, and the limits on both. Contains no logic of play, search or rules, does no I/O, and
//! knows no game.
//!
//! The same interface is described three times in the same words: as WIT
//! (`wit/since-v1/engine.wit`, which documents every field), as a C header
//! (`include/sandboard_engine_v1.h`), and here.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod c;
pub mod limits;
mod types;

pub use types::*;

/// The ABI number of the interface that this crate describes. It changes only with a breaking
/// change of the interface, not with the crate's version. It is the major version of the WIT
/// package and the number in the native symbol.
pub const ABI: u32 = 1;

/// The name of the WIT package without its version; ABI number N has version `@N.x.y`.
pub const WIT_PACKAGE: &str = "sandboard:engine";

/// The symbol that a native engine exports, without its ABI number.
pub const NATIVE_SYMBOL_STEM: &str = "sandboard_engine_v";

/// The WIT text of the newest interface, for tools that build or check engines.
pub const WIT: &str = include_str!("../wit/since-v1/engine.wit");

/// The WIT text of the newest interface of plugged-in games.
pub const GAME_WIT: &str = include_str!("../wit/game-since-v1/game.wit");

/// The name of the WIT package of plugged-in games, without its version.
pub const GAME_WIT_PACKAGE: &str = "sandboard:game";

/// The number of the interface of plugged-in games: the major version of its WIT package.
pub const GAME_ABI: u32 = 1;

/// The C header of the newest interface.
pub const C_HEADER: &str = include_str!("../include/sandboard_engine_v1.h");

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
