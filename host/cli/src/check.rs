//! `sandboard check`: tests an engine or a game step by step, for its author. Builds or finds it;
//! `game.rs` has the part for games, `print.rs` prints the results. Judges nothing itself.

mod game;
mod print;

use std::path::{Path, PathBuf};

use crate::output::error_line;
use anyhow::{Result, anyhow};
use sandboard_abi::Unit;
use sandboard_builder::SourceFolder;
use serde_json::{Map, Value, json};

use self::print::Printer;
use super::build::{OrderArgs, trust_note};
use super::engines::{EngineArgs, Engines, check_budget, check_plays, checked_options, shell_word};
use super::{game_named, usage, variant_of};
use sandboard_analysis::check::{CheckSettings, CheckTarget, STEPS, Step, StepOutcome, StepReport};
use sandboard_analysis::check_game::{self, GameTarget};
use sandboard_engine::Budget;
use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::loader::Loader;
use sandboard_packs::manifest::{FILE_NAME, ModuleKind};
use sandboard_packs::packaging::install_pack;

/// The default budget of a move in the test games, in microseconds of wall time.
const DEFAULT_MOVE_US: u64 = 20_000;

/// Check an engine or a game step by step, with advice
///
/// For authors, before others play the engine or the game. A step is passed, warned (it works, but
/// some hosts may have problems with it), failed (the engine would lose games, or the game cannot
/// be played) or skipped. For a failed step, the request, the response, the expected response and
/// the engine's own output are shown.
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub(crate) struct Args {
    /// The id of an engine or a game, or `id-version`; or the folder of a pack; or a source folder,
    /// which is built first: then both the sandboxed and the native build of an engine are checked
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// What to build and check of a source folder
    #[command(flatten)]
    order: OrderArgs,
    /// Check only this game [default: every game that the engine declares or the pack contains]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Check only this variant, with its board size if it has several: `freestyle-7` [default:
    /// every variant that the engine declares, in every size of the game; of a game, every variant]
    #[arg(long)]
    variant: Option<String>,
    /// An option to start the engine with, `name=value`; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    option: Vec<(String, String)>,
    /// The budget of a move in the test games: wall time (20ms/move), CPU time (cpu:20ms/move)
    /// or fuel [default: 20ms/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// The seed of the random positions and the engine
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Run only this step and step 1; may be given several times
    #[arg(long, value_name = "N")]
    step: Vec<u8>,
    /// Also show the engine's own output for passed steps
    #[arg(long)]
    verbose: bool,
    /// Print one JSON object a line for each build or game: {"engine": …, "steps": […], …}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

fn after_help() -> String {
    let mut text = String::new();
    for (head, steps) in [
        ("Steps for an engine (docs/check.md explains each, with advice):\n", STEPS),
        ("\nSteps for a game:\n", check_game::STEPS),
    ] {
        text += head;
        for Step { number, name, requirement, .. } in steps {
            text += &format!("  {number:2} {name:12} {requirement}\n");
        }
    }
    text += "\nExit codes: 0: no step failed; 1: a step failed, or the source does not build; 2: usage \
             error.\nIf the source does not build, the compiler's errors are on standard error, and \
             nothing is printed\nto standard output, even with --json.\n\n\
             Examples:\n  \
             sandboard check mine/\n  \
             sandboard check gomoku-alpha\n  \
             sandboard check connect-four --step 5 --seed 2\n  \
             sandboard check my-engine --variant freestyle-9 --step 7 --verbose\n  \
             sandboard check faulty --option fault=loop --option at=2 --json";
    text
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("expected name=value".into()),
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let path = Path::new(&args.engine);
    if SourceFolder::is_at(path) {
        return check_source(args, path);
    }
    if args.order.is_given() {
        return Err(usage(format!(
            "--kind and --debug apply to a build, but `{}` is not the folder of an engine's source",
            args.engine
        )));
    }
    let engines = Engines::open(&args.engines);
    let entry = match &engines {
        Ok(engines) => engines.entry(&args.engine).map(|entry| (engines, entry)),
        Err(error) => Err(anyhow!("{error:#}")),
    };
    let error = match entry {
        Ok((engines, entry)) => return check(args, &args.engines, engines.loader(), &entry),
        Err(error) => error,
    };
    let engines = engines.ok();
    match game::find(&args.engine, engines.as_ref()) {
        Some(target) => game::check_all(args, &[target], false),
        None if path.exists() => check_pack(args, path),
        None => Err(game::with_hint(error, &args.engine, engines.as_ref())),
    }
}

/// Builds a source without installing it, and checks the result.
fn check_source(args: &Args, folder: &Path) -> Result<()> {
    let order = args.order.order()?;
    let source = SourceFolder::open(folder)?;
    let pack = source.scratch_folder().join(source.name()?);
    let loader = args.engines.loader()?;
    let built = install_pack(&source, order, &loader, &pack)?;
    if let Some(note) = trust_note(&built) {
        error_line!("{note}");
    }
    check_all(args, pack, loader)
}

/// Checks the engines of a pack in any folder.
fn check_pack(args: &Args, folder: &Path) -> Result<()> {
    if !folder.join(FILE_NAME).is_file() {
        return Err(usage(format!(
            "{0} is neither the folder of an engine's source (Cargo.toml or engine.c) nor a pack \
             ({FILE_NAME}); to check a .zip file or a single module, put it into a folder and run \
             sandboard check ID --engines-dir FOLDER",
            folder.display()
        )));
    }
    check_all(args, folder.to_owned(), args.engines.loader()?)
}

/// Checks every game and engine of the pack in a folder, even after one has failed.
fn check_all(args: &Args, folder: PathBuf, loader: Loader) -> Result<()> {
    let game_loader = loader.game_loader(loader.load_caps().clone());
    let Catalog { entries, game_entries, games } =
        Catalog::read_pack(&folder, loader.games(), &game_loader)?;
    // Its engines may play its own games.
    let loader = loader.with_games(games);
    let target = |entry| GameTarget::PluggedIn { entry, loader: &game_loader };
    let targets: Vec<GameTarget<'_>> = game_entries.iter().map(target).collect();
    let of_games = match targets.is_empty() {
        true => Ok(()),
        false => game::check_all(args, &targets, !entries.is_empty()),
    };
    let place = EngineArgs { engines_dir: Some(folder), ..args.engines.clone() };
    let of_engines = entries.iter().map(|entry| check(args, &place, &loader, entry));
    let of_engines: Vec<Result<()>> = of_engines.collect();
    [of_games].into_iter().chain(of_engines).collect()
}

/// Checks an engine; `place` has the arguments with which other commands find it.
fn check(args: &Args, place: &EngineArgs, loader: &Loader, entry: &Entry) -> Result<()> {
    let settings = settings(args, place, loader, entry)?;
    let mut printer = Printer::new(args.verbose, args.json);
    let subject = CheckTarget { entry, loader };
    let (id, version, source) = (&entry.id, &entry.version, entry.source.display());
    let CheckSettings { budget, seed, .. } = &settings;
    let header = format!("{id} {version} ({source}), seed {seed}, test games at {budget}");
    printer.header(&header)?;
    let reports = sandboard_analysis::check::run(&subject, &settings, &mut printer);
    let fields = object(json!({
        "engine": id, "version": version, "module_sha256": entry.sha256,
        "seed": seed, "budget": budget, "options": settings.options,
    }));
    printer.finish(fields, &reports)?;
    verdict(&format!("engine `{id}`"), &reports)
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// Err: a step has failed.
fn verdict(subject: &str, reports: &[StepReport]) -> Result<()> {
    let failed: Vec<String> = reports
        .iter()
        .filter(|report| report.outcome == StepOutcome::Failed)
        .map(|report| format!("{} {}", report.number, report.name))
        .collect();
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(anyhow!(
            "{subject} failed {} of {} steps: {}",
            failed.len(),
            reports.len(),
            failed.join(", ")
        )),
    }
}

fn settings(
    args: &Args,
    place: &EngineArgs,
    loader: &Loader,
    entry: &Entry,
) -> Result<CheckSettings> {
    let budget = args.budget.unwrap_or_else(|| Budget::wall_per_move(DEFAULT_MOVE_US));
    check_budget(&budget)?;
    match budget.unit() {
        Unit::Wall | Unit::Cpu => (),
        Unit::Fuel if entry.kind == Some(ModuleKind::Wasm) => (),
        Unit::Fuel => return Err(usage("fuel is counted for wasm engines only; use wall time")),
        _ => {
            return Err(usage(format!(
                "the budget `{budget}` does not limit time; use wall time (20ms/move) or fuel \
                 (fuel:1e7/move); step 10 tests depth and nodes"
            )));
        }
    }
    if let Some(step) = args.step.iter().find(|step| STEPS.iter().all(|s| s.number != **step)) {
        let last = STEPS.len();
        return Err(usage(format!("unknown step {step}; the steps are 1 to {last}, see --help")));
    }
    let usable = entry.is_usable();
    let game = match (&args.game, &args.variant) {
        (Some(game), _) => Some(game_named(loader.games(), game)?),
        (None, Some(_)) if usable => Some(super::engines::only_game(loader.games(), entry)?),
        _ => None,
    };
    if let Some(game) = game.filter(|_| usable) {
        let variants: Vec<String> = match &args.variant {
            Some(variant) => vec![variant.clone()],
            None => game.variants.iter().map(|known| known.id.to_owned()).collect(),
        };
        let mut played = Vec::new();
        for text in &variants {
            let variant = variant_of(game, Some(text))?;
            played.push(check_plays(entry, &entry.games, game, &variant));
        }
        if played.iter().all(Result::is_err) {
            played.into_iter().collect::<Result<()>>()?;
        }
    }
    let mut options = args.option.clone();
    if usable && !(args.option.is_empty() && entry.presets.is_empty()) {
        // If the engine does not load, step 1 reports it.
        if let Ok(loaded) = loader.load(entry, Metering::Deadline) {
            options = checked_options(entry, &loaded, &args.option)?;
        }
    }
    let mut seat = entry.id.clone();
    for (name, value) in &args.option {
        seat += &format!(":{name}={}", value.replace(':', "\\:").replace('@', "\\@"));
    }
    Ok(CheckSettings {
        game: game.map(|game| game.id.to_owned()),
        variant: args.variant.clone(),
        seed: args.seed,
        options,
        fixed_options: args.option.iter().map(|(name, _)| name.clone()).collect(),
        budget,
        only: args.step.clone(),
        rerun_command: rerun_command(args),
        analyse_command: format!("sandboard analyse {}{}", shell_word(&seat), place.as_arguments()),
        test_budget: None,
    })
}

/// The command that runs this check again.
fn rerun_command(args: &Args) -> String {
    let id = shell_word(&args.engine);
    let arguments = args.engines.as_arguments();
    let order = args.order.as_arguments();
    let mut command = format!("sandboard check {id}{order}{arguments}");
    for (name, value) in &args.option {
        command += &format!(" --option {}", shell_word(&format!("{name}={value}")));
    }
    for (word, value) in [("game", &args.game), ("variant", &args.variant)] {
        command += &value.as_ref().map_or(String::new(), |value| format!(" --{word} {value}"));
    }
    command += &args.budget.map_or(String::new(), |budget| format!(" --budget {budget}"));
    command + &format!(" --seed {}", args.seed)
}
