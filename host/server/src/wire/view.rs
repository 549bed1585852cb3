//! What the API shows of a room, as plain values; `room::wire_views` fills them.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use sandboard_bout::view::{Ply, Position};

use super::message::{Message, ResultView};

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

/// A move before the bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct OpeningMove {
    /// The seat that moved; null: chance.
    pub seat: Option<u8>,
    /// The move's text.
    pub r#move: String,
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
    /// The text as code and parameters; null: it has no code.
    pub message: Option<Message>,
}

/// What the caller may do in the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Permissions {
    /// Take moves back, or request it.
    pub undo: bool,
    pub draw: bool,
    /// Resume and step, and abort while no other person plays against the caller, or until both
    /// have moved.
    pub host: bool,
    /// Pause, and replace a person who is not gone by an engine: no other person plays against the
    /// caller.
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
    pub result: Option<ResultView>,
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
    /// The last move, before a room's own first one that of its opening; null: none was played, or
    /// spectators do not see it.
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
