//! Bodies of requests that open rooms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A room that somebody wants.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRoom {
    /// The game's id.
    pub game: String,
    /// The variant's text; empty: the first.
    #[serde(default)]
    pub variant: String,
    /// The position that it begins with; absent: the variant's own, or a deal.
    #[serde(default)]
    pub start: Option<String>,
    /// Moves that lead from there to where the bout begins.
    #[serde(default)]
    pub moves: Vec<String>,
    /// Who plays.
    pub players: Vec<NewPlayer>,
    /// The rules of the bout that are not the game's.
    #[serde(default)]
    pub settings: NewSettings,
    /// Who answers requests for hints.
    #[serde(default)]
    pub hint: Option<HintSeat>,
    /// A record to go on from, in the place of `start` and `moves`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub record: Option<serde_json::Value>,
    /// After how many of the record's plies; absent: after the last.
    #[serde(default)]
    pub ply: Option<u32>,
    /// The player whose ticket may pause, abort and seat engines; absent: the first person.
    #[serde(default)]
    pub host: Option<usize>,
}

/// A player that somebody wants: a person or an engine.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlayer {
    /// Its name; empty: the engine's id, or what its side is called.
    #[serde(default)]
    pub name: String,
    /// Its seats, all of one side.
    pub seats: Vec<u8>,
    /// What it may spend.
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

/// A person: nothing is asked of one.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Person {}

/// An engine as it is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineSeat {
    /// The id, or id and version.
    pub id: String,
    /// Names and values of its options; numbers and truth values may stand as such.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// With how many threads it may search.
    #[serde(default)]
    pub threads: Option<u16>,
}

/// An engine that gives hints, and what a hint may spend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HintSeat {
    /// As in [`EngineSeat`].
    pub id: String,
    /// As in [`EngineSeat`].
    #[serde(default)]
    #[schema(value_type = Object)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// As in [`EngineSeat`].
    #[serde(default)]
    pub threads: Option<u16>,
    /// What one hint may spend; absent: five seconds.
    #[serde(default)]
    pub budget: Option<String>,
}

impl HintSeat {
    /// The engine of it.
    pub fn seat(&self) -> EngineSeat {
        let Self { id, options, threads, .. } = self.clone();
        EngineSeat { id, options, threads }
    }
}

/// What a room may settle of a bout's rules.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSettings {
    /// Whether moves may be undone; absent: yes.
    #[serde(default)]
    pub undo: Option<bool>,
    /// Whether draws may be offered; absent: yes.
    #[serde(default)]
    pub draw_offers: Option<bool>,
}

/// The text of an option's value; none: it is a list or the like.
pub fn text_of(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Bool(on) => Some(on.to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
