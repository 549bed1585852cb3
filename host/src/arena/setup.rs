//! What a match is, as it is written into `match.json`: everything that its
//! games depend on. Two setups with no [difference](MatchSetup::differences)
//! are the same match.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::schedule::Schedule;
use crate::budget::Budget;
use crate::engine::{Confinement, FuelClock};
use crate::referee::Settings;

/// What the field `format` of every setup says.
pub const FORMAT: &str = "sandboard-match";
/// The version of the format that this host writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// The most pairs that a match may have.
pub const PAIRS_MAX: u32 = 999_999;

/// A match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchSetup {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the host that began it.
    pub host: String,
    /// When it was begun, as RFC 3339 in UTC.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant's text, its size included where it has one.
    pub variant: String,
    /// What all seeds of the match are drawn from.
    pub seed: u64,
    /// How many pairs of games.
    pub pairs: u32,
    /// Its openings; null: every game begins at the start position.
    pub openings: Option<OpeningsSource>,
    /// The rules of its bouts that are not the game's.
    pub settings: Settings,
    /// Who plays.
    pub players: [Contestant; 2],
}

/// Where the openings of a match are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningsSource {
    /// The file as it was named; the folder of the match has a copy.
    pub file: String,
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// How many there are.
    pub count: u32,
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name in records and results.
    pub name: String,
    /// Its engine's id.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The SHA-256 of the engine's module in hexadecimal.
    pub module_sha256: String,
    /// Names and hashes of the files that the engine may read.
    #[serde(default)]
    pub assets: BTreeMap<String, String>,
    /// Options that are set, presets of the manifest included.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What it may spend.
    pub budget: Budget,
    /// Whether it may think on its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponders: bool,
    /// What an instance may hold, in bytes.
    pub memory_bytes: u64,
    /// How many threads it may use.
    pub threads: u16,
    /// What its fuel is counted by, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_clock: Option<FuelClock>,
    /// What keeps it in, where it runs in processes of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jail: Option<Confinement>,
}

impl MatchSetup {
    /// The games.
    pub fn schedule(&self) -> Schedule {
        let openings = self.openings.as_ref().map_or(0, |openings| openings.count);
        Schedule { pairs: self.pairs, openings, seed: self.seed }
    }

    /// In what `other` is another match, one sentence for each difference:
    /// `self` is the match that was begun.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut list = Differences::default();
        list.compare("the game", &self.game, &other.game);
        list.compare("the variant", &self.variant, &other.variant);
        list.compare("the seed", self.seed, other.seed);
        list.compare("the number of pairs", self.pairs, other.pairs);
        let openings = |setup: &Self| match &setup.openings {
            Some(openings) => format!("those with the hash {}", openings.sha256),
            None => "none".into(),
        };
        list.compare("the file of openings", openings(self), openings(other));
        if self.settings != other.settings {
            list.0.push("the settings of the bouts are others".into());
        }
        for (letter, (begun, now)) in ["A", "B"].iter().zip(self.players.iter().zip(&other.players))
        {
            begun.compare(letter, now, &mut list);
        }
        list.0
    }
}

impl Contestant {
    fn compare(&self, letter: &str, now: &Self, list: &mut Differences) {
        let mut compare = |what: &str, begun: &dyn Display, now: &dyn Display| {
            list.compare(&format!("{what} of player {letter}"), begun, now);
        };
        compare("the engine", &self.engine, &now.engine);
        compare("the version", &self.version, &now.version);
        compare("the module's hash", &self.module_sha256, &now.module_sha256);
        compare("the assets", &pairs(&self.assets), &pairs(&now.assets));
        compare("the options", &pairs(&self.options), &pairs(&now.options));
        compare("the budget", &self.budget, &now.budget);
        let pondering = |on: bool| if on { "on" } else { "off" };
        compare("the pondering", &pondering(self.ponders), &pondering(now.ponders));
        compare("the memory", &self.memory_bytes, &now.memory_bytes);
        compare("the number of threads", &self.threads, &now.threads);
        let (clock, clock_now) =
            (counted(self.fuel_clock.as_ref()), counted(now.fuel_clock.as_ref()));
        compare("what counts the fuel", &clock, &clock_now);
        compare("where it runs", &place(self.jail.as_ref()), &place(now.jail.as_ref()));
    }
}

fn counted(clock: Option<&FuelClock>) -> String {
    clock.map_or("none".into(), FuelClock::to_string)
}

/// Which layers a jail has is the machine's, and no other match.
fn place(jail: Option<&Confinement>) -> &'static str {
    match jail {
        None => "in the host's process",
        Some(Confinement { below_minimum: None, .. }) => "in a jail",
        Some(Confinement { below_minimum: Some(_), .. }) => "in a jail below a contest's minimum",
    }
}

/// `a=1, b=2`, or `none`.
fn pairs(map: &BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if pairs.is_empty() { "none".into() } else { pairs.join(", ") }
}

#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn compare(&mut self, what: &str, begun: impl Display, now: impl Display) {
        let (begun, now) = (begun.to_string(), now.to_string());
        if begun != now {
            self.0.push(format!("{what} was {begun} and is {now}"));
        }
    }
}
