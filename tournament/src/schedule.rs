//! Tournament schedules: which pairs of games to play next. A [`Schedule`] takes results and
//! returns the pairs that can be played now. It never plays a game and knows no runner, clock or
//! file.
//!
//! Invariant: the pair of a number depends only on the setup, on the events that apply up to that
//! number, and on the results that its round waits for; never on the order in which results arrive.

mod error;
mod knockout;
mod ladder;
mod matching;
mod planning;
mod players;
mod round_robin;
mod running;
mod setup;
mod swiss;
mod tables;

#[cfg(test)]
mod tests;

pub use error::{EventError, FinishError, SetupError};
pub use players::{HalfPoints, Players, SEATS_MAX, SeatList};
pub use running::{Forecast, Schedule};
pub use setup::{Change, Entrant, Event, Format, Outcome, Pair, Setup, swiss_rounds_max};
