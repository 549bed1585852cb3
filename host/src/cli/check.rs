//! `sandboard check`: an author finds out whether an engine is sound. Builds
//! or finds what is asked for; what is found is printed by `print.rs`. Judges nothing itself.

mod print;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use sandboard_abi::Unit;
use sandboard_forge::Source;

use self::print::Printer;
use super::build::{OrderArgs, trusted};
use super::engines::{EngineArgs, Engines, check_budget, checked_options, plays, shell_word};
use super::{game_named, usage, variant_of};
use crate::budget::Budget;
use crate::catalog::{Catalog, Entry};
use crate::check::{Outcome, STEPS, Settings, Step, Subject};
use crate::engine::wasm::Metering;
use crate::loader::Loader;
use crate::manifest::{FILE_NAME, ModuleKind};
use crate::workshop::install;

/// What a move of the test games may spend, in microseconds.
const USUAL_US: u64 = 20_000;

/// Check whether an engine is sound: a numbered list, step by step
///
/// For authors, before others play the engine. Each step is passed, warned of (it works, but a
/// host may not like it), failed (it would lose games by it) or skipped. What failed is shown with
/// what was asked, what came back, what was expected, and what the engine itself said.
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub struct Args {
    /// The engine's id, or id-version; or the folder of its source, which is built first: then
    /// both builds are checked, the sandboxed and the native one; or the folder of a pack
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Of a source folder: what to build and check
    #[command(flatten)]
    order: OrderArgs,
    /// Only this game [default: every game that the engine names]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only this variant, with a size where it has several: `freestyle-7` [default: every variant
    /// that the engine names, in every size of the game]
    #[arg(long)]
    variant: Option<String>,
    /// An option to start it with, `name=value`; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    option: Vec<(String, String)>,
    /// What a move of the test games may spend: wall time (20ms/move), CPU time (cpu:20ms/move)
    /// or fuel [default: 20ms/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// The source of randomness, for the positions and the engine
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Run only this step, beside step 1; may be given several times
    #[arg(long, value_name = "N")]
    step: Vec<u8>,
    /// Show the engine's own output under passed steps, too
    #[arg(long)]
    verbose: bool,
    /// Print a JSON object, for each build one in a line: {"engine": …, "steps": […], …}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

fn after_help() -> String {
    let mut text = String::from("Steps (docs/check.md says why each matters and what to do):\n");
    for Step { number, name, asks, .. } in STEPS {
        text += &format!("  {number:2} {name:12} {asks}\n");
    }
    text += "\nExit codes: 0 nothing failed, 1 something failed, 2 it was asked for wrongly. A source that \
             does\nnot build ends with 1, too: the compiler's words are on standard error, and nothing is \
             on\nstandard output, with --json neither.\n\n\
             Examples:\n  \
             sandboard check mine/\n  \
             sandboard check gomoku-alpha\n  \
             sandboard check my-engine --variant freestyle-9 --step 7 --verbose\n  \
             sandboard check faulty --option fault=loop --option at=2 --json";
    text
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("an option is written name=value".into()),
    }
}

pub fn run(args: &Args) -> Result<()> {
    let path = Path::new(&args.engine);
    if Source::is_at(path) {
        return of_source(args, path);
    }
    if args.order.is_given() {
        return Err(usage(format!(
            "--kind and --debug are about what is built, and `{}` is no folder of an engine's \
             source",
            args.engine
        )));
    }
    let installed = Engines::open(&args.engines)
        .and_then(|engines| Ok((engines.entry(&args.engine)?, engines)));
    match installed {
        Ok((entry, engines)) => check(args, &args.engines, engines.loader(), &entry),
        Err(_) if path.exists() => of_pack(args, path),
        Err(error) => Err(error),
    }
}

/// Builds a source, beside what is installed, and checks what came of it.
fn of_source(args: &Args, folder: &Path) -> Result<()> {
    let order = args.order.order()?;
    let source = Source::open(folder)?;
    let pack = source.scratch().join(source.name()?);
    let loader = args.engines.loader()?;
    let built = install(&source, order, &loader, &pack)?;
    if let Some(told) = trusted(&built) {
        eprintln!("{told}");
    }
    check_all(args, pack, &loader, &built.entries)
}

/// Checks the engines of a pack that lies anywhere.
fn of_pack(args: &Args, folder: &Path) -> Result<()> {
    if !folder.join(FILE_NAME).is_file() {
        return Err(usage(format!(
            "{0} is neither a folder of an engine's source (Cargo.toml or engine.c) nor a pack \
             ({FILE_NAME}); a .zip or a bare module is checked in a folder: put it into one and \
             type sandboard check ID --engines-dir FOLDER",
            folder.display()
        )));
    }
    let loader = args.engines.loader()?;
    let entries = Catalog::read_pack(folder, loader.load_caps())?.entries;
    check_all(args, folder.to_owned(), &loader, &entries)
}

/// Checks every engine of a pack; all of them, before the first one's failure is told.
fn check_all(args: &Args, pack: PathBuf, loader: &Loader, entries: &[Entry]) -> Result<()> {
    let place = EngineArgs { engines_dir: Some(pack), ..args.engines.clone() };
    let checked = entries.iter().map(|entry| check(args, &place, loader, entry));
    checked.collect::<Vec<_>>().into_iter().collect()
}

/// Checks an engine, which is found again in `place`.
fn check(args: &Args, place: &EngineArgs, loader: &Loader, entry: &Entry) -> Result<()> {
    let settings = settings(args, place, loader, entry)?;
    let mut printer = Printer::new(args.verbose, args.json);
    let subject = Subject { entry, loader };
    printer.header(entry, &settings)?;
    let reports = crate::check::run(&subject, &settings, &mut printer);
    printer.finish(entry, &settings, &reports)?;
    let failed: Vec<String> = reports
        .iter()
        .filter(|report| report.outcome == Outcome::Failed)
        .map(|report| format!("{} {}", report.number, report.name))
        .collect();
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(anyhow!(
            "engine `{}` failed {} of {} steps: {}",
            entry.id,
            failed.len(),
            reports.len(),
            failed.join(", ")
        )),
    }
}

fn settings(args: &Args, place: &EngineArgs, loader: &Loader, entry: &Entry) -> Result<Settings> {
    let budget = args.budget.unwrap_or_else(|| Budget::wall_per_move(USUAL_US));
    check_budget(&budget)?;
    match budget.unit() {
        Unit::Wall | Unit::Cpu => (),
        Unit::Fuel if entry.kind == Some(ModuleKind::Wasm) => (),
        Unit::Fuel => return Err(usage("only a wasm engine's fuel is counted; give wall time")),
        _ => {
            return Err(usage(format!(
                "the budget `{budget}` does not end by itself; give wall time (20ms/move) or fuel \
                 (fuel:1e7/move): step 10 tries depth and nodes"
            )));
        }
    }
    if let Some(step) = args.step.iter().find(|step| STEPS.iter().all(|s| s.number != **step)) {
        let last = STEPS.len();
        return Err(usage(format!("there is no step {step}; there are 1 to {last}, see --help")));
    }
    let usable = entry.is_usable();
    let game = match (&args.game, &args.variant) {
        (Some(game), _) => Some(game_named(game)?),
        (None, Some(_)) if usable => Some(super::engines::only_game(entry)?),
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
            played.push(plays(entry, &entry.games, game, &variant));
        }
        if played.iter().all(Result::is_err) {
            played.into_iter().collect::<Result<()>>()?;
        }
    }
    let mut options = args.option.clone();
    if usable && !(args.option.is_empty() && entry.presets.is_empty()) {
        // What does not load is step 1's to say.
        if let Ok(loaded) = loader.load(entry, Metering::Deadline) {
            options = checked_options(entry, &loaded, &args.option)?;
        }
    }
    let id = shell_word(&args.engine);
    let typed = args.engines.typed();
    let order = args.order.typed();
    let mut again = format!("sandboard check {id}{order}{typed}");
    let mut seat = entry.id.clone();
    for (name, value) in &args.option {
        again += &format!(" --option {}", shell_word(&format!("{name}={value}")));
        seat += &format!(":{name}={}", value.replace(':', "\\:").replace('@', "\\@"));
    }
    for (word, value) in [("game", &args.game), ("variant", &args.variant)] {
        again += &value.as_ref().map_or(String::new(), |value| format!(" --{word} {value}"));
    }
    again += &args.budget.map_or(String::new(), |budget| format!(" --budget {budget}"));
    again += &format!(" --seed {}", args.seed);
    Ok(Settings {
        game: game.map(|game| game.id.to_owned()),
        variant: args.variant.clone(),
        seed: args.seed,
        options,
        held: args.option.iter().map(|(name, _)| name.clone()).collect(),
        budget,
        only: args.step.clone(),
        again,
        analyse: format!("sandboard analyse {}{}", shell_word(&seat), place.typed()),
        patience: None,
    })
}
