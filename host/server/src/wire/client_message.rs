//! Messages that clients send over a socket.

use serde::Deserialize;

use super::request::EngineSeat;

/// The first message on a socket.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Handshake {
    /// Introduces the client.
    Hello {
        /// The client's API version.
        v: u32,
        /// The client's ticket; none: a spectator.
        #[serde(default)]
        ticket: Option<String>,
        /// The name of a person who chooses it when joining.
        #[serde(default)]
        name: String,
        /// The number of the last event that the client received.
        #[serde(default)]
        since: Option<u64>,
    },
}

/// Every message after the first.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ClientMessage {
    /// The client's API version.
    pub v: u32,
    /// The client's id for this message.
    pub id: String,
    /// The requested action.
    #[serde(flatten)]
    pub action: ClientAction,
}

/// An action that a client requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum ClientAction {
    /// Play a move.
    Move {
        /// The move's text.
        r#move: String,
        /// The number of plies when the move was chosen.
        ply: u32,
    },
    /// Take moves back; without a number, enough that the requesting player is to move.
    Undo {
        /// The number of plies.
        #[serde(default)]
        plies: Option<u32>,
    },
    /// Accept the opponent's undo request.
    AcceptUndo,
    /// Decline the opponent's undo request.
    DeclineUndo,
    Resign,
    OfferDraw,
    /// Accept the offered draw.
    AcceptDraw,
    /// Decline the offered draw.
    DeclineDraw,
    /// Pause the bout: clocks and thinking stop.
    Pause,
    /// Resume the bout.
    Resume,
    /// Resume the bout for one ply.
    Step,
    /// Ask the hint engine.
    Hint,
    /// Make the thinking engine move now.
    MoveNow,
    /// End the bout without a result.
    Abort,
    /// Claim the win against an absent player.
    ClaimWin,
    /// Replace a player by an engine.
    SeatEngine {
        /// The player's index.
        player: usize,
        engine: EngineSeat,
    },
    /// Check that the connection works.
    Ping,
}
