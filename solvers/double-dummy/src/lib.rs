//! A double-dummy solver: the number of tricks each side takes with all four hands open and perfect
//! play. [`Solver`] searches for one number of tricks at a time, with a transposition table whose
//! entries each cover many positions. It starts no threads, reads no clock and keeps no state
//! outside a solver.
//!
//! ```
//! use sandboard_double_dummy::{Solver, TABLE_BYTES};
//! use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table};
//!
//! let hand = |cards: &str| cards.split(' ').filter_map(Card::from_text).collect::<Cards>();
//! let hands = [hand("SA H2"), hand("SK HA"), hand("SQ HK"), hand("SJ H3")];
//! let table = Table::new(hands, Strain::NoTrump, Compass::North).unwrap();
//! let mut solver = Solver::new(TABLE_BYTES);
//! assert_eq!(solver.tricks(&table, &|| true), Ok(1));
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod certain_tricks;
mod cutoff_table;
mod deal;
mod entry;
mod entry_pool;
mod error;
mod lanes;
mod order;
mod search;
mod solver;
mod symmetry;
mod transposition;

#[cfg(test)]
mod tests;

pub use error::{DealError, SearchStopped, TraceError};
pub use search::{POSITIONS_PER_STOP_CHECK, Techniques};
pub use solver::{Solver, TABLE_BYTES};

/// The code in this crate's README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
