//! Analysis of engines and positions outside a bout: test suites of positions, the conformance
//! check for authors, and the double-dummy solver for bridge. Writes no game records and prints
//! nothing.
//!
//! Entry points: [`suite`], [`check`], [`solve`].
#![forbid(unsafe_code)]

pub mod check;
pub mod solve;
pub mod suite;
