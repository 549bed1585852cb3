//! `sandboard suite`: asks an engine positions with known answers. Reports how many it solves, what
//! changed since the last run, and whether the required number is reached.

mod screen;
mod select;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::output::error_line;
use anyhow::{Result, anyhow};
use sandboard_games::{GameInfo, Games, Variant};
use serde::Serialize;

use super::analyse::check_proves;
use super::engines::{EngineArgs, Engines, check_budget, only_game};
use super::seat::EngineSpec;
use super::{SeatSpec, game_named, usage, variant_of};
use sandboard_analysis::suite::{
    Case, FORMAT, PassThreshold, RunDifference, RunEngine, RunSuite, SuiteFile, SuiteRun, Totals,
    VERSION, read, run as ask_all, store,
};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::query::PositionQuery;
use sandboard_common::date::rfc3339;
use sandboard_engine::Budget;
use sandboard_packs::catalog::Entry;
use screen::Screen;
use select::Selection;

/// The default budget of a position, in microseconds of wall time.
const DEFAULT_POSITION_US: u64 = 1_000_000;

const EXAMPLES: &str = r#"FILE is JSON, or lines similar to EPD; docs/suite.md describes both:
  {"records": [{"id": "a", "variant": "freestyle", "moves": "h8 i9", "best": ["g7", "j10"]}]}
  15/15/15/15/15/15/8o6/7x7/15/15/15/15/15/15/15 b bm g7 j10; id "a"; variant freestyle-15;

With depth:, nodes: or fuel:, a run can be repeated and compared. Add a time limit as a guard
against an engine that never finishes: nodes:1e5,60s/move. With only a time limit, the results depend
on the machine and its load.

Exit codes: 0: the suite was run, and --bar, if given, is met; 1: --bar is missed, or something
failed; 2: usage error, or the file is wrong; no position was asked.

Examples:
  sandboard suite gomoku-alpha tactics.json --variant freestyle --budget nodes:1e5
  sandboard suite gomoku-alpha:table-mib=8 tactics.epd --budget depth:6 --bar 90%
  sandboard suite gomoku-alpha tactics.epd --budget nodes:1e5 --save base.json
  sandboard suite gomoku-alpha tactics.epd --budget nodes:2e5 --against base.json --json"#;

/// Ask an engine positions with known answers, and count how many it solves
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine's id, optionally with options (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The file of positions
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The game's id [default: the game that the file names, else the engine's only game]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Take only positions of this variant; a position that names no variant belongs to it
    #[arg(long)]
    variant: Option<String>,
    /// The budget of each answer: depth:8, nodes:1e6, fuel:2e9/move, cpu:5s/move,
    /// 5s/move [default: 1s/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// The engine's seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Take only positions with these ids; such a run does not replace the last run
    #[arg(long, value_name = "ID", num_args = 1..)]
    only: Vec<String>,
    /// The share or number of positions that must be solved for exit code 0: 90%, or 58
    #[arg(long, value_name = "BAR")]
    bar: Option<PassThreshold>,
    /// The run to compare with: `last`, `none`, or a file written by --save or --json
    #[arg(long, value_name = "FILE", default_value = "last")]
    against: String,
    /// Also write the run to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print one JSON object instead of the list
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// The complete report of a run.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    run: SuiteRun,
    totals: Totals,
    /// The number of positions of the file that were not asked.
    skipped: usize,
    comparison: Option<RunDifference>,
    bar: Option<Verdict>,
    /// The file in which the run was saved.
    saved_to: Option<PathBuf>,
}

/// Whether enough positions were solved.
#[derive(Serialize)]
struct Verdict {
    bar: String,
    needed: usize,
    holds: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let default = Budget::wall_per_move(DEFAULT_POSITION_US);
    let budget = args.budget.or(args.engine.budget).unwrap_or(default);
    check_budget(&budget)?;
    let mut engines = Engines::open(&args.engines)?;
    let entry = engines.find(&spec.id)?;
    let drafts = read(&args.file).map_err(usage)?;
    let info = game(args, engines.games(), &drafts, &entry)?;
    let selection = Selection { variant: args.variant.as_deref(), ids: &args.only };
    let cases = select::cases(&args.file, &drafts, info, &selection)?;
    check_bar(args.bar, cases.len())?;
    let player = player(&mut engines, spec, budget, info, &cases)?;
    check_proves(&budget, &spec.id, &engines.load(&entry, budget.unit())?.description)?;

    let header = header(args, &drafts, &player, (info, budget))?;
    check_free(args.save.as_deref())?;
    let before = before(args, &header)?;
    let query = PositionQuery { engine: player, budget, seed: args.seed };
    let mut screen = Screen::new(&header, &cases, before.as_ref(), args.json)?;
    let results = ask_all(&cases, &query, &mut screen);
    screen.finish()?;

    let run = SuiteRun { results, ..header };
    let totals = Totals::of(&run.results);
    let report = Report {
        skipped: drafts.count - cases.len(),
        comparison: before.as_ref().map(|before| RunDifference::between(before, &run)),
        bar: args.bar.map(|bar| {
            let needed = bar.needed(totals.positions);
            Verdict { bar: bar.to_string(), needed, holds: totals.solved >= needed }
        }),
        saved_to: keep(args, &run)?,
        totals,
        run,
    };
    let mut out = crate::output::stdout();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
        false => out.write_all(text::summary(&report, &args.against).as_bytes())?,
    }
    match report.bar.filter(|verdict| !verdict.holds) {
        None => Ok(()),
        Some(Verdict { bar, needed, .. }) => Err(anyhow!(
            "the bar of {bar} is missed: {} of {} are solved, but {needed} are required",
            totals.solved,
            totals.positions
        )),
    }
}

fn game(
    args: &Args,
    games: &Games,
    drafts: &SuiteFile,
    entry: &Entry,
) -> Result<&'static GameInfo> {
    let of_file = drafts.positions.iter().find_map(|draft| draft.game.as_deref());
    match args.game.as_deref().or(of_file) {
        Some(id) => game_named(games, id),
        None => only_game(games, entry),
    }
}

/// Loads the engine, and checks that it plays the variants of all positions.
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
        // All other errors already occur with the first variant.
        let player = player.map_err(|error| match known.is_empty() {
            true => error,
            false => error.context(other_variant(case)),
        })?;
        known.push((variant, player));
    }
    known.pop().map(|(_, player)| player).ok_or_else(|| usage("no positions to ask"))
}

fn other_variant(case: &Case) -> super::UsageError {
    let id = &case.id;
    super::UsageError(format!(
        "position `{id}` (use --variant to take only positions of one variant)"
    ))
}

/// Refuses a bar that no run can reach.
fn check_bar(bar: Option<PassThreshold>, positions: usize) -> Result<()> {
    match bar.filter(|bar| bar.needed(positions) > positions) {
        Some(bar) => Err(usage(format!("--bar {bar}: there are only {positions} positions"))),
        None => Ok(()),
    }
}

/// The run before any position is asked.
fn header(
    args: &Args,
    drafts: &SuiteFile,
    player: &EnginePlayer,
    (info, budget): (&GameInfo, Budget),
) -> Result<SuiteRun> {
    let variant = args.variant.as_deref().map(|text| variant_of(info, Some(text)));
    Ok(SuiteRun {
        format: FORMAT.into(),
        version: VERSION,
        host: env!("CARGO_PKG_VERSION").into(),
        created_at: rfc3339(SystemTime::now()),
        game: info.id.into(),
        variant: variant.transpose()?.map(|variant| variant.text()),
        suite: RunSuite {
            file: args.file.display().to_string(),
            sha256: drafts.sha256.clone(),
            positions: drafts.count,
        },
        engine: RunEngine {
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

/// The run to compare with. A damaged one causes a warning, and nothing is compared.
fn before(args: &Args, header: &SuiteRun) -> Result<Option<SuiteRun>> {
    let (path, required) = match args.against.as_str() {
        "none" => return Ok(None),
        "last" => match store::last_path(header) {
            Ok(path) => (path, false),
            Err(_) => return Ok(None),
        },
        file => (PathBuf::from(file), true),
    };
    match store::load(&path) {
        Ok(None) if required => Err(usage(format!("--against: {} does not exist", path.display()))),
        Ok(run) => Ok(run),
        Err(error) => {
            error_line!("warning: the run is not compared: {error}");
            Ok(None)
        }
    }
}

/// Checks that --save does not overwrite a file that is not a run.
fn check_free(save: Option<&Path>) -> Result<()> {
    let Some(path) = save.filter(|path| path.exists()) else { return Ok(()) };
    match store::load(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(usage(format!("--save: {error}; it is not overwritten"))),
    }
}

/// Saves the run: as the last run, unless only some positions were taken, and to the file of
/// --save. A failure to save the last run is only a warning.
fn keep(args: &Args, run: &SuiteRun) -> Result<Option<PathBuf>> {
    let last = match args.only.is_empty() {
        true => {
            let kept = store::last_path(run).and_then(|path| {
                store::save(&path, run)?;
                Ok(path)
            });
            kept.map_err(|error| {
                error_line!("warning: the run is not saved as the last one: {error}")
            })
            .ok()
        }
        false => None,
    };
    let Some(file) = &args.save else { return Ok(last) };
    store::save(file, run)?;
    Ok(Some(file.clone()))
}
