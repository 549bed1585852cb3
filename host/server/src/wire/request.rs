//! Bodies of requests that open rooms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type};

use super::{object, whole_number};

/// The most moves in a request.
pub(crate) const MOVES_MAX: usize = 20_000;

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
    /// Moves from the start position to where the bout begins. The game keeps them, except where
    /// seats see or choose different things and where the game is solved: there the bout begins in
    /// the position after them.
    #[serde(default)]
    #[schema(max_items = 20_000)]
    pub moves: Vec<String>,
    #[serde(deserialize_with = "object::list")]
    pub players: Vec<NewPlayer>,
    /// Whether the players exchange their seats by chance.
    #[serde(default)]
    pub random_seats: bool,
    /// The settings of the bout.
    #[serde(default, deserialize_with = "object::one")]
    pub settings: NewSettings,
    /// The engine that gives hints.
    #[serde(default, deserialize_with = "object::optional")]
    pub hint: Option<HintSeat>,
    /// A record to continue, instead of `start` and `moves`; the new game keeps its moves alike.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub record: Option<serde_json::Value>,
    /// The number of the record's plies to keep; absent: all.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 4_294_967_295_u32)]
    pub ply: Option<u32>,
    /// The player whose ticket may pause, abort and seat engines; absent: the first person.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 255)]
    pub host: Option<u8>,
}

/// A player of a new room: a person or an engine.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlayer {
    /// The player's name; empty: the engine's id, or the name of the side.
    #[serde(default)]
    pub name: String,
    /// The player's seats, all of one side.
    #[serde(deserialize_with = "whole_number::list")]
    #[schema(schema_with = seats_schema)]
    pub seats: Vec<u8>,
    /// The player's budget.
    pub budget: String,
    /// Set for a person.
    #[serde(default, deserialize_with = "object::optional")]
    pub person: Option<Person>,
    /// Set for an engine.
    #[serde(default, deserialize_with = "object::optional")]
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
    #[schema(schema_with = options_schema)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// The number of search threads.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 64)]
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
    #[schema(schema_with = options_schema)]
    pub options: BTreeMap<String, serde_json::Value>,
    /// As in [`EngineSeat`].
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 64)]
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
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 60_000)]
    pub grace_ms: Option<u32>,
    /// How long a person may think about the first move before the clock counts, in milliseconds
    /// up to an hour; absent: 30 seconds.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 3_600_000)]
    pub first_move_ms: Option<u32>,
}

fn seats_schema() -> Schema {
    let seat = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .maximum(Some(u8::MAX))
        .build();
    let seats = ArrayBuilder::new().description(Some("The player's seats, all of one side."));
    seats.items(seat).build().into()
}

fn options_schema() -> Schema {
    let kinds = [Type::String, Type::Number, Type::Boolean];
    let value = ObjectBuilder::new().schema_type(SchemaType::from_iter(kinds));
    let description = "Option names and values; numbers and booleans need no quotes.";
    ObjectBuilder::new()
        .description(Some(description))
        .additional_properties(Some(value))
        .build()
        .into()
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
