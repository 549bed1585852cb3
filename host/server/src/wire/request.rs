//! Bodies of requests that open rooms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to open a room.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRoom {
    pub game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    pub variant: String,
    /// The start position; absent: the variant's own, or a random deal.
    #[serde(default)]
    pub start: Option<String>,
    /// Moves from the start position to where the bout begins.
    #[serde(default)]
    pub moves: Vec<String>,
    pub players: Vec<NewPlayer>,
    /// Whether the players exchange their seats by chance.
    #[serde(default)]
    pub random_seats: bool,
    /// The settings of the bout.
    #[serde(default)]
    pub settings: NewSettings,
    /// The engine that gives hints.
    #[serde(default)]
    pub hint: Option<HintSeat>,
    /// A record to continue, instead of `start` and `moves`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub record: Option<serde_json::Value>,
    /// The number of the record's plies to keep; absent: all.
    #[serde(default)]
    pub ply: Option<u32>,
    /// The player whose ticket may pause, abort and seat engines; absent: the first person.
    #[serde(default)]
    pub host: Option<usize>,
}

/// A player of a new room: a person or an engine.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlayer {
    /// The player's name; empty: the engine's id, or the name of the side.
    #[serde(default)]
    pub name: String,
    /// The player's seats, all of one side.
    pub seats: Vec<u8>,
    /// The player's budget.
    pub budget: String,
    /// Set for a person.
    #[serde(default)]
    pub person: Option<Person>,
    /// Set for an engine.
    #[serde(default)]
    pub engine: Option<EngineSeat>,
    /// Whether the engine thinks on its opponents' time.
    #[serde(default)]
    pub ponders: bool,
}

/// A person at a browser or another client.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Person {
    /// Whether the person gives a name when joining, in place of `name`.
    #[serde(default)]
    pub chooses_name: bool,
}

/// An engine to load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineSeat {
    /// The engine's id, or `id-version`.
    pub id: String,
    /// Option names and values; numbers and booleans need no quotes.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// The number of search threads.
    #[serde(default)]
    pub threads: Option<u16>,
}

/// The engine that gives hints, and the budget of a hint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HintSeat {
    /// As in [`EngineSeat`].
    pub id: String,
    /// As in [`EngineSeat`].
    #[serde(default)]
    #[schema(value_type = Object)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// As in [`EngineSeat`].
    #[serde(default)]
    pub threads: Option<u16>,
    /// The budget of one hint; absent: five seconds.
    #[serde(default)]
    pub budget: Option<String>,
}

impl HintSeat {
    /// Returns the engine to load.
    pub(crate) fn seat(&self) -> EngineSeat {
        let Self { id, options, threads, .. } = self.clone();
        EngineSeat { id, options, threads }
    }
}

/// The settings of a bout that a room may choose.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSettings {
    /// Whether moves may be undone; absent: yes.
    #[serde(default)]
    pub undo: Option<bool>,
    /// Whether draws may be offered; absent: yes.
    #[serde(default)]
    pub draw_offers: Option<bool>,
    /// How late a move may be before its player loses on time, in milliseconds of wall or CPU time
    /// up to a minute; absent: a second.
    #[serde(default)]
    pub grace_ms: Option<u32>,
    /// How long a person may think about the first move before the clock counts, in milliseconds
    /// up to an hour; absent: 30 seconds.
    #[serde(default)]
    pub first_move_ms: Option<u32>,
}

/// Returns the text of an option's value; none: it is an array, an object or null.
pub fn text_of(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Bool(on) => Some(on.to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
