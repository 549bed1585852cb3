//! Executes a new or resumed tuning run, prints its progress, and writes the results beside its
//! journal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::output::error_line;
use anyhow::{Result, anyhow};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use sandboard_evolution::{MeasurementRequest, MeasurementResult};
use serde::Serialize;

use super::RunArgs;
use super::setup::{PreparedRun, notes, open, plan};
use crate::engines::shell_word;
use crate::interrupt;
use sandboard_arena::default_concurrency;
use sandboard_arena_plan::{ArenaPlayer, Conditions};
use sandboard_common::files::write_atomically;
use sandboard_common::ordered_work::Stop;
use sandboard_tuner::{
    AgreementRunner, FaultSummary, FinishedMeasurement, GameRunner, Measure, RunObserver, Session,
    State, TuneSetup, UnitRunner, describe_end, describe_match, html, options_file,
    run as run_tuner,
};

/// The files of results beside the journal.
const WEIGHTS: &str = "weights.options";
const REPORT: &str = "report.html";

/// Resumes the run of a folder.
pub(super) fn resume(dir: &Path, args: &RunArgs) -> Result<()> {
    run(open(dir, args)?, args)
}

/// Executes a run until it is complete or stopped.
pub(super) fn run(prepared: PreparedRun, args: &RunArgs) -> Result<()> {
    let PreparedRun { dir, journal, setup, lines, .. } = prepared;
    let PreparedRun {
        start,
        openings,
        engine,
        opponents,
        training_positions,
        notes: setup_notes,
        ..
    } = prepared;
    let concurrency = args.concurrency.map_or_else(default_concurrency, usize::from);
    let mut state = State::new(&setup, concurrency)?;
    let is_new = lines.is_empty();
    let pending = state.replay(lines)?;
    let shown = shell_word(&dir.to_string_lossy());
    let resume = format!("sandboard tune --resume {shown}{}", args.engines.as_arguments());
    if !state.is_complete() {
        if is_new {
            let notes = notes(&setup, start.game, concurrency);
            setup_notes.iter().chain(&notes).for_each(|note| error_line!("note: {note}"));
        }
        error_line!("to resume after an interruption: {resume}");
    }
    let rival = |about: &sandboard_arena_plan::Contestant, engine| ArenaPlayer {
        name: about.name.clone(),
        budget: about.budget,
        engine,
        ponders: false,
    };
    let agreement = AgreementRunner {
        space: setup.space().clone(),
        engine: engine.clone(),
        budget: setup.engine.budget,
        seed: setup.run.seed,
        positions: training_positions,
    };
    let games = GameRunner {
        conditions: Conditions::for_two(start, openings, plan(&setup), setup.settings)?,
        space: setup.space().clone(),
        engine: rival(&setup.engine, engine),
        opponents: setup
            .opponents
            .iter()
            .zip(opponents)
            .map(|(it, engine)| rival(it, engine))
            .collect(),
    };
    let runner: &dyn UnitRunner = match setup.measure {
        Measure::Games { .. } => &games,
        Measure::Agreement { .. } => &agreement,
    };
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let progress = Progress::new(&state, args.json);
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    let observer = &progress;
    let session =
        Session { runner, final_runner: &games, concurrency, stop: &stop, observer, openings };
    let (state, ended) = run_tuner(state, journal, &pending, &session);
    progress.bar.finish_and_clear();
    let written = write_results(&dir, &setup, &state)
        .and_then(|()| print_results(&dir, &setup, &state, args.json));
    let saved = "measurements are saved; to resume";
    // The error that ended the run comes first: a full disk makes the files beside the journal
    // fail as well.
    ended.map_err(|error| anyhow!("{error}; {saved}: {resume}"))?;
    written?;
    if !state.is_complete() {
        error_line!("{saved}: {resume}");
    }
    Ok(())
}

/// Writes the weights and the report beside the journal.
fn write_results(dir: &Path, setup: &TuneSetup, state: &State) -> Result<()> {
    write_atomically(&dir.join(WEIGHTS), options_file(setup, state).as_bytes())?;
    Ok(write_atomically(&dir.join(REPORT), html(setup, state).as_bytes())?)
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    /// A measurement is complete.
    Measurement { season: u32, request: &'a MeasurementRequest, result: &'a MeasurementResult },
    /// The run is complete or interrupted.
    End {
        folder: &'a str,
        complete: bool,
        measurements: u32,
        games: u64,
        weights: serde_json::Map<String, serde_json::Value>,
        /// The numbers of pairs of the final match by their half points, 0 to 4.
        final_pairs: [u64; 5],
    },
}

fn print_event(event: &Event<'_>) -> Result<()> {
    writeln!(crate::output::stdout(), "{}", serde_json::to_string(event)?)?;
    Ok(())
}

/// Prints the results of a complete or interrupted run.
fn print_results(dir: &Path, setup: &TuneSetup, state: &State, json: bool) -> Result<()> {
    let (best, progress) = (state.seasons().best(), state.seasons().progress());
    if json {
        let names = setup.space().parameters().iter().map(|it| it.name.clone());
        let weights = names.zip(best.values().iter().map(|value| (*value).into())).collect();
        return print_event(&Event::End {
            folder: &dir.display().to_string(),
            complete: state.is_complete(),
            measurements: progress.measurements,
            games: progress.games,
            weights,
            final_pairs: state.final_match(),
        });
    }
    let mut out = crate::output::stdout();
    let (measurements, games) = (progress.measurements, progress.games);
    let end = describe_end(state.seasons().end());
    writeln!(out, "{measurements} measurements, {games} games: {end}")?;
    let parameters = setup.space().parameters();
    let width = parameters.iter().map(|it| it.name.len()).max().unwrap_or(0);
    for ((name, value), parameter) in setup.space().options(&best).zip(parameters) {
        writeln!(out, "  {name:<width$} {value:>10}   started at {}", parameter.start)?;
    }
    if let FaultSummary { units, last: Some(last) } = state.faults() {
        writeln!(out, "with faults: {units}; the last: {last}")?;
    }
    if let Some(words) = describe_match(state.final_match()) {
        let pairs: u64 = state.final_match().iter().sum();
        writeln!(out, "weights found against start values, {} games: {words}", 2 * pairs)?;
    }
    for file in [WEIGHTS, REPORT] {
        writeln!(out, "{}", dir.join(file).display())?;
    }
    Ok(())
}

/// Prints the progress of a run.
struct Progress {
    bar: ProgressBar,
    json: bool,
    started: Instant,
    /// The completed part, 0 to 1, when this process started or resumed the run.
    initial_part: f64,
}

/// The length of the bar.
const BAR_STEPS: f64 = 10_000.0;

impl Progress {
    fn new(state: &State, json: bool) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(BAR_STEPS as u64), target);
        let style = ProgressStyle::with_template("{bar:20} {percent} %  {elapsed} elapsed{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, json, started: Instant::now(), initial_part: completed_part(state) }
    }
}

/// The completed part of a run, 0 to 1.
fn completed_part(state: &State) -> f64 {
    let played: u64 = state.final_match().iter().sum();
    let finals = match state.final_pairs() {
        0 => 1.0,
        pairs => played as f64 / f64::from(pairs),
    };
    // The final match counts as a tenth of the run.
    0.9 * state.seasons().progress().fraction.unwrap_or(0.0) + 0.1 * finals
}

impl RunObserver for Progress {
    fn unit_done(&self, state: &State) {
        if self.bar.is_hidden() {
            return;
        }
        let part = completed_part(state);
        self.bar.set_position((part * BAR_STEPS) as u64);
        let progress = state.seasons().progress();
        let done = part - self.initial_part;
        let seconds = self.started.elapsed().as_secs_f64() * (1.0 - part).max(0.0) / done;
        let left = Duration::try_from_secs_f64(seconds).ok().filter(|_| done > 0.0);
        let left = left.map_or(String::new(), |left| format!(", {} left", HumanDuration(left)));
        let last = state.seasons().generations().last().and_then(|it| it.shares);
        let best =
            last.map_or(String::new(), |shares| format!(", best {:.1} %", 100.0 * shares.best));
        let (measurements, games) = (progress.measurements, progress.games);
        self.bar.set_message(format!("{left}; {measurements} measurements, {games} games{best}"));
    }

    fn measurement_done(&self, _state: &State, (season, request, result): &FinishedMeasurement) {
        if self.json {
            // A reader that closed standard output does not stop the run.
            drop(print_event(&Event::Measurement { season: *season, request, result }));
        }
    }
}
