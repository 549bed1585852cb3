//! `sandboard check`: an author finds out whether an engine is sound. Prints
//! what [`check`](crate::check) finds, step by step; judges nothing itself.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use sandboard_abi::Unit;
use sandboard_forge::Source;
use serde_json::json;

use super::build::OrderArgs;
use super::engines::{EngineArgs, Engines, checked_options, plays, shell_word};
use super::{game_named, usage, variant_of};
use crate::budget::Budget;
use crate::catalog::Entry;
use crate::check::{self, Finding, Observer, Outcome, STEPS, Settings, Step, StepReport, Subject};
use crate::loader::Loader;
use crate::manifest::ModuleKind;
use crate::terminal::Paint;
use crate::workshop::make;

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
    /// both builds are checked, the sandboxed and the native one
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
    /// What a move of the test games may spend: wall time (20ms/move), or fuel [default: 20ms/move]
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
    text += "\nExit codes: 0 nothing failed, 1 something failed, 2 it was asked for wrongly.\n\n\
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
    let folder = Path::new(&args.engine);
    match Source::is_at(folder) {
        true => of_source(args, folder),
        false => of_engine(args, &args.engines, &args.engine),
    }
}

/// Builds a source, beside what is installed, and checks what came of it.
fn of_source(args: &Args, folder: &Path) -> Result<()> {
    let source = Source::open(folder)?;
    let pack = source.scratch().join(source.name()?);
    let entries = make(&source, args.order.order(), &Loader::new(args.engines.native()), &pack)?;
    let engines = EngineArgs { engines_dir: Some(pack), ..args.engines.clone() };
    let checked = entries.iter().map(|entry| of_engine(args, &engines, &entry.id));
    // All of them, before the first one's failure is told.
    checked.collect::<Vec<_>>().into_iter().collect()
}

fn of_engine(args: &Args, place: &EngineArgs, id: &str) -> Result<()> {
    let mut engines = Engines::open(place)?;
    let entry = engines.entry(id)?;
    let settings = settings(args, place, &mut engines, &entry)?;
    let mut printer = Printer::new(args);
    let subject = Subject { entry: &entry, loader: engines.loader() };
    printer.header(&entry, &settings)?;
    let reports = check::run(&subject, &settings, &mut printer);
    printer.finish(&entry, &settings, &reports)?;
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

fn settings(
    args: &Args,
    place: &EngineArgs,
    engines: &mut Engines,
    entry: &Entry,
) -> Result<Settings> {
    let budget = args.budget.unwrap_or_else(|| Budget::wall_per_move(USUAL_US));
    match budget.unit() {
        Unit::Wall => (),
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
        if let Ok(loaded) = engines.load(entry, Unit::Wall) {
            options = checked_options(entry, &loaded, &args.option)?;
        }
    }
    let id = shell_word(&args.engine);
    let typed = args.engines.typed();
    let mut again = format!("sandboard check {id}{typed}");
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
    })
}

/// Prints steps as they end, or everything at the end as JSON.
struct Printer {
    paint: Paint,
    verbose: bool,
    json: bool,
    bar: ProgressBar,
    failed: std::io::Result<()>,
}

impl Printer {
    fn new(args: &Args) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        let paint = Paint::for_stdout();
        Self { paint, verbose: args.verbose, json: args.json, bar, failed: Ok(()) }
    }

    fn header(&self, entry: &Entry, settings: &Settings) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let (id, version, source) = (&entry.id, &entry.version, entry.source.display());
        let (budget, seed) = (&settings.budget, settings.seed);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{id} {version} ({source}), seed {seed}, test games at {budget}")
    }

    fn finish(
        &self,
        entry: &Entry,
        settings: &Settings,
        reports: &[StepReport],
    ) -> std::io::Result<()> {
        if let Err(error) = &self.failed {
            return Err(error.kind().into());
        }
        let count = |outcome| reports.iter().filter(|report| report.outcome == outcome).count();
        let (passed, warned) = (count(Outcome::Passed), count(Outcome::Warned));
        let (failed, skipped) = (count(Outcome::Failed), count(Outcome::Skipped));
        let took_ms: u64 = reports.iter().map(|report| report.took_ms).sum();
        let mut out = std::io::stdout().lock();
        if self.json {
            let object = json!({
                "engine": entry.id, "version": entry.version, "module_sha256": entry.sha256,
                "seed": settings.seed, "budget": settings.budget, "options": settings.options,
                "steps": reports, "passed": passed, "warned": warned, "failed": failed,
                "skipped": skipped, "took_ms": took_ms,
            });
            return writeln!(out, "{object}");
        }
        let text = format!("{passed} passed, {warned} warned, {failed} failed, {skipped} skipped");
        let text = if failed > 0 { self.paint.bad(&text) } else { self.paint.strong(&text) };
        writeln!(out, "{text} in {}.{} s", took_ms / 1000, took_ms % 1000 / 100)
    }

    fn step(&self, report: &StepReport) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        let StepReport { number, name, outcome, sentence, .. } = report;
        let word = format!("{:7}", outcome.word());
        let word = match outcome {
            Outcome::Failed => self.paint.bad(&word),
            Outcome::Warned => self.paint.strong(&word),
            Outcome::Passed | Outcome::Skipped => self.paint.faint(&word),
        };
        writeln!(out, "{number:3} {name:12} {word} {sentence}")?;
        for Finding { sentence: own, asked, came_back, expected, help } in &report.findings {
            if report.findings.len() > 1 {
                writeln!(out, "      - {own}")?;
            }
            for (label, text) in
                [("asked", asked), ("came back", came_back), ("expected", expected), ("try", help)]
            {
                let text = if self.verbose { text.clone() } else { shortened(text) };
                writeln!(out, "      {} {text}", self.paint.faint(&format!("{label:9}")))?;
            }
        }
        let is_wrong = matches!(outcome, Outcome::Failed | Outcome::Warned);
        if (is_wrong || self.verbose) && !report.output.is_empty() {
            writeln!(out, "      {}", self.paint.faint("the engine's own output:"))?;
            for said in &report.output {
                writeln!(
                    out,
                    "        {} {}",
                    self.paint.faint(&format!("{:7}", said.level)),
                    said.text
                )?;
            }
            if report.output_left_out > 0 {
                writeln!(out, "        and {} more", report.output_left_out)?;
            }
        }
        Ok(())
    }
}

/// A text of at most a few lines of a terminal; its end says most.
fn shortened(text: &str) -> String {
    const LETTERS: usize = 320;
    let count = text.chars().count();
    match count > LETTERS {
        false => text.to_owned(),
        true => {
            let head: String = text.chars().take(LETTERS / 2).collect();
            let tail: String = text.chars().skip(count - LETTERS / 2).collect();
            format!("{head} … {tail}")
        }
    }
}

impl Observer for Printer {
    fn begins(&mut self, step: &'static Step) {
        self.bar.set_message(format!("{} {}: {}", step.number, step.name, step.asks));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn ended(&mut self, report: &StepReport) {
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let printed = match self.json {
            true => Ok(()),
            false => self.bar.suspend(|| self.step(report)),
        };
        if self.failed.is_ok() {
            self.failed = printed;
        }
        if usize::from(report.number) == STEPS.len() {
            self.bar.finish_and_clear();
        }
    }
}
