//! Events of a room, as they are sent to its sockets.

use serde::Serialize;

use super::VERSION;
use super::message::{Message, ResultView};
use super::view::{Clock, Engine, Player, Presence, State};
use sandboard_bout::view::{Line, Ply, Position};

/// A player's clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlayerClock {
    /// The player's index.
    pub player: usize,
    /// The clock's state; null: the player has no limits.
    pub clock: Option<Clock>,
}

/// The name of a player's side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SideName {
    /// The player's index.
    pub player: usize,
    /// The current name of the side.
    pub side_name: &'static str,
}

/// A player's connection state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlayerState {
    /// The player's index.
    pub player: usize,
    /// The connection state.
    pub state: Presence,
}

/// An event of a room. Events before the comment in the list are durable: they are numbered, and
/// resent to sockets that missed them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "docs/server.md explains each event")]
#[allow(clippy::large_enum_variant, reason = "events are serialized at once and dropped")]
pub(crate) enum Event {
    Moved {
        ply: Ply,
        position: Position,
        players: Vec<PlayerClock>,
        thinking: Option<usize>,
    },
    Undone {
        plies: u32,
        position: Position,
        players: Vec<PlayerClock>,
        thinking: Option<usize>,
    },
    UndoRequested {
        player: usize,
        plies: u32,
    },
    UndoDeclined {
        player: usize,
    },
    Refused {
        player: usize,
        r#move: String,
        reason: String,
        message: Option<Message>,
    },
    Faulted {
        player: usize,
        sentence: String,
        code: String,
        message: Option<Message>,
    },
    DrawOffered {
        player: usize,
    },
    DrawDeclined {
        player: usize,
    },
    Swapped {
        players: Vec<SideName>,
    },
    Paused {
        players: Vec<PlayerClock>,
    },
    Resumed {
        players: Vec<PlayerClock>,
    },
    Began {
        position: Position,
        players: Vec<Player>,
        state: State,
    },
    Seated {
        player: usize,
        name: String,
        kind: &'static str,
        engine: Option<Engine>,
    },
    Ended {
        result: ResultView,
        players: Vec<PlayerClock>,
        bout: String,
    },
    Rematch {
        room: String,
    },
    // The following events are not durable.
    Thinking {
        player: usize,
        players: Vec<PlayerClock>,
    },
    Line {
        player: usize,
        ply: u32,
        line: Line,
    },
    Log {
        at_ply: u32,
        kind: &'static str,
        text: String,
        message: Option<Message>,
    },
    Presence {
        players: Vec<PlayerState>,
        spectators: u32,
    },
    Hint {
        r#move: Option<String>,
        line: Option<Line>,
        error: Option<String>,
        message: Option<Message>,
    },
    Ack {
        id: String,
    },
    Error {
        id: String,
        kind: &'static str,
        detail: String,
        message: Option<Message>,
    },
    Pong {
        id: String,
    },
}

impl Event {
    /// A move that was refused.
    pub(crate) fn refused(player: usize, r#move: String, reason: String) -> Self {
        Self::Refused { player, r#move, message: Message::of(&reason), reason }
    }

    /// Returns whether the event is numbered, and resent to sockets that missed it.
    pub(crate) fn is_durable(&self) -> bool {
        !matches!(
            self,
            Event::Thinking { .. }
                | Event::Line { .. }
                | Event::Log { .. }
                | Event::Presence { .. }
                | Event::Hint { .. }
                | Event::Ack { .. }
                | Event::Error { .. }
                | Event::Pong { .. }
        )
    }
}

/// Returns the text of a message: the API version, the event number of durable events, the type if
/// the payload does not contain it, and the payload.
pub(crate) fn message<T: Serialize>(
    seq: Option<u64>,
    kind: Option<&'static str>,
    payload: &T,
) -> String {
    #[derive(Serialize)]
    struct Message<'a, T> {
        v: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        kind: Option<&'static str>,
        #[serde(flatten)]
        payload: &'a T,
    }
    // Serializing cannot fail: all keys are strings.
    let text = serde_json::to_string(&Message { v: VERSION, seq, kind, payload });
    let mut text = text.unwrap_or_default();
    // Rooms keep some of these texts.
    text.shrink_to_fit();
    text
}
