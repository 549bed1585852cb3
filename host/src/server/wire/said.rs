//! Messages of clients.

use serde::Deserialize;

use super::request::EngineSeat;

/// The first message on a socket.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum First {
    /// Who it is, and what it knows.
    Hello {
        /// The version of the contract.
        v: u32,
        /// Who it is; none: somebody who watches.
        #[serde(default)]
        ticket: Option<String>,
        /// The last event that it has seen.
        #[serde(default)]
        since: Option<u64>,
    },
}

/// Every later one.
#[derive(Clone, Debug, Deserialize)]
pub struct Said {
    /// The version of the contract.
    pub v: u32,
    /// The client's name for this message.
    pub id: String,
    /// What it wants.
    #[serde(flatten)]
    pub want: Want,
}

/// What a client wants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Want {
    /// Play a move, which was chosen after so many plies.
    Move {
        /// The move.
        r#move: String,
        /// How many plies there were.
        ply: u32,
    },
    /// Take moves back; without a number, so many that the asker is to move.
    Undo {
        /// How many.
        #[serde(default)]
        plies: Option<u32>,
    },
    /// Yes to the other's undo.
    AcceptUndo,
    /// No to it.
    DeclineUndo,
    /// Give up.
    Resign,
    /// Offer a draw.
    OfferDraw,
    /// Take the draw that is offered.
    AcceptDraw,
    /// Decline it.
    DeclineDraw,
    /// Stop clocks and thinking.
    Pause,
    /// Go on.
    Resume,
    /// Go on for one ply.
    Step,
    /// Ask the adviser.
    Hint,
    /// The engine that thinks is to come to an end.
    MoveNow,
    /// End the bout without a result.
    Abort,
    /// The win against somebody who is gone.
    Claim,
    /// Put an engine in somebody's place.
    SeatEngine {
        /// In whose.
        player: usize,
        /// Which.
        engine: EngineSeat,
    },
    /// Say that the connection is alive.
    Ping,
}
