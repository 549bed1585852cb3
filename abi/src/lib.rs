//! The contract between a Sandboard host and its engines: the plain values
//! that cross the border, their C mirror, and the limits on both. No logic
//! that plays, searches or judges; no I/O; this crate knows no game.
//!
//! The same border stands three times, in the same words: as WIT
//! (`wit/since-v1/engine.wit`, which explains every field), as a C header
//! (`include/sandboard_engine_v1.h`) and here.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod c;
pub mod limits;
mod types;

pub use types::*;

/// The number of the border that this crate describes. It changes only with a
/// breaking change of the border, never with the crate's version: it is the
/// major version of the WIT package and the number in the native symbol.
pub const ABI: u32 = 1;

/// The WIT package's name without its version; ABI number N is `@N.x.y`.
pub const WIT_PACKAGE: &str = "sandboard:engine";

/// The one symbol a native engine exports, without its ABI number.
pub const NATIVE_SYMBOL_STEM: &str = "sandboard_engine_v";

/// The WIT text of the newest border, for tools that build or check engines.
pub const WIT: &str = include_str!("../wit/since-v1/engine.wit");

/// The C header of the newest border.
pub const C_HEADER: &str = include_str!("../include/sandboard_engine_v1.h");
