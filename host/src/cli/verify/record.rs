//! One record played again by the same modules, and what is said of it. Finds no record and prints nothing.

use std::path::PathBuf;

use anyhow::{Context, Result};
use sandboard_abi::Unit;
use serde_json::{Value, json};

use crate::budget::Amount;
use crate::exact::{self, Settled};
use crate::loader::Loaded;
use crate::record::{EngineRecord, Record};
use crate::referee::Termination;
use crate::replay::{self, Script, Unverifiable, Verdict, unverifiable};

/// What came of one record.
pub struct Verified {
    /// Which.
    pub place: Place,
    /// The worst of it.
    pub outcome: Outcome,
    /// Of each player, for programs.
    players: Vec<Value>,
    /// For people.
    pub lines: Vec<String>,
    /// Those of the lines that say why it is not verified.
    pub wrongs: Vec<String>,
}

/// Which record it is.
pub struct Place {
    /// What people call it.
    pub name: String,
    /// The file in which other commands find it, and where engines are, as it is typed.
    pub file: Option<(PathBuf, String)>,
}

/// The engine behind a player of a record.
pub type Find<'a> = dyn Fn(&EngineRecord, Unit) -> Result<Loaded> + Sync + 'a;

/// What came of it, the better first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All of it is verified.
    Verified,
    /// Who played on fuel is; somebody did not.
    Partly,
    /// It cannot be told here.
    Unverifiable,
    /// It is another game, or no sound record.
    Differs,
}

impl Outcome {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::Partly => "partly",
            Outcome::Unverifiable => "unverifiable",
            Outcome::Differs => "differs",
        }
    }
}

/// Plays a record again and says what came of it; `see` hears of each player how many of how many calls are made.
pub fn verify(
    place: Place,
    record: Result<Record, String>,
    find: &Find<'_>,
    mut see: impl FnMut(usize, usize, usize),
) -> Verified {
    let mut verified = Verified {
        place,
        outcome: Outcome::Verified,
        players: Vec::new(),
        lines: Vec::new(),
        wrongs: Vec::new(),
    };
    let script = record.and_then(|record| {
        let script = Script::of(&record, sandboard_games::game);
        let script = script.map_err(|error| format!("{}: {error}", verified.place.name))?;
        Ok((record, script))
    });
    let (record, script) = match script {
        Ok(both) => both,
        Err(reason) => {
            verified.says(Outcome::Differs, reason);
            return verified;
        }
    };
    for player in 0..record.players.len() {
        let see = |made: usize, of: usize| see(player, made, of);
        verified.player(&record, &script, player, find, see);
    }
    verified.settled(&record);
    verified.exact(&record);
    let plies = record.plies.len();
    let end = record.result.as_ref().map(|result| (&result.termination, &result.sentence));
    match end {
        None => verified.tells(format!("the bout is unfinished after {plies} moves")),
        Some((Termination::Aborted | Termination::Disconnected, sentence)) => {
            verified.tells(format!("how the bout ended is taken as recorded: {sentence}"));
        }
        Some(_) => (),
    }
    if verified.players.iter().all(|player| player["verdict"] == "not-clocked") {
        let reason = "nobody played on fuel, so there is nothing to verify";
        let line = format!("{}: {reason}", verified.place.name);
        verified.says(Outcome::Unverifiable, line);
    }
    verified
}

/// The player's engine, if it is here and its fuel is counted as it was then.
fn loaded(record: &Record, player: usize, find: &Find<'_>) -> Result<Loaded> {
    let player = &record.players[player];
    let engine = player.engine.as_ref().context("it is a person")?;
    let loaded = find(engine, player.budget.unit())?;
    let (then, now) = (engine.fuel_clock.as_ref(), loaded.source.fuel_clock());
    let counted = |clock: &crate::engine::FuelClock| {
        format!("{} and version {} of the prices", clock.runtime, clock.prices)
    };
    match (then, now) {
        (Some(then), Some(now)) if (&then.runtime, then.prices) != (&now.runtime, now.prices) => {
            anyhow::bail!(
                "its fuel was counted by {}, and this host has {}: take the host that wrote it, {}",
                counted(then),
                counted(&now),
                record.host
            )
        }
        (None, _) => anyhow::bail!("the record does not say what its fuel was counted by"),
        _ => Ok(loaded),
    }
}

impl Verified {
    /// It as a line of JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "record": self.place.name,
            "verdict": self.outcome.word(),
            "players": self.players,
            "says": self.lines,
        })
    }

    /// Something that changes no verdict.
    fn tells(&mut self, what: String) {
        self.lines.push(format!("{}: {what}", self.place.name));
    }

    fn says(&mut self, outcome: Outcome, line: String) {
        self.outcome = self.outcome.max(outcome);
        if outcome > Outcome::Partly {
            self.wrongs.push(line.clone());
        }
        self.lines.push(line);
    }

    /// An end by perfect play is solved again.
    fn settled(&mut self, record: &Record) {
        let file = self.place.name.clone();
        match exact::settled(record, sandboard_games::game, &|| true) {
            Ok(None) => (),
            Ok(Some(Settled { recorded, found, .. })) if recorded == found => {
                self.tells(format!("perfect play ends the bout with the score of {found}"));
            }
            Ok(Some(Settled { at_ply, recorded, found })) => {
                let line = format!(
                    "{file}: ply {at_ply} differs: perfect play from there gives a score of \
                     {found}, and the record says {recorded}"
                );
                self.says(Outcome::Differs, line);
            }
            Err(error) => self.says(Outcome::Unverifiable, format!("{file}: {error}")),
        }
    }

    /// What the record says of perfect play is found out again.
    fn exact(&mut self, record: &Record) {
        if record.exact.is_none() {
            return;
        }
        let file = self.place.name.clone();
        match exact::judge(record, sandboard_games::game, &|| true) {
            Ok(Some(judged)) => match judged.difference(record) {
                Some((ply, how)) => {
                    self.says(Outcome::Differs, format!("{file}: ply {ply} differs: {how}"));
                }
                None => {
                    let [one, other] = judged.lost;
                    self.tells(format!(
                        "what moves gave away against perfect play is right: {one} and {other}"
                    ));
                }
            },
            Ok(None) => {
                let line = format!("{file}: there is no perfect play of {} here", record.game);
                self.says(Outcome::Unverifiable, line);
            }
            Err(error) => self.says(Outcome::Unverifiable, format!("{file}: {error}")),
        }
    }

    fn player(
        &mut self,
        record: &Record,
        script: &Script,
        player: usize,
        find: &Find<'_>,
        see: impl FnMut(usize, usize),
    ) {
        let name = record.players[player].name.clone();
        let file = self.place.name.clone();
        if let Some(reason) = unverifiable(&record.players[player]) {
            let reason = match reason {
                Unverifiable::Person => "is a person",
                Unverifiable::NotFuel => "did not play on fuel",
                Unverifiable::Pondered => {
                    "thought on its opponent's time, as long as its opponent took: no replay can \
                     repeat that"
                }
                Unverifiable::Threads => {
                    "was searched by several threads, of which each goes by what the others have \
                     just found: no replay can repeat that"
                }
            };
            self.players.push(json!({
                "player": player, "name": name, "verdict": "not-clocked", "reason": reason,
            }));
            self.outcome = self.outcome.max(Outcome::Partly);
            self.tells(format!("{name} {reason}: its moves are taken as recorded"));
            return;
        }
        let Loaded { source, description, .. } = match loaded(record, player, find) {
            Ok(loaded) => loaded,
            Err(error) => {
                let reason = format!("{error:#}");
                self.players.push(json!({
                    "player": player, "name": name, "verdict": "unverifiable", "reason": reason,
                }));
                let line = format!("{file}: {name} cannot be verified: {reason}");
                return self.says(Outcome::Unverifiable, line);
            }
        };
        let (value, outcome, line) = match replay::verify(record, script, player, &*source, see) {
            Verdict::Verified { choices, fuel } => {
                let unit = sandboard_abi::Unit::Fuel;
                let amount = Amount { unit, value: fuel };
                let mut line =
                    format!("{name} verified: {choices} choices, {amount} units of fuel");
                if name != description.id {
                    // A name is only what the record says.
                    let (id, version) = (&description.id, &description.version);
                    line += &format!("; its module is {id} {version}");
                }
                let value = json!({
                    "verdict": "verified", "choices": choices, "fuel": fuel,
                    "module": {"id": description.id, "version": description.version},
                });
                (value, Outcome::Verified, line)
            }
            Verdict::Differs(difference) => {
                let ply = difference.at_ply;
                let how = difference.how.to_string();
                let mut line = format!("ply {ply} differs: {name}: {how}");
                let command = self
                    .place
                    .file
                    .as_ref()
                    .map(|(path, arguments)| replay::command(path, ply, player) + arguments);
                if let Some(command) = &command {
                    line += &format!("; see: {command}");
                }
                let value = json!({
                    "verdict": "differs", "ply": ply, "how": how, "replay": command,
                });
                (value, Outcome::Differs, line)
            }
            Verdict::UpTo { choices, at_ply, why } => {
                let line = format!(
                    "{name} verified for {choices} choices, and cannot be from ply {at_ply} on: {why}"
                );
                let value = json!({
                    "verdict": "unverifiable", "choices": choices, "ply": at_ply, "reason": why,
                });
                (value, Outcome::Unverifiable, line)
            }
            Verdict::NotClocked(_) => return,
        };
        let mut value = value;
        value["player"] = player.into();
        value["name"] = name.into();
        self.players.push(value);
        self.says(outcome, format!("{file}: {line}"));
    }
}
