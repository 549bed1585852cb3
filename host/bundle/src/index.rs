//! `bundle.json`: the contents of a bundle and the claimed results. A value.

use sandboard_tournament::schedule::{Event, SeatList};
use serde::{Deserialize, Serialize};

use super::schedule_walk::Row;
use sandboard_arena_plan::{ArenaSetup, Contestant};
use sandboard_contest_rules::{State, Status};
use sandboard_engine::FuelMeter;

/// The index of a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    pub format: String,
    pub version: u32,
    /// The title for people.
    pub title: String,
    /// The version of the host that wrote it.
    pub host: String,
    /// What counted the fuel of all games. Besides modules, inputs and seeds, nothing else affects
    /// a move.
    pub fuel_meter: FuelMeter,
    /// The contest of the arenas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<ContestIndex>,
    /// Every module that played, by its hash.
    pub modules: Vec<ModuleIndex>,
    /// The arenas of the bundle.
    pub arenas: Vec<ArenaIndex>,
}

/// The contest of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestIndex {
    /// The text of the contest file.
    pub file: String,
    /// The SHA-256 of the openings file in hexadecimal; absent: the contest has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings_sha256: Option<String>,
    /// The published commitment ([`seed_commitment`](sandboard_contest_rules::seed_commitment)).
    pub commitment: String,
    /// The revealed seed, in hexadecimal.
    pub seed: String,
    /// All entrants, by name.
    pub entrants: Vec<EntrantIndex>,
    /// All entries, by number.
    pub entries: Vec<EntryIndex>,
    /// Arenas that were started and are not in the bundle, because they were not finished.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
}

/// An entrant of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntrantIndex {
    pub name: String,
    /// The status when the bundle was written.
    pub status: Status,
    /// The reason for the status; empty if none was given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// An entry of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryIndex {
    /// Its number, from 1, over all entrants.
    pub number: i64,
    /// The entrant's name.
    pub entrant: String,
    /// The SHA-256 of its file in hexadecimal.
    pub sha256: String,
    /// The state when the bundle was written.
    pub state: State,
    /// The time of its last test, as RFC 3339; absent: it was not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested_at: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleIndex {
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// Whether the bundle holds it.
    pub published: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaIndex {
    /// The unique name.
    pub name: String,
    /// The setup of the arena.
    pub setup: ArenaSetup,
    /// Players that joined later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<Contestant>,
    /// Changes during the arena.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Its games, in the order of the schedule.
    pub games: Vec<GameIndex>,
    /// The final table, the best first.
    pub table: Vec<Row>,
}

impl Index {
    /// The number of games of all arenas.
    pub fn game_count(&self) -> u64 {
        self.arenas.iter().map(|arena| arena.games.len() as u64).sum()
    }
}

impl ArenaIndex {
    /// All players: the initial ones, then those who joined.
    pub fn players(&self) -> impl Iterator<Item = &Contestant> {
        self.setup.players.iter().chain(&self.joined)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameIndex {
    /// Its name, `pair-000001-1`.
    pub name: String,
    /// The SHA-256 of its record's file in hexadecimal.
    pub sha256: String,
    /// The half points of each player of its pair, 0 to 2.
    pub half_points: SeatList<u8>,
    /// The number of plies.
    pub plies: u64,
    /// The result as a sentence.
    pub sentence: String,
}
