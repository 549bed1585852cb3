//! What goes into a referee and what comes out: events, commands, notices and
//! the reasons why an event is rejected. Plain values without behaviour.

use std::sync::Arc;

use sandboard_abi::{Barred, Choice, Limits};
use serde::{Deserialize, Serialize};

use super::result::BoutResult;
use crate::engine::{CallName, Fault, FaultCode, Spent};

/// What has happened. Players are indices into the list that the referee was
/// set up with; a `call` is the number that came with the [`Command::Ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The bout begins, or goes on after it was resumed from a record.
    Begin,
    /// The driver begins with an [`Command::Ask`]: the request runs from now, and
    /// not from the event that led to it. Never rejected: a call that was given
    /// up meanwhile is none.
    Asked {
        /// The call.
        call: u64,
    },
    /// A player has answered. What a person spent is read from the referee's
    /// events, not from `spent`.
    Chosen {
        /// Who.
        player: usize,
        /// The call that is answered.
        call: u64,
        /// The answer, not yet checked by any rule.
        choice: Choice,
        /// What the call took where the engine runs.
        spent: Spent,
        /// The moves that the engine reported as best in this call, newest
        /// first; looked at only when the answer came too late.
        reported: Vec<String>,
    },
    /// An engine did something wrong; its instance is poisoned.
    Fault {
        /// Who.
        player: usize,
        /// The call of an [`Command::Ask`]; none: another call than `choose`.
        call: Option<u64>,
        /// What it did.
        fault: Fault,
        /// As in [`Event::Chosen`].
        reported: Vec<String>,
    },
    /// An engine has come back that thought on its opponents' time, after
    /// [`Command::StopPondering`] or by itself before.
    Pondered {
        /// Who.
        player: usize,
        /// What it took where the engine runs.
        spent: Spent,
        /// How long it took to come back when it was told to, in microseconds.
        late_us: u64,
    },
    /// The position has been solved, as [`Command::Settle`] wanted.
    Settled {
        /// The call of the command.
        call: u64,
        /// The score with which the game ends when everybody plays perfectly from there on, in
        /// its own unit, as side 0 sees it.
        score: i32,
    },
    /// The time that [`Command::Arm`] named has come.
    Tick,
    /// Clocks and thinking stop. The answer of an engine that was thinking is
    /// held back, and judged when the bout goes on.
    Pause,
    /// The bout goes on.
    Resume,
    /// Moves are taken back, and clocks are set to what they were.
    Undo {
        /// How many; none: so many that `by` is to move again, or 1 where
        /// nobody is named.
        plies: Option<u32>,
        /// Who asked for it.
        by: Option<usize>,
    },
    /// A player gives up, in turn or out of turn.
    Resign {
        /// Who.
        player: usize,
    },
    /// A player offers a draw. People hear it at once, an engine when it is
    /// asked next; it stands until the other side, having heard it, moves.
    OfferDraw {
        /// Who.
        player: usize,
    },
    /// A player takes the draw that the other side offers.
    AcceptDraw {
        /// Who.
        player: usize,
    },
    /// A player declines the draw that the other side offers.
    DeclineDraw {
        /// Who.
        player: usize,
    },
    /// The bout is ended by force: nobody wins, and it is no draw.
    Abort {
        /// Why, in one sentence without a full stop.
        reason: String,
    },
    /// A player is gone for good, and loses.
    Disconnect {
        /// Who.
        player: usize,
    },
}

/// What a driver has to do, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Open a fresh instance for an engine (in place of the old one, if it had
    /// any) and start it with the moves so far.
    Start {
        /// Who.
        player: usize,
    },
    /// Ask for a move. A driver that executes commands later than they came
    /// looks first whether [`Referee::asked`](super::Referee::asked) still is this call.
    Ask {
        /// Who.
        player: usize,
        /// The number of the call, never used again in this bout.
        call: u64,
        /// What it may spend.
        limits: Limits,
        /// What not to choose, and why.
        barred: Vec<Barred>,
    },
    /// Tell an engine of a move, own ones too.
    Tell {
        /// Who.
        player: usize,
        /// The canonical text.
        mv: Arc<str>,
    },
    /// Tell an engine that moves are undone, after the call in progress.
    TakeBack {
        /// Who.
        player: usize,
        /// How many.
        plies: u32,
    },
    /// Let an engine think on its opponents' time, beside whatever follows, until the
    /// command to stop. If it comes back before that, it is left alone.
    Ponder {
        /// Who.
        player: usize,
    },
    /// Have an engine come back that thinks on its opponents' time, and hand in
    /// [`Event::Pondered`], or its fault, before the next command.
    StopPondering {
        /// Who.
        player: usize,
    },
    /// Have the position solved, and hand in [`Event::Settled`]: the bout ends with it. A driver
    /// that executes commands later than they came looks first whether
    /// [`Referee::settles`](super::Referee::settles) still is this call.
    Settle {
        /// The number of the call, never used again in this bout.
        call: u64,
    },
    /// Stop the call in progress; its answer is still to be handed in.
    Stop {
        /// Who.
        player: usize,
        /// The call.
        call: u64,
    },
    /// Hand in [`Event::Tick`] at this time, unless armed anew or disarmed before.
    Arm {
        /// When, on the clock of the events.
        at_us: u64,
    },
    /// No tick any more.
    Disarm,
    /// Something for people and the log.
    Show(Notice),
    /// The record has changed.
    Store,
    /// The event does not fit the state, which is as it was.
    Rejected(Rejection),
    /// The bout is over; no other command follows.
    End(BoutResult),
}

/// Something that people watching may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The bout has begun or goes on.
    Began,
    /// A move was made.
    Moved {
        /// By whom.
        player: usize,
        /// Which ply, from 0.
        ply: u32,
        /// The move.
        mv: Arc<str>,
        /// Set where it was not simply chosen.
        mark: Option<Mark>,
    },
    /// The sides have changed their names: side 0, side 1.
    Swapped {
        /// What they are called now.
        names: [&'static str; 2],
    },
    /// An answer was refused.
    Refused {
        /// Whose.
        player: usize,
        /// The move, cut and cleared.
        mv: String,
        /// Why.
        reason: String,
        /// How many requests are left; none for a person, who has any number.
        requests_left: Option<u32>,
    },
    /// An engine did something wrong.
    Faulted {
        /// Who.
        player: usize,
        /// What.
        fault: Fault,
    },
    /// A player's time was up.
    Late {
        /// Who.
        player: usize,
        /// What it had spent, in its budget's unit.
        spent: u64,
        /// What it was allowed.
        allowed: u64,
    },
    /// A draw is offered.
    DrawOffered {
        /// By whom.
        player: usize,
    },
    /// The offer was declined, by word or by a move.
    DrawDeclined {
        /// Whose offer it was.
        player: usize,
    },
    /// Moves were taken back.
    Undone {
        /// How many.
        plies: u32,
    },
    /// Clocks stand still.
    Paused,
    /// Clocks run again.
    Resumed,
}

/// Why a move in the record was not simply chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Time was up, and the last legal move that was reported was played.
    ReportedOnTimeout,
}

/// Why an event was not acted upon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Nothing before [`Event::Begin`].
    #[error("the bout has not begun")]
    NotBegun,
    /// A second [`Event::Begin`].
    #[error("the bout has begun already")]
    Begun,
    /// Nothing after the end.
    #[error("the bout is over; another one may start from any of its plies")]
    Over,
    /// There is no such player.
    #[error("there is no player {0}")]
    NoPlayer(usize),
    /// The answer to a call that was given up, or to none.
    #[error("player {0} was not asked, or not any more")]
    NotAsked(usize),
    /// A person moves while the bout is paused.
    #[error("the bout is paused")]
    Paused,
    /// Nothing to resume.
    #[error("the bout is not paused")]
    NotPaused,
    /// The settings exclude it.
    #[error("moves may not be undone in this bout")]
    UndoForbidden,
    /// There are not so many moves.
    #[error("{have} moves can be undone, not {plies}")]
    TooFewMoves {
        /// How many there are.
        have: u32,
        /// How many were to be undone.
        plies: u32,
    },
    /// That player has not moved yet, or 0 plies were to be undone.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// The settings exclude it.
    #[error("no draw can be agreed in this bout")]
    DrawForbidden,
    /// Its offer still stands.
    #[error("the draw is offered already")]
    OfferedAlready,
    /// Nobody of the other side has offered one.
    #[error("no draw is offered")]
    NoOffer,
    /// The score of a position that nobody asked for, or not any more.
    #[error("the bout is not being settled, or not any more")]
    NotSettling,
    /// The game cannot end like that from where it stands.
    #[error("the game cannot end with a score of {0}")]
    NoSuchEnd(i32),
}

/// What happened beside moves, for the record; in the order in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// How many plies had been played.
    pub at_ply: u32,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// The kinds of [`Incident`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum What {
    /// An instance was started.
    Started {
        /// Of which player.
        player: usize,
    },
    /// An answer was refused.
    Refused {
        /// Whose.
        player: usize,
        /// The move, cut and cleared.
        r#move: String,
        /// Why.
        reason: String,
        /// What the answer took; none where a person gave it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
        /// The position in which it was given; empty in older records.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        position: String,
    },
    /// An engine did something wrong.
    Fault {
        /// Who.
        player: usize,
        /// What kind of thing.
        code: FaultCode,
        /// One sentence.
        sentence: String,
        /// In which call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallName>,
        /// What that call had taken.
        #[serde(default)]
        spent: Spent,
    },
    /// A player gave up.
    Resigned {
        /// Who.
        player: usize,
        /// What the answer took; none where it was no answer of an engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
    },
    /// A player took the draw that was offered.
    DrawAccepted {
        /// Who.
        player: usize,
        /// As for [`What::Resigned`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<Spent>,
    },
    /// A player's time was up.
    Late {
        /// Who.
        player: usize,
        /// What it had spent, in its budget's unit.
        spent: u64,
        /// What it was allowed.
        allowed: u64,
    },
    /// Moves were taken back.
    Undone {
        /// Which, first played first.
        moves: Vec<String>,
        /// An engine was thinking: its answer was given up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        thinking: bool,
    },
    /// A draw was offered.
    DrawOffered {
        /// By whom.
        player: usize,
    },
    /// A draw was declined by word.
    DrawDeclined {
        /// Whose offer it was.
        player: usize,
    },
    /// The position was solved, and that ended the bout.
    Settled {
        /// The score that perfect play gives, in the game's unit, as side 0 sees it.
        score: i32,
    },
    /// Clocks stood still.
    Paused,
    /// Clocks ran again.
    Resumed,
    /// The bout went on from its record.
    Reloaded,
}
