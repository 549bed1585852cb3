//! What happens in a room, as it is told to everybody in it.

use serde::Serialize;

use super::VERSION;
use super::view::{Clock, Engine, Line, Player, Ply, Position, Presence, State};
use crate::referee::BoutResult;

/// A player's clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerClock {
    /// Whose.
    pub player: usize,
    /// What it shows; null: nothing is limited.
    pub clock: Option<Clock>,
}

/// What a player's side is called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideName {
    /// Whose.
    pub player: usize,
    /// What it is called now.
    pub side_name: &'static str,
}

/// Whether a player is there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerState {
    /// Who.
    pub player: usize,
    /// Whether it is.
    pub state: Presence,
}

/// Something that happened. Those above the line in the list are durable: they have a number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the words of docs/server.md, where each is explained")]
#[allow(clippy::large_enum_variant, reason = "each is written and let go")]
pub enum Event {
    Moved { ply: Ply, position: Position, players: Vec<PlayerClock>, thinking: Option<usize> },
    Undone { plies: u32, position: Position, players: Vec<PlayerClock>, thinking: Option<usize> },
    UndoAsked { player: usize, plies: u32 },
    UndoDeclined { player: usize },
    Refused { player: usize, r#move: String, reason: String },
    Faulted { player: usize, sentence: String, code: String },
    DrawOffered { player: usize },
    DrawDeclined { player: usize },
    Swapped { players: Vec<SideName> },
    Paused { players: Vec<PlayerClock> },
    Resumed { players: Vec<PlayerClock> },
    Began { position: Position, players: Vec<Player>, state: State },
    Seated { player: usize, name: String, kind: &'static str, engine: Option<Engine> },
    Ended { result: BoutResult, players: Vec<PlayerClock>, bout: String },
    Rematch { room: String },
    // Volatile ones.
    Thinking { player: usize, players: Vec<PlayerClock> },
    Line { player: usize, ply: u32, line: Line },
    Log { at_ply: u32, kind: &'static str, text: String },
    Presence { players: Vec<PlayerState>, spectators: u32 },
    Hint { r#move: Option<String>, line: Option<Line>, error: Option<String> },
    Ack { id: String },
    Error { id: String, kind: &'static str, detail: String },
    Pong { id: String },
}

impl Event {
    /// Whether it is counted, and told to those who missed it.
    pub fn is_durable(&self) -> bool {
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

/// The text of a message: its version, its number where it has one, its kind where the value
/// does not say it itself, and what it tells.
pub fn message<T: Serialize>(seq: Option<u64>, kind: Option<&'static str>, told: &T) -> String {
    #[derive(Serialize)]
    struct Message<'a, T> {
        v: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<u64>,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        kind: Option<&'static str>,
        #[serde(flatten)]
        told: &'a T,
    }
    // Keys are texts, and no value of ours can fail.
    let text = serde_json::to_string(&Message { v: VERSION, seq, kind, told });
    let mut text = text.unwrap_or_default();
    // Rooms keep some of them.
    text.shrink_to_fit();
    text
}
