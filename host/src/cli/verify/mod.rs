//! `sandboard verify`: fuel-clocked records, played again by the same modules and
//! held against what they say. Exit codes: 0 all on fuel verified, 1 one differs or is
//! no sound record, 2 one cannot be verified here.

mod bundle;
mod paths;
mod record;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use anyhow::Result;
use sandboard_abi::Unit;

use super::engines::{EngineArgs, Engines};
use super::progress::progress;
use super::{Told, Undecided};
use crate::arena::load_record;
use crate::engine::wasm::{Allocator, OptLevel, RuntimeOptions};
use crate::record::EngineRecord;
use bundle::Percent;
use record::{Outcome, Place, Verified};

const EXAMPLES: &str = "\
Under a fuel budget an engine's moves depend on nothing but its module, its inputs and its seed.
Every engine of a record that played on fuel is asked again what it was asked in the bout, and its
moves, its fuel, its memory and everything that it said over the border must be the same. The
module is looked for by its hash, whatever it is called in the engines folder. People, and engines
on a clock of time, cannot be verified; their moves are taken from the record.

Of a bundle (`sandboard arena bundle`) everything is verified: its files by their hashes, which
games there are by setup and seed, each of them by playing it again, results, tables, the seed that
a contest was committed to. Its modules run in jailed processes, as in a contest.

Exit codes: 0 verified, 1 something differs (the first ply is named), 2 it cannot be verified here
(a module is missing, another runtime counted the fuel, nobody played on fuel), or it is no bundle.

Examples:
  sandboard verify b.json
  sandboard verify ARENA --jobs 2
  sandboard verify --bundle autumn.zip --sample 10%
  sandboard verify b.json --opt-level none --json";

/// Play fuel-clocked records again and compare them bit for bit
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Records, folders with records, arenas (all their games), games of arenas (`DIR/pair-000001-1`)
    #[arg(required_unless_present = "bundle", value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// Verify a bundle, a file or an unpacked folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["records", "strict"])]
    bundle: Option<PathBuf>,
    /// With --bundle: where the modules are that it does not hold, as `.wasm` files of any name; the engines folder is
    /// looked through, too
    #[arg(long, value_name = "DIR", requires = "bundle")]
    modules: Option<PathBuf>,
    /// With --bundle: play so many of its games again, drawn anew each time; all else is verified of every game
    #[arg(long, value_name = "N%", requires = "bundle", default_value = "100%")]
    sample: Percent,
    /// How many records at once [default: one for each core]
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
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
    /// Print one JSON line for each record (of a bundle: for each that was played again, and one for all of it)
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

pub fn run(args: &Args) -> Result<()> {
    let jobs = args.jobs.map_or_else(usual_jobs, usize::from);
    if let Some(file) = &args.bundle {
        return bundle::run(args, file, jobs);
    }
    let paths = paths::records(&args.records)?;
    let engines = Mutex::new(Engines::open(&args.engines)?.with_runtime(args.runtime()));
    let arguments = args.engines.typed();
    let jobs = jobs.min(paths.len());
    let bar = progress(paths.len() as u64, "records");
    let next = AtomicUsize::new(0);
    let mut worst = Outcome::Verified;
    let mut done = [0_usize; 4];
    let find = |engine: &EngineRecord, unit: Unit| {
        engines.lock().unwrap_or_else(PoisonError::into_inner).of_replay(engine, unit, true)
    };
    std::thread::scope(|scope| -> Result<()> {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs {
            let (sender, bar) = (sender.clone(), &bar);
            let (next, paths, find, arguments) = (&next, &paths, &find, &arguments);
            scope.spawn(move || {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let see = |player: usize, made: usize, of: usize| {
                        if bar.length() == Some(1) {
                            bar.set_message(format!("{made} of {of} calls of player {player}"));
                        }
                    };
                    let name = path.display().to_string();
                    let place = Place { name, file: Some((path.clone(), arguments.clone())) };
                    let record = load_record(path, sandboard_games::game);
                    let record = record.map_err(|error| error.to_string());
                    let verified = record::verify(place, record, find, see);
                    bar.inc(1);
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

fn print(verified: &Verified, json: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", verified.to_json())?;
    } else {
        for line in &verified.lines {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}
