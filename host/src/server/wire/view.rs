//! What a client is shown of a room. Plain values; who fills them is `room::show`.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::referee::{BoutResult, Mark};

/// How far a room is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Somebody is missing who never was there.
    Waiting,
    /// It is played.
    Playing,
    /// Clocks stand still.
    Paused,
    /// It has its result.
    Over,
}

/// Whether a player is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// Nobody has come yet.
    Open,
    /// It has a socket; engines always do.
    Present,
    /// It has none.
    Absent,
    /// It has had none for longer than the time of grace.
    Gone,
}

/// A player's clock at the moment of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Clock {
    /// What is left of the move; of fuel, as a plain number.
    pub move_ms_left: Option<i64>,
    /// What is left of the game.
    pub game_ms_left: Option<i64>,
    /// What it counts: `wall`, `cpu`, `fuel` or `none`.
    pub unit: &'static str,
    /// Whether it runs down.
    pub running: bool,
}

/// The engine of a player.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Engine {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The options that are set.
    pub options: BTreeMap<String, String>,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Player {
    /// Its index.
    pub player: usize,
    /// Its name.
    pub name: String,
    /// `person` or `engine`.
    pub kind: &'static str,
    /// Its seats.
    pub seats: Vec<u8>,
    /// Its side.
    pub side: u8,
    /// What that is called now.
    pub side_name: &'static str,
    /// What it may spend.
    pub budget: String,
    /// What is left of that; null: nothing is limited.
    pub clock: Option<Clock>,
    /// Whether it is there.
    pub state: Presence,
    /// For how long it has not been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent_since_ms: Option<u64>,
    /// The engine, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
}

/// What an engine says of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Line {
    /// From the mover's side, in the game's own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// How to read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// In plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// The principal variation.
    pub pv: Vec<String>,
    /// From 1.
    pub rank: u32,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Ply {
    /// From 0.
    pub ply: u32,
    /// The seat that moved.
    pub seat: u8,
    /// The player that moved.
    pub player: usize,
    /// The move.
    pub r#move: String,
    /// What it took.
    pub spent_ms: u64,
    /// What the clock of the game held after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ms_left: Option<i64>,
    /// The line behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// Set where it was not simply chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub mark: Option<Mark>,
}

/// How a position has ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Outcome {
    /// The side that won.
    pub winner: Option<u8>,
    /// By what.
    pub reason: &'static str,
}

/// A position, and what the rules say of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Position {
    /// Its text.
    pub position: String,
    /// The seat that moves.
    pub to_move: u8,
    /// Its side.
    pub side: u8,
    /// What that is called now.
    pub side_name: &'static str,
    /// What can be played.
    #[schema(value_type = Vec<String>)]
    pub legal: Moves,
    /// Set where the game is over.
    pub outcome: Option<Outcome>,
    /// What who moves is asked for beyond a move of ordinary play, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What the game adds.
    #[schema(value_type = Object)]
    pub facts: serde_json::Map<String, serde_json::Value>,
}

/// A list of moves, kept as one text with blanks between them: there may be hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves(pub Box<str>);

impl Serialize for Moves {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.split_ascii_whitespace())
    }
}

/// Something that happened beside the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LogLine {
    /// How many plies there were.
    pub at_ply: u32,
    /// What kind of thing.
    pub kind: &'static str,
    /// A text for people.
    pub text: String,
}

/// What who asks may do in this room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct May {
    /// Take moves back, or ask for it.
    pub undo: bool,
    /// Offer draws.
    pub draw: bool,
    /// Pause, go on, step, abort.
    pub pause: bool,
    /// Ask for hints.
    pub hint: bool,
}

/// Moves that somebody would have taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UndoAsked {
    /// Who.
    pub player: usize,
    /// How many.
    pub plies: u32,
}

/// A room as it stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Snapshot {
    /// Its id.
    pub room: String,
    /// The number of the last event.
    pub seq: u64,
    /// The server's time.
    pub now_ms: u64,
    /// When it was made, as RFC 3339.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// Where it began; null: where the variant does.
    pub start: Option<String>,
    /// The seed of the bout.
    pub seed: u64,
    /// How far it is.
    pub state: State,
    /// Who plays.
    pub players: Vec<Player>,
    /// Which of them asks.
    pub you: Option<usize>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// What they led to.
    pub position: Position,
    /// Who is to move and has been asked.
    pub thinking: Option<usize>,
    /// Whose offer of a draw stands.
    pub draw_offered_by: Option<usize>,
    /// Who has asked to take moves back.
    pub undo_asked: Option<UndoAsked>,
    /// The result.
    #[schema(value_type = Option<Object>)]
    pub result: Option<BoutResult>,
    /// What happened beside the moves.
    pub log: Vec<LogLine>,
    /// What who asks may do.
    pub may: May,
    /// How many watch.
    pub spectators: u32,
}

/// A room in the lobby.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RoomCard {
    /// Its id.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// How far it is.
    pub state: State,
    /// Who plays.
    pub names: Vec<String>,
    /// How many moves there are.
    pub plies: usize,
    /// How many watch.
    pub spectators: u32,
    /// How many players are missing.
    pub waiting_for: usize,
    /// Whether it came of a quick game.
    pub quick: bool,
    /// What the first player may spend.
    pub budget: String,
    /// When it was made.
    pub created_at: String,
}
