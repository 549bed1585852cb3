//! Exact scores of reversi's last squares on 8×8: what a position is worth to who moves when
//! both sides play perfectly from there on. A score is final discs less the opponent's, with
//! the empty squares for who has more, as [`Reversi::score`](sandboard_games::reversi::Reversi::score)
//! counts. No state outside a [`Solver`], no threads, no clock.
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
mod table;

#[cfg(test)]
mod tests;

pub use error::SolveError;
pub use search::{EMPTIES_MAX, POSITIONS_PER_QUESTION, Solver, TABLE_BYTES};
