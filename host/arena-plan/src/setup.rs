//! The setup of an arena, as its store keeps it: everything that its games depend on. A player can
//! resume if its engine shows no [difference](Contestant::differences).

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use sandboard_tournament::schedule::{Entrant, Format, Setup};
use sandboard_tournament::stats::SprtSetup;
use serde::{Deserialize, Serialize};

use super::job::{Plan, SeedKey};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::record::RulesRecord;
use sandboard_bout::referee::BoutSettings;
use sandboard_engine::{Budget, Confinement, FuelMeter, InstanceLimits};

/// The value of the field `format` in every setup.
pub const FORMAT: &str = "sandboard-arena";
/// The version of the format that this host writes. It reads no other.
pub const VERSION: u32 = 1;

/// The setup of an arena, fixed when it is created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArenaSetup {
    /// Always equal to [`FORMAT`].
    pub format: String,
    /// Always equal to [`VERSION`].
    pub version: u32,
    /// The version of the host that created it.
    pub host: String,
    /// Its id: 16 random hexadecimal digits.
    pub id: String,
    /// When it was created, as RFC 3339 in UTC.
    pub created_at: String,
    /// The game's id.
    pub game: String,
    /// The rules of the game, if they were plugged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesRecord>,
    /// The variant's text, with its size if it has one.
    pub variant: String,
    /// The seed of the player order and, without a seed key, of all games.
    pub seed: u64,
    /// The secret from which the seeds of games are derived instead, if players must not be able to
    /// predict them, as in contests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_key: Option<SeedKey>,
    /// The tournament's format.
    pub schedule: Format,
    /// The number of players in each game.
    #[serde(default = "two")]
    pub seats: u8,
    /// Whether all games of a pair have the same seed: in games with chance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_chance: bool,
    /// Its openings. Null: every game begins at the start position.
    pub openings: Option<OpeningsSource>,
    /// The rules of its bouts beyond those of the game.
    pub settings: BoutSettings,
    /// The sequential test that ends a match of two players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtSetup>,
    /// The first players; those that joined later are listed separately in the store.
    pub players: Vec<Contestant>,
}

/// The source of an arena's openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningsSource {
    /// The file as the user named it; the store has a copy.
    pub file: String,
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// The number of openings.
    pub count: u32,
}

impl OpeningsSource {
    /// The same without the file's folder, for readers other than the organiser.
    pub fn without_path(self) -> Self {
        let name = Path::new(&self.file).file_name();
        let file = name.map(|name| name.to_string_lossy().into_owned());
        Self { file: file.unwrap_or_default(), ..self }
    }
}

/// A player of an arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    /// Its name in records and results, unique in the arena.
    pub name: String,
    /// Its rating before the arena, in Elo.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rating: i32,
    /// The engine's id.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The SHA-256 of the engine's module in hexadecimal.
    pub module_sha256: String,
    /// Names and hashes of the files that the engine can read.
    #[serde(default)]
    pub assets: BTreeMap<String, String>,
    /// The options that are set, including presets of the manifest.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Its budget in each game.
    pub budget: Budget,
    /// Whether it ponders: thinks on its opponent's time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ponders: bool,
    /// The limits of its instances, the same in all of its games.
    pub limits: InstanceLimits,
    /// The number of threads it can use.
    pub threads: u16,
    /// The meter of its fuel, if fuel is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_meter: Option<FuelMeter>,
    /// Its confinement, if it runs in processes of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jail: Option<Confinement>,
}

/// The number of players in each game where none is stated.
fn two() -> u8 {
    2
}

/// Whether a number can be omitted from the JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}

impl ArenaSetup {
    /// The seeds and openings of its games.
    pub fn plan(&self) -> Plan {
        let openings = self.openings.as_ref().map_or(0, |openings| openings.count);
        let Self { seed, seed_key, shares_chance, .. } = *self;
        Plan { openings, seed, seed_key, shares_chance }
    }

    /// The tournament of this arena.
    pub fn tournament(&self) -> Setup {
        Setup {
            format: self.schedule,
            entrants: self.players.iter().map(Contestant::entrant).collect(),
            seed: self.seed,
            seats: self.seats,
        }
    }
}

impl Contestant {
    /// The contestant for an engine, with the names and hashes of its files. Its name is the
    /// engine's id.
    pub fn for_engine(
        engine: &EnginePlayer,
        assets: BTreeMap<String, String>,
        budget: Budget,
    ) -> Self {
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
            limits: engine.limits,
            threads: engine.threads,
            fuel_meter: engine.source.fuel_meter(),
            jail: engine.source.confinement(),
        }
    }

    /// The engine, its options and its budget, for display.
    pub fn describe(&self) -> String {
        let options = self.options.iter().map(|(name, value)| format!(":{name}={value}"));
        let (engine, version, budget) = (&self.engine, &self.version, &self.budget);
        format!("{engine} {version}{} @ {budget}", options.collect::<String>())
    }

    /// The contestant as the schedule knows it.
    pub fn entrant(&self) -> Entrant {
        Entrant { rating: self.rating }
    }

    /// How the engine that is installed `now` differs from this player, one sentence for each
    /// difference.
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut list = Vec::new();
        let mut compare = |what: &str, before: &dyn Display, now: &dyn Display| {
            let (before, now) = (before.to_string(), now.to_string());
            if before != now {
                list.push(format!("{what} of {} was {before} and is {now}", self.name));
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
        for ((what, before), (_, now)) in self.limits.named().iter().zip(now.limits.named()) {
            compare(&format!("the {what}"), before, &now);
        }
        compare("the number of threads", &self.threads, &now.threads);
        let (meter, meter_now) =
            (meter_name(self.fuel_meter.as_ref()), meter_name(now.fuel_meter.as_ref()));
        compare("the fuel meter", &meter, &meter_now);
        compare(
            "the confinement",
            &confinement(self.jail.as_ref()),
            &confinement(now.jail.as_ref()),
        );
        list
    }
}

fn meter_name(meter: Option<&FuelMeter>) -> String {
    meter.map_or("none".into(), FuelMeter::to_string)
}

/// The layers of a jail depend on the machine, and do not make a difference.
fn confinement(jail: Option<&Confinement>) -> &'static str {
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
