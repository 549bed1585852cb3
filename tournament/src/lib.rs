//! Tournament schedules and rating statistics as values: which pairs of games to play, and what the
//! results say about the strength of the players.
//!
//! This crate never reads a clock, a file or the environment, starts no threads, and knows no
//! engine and no rules of a game. All random numbers come from the seed of the setup. The same
//! results give the same pairs and the same statistics, in whatever order they arrive.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod schedule;
pub mod stats;

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
