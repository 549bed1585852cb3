//! `sandboard verify`: replays records played on fuel with the same modules, and compares every
//! result. Exit codes: 0: all verified; 1: a difference, or an invalid record; 2: usage error, or
//! something cannot be verified; 3: a bundle cannot show everything.

mod bundle;
mod paths;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use anyhow::Result;
use sandboard_abi::Unit;

use super::engines::{EngineArgs, Engines};
use super::output_file::{FileKind, ensure_replaceable};
use super::progress::progress;
use super::{AlreadyReported, Inconclusive, usage};
use bundle::{Commitment, Percent};
use sandboard_arena::load_record;
use sandboard_bout::record::EngineRecord;
use sandboard_bundle::game_check::{CheckedGame, FoundEngine, Outcome, RecordLocation, check_game};
use sandboard_common::files::write_atomically;
use sandboard_engine_wasm::{Allocator, OptLevel, RuntimeKind, RuntimeOptions};
use sandboard_packs::loader::LoadedEngine;

const EXAMPLES: &str = "\
Under a fuel budget an engine's moves depend only on its module, its inputs and its seed. This
command repeats every call to each engine of a record that played on fuel. The moves, the fuel, the
memory and all output of the engine must be the same. Modules are found by their hashes, under any
name in the engines folder. People, and engines with time budgets, cannot be verified; their moves
are accepted as recorded.

A bundle (`sandboard arena bundle`) is verified completely: its files by their hashes; the list of
games by setup and seed; every game by a replay; the results and tables; and in a contest the arenas
by the contest file, the entries and the commitment. Its modules run in jailed processes, as in a
contest.

Exit codes: 0: verified; 1: something differs (the first ply is named); 2: usage error, or it cannot
be verified here (a module is missing, another runtime counted the fuel, or no engine played on
fuel); 3: nothing differs, but the bundle cannot show everything (a pair is void, a final was stopped
or is missing).

Examples:
  sandboard verify b.json
  sandboard verify ARENA --jobs 2
  sandboard verify --bundle autumn.zip --sample 10% --commitment HEX
  sandboard verify b.json --runtime wasmi
  sandboard verify --save-page verify.html
  sandboard verify b.json --opt-level none --json";

/// Replay records that were played on fuel, and compare them bit for bit
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Records, folders with records, arenas (all their games), games of arenas
    /// (`DIR/pair-000001-1`)
    #[arg(required_unless_present_any = ["bundle", "save_page"], value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Verify a bundle: a file, or a folder with its unpacked files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "strict"])]
    bundle: Option<PathBuf>,
    /// With --bundle: a folder with the modules that the bundle lacks, as `.wasm` files with any
    /// name; the engines folder is searched, too
    #[arg(long, value_name = "DIR", requires = "bundle")]
    modules: Option<PathBuf>,
    /// With --bundle: the share of its games to replay, chosen at random; all other checks cover
    /// every game
    #[arg(long, value_name = "N%", requires = "bundle", default_value = "100%")]
    sample: Percent,
    /// With --bundle: the commitment of the contest as it was published before the first entry; the
    /// bundle must have the same
    #[arg(long, value_name = "HEX", requires = "bundle")]
    commitment: Option<Commitment>,
    /// Write the page that verifies bundles in a browser, as one file that needs no server and no
    /// network, and verify nothing
    #[arg(long, value_name = "FILE", exclusive = true)]
    save_page: Option<PathBuf>,
    /// The number of records verified at once [default: one for each core]
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Also exit with code 2 if a player did not play on fuel; in a contest every move must be
    /// verified
    #[arg(long)]
    strict: bool,
    /// What runs the modules; the result is the same. Older records, which say which runtime
    /// counted their fuel, need that runtime
    #[arg(long, value_enum, default_value_t)]
    runtime: RuntimeArg,
    /// The optimisation level of wasmtime's compiler; the result is the same
    #[arg(long, value_enum, default_value_t)]
    opt_level: OptLevelArg,
    /// Where wasmtime's instances get their memory from; the result is the same
    #[arg(long, value_enum, default_value_t)]
    allocator: AllocatorArg,
    /// Print one JSON line for each record (for a bundle: for each replayed game, and one for the
    /// bundle)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// The command-line form of [`RuntimeKind`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum RuntimeArg {
    /// A compiler, as in games
    #[default]
    Wasmtime,
    /// An interpreter, another program than the one that played; takes 6 to 16 times as long
    Wasmi,
}

/// The command-line form of [`OptLevel`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum OptLevelArg {
    /// No optimisation at all
    None,
    /// As in games
    #[default]
    Speed,
    /// Optimise for size, too
    SpeedAndSize,
}

/// The command-line form of [`Allocator`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
enum AllocatorArg {
    /// From a pool, as in games
    #[default]
    Pool,
    /// From the system, separately for each instance
    OnDemand,
}

impl Args {
    /// Err: this build does not have the runtime.
    fn runtime_options(&self) -> Result<RuntimeOptions> {
        let kind = match self.runtime {
            RuntimeArg::Wasmtime => RuntimeKind::Wasmtime,
            RuntimeArg::Wasmi => RuntimeKind::Wasmi,
        };
        if !RuntimeKind::AVAILABLE.contains(&kind) {
            return Err(usage(format!(
                "this sandboard was built without {kind}: releases have it, and builds with the \
                 feature `{kind}`"
            )));
        }
        Ok(RuntimeOptions {
            kind,
            opt_level: match self.opt_level {
                OptLevelArg::None => OptLevel::None,
                OptLevelArg::Speed => OptLevel::Speed,
                OptLevelArg::SpeedAndSize => OptLevel::SpeedAndSize,
            },
            allocator: match self.allocator {
                AllocatorArg::Pool => Allocator::Pool,
                AllocatorArg::OnDemand => Allocator::OnDemand,
            },
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let jobs = args.jobs.map_or_else(default_jobs, usize::from);
    if let Some(file) = &args.save_page {
        return save_page(file);
    }
    if let Some(file) = &args.bundle {
        return bundle::run(args, file, jobs);
    }
    let paths = paths::records(&args.records)?;
    let engines = Engines::open_with(&args.engines, args.runtime_options()?)?;
    let games = engines.games().clone();
    let engines = Mutex::new(engines);
    let arguments = args.engines.as_arguments();
    let jobs = jobs.min(paths.len());
    let bar = progress(paths.len() as u64, "records");
    let next = AtomicUsize::new(0);
    let mut worst = Outcome::Verified;
    let mut done = [0_usize; 4];
    let find = |engine: &EngineRecord, unit: Unit| {
        let mut engines = engines.lock().unwrap_or_else(PoisonError::into_inner);
        found(engines.for_replay(engine, unit, true))
    };
    std::thread::scope(|scope| -> Result<()> {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs {
            let (sender, bar) = (sender.clone(), &bar);
            let (next, paths, find, arguments) = (&next, &paths, &find, &arguments);
            let games = &games;
            scope.spawn(move || {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let on_call = |player: usize, made: usize, of: usize| {
                        if bar.length() == Some(1) {
                            bar.set_message(format!("{made} of {of} calls of player {player}"));
                        }
                    };
                    let name = path.display().to_string();
                    let place =
                        RecordLocation { name, file: Some((path.clone(), arguments.clone())) };
                    let record = load_record(path, games);
                    let record = record.map_err(|error| error.to_string());
                    let checked = check_game(place, record, games, find, on_call);
                    bar.inc(1);
                    if sender.send(checked).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for checked in results {
            worst = worst.max(checked.outcome);
            done[checked.outcome as usize] += 1;
            bar.suspend(|| print(&checked, args.json))?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    if paths.len() > 1 && !args.json {
        let [verified, partly, unverifiable, differing] = done;
        let mut out = crate::output::stdout();
        writeln!(
            out,
            "{verified} verified, {partly} partly, {differing} differ, {unverifiable} cannot be \
             verified"
        )?;
    }
    match worst {
        Outcome::Partly if args.strict => Err(Inconclusive.into()),
        Outcome::Verified | Outcome::Partly => Ok(()),
        Outcome::Differs => Err(AlreadyReported.into()),
        Outcome::Unverifiable => Err(Inconclusive.into()),
    }
}

/// Writes the page that verifies bundles in a browser.
fn save_page(file: &Path) -> Result<()> {
    let page = sandboard_server::verify_page().ok_or_else(|| {
        usage("this build has no page that verifies bundles: use a release, or `cargo xtask web`")
    })?;
    ensure_replaceable("--save-page", file, FileKind::Html)?;
    Ok(write_atomically(file, page)?)
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A loaded engine as the check of a game needs it. The error is one text.
fn found(loaded: Result<LoadedEngine>) -> Result<FoundEngine, String> {
    let LoadedEngine { source, description, .. } = loaded.map_err(|error| format!("{error:#}"))?;
    Ok(FoundEngine { source, id: description.id, version: description.version })
}

fn print(checked: &CheckedGame, json: bool) -> Result<()> {
    let mut out = crate::output::stdout();
    if json {
        writeln!(out, "{}", checked.to_json())?;
    } else {
        for line in &checked.lines {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}
