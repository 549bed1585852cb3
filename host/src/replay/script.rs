//! The calls that the engines of a bout got, with what is known of how each ended.
//! Plain values; where they come from is in `derivation`.

use sandboard_abi::{Barred, Limits, Setup};

use super::derivation::derived;
use crate::engine::{Fault, Spent};
use crate::record::{GameTable, Record, RecordError, Start};

/// What the engines of a bout were asked, by player; nothing for people.
#[derive(Clone, Debug)]
pub struct Script {
    /// The calls of each player's instances, in order.
    pub players: Vec<Vec<Step>>,
    /// Where the bout began.
    pub start: Start,
}

/// One call, and what is known of how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// How many moves had been played.
    pub at_ply: u32,
    /// What was called.
    pub call: Call,
    /// How it ended.
    pub expected: Expected,
    /// The move that was taken from the reports of the call, since it was late.
    pub from_report: Option<String>,
}

/// A call over the border.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A fresh instance, in place of an earlier one.
    Start(Box<Setup>),
    /// A move was told.
    Played(String),
    /// So many moves were taken back.
    TakenBack(u32),
    /// A move was asked for.
    Choose(Box<Limits>, Vec<Barred>),
}

/// How a recorded call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// It came back.
    Done,
    /// It brought an answer.
    Answer(Answered, Box<Spent>),
    /// It ended in a fault.
    Fault(Box<Fault>),
    /// The record does not know: the answer was given up.
    Unknown,
}

/// What an engine had answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// This move, which was played.
    Move {
        /// The canonical text.
        mv: String,
        /// A draw was offered with it.
        offers_draw: bool,
    },
    /// This text, cut and cleared, which was refused.
    Refused(String),
    /// It gave up.
    Resigned,
    /// It took the draw that was offered.
    DrawAccepted,
}

/// Why a record gives no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// It is not sound.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What it tells cannot have happened in this order.
    #[error("{place}: {reason}")]
    Incoherent {
        /// Which field, as in `events[3]`.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Script {
    /// The calls behind a record. Err: it contradicts itself, at this place.
    pub fn of(record: &Record, games: GameTable) -> Result<Self, ScriptError> {
        derived(record, record.start(games)?)
    }
}

pub(super) fn incoherent(place: impl Into<String>, reason: impl ToString) -> ScriptError {
    ScriptError::Incoherent { place: place.into(), reason: reason.to_string() }
}
