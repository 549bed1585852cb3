//! `sandboard contest check`: puts a file through the stages that an entry is put through. Judges nothing itself.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use sandboard_abi::Unit;
use serde_json::json;

use super::{read, read_contest};
use crate::arena::Rival;
use crate::check::{Finding, Outcome};
use crate::cli::engines::{EngineArgs, Engines};
use crate::cli::seat::EngineSpec;
use crate::cli::{Undecided, usage};
use crate::contest::{Bounds, Contest, Observer, Pipeline, Report, STAGES, Stage, StageReport};
use crate::engine::wasm::scan::{CapSetting, MODULE_BYTES};
use crate::terminal::Paint;

/// Would this entry be accepted? The same stages as at the organiser's
///
/// The entry is compiled and run in jailed processes only. What is not passed is shown with what was asked, what came
/// back, and what to do.
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub struct Args {
    /// The entry: a WebAssembly component, as `sandboard build` makes it
    #[arg(value_name = "FILE")]
    entry: PathBuf,
    /// The file of the contest
    #[arg(long, value_name = "FILE")]
    contest: PathBuf,
    /// The source of randomness, for positions, bouts and engines
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where the engines of the house are [default: as everywhere]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Go on even where the jail lacks something that a contest needs (`sandboard doctor` says what)
    #[arg(long)]
    below_minimum: bool,
    /// What an entry may hold to be loaded, in the place of the usual; may be given again (docs/limits.md)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    caps: Vec<CapSetting>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn after_help() -> String {
    let mut text = String::from("Stages:\n");
    for Stage { number, name, asks, .. } in STAGES {
        text += &format!("  {number} {name:10} {asks}\n");
    }
    text + "\nExit codes: 0 it would be accepted, 1 it would not, 2 it was asked for wrongly, or it\ncannot be told by no fault of the entry.\n\n\
            Examples:\n  \
            sandboard contest check target/sandboard/mine.wasm --contest autumn.toml\n  \
            sandboard contest check mine.wasm --contest autumn.toml --json"
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let (_, contest) = read_contest(&args.contest)?;
    let bytes = read(&args.entry, MODULE_BYTES)?;
    if bytes.len() as u64 > MODULE_BYTES {
        let shown = args.entry.display();
        return Err(usage(format!(
            "{shown} is longer than {MODULE_BYTES} bytes: no contest takes that"
        )));
    }
    let engines = EngineArgs {
        engines_dir: args.engines_dir.clone(),
        contest: true,
        below_minimum: args.below_minimum,
        caps: args.caps.clone(),
        ..EngineArgs::default()
    };
    let loader = engines.loader()?;
    let (house, missing) = house(&engines, &contest);
    let bounds = Bounds::default();
    let pipeline = Pipeline { contest: &contest, loader: &loader, house, seed: args.seed, bounds };
    let mut printer = Printer::new(args.json);
    printer.header(&args.entry, &contest)?;
    let report = pipeline.run(&bytes, &mut printer).context("cannot make a temporary folder")?;
    printer.finish(&contest, &report, &missing)?;
    match report.stages.iter().find(|stage| stage.outcome == Outcome::Failed) {
        None => Ok(()),
        Some(stage) if report.undecided => {
            eprintln!(
                "undecided, by no fault of the entry as far as can be told: {}; try again",
                stage.sentence
            );
            Err(Undecided.into())
        }
        Some(stage) => Err(anyhow!(
            "{} would not be accepted: stage {}, {}: {}",
            args.entry.display(),
            stage.number,
            stage.name,
            stage.sentence
        )),
    }
}

/// An engine of the house that does not play here.
#[derive(serde::Serialize)]
struct Missing {
    engine: String,
    reason: String,
}

/// The engines of the house that are here, and those that are not: an entrant need not have them.
fn house(args: &EngineArgs, contest: &Contest) -> (Vec<Rival>, Vec<Missing>) {
    let missing = |id: &String, error: &anyhow::Error| Missing {
        engine: id.clone(),
        reason: format!("{error:#}"),
    };
    if contest.house.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut engines = match Engines::open(args) {
        Ok(engines) => engines,
        Err(error) => {
            eprintln!(
                "note: the engines of the house are not here ({error}): the entry plays itself"
            );
            return (Vec::new(), contest.house.iter().map(|id| missing(id, &error)).collect());
        }
    };
    let (mut house, mut not_here) = (Vec::new(), Vec::new());
    for id in &contest.house {
        let spec =
            EngineSpec { id: id.clone(), options: Vec::new(), options_file: None, threads: 1 };
        match engines.player(&spec, Unit::Fuel, (contest.game, &contest.variant)) {
            Ok(engine) => house.push(Rival {
                name: id.clone(),
                budget: contest.budget,
                engine,
                ponders: false,
            }),
            Err(error) => {
                eprintln!("note: `{id}`, of the house, does not play here: {error}");
                not_here.push(missing(id, &error));
            }
        }
    }
    (house, not_here)
}

/// Prints stages as they end, or everything at the end as JSON.
struct Printer {
    paint: Paint,
    json: bool,
    bar: ProgressBar,
    failed: std::io::Result<()>,
}

impl Printer {
    fn new(json: bool) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        Self { paint: Paint::for_stdout(), json, bar, failed: Ok(()) }
    }

    fn header(&self, entry: &Path, contest: &Contest) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let Contest { name, game, variant, budget, .. } = contest;
        let (entry, game, variant) = (entry.display(), game.id, variant.text());
        writeln!(std::io::stdout(), "{entry}, for {name}: {game} {variant}, {budget}")
    }

    fn finish(
        &self,
        contest: &Contest,
        report: &Report,
        missing: &[Missing],
    ) -> std::io::Result<()> {
        if let Err(error) = &self.failed {
            return Err(error.kind().into());
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let told = json!({ "contest": contest, "report": report, "missing_house": missing });
            return writeln!(out, "{told}");
        }
        let took_ms: u64 = report.stages.iter().map(|stage| stage.took_ms).sum();
        let verdict = match report.accepted {
            true => self.paint.strong("accepted"),
            false if report.undecided => self.paint.strong("undecided"),
            false => self.paint.bad("not accepted"),
        };
        let seconds = took_ms as f64 / 1000.0;
        writeln!(out, "{verdict} in {seconds:.1} s; SHA-256 {}", report.sha256)
    }

    fn stage(&self, report: &StageReport) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        let StageReport { number, name, outcome, sentence, findings, .. } = report;
        let word = format!("{:7}", outcome.word());
        let word = match outcome {
            Outcome::Failed => self.paint.bad(&word),
            Outcome::Warned => self.paint.strong(&word),
            Outcome::Passed | Outcome::Skipped => self.paint.faint(&word),
        };
        writeln!(out, "{number:3} {name:10} {word} {sentence}")?;
        for Finding { sentence: own, asked, came_back, expected, help } in findings {
            if own != sentence {
                writeln!(out, "      - {own}")?;
            }
            for (label, text) in
                [("asked", asked), ("came back", came_back), ("expected", expected), ("try", help)]
            {
                writeln!(out, "      {} {text}", self.paint.faint(&format!("{label:9}")))?;
            }
        }
        Ok(())
    }
}

impl Observer for Printer {
    fn begins(&mut self, stage: &'static Stage) {
        self.bar.set_message(format!("{} {}: {}", stage.number, stage.name, stage.asks));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn ended(&mut self, report: &StageReport) {
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let printed = match self.json {
            true => Ok(()),
            false => self.bar.suspend(|| self.stage(report)),
        };
        if self.failed.is_ok() {
            self.failed = printed;
        }
    }
}
