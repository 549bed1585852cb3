//! Which pairs of games a tournament consists of. A [`Schedule`] is a value that is told results
//! and says which pairs can be played now; no runner, clock or file is known here.
//!
//! A pair is known by its number. What pair a number is depends on the setup, on the events that count
//! from it or an earlier number on, and on the results of the pairs that its round waits for: never on
//! the order in which results came.

mod error;
mod format;
mod knockout;
mod ladder;
mod matching;
mod meetings;
mod running;
mod state;
mod swiss;

#[cfg(test)]
mod tests;

pub use error::{EventError, FinishError, SetupError};
pub use format::{
    Change, EVENTS_MAX, Entrant, Event, Format, Outcome, PAIRS_MAX, PLAYERS_MAX, Pair, Setup,
};
pub use running::{Forecast, Schedule};
