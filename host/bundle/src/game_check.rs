//! Replays one record with the same modules and reports the result. Does not search for records or
//! engines, and prints nothing.

use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::Unit;
use serde::Deserialize;
use serde_json::{Value, json};

use sandboard_bout::perfect_play;
use sandboard_bout::perfect_play::SolvedEndCheck;
use sandboard_bout::record::{EngineRecord, Record};
use sandboard_bout::referee::Termination;
use sandboard_bout::replay;
use sandboard_bout::replay::{CallScript, UnverifiableReason, VerifyOutcome, unverifiable_reason};
use sandboard_engine::{Amount, EngineSource};
use sandboard_games::Games;

/// The result of one record.
pub struct CheckedGame {
    /// The location of the record.
    pub place: RecordLocation,
    /// The worst result of its parts.
    pub outcome: Outcome,
    /// The result of each player, as JSON.
    players: Vec<Value>,
    /// The report for people.
    pub lines: Vec<String>,
    /// The lines of the report that explain a failure.
    pub wrongs: Vec<String>,
}

/// The name and the location of a record.
pub struct RecordLocation {
    /// The name for people.
    pub name: String,
    /// The file for other commands, and the arguments with which they find the engines.
    pub file: Option<(PathBuf, String)>,
}

/// The engine of a player of a record.
#[derive(Clone)]
pub struct FoundEngine {
    /// Starts its instances.
    pub source: Arc<dyn EngineSource>,
    /// The id that its module gives.
    pub id: String,
    /// The version that its module gives.
    pub version: String,
}

/// Finds the engine of a player of a record, whose budget has this unit. Err: why there is none.
pub type FindEngine<'a> = dyn Fn(&EngineRecord, Unit) -> Result<FoundEngine, String> + Sync + 'a;

/// The result of a record, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything is verified.
    Verified,
    /// All players on fuel are verified; there are others.
    Partly,
    /// It cannot be verified on this machine.
    Unverifiable,
    /// The replay differs, or the record is invalid.
    Differs,
}

impl Outcome {
    /// The word in messages and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::Partly => "partly",
            Outcome::Unverifiable => "unverifiable",
            Outcome::Differs => "differs",
        }
    }
}

/// Replays a record of one of these games; `on_call` gets a player, the number of its repeated
/// calls, and the number of all its calls.
pub fn check_game(
    place: RecordLocation,
    record: Result<Record, String>,
    games: &Games,
    find: &FindEngine<'_>,
    mut on_call: impl FnMut(usize, usize, usize),
) -> CheckedGame {
    let mut checked = CheckedGame {
        place,
        outcome: Outcome::Verified,
        players: Vec::new(),
        lines: Vec::new(),
        wrongs: Vec::new(),
    };
    let script = record.and_then(|record| {
        let script = CallScript::from_record(&record, games);
        let script = script.map_err(|error| format!("{}: {error}", checked.place.name))?;
        Ok((record, script))
    });
    let (record, script) = match script {
        Ok(both) => both,
        Err(reason) => {
            checked.add_result(Outcome::Differs, reason);
            return checked;
        }
    };
    if let Some(difference) = record.rules_difference(games) {
        let line = format!("{}: it {difference}: install those rules", checked.place.name);
        checked.add_result(Outcome::Unverifiable, line);
        return checked;
    }
    for player in 0..record.players.len() {
        let on_call = |made: usize, of: usize| on_call(player, made, of);
        checked.verify_player(&record, &script, player, find, on_call);
    }
    checked.verify_adjudication(&record, games);
    checked.verify_perfect_play(&record, games);
    let plies = record.plies.len();
    let end = record.result.as_ref().map(|result| (&result.termination, &result.sentence));
    match end {
        None => checked.add_note(format!("the bout is unfinished after {plies} moves")),
        Some((Termination::Aborted | Termination::Disconnected, sentence)) => {
            checked.add_note(format!("the end of the bout is accepted as recorded: {sentence}"));
        }
        Some(_) => (),
    }
    if checked.players.iter().all(|player| player["verdict"] == "not-clocked") {
        let reason = "no engine played on fuel, so there is nothing to verify";
        let line = format!("{}: {reason}", checked.place.name);
        checked.add_result(Outcome::Unverifiable, line);
    }
    checked
}

/// The engine of a player. Err: it is missing, or its fuel was counted otherwise.
fn engine_of(record: &Record, player: usize, find: &FindEngine<'_>) -> Result<FoundEngine, String> {
    let player = &record.players[player];
    let engine = player.engine.as_ref().ok_or("it is a person")?;
    let found = find(engine, player.budget.unit())?;
    let (then, now) = (engine.fuel_meter.as_ref(), found.source.fuel_meter());
    match (then, now) {
        (Some(then), Some(now)) if !then.counts_as(&now) => Err(format!(
            "its fuel was counted by {then}, but this host has {now}: use sandboard {}, which \
             wrote the record",
            record.host
        )),
        (None, _) => Err("the record does not say what counted its fuel".into()),
        _ => Ok(found),
    }
}

impl CheckedGame {
    /// The result as a line of JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "record": self.place.name,
            "verdict": self.outcome.word(),
            "players": self.players,
            "messages": self.lines,
        })
    }

    /// Adds a line that does not change the result.
    fn add_note(&mut self, what: String) {
        self.lines.push(format!("{}: {what}", self.place.name));
    }

    fn add_result(&mut self, outcome: Outcome, line: String) {
        self.outcome = self.outcome.max(outcome);
        if outcome > Outcome::Partly {
            self.wrongs.push(line.clone());
        }
        self.lines.push(line);
    }

    /// Solves the position again in which perfect play ended the bout.
    fn verify_adjudication(&mut self, record: &Record, games: &Games) {
        let file = self.place.name.clone();
        match perfect_play::check_solved_end(record, games, &|| true) {
            Ok(None) => (),
            Ok(Some(SolvedEndCheck { recorded, found, .. })) if recorded == found => {
                self.add_note(format!("perfect play ended the bout with the score {found}"));
            }
            Ok(Some(SolvedEndCheck { at_ply, recorded, found })) => {
                let line = format!(
                    "{file}: ply {at_ply} differs: the score of perfect play is {found}, but the \
                     record has {recorded}"
                );
                self.add_result(Outcome::Differs, line);
            }
            Err(error) => self.add_result(Outcome::Unverifiable, format!("{file}: {error}")),
        }
    }

    /// Computes again what the record says about perfect play.
    fn verify_perfect_play(&mut self, record: &Record, games: &Games) {
        if record.perfect_play.is_none() {
            return;
        }
        let file = self.place.name.clone();
        match perfect_play::evaluate(record, games, &|| true) {
            Ok(Some(report)) => match report.difference(record) {
                Some((ply, how)) => {
                    self.add_result(Outcome::Differs, format!("{file}: ply {ply} differs: {how}"));
                }
                None => {
                    let [one, other] = report.lost;
                    self.add_note(format!(
                        "the losses against perfect play are right: {one} and {other}"
                    ));
                }
            },
            Ok(None) => {
                let line = format!("{file}: perfect play of {} is not available here", record.game);
                self.add_result(Outcome::Unverifiable, line);
            }
            Err(error) => self.add_result(Outcome::Unverifiable, format!("{file}: {error}")),
        }
    }

    fn verify_player(
        &mut self,
        record: &Record,
        script: &CallScript,
        player: usize,
        find: &FindEngine<'_>,
        on_call: impl FnMut(usize, usize),
    ) {
        let name = record.players[player].name.clone();
        let file = self.place.name.clone();
        if let Some(reason) = unverifiable_reason(&record.players[player]) {
            let reason = match reason {
                UnverifiableReason::Person => "is a person",
                UnverifiableReason::NotFuel => "did not play on fuel",
                UnverifiableReason::Pondered => {
                    "thought on its opponent's time, for as long as the opponent took, which a \
                     replay cannot repeat"
                }
                UnverifiableReason::Threads => {
                    "searched with several threads, whose timing a replay cannot \
                     repeat"
                }
            };
            self.players.push(json!({
                "player": player, "name": name, "verdict": "not-clocked", "reason": reason,
            }));
            self.outcome = self.outcome.max(Outcome::Partly);
            self.add_note(format!("{name} {reason}: its moves are accepted as recorded"));
            return;
        }
        let found = match engine_of(record, player, find) {
            Ok(found) => found,
            Err(reason) => {
                self.players.push(json!({
                    "player": player, "name": name, "verdict": "unverifiable", "reason": reason,
                }));
                let line = format!("{file}: {name} cannot be verified: {reason}");
                return self.add_result(Outcome::Unverifiable, line);
            }
        };
        let (value, outcome, line) = match replay::verify(
            record,
            script,
            player,
            &*found.source,
            on_call,
        ) {
            VerifyOutcome::Verified { choices, fuel } => {
                let unit = sandboard_abi::Unit::Fuel;
                let amount = Amount { unit, value: fuel };
                let mut line =
                    format!("{name} verified: {choices} choices, {amount} units of fuel");
                if name != found.id {
                    // A record can give its players any name, so the module's own id is shown.
                    line += &format!("; its module is {} {}", found.id, found.version);
                }
                let value = json!({
                    "verdict": "verified", "choices": choices, "fuel": fuel,
                    "module": {"id": found.id, "version": found.version},
                });
                (value, Outcome::Verified, line)
            }
            VerifyOutcome::Differs(difference) => {
                let ply = difference.at_ply;
                let how = difference.kind.to_string();
                let mut line = format!("ply {ply} differs: {name}: {how}");
                let command =
                    self.place.file.as_ref().map(|(path, arguments)| {
                        replay::replay_command(path, ply, player) + arguments
                    });
                if let Some(command) = &command {
                    line += &format!("; see: {command}");
                }
                let value = json!({
                    "verdict": "differs", "ply": ply, "how": how, "replay": command,
                });
                (value, Outcome::Differs, line)
            }
            VerifyOutcome::VerifiedUpTo { choices, at_ply, reason } => {
                let line = format!(
                    "{name} verified for {choices} choices, but cannot be verified from ply \
                     {at_ply} on: {reason}"
                );
                let value = json!({
                    "verdict": "unverifiable", "choices": choices, "ply": at_ply, "reason": reason,
                });
                (value, Outcome::Unverifiable, line)
            }
            VerifyOutcome::NotVerifiable(_) => return,
        };
        let mut value = value;
        value["player"] = player.into();
        value["name"] = name.into();
        self.players.push(value);
        self.add_result(outcome, format!("{file}: {line}"));
    }
}
