//! A double-dummy solver: how many tricks each side takes with all four hands open, both
//! playing perfectly. A search for one number of tricks at a time with a table of positions
//! that stand for many ([`Solver`]). No state outside a solver, no threads, no clock.
//!
//! ```
//! use sandboard_double_dummy::{Solver, TABLE_BYTES};
//! use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table};
//!
//! let hand = |cards: &str| cards.split(' ').filter_map(Card::of_text).collect::<Cards>();
//! let hands = [hand("SA H2"), hand("SK HA"), hand("SQ HK"), hand("SJ H3")];
//! let table = Table::new(hands, Strain::NoTrump, Compass::North).unwrap();
//! let mut solver = Solver::new(TABLE_BYTES);
//! assert_eq!(solver.tricks(&table, &|| true), Ok(1));
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cutoffs;
mod deal;
mod entry;
mod error;
mod lanes;
mod memory;
mod order;
mod rooms;
mod search;
mod solver;
mod sure;
mod turns;

#[cfg(test)]
mod tests;

pub use error::{DealError, Stopped, TraceError};
pub use search::{POSITIONS_PER_QUESTION, Techniques};
pub use solver::{Solver, TABLE_BYTES};
