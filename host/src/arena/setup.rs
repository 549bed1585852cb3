//! What an arena is, as its store keeps it: everything that its games depend on. Players that are met again
//! with no [difference](Contestant::differences) play on.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use sandboard_tournament::schedule::{Entrant, Format, Setup};
use sandboard_tournament::stats::SprtSetup;
use serde::{Deserialize, Serialize};

use super::job::{Plan, Seal};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::engine::{Confinement, FuelClock};
use crate::referee::Settings;

/// What the field `format` of every setup says.
pub const FORMAT: &str = "sandboard-arena";
/// The version of the format that this host writes, and the only one it reads.
pub const VERSION: u32 = 1;

/// An arena as it was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArenaSetup {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The version of the host that began it.
    pub host: String,
    /// Its id, 16 digits in hexadecimal, drawn when it was begun.
    pub id: String,
    /// When that was, as RFC 3339 in UTC.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The variant's text, its size included where it has one.
    pub variant: String,
    /// What its order of players and, where nothing is sealed, all seeds are drawn from.
    pub seed: u64,
    /// What the seeds of games are drawn from where nobody who knows some is to tell others, as in contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Seal>,
    /// How pairs are found.
    pub schedule: Format,
    /// Its openings; null: every game begins at the start position.
    pub openings: Option<OpeningsSource>,
    /// The rules of its bouts that are not the game's.
    pub settings: Settings,
    /// The test that ends it, of two players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSetup>,
    /// Who played from the beginning; who joined later is beside it in the store.
    pub players: Vec<Contestant>,
}

/// Where the openings of an arena are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningsSource {
    /// The file as it was named; the store has a copy.
    pub file: String,
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// How many there are.
    pub count: u32,
}

impl OpeningsSource {
    /// The same for others: where the file lay is not theirs to know.
    pub fn without_path(self) -> Self {
        let name = Path::new(&self.file).file_name();
        let file = name.map(|name| name.to_string_lossy().into_owned());
        Self { file: file.unwrap_or_default(), ..self }
    }
}

/// A player of an arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name in records and results, which no other has.
    pub name: String,
    /// What is known of its strength before, in Elo.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rating: i32,
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

/// Whether a setup may leave a number out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference in")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl ArenaSetup {
    /// What the jobs of its pairs have in common.
    pub fn plan(&self) -> Plan {
        let openings = self.openings.as_ref().map_or(0, |openings| openings.count);
        Plan { openings, seed: self.seed, seal: self.sealed }
    }

    /// The tournament that it is.
    pub fn tournament(&self) -> Setup {
        Setup {
            format: self.schedule,
            entrants: self.players.iter().map(Contestant::entrant).collect(),
            seed: self.seed,
        }
    }
}

impl Contestant {
    /// The player that an engine is, with the names and hashes of the files that it may read, by the name of its id.
    pub fn of(engine: &EnginePlayer, assets: BTreeMap<String, String>, budget: Budget) -> Self {
        Self {
            name: engine.id.clone(),
            rating: 0,
            engine: engine.id.clone(),
            version: engine.version.clone(),
            module_sha256: engine.module_sha256.clone().unwrap_or_default(),
            assets,
            options: engine.options.iter().cloned().collect(),
            budget,
            ponders: false,
            memory_bytes: engine.memory_bytes,
            threads: engine.threads,
            fuel_clock: engine.source.fuel_clock(),
            jail: engine.source.confinement(),
        }
    }

    /// Which engine with which options it is, and what it may spend, for people.
    pub fn in_words(&self) -> String {
        let options = self.options.iter().map(|(name, value)| format!(":{name}={value}"));
        let (engine, version, budget) = (&self.engine, &self.version, &self.budget);
        format!("{engine} {version}{} @ {budget}", options.collect::<String>())
    }

    /// It as a schedule sees it.
    pub fn entrant(&self) -> Entrant {
        Entrant { rating: self.rating }
    }

    /// In what the engine that is there `now` is another one, a sentence for each difference: `self` is the
    /// player that began.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut list = Vec::new();
        let mut compare = |what: &str, begun: &dyn Display, now: &dyn Display| {
            let (begun, now) = (begun.to_string(), now.to_string());
            if begun != now {
                list.push(format!("{what} of {} was {begun} and is {now}", self.name));
            }
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
        list
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
