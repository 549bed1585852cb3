//! `sandboard contest check`: tests an entry with the same stages as `contest run`. Judges nothing
//! itself.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::output::error_line;
use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{house, read, read_contest};
use crate::engines::{EngineArgs, Engines};
use crate::terminal::TextStyle;
use crate::{Inconclusive, usage};
use sandboard_analysis::check::{Finding, StepOutcome};
use sandboard_arena_plan::ArenaPlayer;
use sandboard_contest::{Bounds, Observer, Pipeline, Report, STAGES, Stage, StageReport};
use sandboard_contest_rules::Contest;
use sandboard_engine_wasm::scan::{CapSetting, MODULE_BYTES_MAX};

/// Test an entry with the same stages as the organiser of a contest
///
/// The entry is compiled and run in jailed processes only. For a stage that fails, the request, the
/// response and some advice are shown.
#[derive(clap::Args, Debug)]
#[command(after_long_help = after_help())]
pub(super) struct Args {
    /// The entry: a WebAssembly component, as `sandboard build` makes it
    #[arg(value_name = "FILE")]
    entry: PathBuf,
    /// The contest file
    #[arg(long, value_name = "FILE")]
    contest: PathBuf,
    /// The seed of positions, bouts and engines
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The engines folder with the house engines [default: the same as for other commands]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Test the entry even if the jail is below the minimum for contests (see `sandboard doctor`)
    #[arg(long)]
    below_minimum: bool,
    /// Change a cap on the modules of entries; may be repeated (docs/limits.md)
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
    text + "\nExit codes: 0: the entry would be accepted; 1: it would not; 2: usage error, or\nundecided for reasons that are not the entry's fault.\n\n\
            Examples:\n  \
            sandboard contest check engines-dir/mine.wasm --contest autumn.toml\n  \
            sandboard contest check mine.wasm --contest autumn.toml --json"
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<()> {
    let (_, contest) = read_contest(&args.contest)?;
    let bytes = read(&args.entry, MODULE_BYTES_MAX)?;
    if bytes.len() as u64 > MODULE_BYTES_MAX {
        let shown = args.entry.display();
        return Err(usage(format!(
            "{shown} is longer than {MODULE_BYTES_MAX} bytes, the limit of every contest"
        )));
    }
    let engines = EngineArgs {
        engines_dir: args.engines_dir.clone(),
        contest: true,
        below_minimum: args.below_minimum,
        caps: args.caps.clone(),
        ..EngineArgs::default()
    };
    let loader = engines.loader()?.with_caps(contest.caps());
    let (house, missing) = house(&engines, &contest);
    let bounds = Bounds::default();
    let pipeline = Pipeline { contest: &contest, loader: &loader, house, seed: args.seed, bounds };
    let mut printer = Printer::new(args.json);
    printer.header(&args.entry, &contest)?;
    let report = pipeline.run(&bytes, &mut printer).context("cannot make a temporary folder")?;
    printer.finish(&contest, &report, &missing)?;
    match report.stages.iter().find(|stage| stage.outcome == StepOutcome::Failed) {
        None => Ok(()),
        Some(stage) if report.undecided => {
            error_line!("undecided, probably not the entry's fault: {}; try again", stage.sentence);
            Err(Inconclusive.into())
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

/// A house engine that cannot play on this machine.
#[derive(serde::Serialize)]
struct Missing {
    engine: String,
    reason: String,
}

/// The house engines found on this machine, and the missing ones; an entrant need not have them.
fn house(args: &EngineArgs, contest: &Contest) -> (Vec<ArenaPlayer>, Vec<Missing>) {
    let missing = |id: &String, error: &anyhow::Error| Missing {
        engine: id.clone(),
        reason: format!("{error:#}"),
    };
    if contest.house.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut engines = match Engines::open(args) {
        Ok(engines) => engines.with_caps(contest.caps()),
        Err(error) => {
            error_line!(
                "note: the house engines are not available ({error}): the entry plays against \
                 itself"
            );
            return (Vec::new(), contest.house.iter().map(|id| missing(id, &error)).collect());
        }
    };
    let (mut house, mut not_here) = (Vec::new(), Vec::new());
    for id in &contest.house {
        match house::player(&mut engines, contest, id) {
            Ok((_, engine)) => house.push(ArenaPlayer {
                name: id.clone(),
                budget: contest.budget,
                engine,
                ponders: false,
            }),
            Err(error) => {
                error_line!("note: house engine `{id}` cannot play: {error}");
                not_here.push(missing(id, &error));
            }
        }
    }
    (house, not_here)
}

/// Prints stages as they end, or the whole report at the end as JSON.
struct Printer {
    style: TextStyle,
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
        Self { style: TextStyle::for_stdout(), json, bar, failed: Ok(()) }
    }

    fn header(&self, entry: &Path, contest: &Contest) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let Contest { name, game, variant, budget, .. } = contest;
        let (entry, game, variant) = (entry.display(), game.id, variant.text());
        writeln!(crate::output::stdout(), "{entry}, for {name}: {game} {variant}, {budget}")
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
        let mut out = crate::output::stdout();
        if self.json {
            let line = json!({ "contest": contest, "report": report, "missing_house": missing });
            return writeln!(out, "{line}");
        }
        let duration_ms: u64 = report.stages.iter().map(|stage| stage.duration_ms).sum();
        let verdict = match report.accepted {
            true => self.style.strong("accepted"),
            false if report.undecided => self.style.strong("undecided"),
            false => self.style.error("not accepted"),
        };
        let seconds = duration_ms as f64 / 1000.0;
        writeln!(out, "{verdict} in {seconds:.1} s; SHA-256 {}", report.sha256)
    }

    fn stage(&self, report: &StageReport) -> std::io::Result<()> {
        let mut out = crate::output::stdout();
        let StageReport { number, name, outcome, sentence, findings, .. } = report;
        let word = format!("{:7}", outcome.word());
        let word = match outcome {
            StepOutcome::Failed => self.style.error(&word),
            StepOutcome::Warned => self.style.strong(&word),
            StepOutcome::Passed | StepOutcome::Skipped => self.style.dim(&word),
        };
        writeln!(out, "{number:3} {name:10} {word} {sentence}")?;
        for Finding { sentence: own, request, response, expected, advice } in findings {
            if own != sentence {
                writeln!(out, "      - {own}")?;
            }
            for (label, text) in [
                ("request", request),
                ("response", response),
                ("expected", expected),
                ("advice", advice),
            ] {
                writeln!(out, "      {} {text}", self.style.dim(&format!("{label:9}")))?;
            }
        }
        Ok(())
    }
}

impl Observer for Printer {
    fn started(&mut self, stage: &'static Stage) {
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
