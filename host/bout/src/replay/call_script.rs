//! The calls that the engines of a bout received, and how each one ended. Plain values;
//! `derivation.rs` computes them.

use sandboard_abi::{Barred, Limits, Setup};
use sandboard_engine::{Fault, Observation, Usage};
use sandboard_games::Games;

use super::derivation::derive;
use crate::record::{Record, RecordError};
use crate::start::StartPosition;

/// The calls of all engines of a bout.
#[derive(Clone, Debug)]
pub struct CallScript {
    /// The calls of each player's instances, in order; empty for people.
    pub players: Vec<Vec<ScriptStep>>,
    /// The start position of the bout.
    pub(super) start: StartPosition,
}

/// One call of an engine, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptStep {
    /// The number of moves played before the call; of a step of several seats, also those that
    /// are chosen but not yet played.
    pub at_ply: u32,
    /// What the engine's seat sees from this call on; none: the same as before, or everything.
    pub(super) observation: Option<Box<Observation>>,
    /// The call with its arguments.
    pub call: EngineCall,
    /// The recorded result.
    pub expected: ExpectedResult,
    /// The move that was taken from the reports of the call, because its time was up.
    pub(super) from_report: Option<String>,
}

/// A call of an engine with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineCall {
    /// Start a fresh instance, in place of an earlier one.
    Start(Box<Setup>),
    /// A move was played.
    Played(String),
    /// This number of moves was taken back.
    TakenBack(u32),
    /// Choose a move, but none of the refused ones.
    Choose(Box<Limits>, Vec<Barred>),
}

/// How a recorded call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedResult {
    Done,
    /// It returned an answer.
    Answer(RecordedAnswer, Box<Usage>),
    /// It ended in a fault.
    Fault(Box<Fault>),
    /// Not recorded: the answer was given up.
    Unknown,
}

/// An engine's answer as a record has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// A move that was played.
    Move {
        /// The canonical move text.
        mv: String,
        /// A draw was offered with the move.
        offers_draw: bool,
    },
    /// A text that was refused, cut and sanitized.
    Refused(String),
    /// The engine resigned.
    Resigned,
    /// The engine accepted the draw offer.
    DrawAccepted,
}

/// Why no calls can be derived from a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallScriptError {
    /// The record is invalid.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record contradicts itself.
    #[error("{place}: {reason}")]
    Incoherent {
        /// The field, for example `events[3]`.
        place: String,
        reason: String,
    },
}

impl CallScript {
    /// The calls behind a record. Err: the record contradicts itself.
    pub fn from_record(record: &Record, games: &Games) -> Result<Self, CallScriptError> {
        derive(record, record.start_position(games)?)
    }
}

pub(super) fn incoherent(place: impl Into<String>, reason: impl ToString) -> CallScriptError {
    CallScriptError::Incoherent { place: place.into(), reason: reason.to_string() }
}
