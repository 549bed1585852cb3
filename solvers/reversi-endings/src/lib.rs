//! Exact scores of reversi endgames on 8×8 boards: the final score of the player to move with
//! perfect play of both sides. A score is the difference in discs, with the empty squares counted
//! for the winner, as in [`Reversi::score`](sandboard_games::reversi::Reversi::score). The solver
//! starts no threads, reads no clock and keeps no state outside a [`Solver`].
//!
//! ```
//! use sandboard_games::{Rules, reversi::{INFO, Reversi}};
//! use sandboard_reversi_endings::{Solver, TABLE_BYTES};
//!
//! let text = "XO".to_owned() + &"-".repeat(2) + &"X".repeat(60) + " X";
//! let position = Reversi::parse_position(&INFO.variant("standard").unwrap(), &text).unwrap();
//! let (own, opponent) = position.discs().unwrap();
//! let mut solver = Solver::new(TABLE_BYTES);
//! assert_eq!(solver.score(own, opponent, &|| true), Ok(64));
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod board;
mod error;
mod order;
mod search;
mod transposition;

#[cfg(test)]
mod tests;

pub use error::SolveError;
pub use search::{EMPTIES_MAX, POSITIONS_PER_STOP_CHECK, Solver, TABLE_BYTES};

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
