//! `bundle.json`: what a bundle holds, and what it says came of it. A value.

use sandboard_tournament::schedule::Event;
use serde::{Deserialize, Serialize};

use super::games::Row;
use crate::arena::{ArenaSetup, Contestant};
use crate::engine::FuelClock;

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// [`FORMAT`](super::FORMAT).
    pub format: String,
    /// [`VERSION`](super::VERSION).
    pub version: u32,
    /// For people.
    pub title: String,
    /// The version of the host that wrote it.
    pub host: String,
    /// What the fuel of all games was counted by. Beside modules, inputs and seeds nothing else decides about a move.
    pub fuel_clock: FuelClock,
    /// The contest that its arenas are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<ContestIndex>,
    /// Every module that played, by its hash.
    pub modules: Vec<ModuleIndex>,
    /// The arenas.
    pub arenas: Vec<ArenaIndex>,
}

/// The contest of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestIndex {
    /// Its file, as it was written.
    pub file: String,
    /// What was published of its seed beforehand ([`lot`](crate::contest::lot)).
    pub commitment: String,
    /// The seed that was revealed, in hexadecimal.
    pub seed: String,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleIndex {
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// Whether the bundle holds it.
    pub published: bool,
}

/// An arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaIndex {
    /// Its name, which no other of the bundle has.
    pub name: String,
    /// As it was begun.
    pub setup: ArenaSetup,
    /// Who joined later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<Contestant>,
    /// What changed on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Its games, in the order of the schedule.
    pub games: Vec<GameIndex>,
    /// Who came where, the best first.
    pub table: Vec<Row>,
}

impl ArenaIndex {
    /// Who played: those of the beginning, then those who joined.
    pub fn players(&self) -> impl Iterator<Item = &Contestant> {
        self.setup.players.iter().chain(&self.joined)
    }
}

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameIndex {
    /// Its name, `pair-000001-1`.
    pub name: String,
    /// The SHA-256 of its record's file in hexadecimal.
    pub sha256: String,
    /// Half points of the first player of its pair, 0 to 2.
    pub half_points: u8,
    /// How many moves.
    pub plies: u64,
    /// How it ended, for people.
    pub sentence: String,
}
