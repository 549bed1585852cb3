//! What the API shows of a room, as plain values; `room::wire_views` fills them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sandboard_games::board::Board;
use serde::Serialize;
use utoipa::ToSchema;

use sandboard_bout::referee::{BoutResult, MoveOrigin};

/// The state of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// A player has not joined yet.
    Waiting,
    /// The bout is in progress.
    Playing,
    /// The bout is paused.
    Paused,
    /// The bout has a result.
    Over,
}

/// A player's connection state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Presence {
    /// The player has not joined yet.
    Open,
    /// The player has a socket; engines are always present.
    Present,
    /// The player has no socket.
    Absent,
    /// The player has been absent for longer than the grace period.
    Gone,
}

/// A player's clock at the time of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Clock {
    /// Milliseconds left for the move; for fuel, units of fuel.
    pub move_ms_left: Option<i64>,
    /// Milliseconds left for the game; for fuel, units of fuel.
    pub game_ms_left: Option<i64>,
    /// The unit: `wall`, `cpu`, `fuel` or `none`.
    pub unit: &'static str,
    /// Whether the clock is running.
    pub running: bool,
    /// How long until the clock counts, in milliseconds: what is left of a person's free time for
    /// the first move.
    pub starts_in_ms: i64,
}

/// The engine of a player.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Engine {
    pub id: String,
    pub version: String,
    /// Options that differ from the defaults.
    pub options: BTreeMap<String, String>,
}

/// A player of a room.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Player {
    /// The player's index.
    pub player: usize,
    /// The player's name.
    pub name: String,
    /// `person` or `engine`.
    pub kind: &'static str,
    /// The player's seats.
    pub seats: Vec<u8>,
    /// The player's side.
    pub side: u8,
    /// The current name of the side.
    pub side_name: &'static str,
    /// The player's budget.
    pub budget: String,
    /// The player's clock; null: the player has no limits.
    pub clock: Option<Clock>,
    /// The player's connection state.
    pub state: Presence,
    /// Whether the name is only a placeholder: the person gives one when joining.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chooses_name: bool,
    /// How long the player has been absent, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent_since_ms: Option<u64>,
    /// The engine, if the player is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
}

/// An engine's analysis line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Line {
    /// The score for the side to move, in the game's own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// `exact`, `lower` or `upper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// The search depth, in plies.
    pub depth: u32,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The principal variation.
    pub pv: Vec<String>,
    /// The rank among several lines, from 1.
    pub rank: u32,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Ply {
    /// The index of the ply, from 0.
    pub ply: u32,
    /// The seat that moved; null: chance.
    pub seat: Option<u8>,
    /// The player that moved; null: chance.
    pub player: Option<usize>,
    /// The move's text.
    pub r#move: String,
    /// The wall time spent on the move.
    pub spent_ms: u64,
    /// The time left on the game clock after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ms_left: Option<i64>,
    /// The engine's line for this move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// How the move came about, if it was not simply chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub origin: Option<MoveOrigin>,
}

/// A move before the bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct OpeningMove {
    /// The seat that moved; null: chance.
    pub seat: Option<u8>,
    /// The move's text.
    pub r#move: String,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Outcome {
    /// The side that won; null: a draw.
    pub winner: Option<u8>,
    /// The score of each seat.
    pub scores: Vec<i32>,
    #[schema(value_type = String)]
    pub reason: Cow<'static, str>,
}

/// A position and what the rules derive from it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Position {
    /// The position's text.
    pub position: String,
    /// The seat to move.
    pub to_move: u8,
    /// The side to move.
    pub side: u8,
    /// The current name of the side.
    pub side_name: &'static str,
    /// The legal moves.
    #[schema(value_type = Vec<String>)]
    pub legal: Moves,
    /// The outcome; null: the game is not over.
    pub outcome: Option<Outcome>,
    /// What the rules ask of the player to move beyond an ordinary move, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The board as data, as spectators see it; its schema is docs/board.schema.json. Absent: the
    /// game has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub board: Option<Box<Board>>,
    /// Further facts that depend on the game.
    #[schema(value_type = Object)]
    pub facts: serde_json::Map<String, serde_json::Value>,
}

/// A list of moves, kept as one text with spaces between them: there may be hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moves(pub Box<str>);

impl Serialize for Moves {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.split_ascii_whitespace())
    }
}

/// An entry of the room's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct LogLine {
    /// The number of plies at that time.
    pub at_ply: u32,
    /// The kind of entry.
    pub kind: &'static str,
    /// The text, for people.
    pub text: String,
}

/// What the caller may do in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Permissions {
    /// Take moves back, or request it.
    pub undo: bool,
    pub draw: bool,
    /// Pause, resume, step and abort.
    pub pause: bool,
    /// Close the room before its bout has begun.
    pub close: bool,
    /// Ask for hints.
    pub hint: bool,
}

/// What a room allows beyond the players' budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct TimeRules {
    /// How late a move may be before its player loses on time, in milliseconds.
    pub grace_ms: u64,
    /// How long a person may think about the first move before the clock counts, in milliseconds.
    pub first_move_ms: u64,
}

/// A request to take moves back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct UndoRequest {
    /// The player that requests it.
    pub player: usize,
    /// The number of plies.
    pub plies: u32,
}

/// The current state of a room.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Snapshot {
    pub room: String,
    /// The number of the last event.
    pub seq: u64,
    /// The server's time, in milliseconds since 1970.
    pub now_ms: u64,
    /// When the room was opened, as RFC 3339.
    pub created_at: String,
    pub game: String,
    pub variant: String,
    /// The start position, before the moves of `opening`; null: the variant's own.
    pub start: Option<String>,
    /// The moves that led from `start` to where the bout began, made by no player of it.
    pub opening: Vec<OpeningMove>,
    /// The seed of the bout; null while a bout with chance is in progress.
    pub seed: Option<u64>,
    pub state: State,
    pub time_rules: TimeRules,
    pub players: Vec<Player>,
    /// The index of the player that the caller's ticket is for.
    pub own_player: Option<usize>,
    /// The moves played.
    pub plies: Vec<Ply>,
    /// The current position.
    pub position: Position,
    /// The player to move who has been asked for a move.
    pub thinking: Option<usize>,
    /// The player that offers a draw.
    pub draw_offered_by: Option<usize>,
    /// The pending undo request.
    pub undo_request: Option<UndoRequest>,
    /// The result; null: the bout is not over.
    #[schema(value_type = Option<Object>)]
    pub result: Option<BoutResult>,
    /// The id of the stored bout; null: the bout is not over.
    pub bout: Option<String>,
    /// The room's log.
    pub log: Vec<LogLine>,
    /// What the caller may do.
    pub permissions: Permissions,
    /// The number of spectators.
    pub spectators: u32,
}

/// The current board of a room, as spectators see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RoomBoard {
    pub state: State,
    /// The number of plies.
    pub plies: usize,
    /// The last move; null: none was played, or spectators do not see it.
    pub last_move: Option<String>,
    /// The current position.
    pub position: Position,
}

/// A room in the lobby's list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct RoomCard {
    pub id: String,
    pub game: String,
    pub variant: String,
    pub state: State,
    /// The players' names.
    pub names: Vec<String>,
    /// The number of plies.
    pub plies: usize,
    /// The number of spectators.
    pub spectators: u32,
    /// The number of players that have not joined yet.
    pub open_seats: usize,
    /// Whether the room is a quick game.
    pub quick_game: bool,
    /// The budget of the first player.
    pub budget: String,
    /// When the room was opened, as RFC 3339.
    pub created_at: String,
}
