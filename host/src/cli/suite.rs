//! `sandboard suite`: positions with known answers, put to an engine; how many
//! it solves, what changed since the last run, and whether a bar holds.

mod screen;
mod select;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use sandboard_games::{GameInfo, Variant};
use serde::Serialize;

use super::analyse::check_proves;
use super::engines::{EngineArgs, Engines, check_budget, only_game};
use super::seat::EngineSpec;
use super::{SeatSpec, game_named, usage, variant_of};
use crate::ask::Asker;
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::catalog::Entry;
use crate::record::rfc3339;
use crate::suite::{
    Bar, Case, Difference, Drafts, EngineOfRun, FORMAT, Run, SuiteOfRun, Totals, VERSION, read,
    run as ask_all, store,
};
use screen::Screen;
use select::Selection;

/// What an engine may spend on a position when nothing is said.
const USUAL_US: u64 = 1_000_000;

const EXAMPLES: &str = r#"FILE is JSON, or lines in the manner of EPD; docs/suite.md has both in full:
  {"records": [{"id": "a", "variant": "freestyle", "moves": "h8 i9", "best": ["g7", "j10"]}]}
  15/15/15/15/15/15/8o6/7x7/15/15/15/15/15/15/15 b bm g7 j10; id "a"; variant freestyle-15;

With depth:, nodes: or fuel: a run can be repeated and compared; join a time to guard against an
engine that does not come to an end: nodes:1e5,60s/move. With a time alone, results depend on the
machine and its load.

Without --bar the exit code is 0 however many are solved; with it, 1 says that it is missed, and 2
that the file or the command is wrong and nothing was run.

Examples:
  sandboard suite gomoku-alpha tactics.json --variant freestyle --budget nodes:1e5
  sandboard suite gomoku-alpha:table-mib=8 tactics.epd --budget depth:6 --bar 90%
  sandboard suite gomoku-alpha tactics.epd --budget nodes:1e5 --save base.json
  sandboard suite gomoku-alpha tactics.epd --budget nodes:2e5 --against base.json --json"#;

/// Put positions with known answers to an engine
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The engine: its id, with options where wanted (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The file of positions
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The game's id [default: what the file says, else the engine's only game]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Take only positions of this variant; those that name none are of it
    #[arg(long)]
    variant: Option<String>,
    /// What each answer may spend: depth:8, nodes:1e6, fuel:2e9/move, cpu:5s/move,
    /// 5s/move [default: 1s/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// The engine's source of randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Take only positions with these ids; such a run is not kept as the last one
    #[arg(long, value_name = "ID", num_args = 1..)]
    only: Vec<String>,
    /// What must be solved for exit code 0: a share, as 90%, or a number, as 58
    #[arg(long, value_name = "BAR")]
    bar: Option<Bar>,
    /// The run to compare with: `last`, `none`, or the file of a run (of --save or --json)
    #[arg(long, value_name = "FILE", default_value = "last")]
    against: String,
    /// Keep the run in this file, too
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print one JSON object, and no list
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// All that is told of a run.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    run: Run,
    totals: Totals,
    /// Positions of the file that were not asked.
    left_out: usize,
    against: Option<Difference>,
    bar: Option<Verdict>,
    kept: Option<PathBuf>,
}

/// Whether the bar holds.
#[derive(Serialize)]
struct Verdict {
    bar: String,
    needed: usize,
    holds: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let usual = Budget::wall_per_move(USUAL_US);
    let budget = args.budget.or(args.engine.budget).unwrap_or(usual);
    check_budget(&budget)?;
    let mut engines = Engines::open(&args.engines)?;
    let entry = engines.find(&spec.id)?;
    let drafts = read(&args.file).map_err(usage)?;
    let info = game(args, &drafts, &entry)?;
    let selection = Selection { variant: args.variant.as_deref(), ids: &args.only };
    let cases = select::cases(&args.file, &drafts, info, &selection)?;
    check_bar(args.bar, cases.len())?;
    let player = player(&mut engines, spec, budget, info, &cases)?;
    check_proves(&budget, &spec.id, &engines.load(&entry, budget.unit())?.description)?;

    let header = header(args, &drafts, &player, (info, budget))?;
    check_free(args.save.as_deref())?;
    let before = before(args, &header)?;
    let asker = Asker { player, budget, seed: args.seed };
    let mut screen = Screen::new(&header, &cases, before.as_ref(), args.json)?;
    let results = ask_all(&cases, &asker, &mut screen);
    screen.finish()?;

    let run = Run { results, ..header };
    let totals = Totals::of(&run.results);
    let report = Report {
        left_out: drafts.count - cases.len(),
        against: before.as_ref().map(|before| Difference::between(before, &run)),
        bar: args.bar.map(|bar| {
            let needed = bar.needed(totals.positions);
            Verdict { bar: bar.to_string(), needed, holds: totals.solved >= needed }
        }),
        kept: keep(args, &run)?,
        totals,
        run,
    };
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
        false => out.write_all(text::summary(&report, &args.against).as_bytes())?,
    }
    match report.bar.filter(|verdict| !verdict.holds) {
        None => Ok(()),
        Some(Verdict { bar, needed, .. }) => Err(anyhow!(
            "the bar of {bar} is missed: {} of {} are solved, {needed} are needed",
            totals.solved,
            totals.positions
        )),
    }
}

fn game(args: &Args, drafts: &Drafts, entry: &Entry) -> Result<&'static GameInfo> {
    let of_file = drafts.drafts.iter().find_map(|draft| draft.game.as_deref());
    match args.game.as_deref().or(of_file) {
        Some(id) => game_named(id),
        None => only_game(entry),
    }
}

/// The engine, if it plays the variants of all positions.
fn player(
    engines: &mut Engines,
    spec: &EngineSpec,
    budget: Budget,
    info: &'static GameInfo,
    cases: &[Case],
) -> Result<EnginePlayer> {
    let mut known: Vec<(Variant, EnginePlayer)> = Vec::new();
    for case in cases {
        let variant = case.game.variant();
        if known.iter().any(|(other, _)| *other == variant) {
            continue;
        }
        let player = engines.player(spec, budget.unit(), (info, &variant));
        // Whatever else could be wrong is so with the first variant, too.
        let player = player.map_err(|error| match known.is_empty() {
            true => error,
            false => error.context(other_variant(case)),
        })?;
        known.push((variant, player));
    }
    known.pop().map(|(_, player)| player).ok_or_else(|| usage("no position is left to ask"))
}

fn other_variant(case: &Case) -> super::Usage {
    let id = &case.id;
    super::Usage(format!("position `{id}` (--variant takes only those of one variant)"))
}

/// A bar that no run could reach is a mistake.
fn check_bar(bar: Option<Bar>, positions: usize) -> Result<()> {
    match bar.filter(|bar| bar.needed(positions) > positions) {
        Some(bar) => Err(usage(format!("--bar {bar}: there are only {positions} positions"))),
        None => Ok(()),
    }
}

/// The run before anything was asked.
fn header(
    args: &Args,
    drafts: &Drafts,
    player: &EnginePlayer,
    (info, budget): (&GameInfo, Budget),
) -> Result<Run> {
    let variant = args.variant.as_deref().map(|text| variant_of(info, Some(text)));
    Ok(Run {
        format: FORMAT.into(),
        version: VERSION,
        host: env!("CARGO_PKG_VERSION").into(),
        created_at: rfc3339(SystemTime::now()),
        game: info.id.into(),
        variant: variant.transpose()?.map(|variant| variant.text()),
        suite: SuiteOfRun {
            file: args.file.display().to_string(),
            sha256: drafts.sha256.clone(),
            positions: drafts.count,
        },
        engine: EngineOfRun {
            id: player.id.clone(),
            version: player.version.clone(),
            module_sha256: player.module_sha256.clone().unwrap_or_default(),
            options: player.options.iter().cloned().collect(),
        },
        budget,
        seed: args.seed,
        results: Vec::new(),
    })
}

/// The run to compare with. One that is damaged is told of, and is none.
fn before(args: &Args, header: &Run) -> Result<Option<Run>> {
    let (path, asked) = match args.against.as_str() {
        "none" => return Ok(None),
        "last" => match store::last_path(header) {
            Ok(path) => (path, false),
            Err(_) => return Ok(None),
        },
        file => (PathBuf::from(file), true),
    };
    match store::load(&path) {
        Ok(None) if asked => Err(usage(format!("--against: there is no file {}", path.display()))),
        Ok(run) => Ok(run),
        Err(error) => {
            eprintln!("warning: nothing is compared: {error}");
            Ok(None)
        }
    }
}

/// Whether --save may write there: nobody else's file is replaced.
fn check_free(save: Option<&Path>) -> Result<()> {
    let Some(path) = save.filter(|path| path.exists()) else { return Ok(()) };
    match store::load(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(usage(format!("--save: {error}; it is not overwritten"))),
    }
}

/// Keeps the run: as the last one unless only some positions were taken, and
/// where --save says. The last one is a convenience: nothing fails by it.
fn keep(args: &Args, run: &Run) -> Result<Option<PathBuf>> {
    let last = match args.only.is_empty() {
        true => {
            let kept = store::last_path(run).and_then(|path| {
                store::save(&path, run)?;
                Ok(path)
            });
            kept.map_err(|error| eprintln!("warning: the run is not kept: {error}")).ok()
        }
        false => None,
    };
    let Some(file) = &args.save else { return Ok(last) };
    store::save(file, run)?;
    Ok(Some(file.clone()))
}
