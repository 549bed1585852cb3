//! `sandboard verify`: fuel-clocked records, played again by the same modules and
//! held against what they say. Exit codes: 0 all on fuel verified, 1 one differs or is
//! no sound record, 2 one cannot be verified here.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::engines::{EngineArgs, Engines};
use super::{Told, Undecided, usage};
use crate::arena::{GameKey, OpenFolder, load_record};
use crate::budget::Amount;
use crate::engine::wasm::{Allocator, OptLevel, RuntimeOptions};
use crate::exact::{self, Settled};
use crate::loader::Loaded;
use crate::record::Record;
use crate::referee::Termination;
use crate::replay::{self, Script, Unverifiable, Verdict, unverifiable};

const EXAMPLES: &str = "\
Under a fuel budget an engine's moves depend on nothing but its module, its inputs and its seed.
Every engine of a record that played on fuel is asked again what it was asked in the bout, and its
moves, its fuel, its memory and everything that it said over the border must be the same. The
module is looked for by its hash, whatever it is called in the engines folder. People, and engines
on a clock of time, cannot be verified; their moves are taken from the record.

Exit codes: 0 verified, 1 something differs (the first ply is named), 2 it cannot be verified here
(a module is missing, another runtime counted the fuel, nobody played on fuel).

Examples:
  sandboard verify b.json
  sandboard verify ARENA --jobs 2
  sandboard verify b.json --opt-level none --json";

/// Play fuel-clocked records again and compare them bit for bit
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Records, folders with records, arenas (all their games), games of arenas (`DIR/pair-000001-1`)
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// How many records at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Exit with 2 where somebody did not play on fuel, too: a contest wants every move verified
    #[arg(long)]
    strict: bool,
    /// How far the modules are optimised as they are compiled; whatever it is, a sound record is
    /// verified, but for what overflowed the stack
    #[arg(long, value_enum, default_value_t)]
    opt_level: OptLevelArg,
    /// Where instances get their memory from; makes no difference either
    #[arg(long, value_enum, default_value_t)]
    allocator: AllocatorArg,
    /// Print one JSON line for each record
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// [`OptLevel`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum OptLevelArg {
    /// Not at all
    None,
    /// As in play
    #[default]
    Speed,
    /// For size, too
    SpeedAndSize,
}

/// [`Allocator`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum AllocatorArg {
    /// From a pool, as in play
    #[default]
    Pool,
    /// From the system, for each instance anew
    OnDemand,
}

impl Args {
    fn runtime(&self) -> RuntimeOptions {
        RuntimeOptions {
            opt_level: match self.opt_level {
                OptLevelArg::None => OptLevel::None,
                OptLevelArg::Speed => OptLevel::Speed,
                OptLevelArg::SpeedAndSize => OptLevel::SpeedAndSize,
            },
            allocator: match self.allocator {
                AllocatorArg::Pool => Allocator::Pool,
                AllocatorArg::OnDemand => Allocator::OnDemand,
            },
        }
    }
}

/// What came of one record.
struct Verified {
    /// Where the engines are, as it is typed.
    arguments: String,
    path: PathBuf,
    outcome: Outcome,
    players: Vec<Value>,
    /// For people.
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Verified,
    /// Who played on fuel is; somebody did not.
    Partly,
    Unverifiable,
    Differs,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Outcome::Verified => "verified",
            Outcome::Partly => "partly",
            Outcome::Unverifiable => "unverifiable",
            Outcome::Differs => "differs",
        }
    }
}

pub fn run(args: &Args) -> Result<()> {
    let paths = records(&args.records)?;
    let engines = Mutex::new(Engines::open(&args.engines)?.with_runtime(args.runtime()));
    let arguments = args.engines.typed();
    let jobs = args.jobs.map_or_else(usual_jobs, usize::from).min(paths.len());
    let bar = progress(paths.len());
    let next = AtomicUsize::new(0);
    let mut worst = Outcome::Verified;
    let mut done = [0_usize; 4];
    std::thread::scope(|scope| -> Result<()> {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs {
            let (sender, bar) = (sender.clone(), &bar);
            let (next, paths, engines, arguments) = (&next, &paths, &engines, &arguments);
            scope.spawn(move || {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let verified = verify(path, engines, arguments, bar);
                    if sender.send(verified).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for verified in results {
            worst = worst.max(verified.outcome);
            done[verified.outcome as usize] += 1;
            bar.suspend(|| print(&verified, args.json))?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if paths.len() > 1 && !args.json {
        let [verified, partly, unverifiable, differing] = done;
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{verified} verified, {partly} partly, {differing} differ, {unverifiable} cannot be \
             verified"
        )?;
    }
    match worst {
        Outcome::Partly if args.strict => Err(Undecided.into()),
        Outcome::Verified | Outcome::Partly => Ok(()),
        Outcome::Differs => Err(Told.into()),
        Outcome::Unverifiable => Err(Undecided.into()),
    }
}

fn usual_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The files to verify: of a folder, the records in it and below.
fn records(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in named {
        if OpenFolder::is_one(path) {
            of_arena(path, &mut all)?;
        } else if path.is_dir() {
            let before = all.len();
            collect(path, &mut all)?;
            if all.len() == before {
                return Err(usage(format!("there are no records in {}", path.display())));
            }
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

/// The games of an arena, as paths into its folder.
fn of_arena(dir: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    let folder = OpenFolder::look(dir)?;
    let games = folder.wait(folder.reader().accepted())?;
    if games.is_empty() {
        return Err(usage(format!("the arena in {} has no finished game", dir.display())));
    }
    all.extend(games.iter().map(|game| dir.join(GameKey::name(&game.game))));
    Ok(())
}

fn collect(folder: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    let listed = || format!("cannot list {}", folder.display());
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(listed)? {
        let entry = entry.with_context(listed)?;
        entries.push((entry.path(), entry.file_type().with_context(listed)?));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        // A link to a folder may lead back here.
        if kind.is_dir() {
            collect(&path, all)?;
        } else if path.is_file()
            && path.extension().is_some_and(|extension| extension == "json")
            && Record::is_one(&path)
        {
            all.push(path);
        }
    }
    Ok(())
}

fn verify(path: &Path, engines: &Mutex<Engines>, arguments: &str, bar: &ProgressBar) -> Verified {
    let mut verified = Verified {
        arguments: arguments.to_owned(),
        path: path.to_owned(),
        outcome: Outcome::Verified,
        players: Vec::new(),
        lines: Vec::new(),
    };
    let single = bar.length() == Some(1);
    let script = load_record(path, sandboard_games::game).map_err(|error| error.to_string());
    let script = script.and_then(|record| {
        let script = Script::of(&record, sandboard_games::game);
        let script = script.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((record, script))
    });
    let (record, script) = match script {
        Ok(both) => both,
        Err(reason) => {
            verified.says(Outcome::Differs, reason);
            bar.inc(1);
            return verified;
        }
    };
    for player in 0..record.players.len() {
        let see = |made: usize, of: usize| {
            if single {
                bar.set_message(format!("{made} of {of} calls of player {player}"));
            }
        };
        verified.player(&record, &script, player, engines, see);
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
        verified.says(Outcome::Unverifiable, format!("{}: {reason}", path.display()));
    }
    bar.inc(1);
    verified
}

/// The player's engine, if it is here and its fuel is counted as it was then.
fn loaded(record: &Record, player: usize, engines: &Mutex<Engines>) -> Result<Loaded> {
    let player = &record.players[player];
    let engine = player.engine.as_ref().context("it is a person")?;
    let loaded = lock(engines).of_replay(engine, player.budget.unit(), true)?;
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
    /// Something that changes no verdict.
    fn tells(&mut self, what: String) {
        self.lines.push(format!("{}: {what}", self.path.display()));
    }

    fn says(&mut self, outcome: Outcome, line: String) {
        self.outcome = self.outcome.max(outcome);
        self.lines.push(line);
    }

    /// An end by perfect play is solved again.
    fn settled(&mut self, record: &Record) {
        let file = self.path.display().to_string();
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
        let file = self.path.display().to_string();
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
        engines: &Mutex<Engines>,
        see: impl FnMut(usize, usize),
    ) {
        let name = record.players[player].name.clone();
        let file = self.path.display().to_string();
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
        let Loaded { source, description, .. } = match loaded(record, player, engines) {
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
                let command = replay::command(&self.path, ply, player) + &self.arguments;
                let line = format!("ply {ply} differs: {name}: {how}; see: {command}");
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

fn print(verified: &Verified, json: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        let line = json!({
            "record": verified.path.to_string_lossy(),
            "verdict": verified.outcome.word(),
            "players": verified.players,
            "says": verified.lines,
        });
        writeln!(out, "{line}")?;
    } else {
        for line in &verified.lines {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

fn lock(engines: &Mutex<Engines>) -> MutexGuard<'_, Engines> {
    engines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A bar on standard error, which is hidden where that is no terminal.
fn progress(records: usize) -> ProgressBar {
    let bar = ProgressBar::new(records as u64);
    let template = "{bar:30} {pos}/{len} records  {msg}  {elapsed} passed";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    bar
}
