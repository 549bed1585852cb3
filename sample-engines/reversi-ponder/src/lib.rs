//! The strong engine of reversi.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod endgame;
pub mod eval;
