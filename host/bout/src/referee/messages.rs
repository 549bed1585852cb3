//! The input and output of a referee: events, commands, notices, rejections, and the events that a
//! record keeps. Plain values without behaviour.
//!
//! `player` is always an index into the list of players with which the referee was set up. `call`
//! is the number of a [`Command::RequestMove`] or [`Command::Solve`]; it is never used again in the
//! bout.

use std::sync::Arc;

use sandboard_abi::{Barred, Limits};
use sandboard_engine::{CallName, ChooseResponse, Fault, FaultCode, Observation, Usage};
use serde::{Deserialize, Serialize};

use super::result::BoutResult;
use crate::messages as sentences;

/// Something that happened, for the referee to handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The bout begins, or continues from a record.
    Begin,
    /// The driver starts a [`Command::RequestMove`]: the time of the request counts from now, and
    /// not from the event that led to it. Ignored, never rejected, if the call was given up.
    CallBegan { call: u64 },
    /// A player answered a request. A person's time is taken from the times of the events, and not
    /// from `response.spent`.
    Answered {
        player: usize,
        call: u64,
        /// The answer, not yet checked by any rule, and the usage measured where the engine runs.
        response: ChooseResponse,
        /// The best moves that the engine reported in this call, newest first. They only count if
        /// the answer came too late.
        reported: Vec<String>,
    },
    /// An engine made a fault; its instance is lost.
    Fault {
        player: usize,
        /// The call of a [`Command::RequestMove`]; none: a call other than `choose`.
        call: Option<u64>,
        fault: Fault,
        /// As in [`Event::Answered`].
        reported: Vec<String>,
    },
    /// An engine stopped pondering, after [`Command::StopPondering`] or by itself before.
    PonderingEnded {
        player: usize,
        /// The usage measured where the engine runs.
        spent: Usage,
        /// The time from the stop request to its return, in microseconds.
        stop_us: u64,
    },
    /// The position of [`Command::Solve`] is solved.
    Solved {
        call: u64,
        /// The final score with perfect play by both sides, in the game's unit, from side 0's
        /// view.
        score: i32,
    },
    /// The time of [`Command::SetTimer`] has come.
    Tick,
    /// Stops clocks and engines. The answer of an engine that was thinking is held back, and
    /// judged on [`Event::Resume`].
    Pause,
    /// Ends a pause.
    Resume,
    /// Takes moves back, and sets clocks to their earlier values.
    Undo {
        /// The number of moves. None: until `by` is to move again, or 1 without `by`.
        plies: Option<u32>,
        /// The player that requested it.
        by: Option<usize>,
    },
    /// A player resigns, in turn or out of turn.
    Resign { player: usize },
    /// A player offers a draw. People see the offer at once, an engine with its next request. It
    /// is open until the other side, having seen it, moves.
    OfferDraw { player: usize },
    /// A player accepts the draw that the other side offers.
    AcceptDraw { player: usize },
    /// A player declines the draw that the other side offers.
    DeclineDraw { player: usize },
    /// Ends the bout without a result: no winner, and no draw.
    Abort {
        /// One sentence without a full stop.
        reason: String,
    },
    /// A player has left for good, and loses.
    Disconnect { player: usize },
}

/// Something that the driver must do. Commands are carried out in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Open a fresh instance of an engine, in place of an earlier one, and start it.
    Start {
        player: usize,
        /// The number of moves that its setup has.
        plies: usize,
    },
    /// What the seat of an engine sees from now on, in a game with hidden information: the answers
    /// to its queries.
    Observe { player: usize, observation: Box<Observation> },
    /// Request a move. A driver that carries out commands later must check
    /// [`Referee::is_call_due`](super::Referee::is_call_due) first.
    RequestMove {
        player: usize,
        call: u64,
        limits: Limits,
        /// Moves that are refused, with the reasons.
        barred: Vec<Barred>,
    },
    /// Send a move to an engine; also its own moves.
    SendMove {
        player: usize,
        /// The canonical move text, as the player sees it.
        mv: Arc<str>,
    },
    /// Inform an engine about undone moves, after the call in progress.
    TakeBack { player: usize, plies: u32 },
    /// Let an engine ponder, in parallel with all that follows, until
    /// [`Command::StopPondering`]. If it returns earlier, it is not called again.
    Ponder { player: usize },
    /// Stop an engine that ponders. [`Event::PonderingEnded`] or its fault must follow before the
    /// next command.
    StopPondering { player: usize },
    /// Solve the position: the bout ends with [`Event::Solved`]. A driver that carries out
    /// commands later must check [`Referee::is_solving`](super::Referee::is_solving) first.
    Solve { call: u64 },
    /// Stop the call in progress. Its answer is still expected.
    Stop { player: usize, call: u64 },
    /// Send [`Event::Tick`] at this time, unless the timer is set again or cleared before.
    SetTimer {
        /// In microseconds, on the clock of the events.
        at_us: u64,
    },
    /// Clear the timer.
    ClearTimer,
    /// Show a notice to people, and log it.
    Notify(Notice),
    /// Save the record: the bout has changed.
    SaveRecord,
    /// Report a rejected event: it does not fit the state, which is unchanged.
    Reject(Rejection),
    /// Finish the bout. No other command follows.
    Finish(BoutResult),
}

/// A message for observers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The bout has begun or continues.
    Began,
    /// A move was played.
    Moved {
        /// The player that moved; none: chance.
        player: Option<usize>,
        /// The index of the ply, from 0.
        ply: u32,
        /// The canonical move text. Who may see it: see
        /// [`Ply::text_for`](super::Ply::text_for).
        mv: Arc<str>,
        /// Set if the move was not chosen in the usual way.
        origin: Option<MoveOrigin>,
    },
    /// The sides exchanged their names.
    SidesSwapped {
        /// The current names of all sides.
        names: Vec<&'static str>,
    },
    /// An answer was refused.
    Refused {
        player: usize,
        /// The move, cut and sanitized.
        mv: String,
        reason: String,
        /// The requests left for this move; none for a person, who may try again and again.
        requests_left: Option<u32>,
    },
    /// An engine made a fault.
    Faulted { player: usize, fault: Fault },
    /// A player exceeded its time limit.
    Overrun {
        player: usize,
        /// What it spent, in its budget's unit.
        spent: u64,
        /// What it was allowed to spend.
        allowed: u64,
    },
    /// A player offered a draw.
    DrawOffered { player: usize },
    /// A draw offer was declined, explicitly or by a move.
    DrawDeclined {
        /// The player that had offered the draw.
        player: usize,
    },
    /// Moves were taken back.
    Undone { plies: u32 },
    /// The clocks were stopped.
    Paused,
    /// The clocks were started again.
    Resumed,
}

/// How a move was chosen, other than by the answer of its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveOrigin {
    /// The engine exceeded its time limit, and its last legal reported move was played.
    ReportedOnTimeout,
}

/// Why an event was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// An event before [`Event::Begin`].
    #[error("{}", sentences::BOUT_NOT_BEGUN)]
    NotStarted,
    /// A second [`Event::Begin`].
    #[error("{}", sentences::BOUT_BEGUN)]
    AlreadyStarted,
    /// An event after the end.
    #[error("{}", sentences::BOUT_FINISHED)]
    Finished,
    /// An unknown player index.
    #[error("{}", sentences::no_player(.0))]
    UnknownPlayer(usize),
    /// An answer without a request, or to a request that was given up.
    #[error("{}", sentences::no_request(.0))]
    NoSuchCall(usize),
    /// A person moves, or a second pause, while the bout is paused.
    #[error("{}", sentences::BOUT_PAUSED)]
    Paused,
    /// [`Event::Resume`] without a pause.
    #[error("{}", sentences::BOUT_NOT_PAUSED)]
    NotPaused,
    /// The settings exclude undo.
    #[error("{}", sentences::NO_UNDO)]
    UndoForbidden,
    /// More moves to undo than there are.
    #[error("{}", sentences::too_few_moves(.have, .plies))]
    TooFewMoves {
        have: u32,
        /// The number of moves to undo.
        plies: u32,
    },
    /// 0 moves to undo, or a player that has not moved.
    #[error("{}", sentences::NOTHING_TO_UNDO)]
    NothingToUndo,
    /// A resignation in a game with more or fewer than two sides.
    #[error("{}", sentences::NO_RESIGNATION)]
    ResignationForbidden,
    /// The settings exclude draw offers.
    #[error("{}", sentences::NO_DRAWS)]
    DrawForbidden,
    /// A second offer while the first is open.
    #[error("{}", sentences::DRAW_ALREADY_OFFERED)]
    AlreadyOffered,
    /// The other side has no open offer.
    #[error("{}", sentences::NO_DRAW_OFFERED)]
    NoOffer,
    /// A score for a position that is not, or no longer, being solved.
    #[error("no position is being solved under this call")]
    NotSolving,
    /// A score with which the game cannot end from its position.
    #[error("the game cannot end with a score of {0}")]
    ImpossibleScore(i32),
}

/// An event of a record, other than a move. They are kept in the order in which they happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// The number of plies played before it; of a step of several seats, also those that are chosen
    /// but not yet played.
    pub at_ply: u32,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kinds of [`EventRecord`], as `docs/records.md` describes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum EventKind {
    /// An instance of an engine was started.
    Started { player: usize },
    /// An answer was refused.
    Refused {
        player: usize,
        /// The move, cut and sanitized.
        r#move: String,
        reason: String,
        /// The usage of the call; none for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Usage>,
        /// The text of the position in which it was given; empty in older records.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        position: String,
    },
    /// An engine made a fault.
    Fault {
        player: usize,
        code: FaultCode,
        sentence: String,
        /// The call that ended in the fault.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallName>,
        /// The usage of that call.
        #[serde(default)]
        spent: Usage,
    },
    /// A player resigned.
    Resigned {
        player: usize,
        /// The usage of the call, if it was an engine's answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Usage>,
    },
    /// A player accepted the draw offer.
    DrawAccepted {
        player: usize,
        /// The usage of the call, if it was an engine's answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Usage>,
    },
    /// A player exceeded its time limit.
    Overrun {
        player: usize,
        /// What it spent, in its budget's unit.
        spent: u64,
        /// What it was allowed to spend.
        allowed: u64,
    },
    /// Moves were taken back.
    Undone {
        /// The undone moves, in the order in which they were played.
        moves: Vec<String>,
        /// An engine was thinking, and its answer was given up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        thinking: bool,
    },
    /// A player offered a draw.
    DrawOffered { player: usize },
    /// A draw offer was declined explicitly, not by a move.
    DrawDeclined {
        /// The player that had offered the draw.
        player: usize,
    },
    /// The position was solved, which ended the bout.
    Solved {
        /// The score of perfect play, in the game's unit, from side 0's view.
        score: i32,
    },
    /// The clocks were stopped.
    Paused,
    /// The clocks were started again.
    Resumed,
    /// The bout continued from its record.
    Reloaded,
}
