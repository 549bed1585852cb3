//! Analysis of engines, games and positions outside a bout: test suites of positions, the
//! conformance checks of engines and of games for authors, and the double-dummy solver for bridge.
//! Writes no game records and prints nothing.
//!
//! Entry points: [`suite`], [`check`], [`check_game`], [`solve`].
#![forbid(unsafe_code)]

pub mod check;
pub mod check_game;
pub mod solve;
pub mod suite;
