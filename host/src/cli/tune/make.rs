//! A tuning run is made, be it new or one that was begun, and what comes of it is told and written beside its journal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use sandboard_evolution::{Answer, Question};
use serde::Serialize;

use super::MakeArgs;
use super::begin::{Begun, begin_again, notes, plan};
use crate::arena::{Conditions, Rival, usual_concurrency};
use crate::cli::engines::shell_word;
use crate::cli::interrupt;
use crate::ordered::Stop;
use crate::record::store::write_atomically;
use crate::tuner::{
    Agreement, Answered, Faults, Games, Measure, Session, State, Trial, TuneSetup, Watcher,
    end_in_words, html, match_in_words, options_file, run,
};

/// What is written beside the journal.
const WEIGHTS: &str = "weights.options";
const REPORT: &str = "report.html";

/// Goes on with the run of a folder.
pub fn go_on(dir: &Path, args: &MakeArgs) -> Result<()> {
    make(begin_again(dir, args)?, args)
}

/// Makes a run as far as it goes.
pub fn make(begun: Begun, args: &MakeArgs) -> Result<()> {
    let Begun { dir, journal, setup, lines, .. } = begun;
    let Begun { start, openings, engine, opponents, lessons, notes: said, .. } = begun;
    let concurrency = args.concurrency.map_or_else(usual_concurrency, usize::from);
    let mut state = State::new(&setup, concurrency)?;
    let is_new = lines.is_empty();
    let owed = state.replay(lines)?;
    let shown = shell_word(&dir.to_string_lossy());
    let again = format!("sandboard tune --resume {shown}{}", args.engines.typed());
    if !state.is_complete() {
        if is_new {
            let notes = notes(&setup, concurrency);
            said.iter().chain(&notes).for_each(|note| eprintln!("note: {note}"));
        }
        eprintln!("to go on after an interruption: {again}");
    }
    let rival = |about: &crate::arena::Contestant, engine| Rival {
        name: about.name.clone(),
        budget: about.budget,
        engine,
        ponders: false,
    };
    let agreement = Agreement {
        space: setup.space().clone(),
        engine: engine.clone(),
        budget: setup.engine.budget,
        seed: setup.run.seed,
        lessons,
    };
    let games = Games {
        conditions: Conditions::new(start, openings, plan(&setup), setup.settings)?,
        space: setup.space().clone(),
        engine: rival(&setup.engine, engine),
        opponents: setup
            .opponents
            .iter()
            .zip(opponents)
            .map(|(it, engine)| rival(it, engine))
            .collect(),
    };
    let trial: &dyn Trial = match setup.measure {
        Measure::Games { .. } => &games,
        Measure::Agreement { .. } => &agreement,
    };
    let stop = Stop::default();
    interrupt::on_interrupt(&stop);
    let teller = Teller::new(&state, args.json);
    let openings = setup.openings.as_ref().map_or(0, |openings| openings.count);
    let watcher = &teller;
    let session = Session { trial, finals: &games, concurrency, stop: &stop, watcher, openings };
    let (state, ended) = run(state, journal, &owed, &session);
    teller.bar.finish_and_clear();
    let left = leave(&dir, &setup, &state).and_then(|()| tell(&dir, &setup, &state, args.json));
    let kept = "what is measured is kept, to go on";
    // Why the run ended is the first thing to know; a full disk takes the files beside the journal, too.
    ended.map_err(|error| anyhow!("{error}; {kept}: {again}"))?;
    left?;
    if !state.is_complete() {
        eprintln!("{kept}: {again}");
    }
    Ok(())
}

/// Writes what is found beside the journal.
fn leave(dir: &Path, setup: &TuneSetup, state: &State) -> Result<()> {
    write_atomically(&dir.join(WEIGHTS), options_file(setup, state).as_bytes())?;
    Ok(write_atomically(&dir.join(REPORT), html(setup, state).as_bytes())?)
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Told<'a> {
    /// A question is answered.
    Answer { season: u32, question: &'a Question, answer: &'a Answer },
    /// It is over, or interrupted.
    End {
        folder: &'a str,
        complete: bool,
        measurements: u32,
        games: u64,
        weights: serde_json::Map<String, serde_json::Value>,
        /// Pairs of the final match by their half points, 0 to 4.
        final_pairs: [u64; 5],
    },
}

fn say(told: &Told<'_>) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(told)?)?;
    Ok(())
}

/// What came of it, at its end or where it was interrupted.
fn tell(dir: &Path, setup: &TuneSetup, state: &State, json: bool) -> Result<()> {
    let (best, progress) = (state.seasons().best(), state.seasons().progress());
    if json {
        let names = setup.space().parameters().iter().map(|it| it.name.clone());
        let weights = names.zip(best.values().iter().map(|value| (*value).into())).collect();
        return say(&Told::End {
            folder: &dir.display().to_string(),
            complete: state.is_complete(),
            measurements: progress.questions,
            games: progress.games,
            weights,
            final_pairs: state.final_match(),
        });
    }
    let mut out = std::io::stdout().lock();
    let (measurements, games) = (progress.questions, progress.games);
    let end = end_in_words(state.seasons().end());
    writeln!(out, "{measurements} measurements, {games} games: {end}")?;
    let parameters = setup.space().parameters();
    let width = parameters.iter().map(|it| it.name.len()).max().unwrap_or(0);
    for ((name, value), parameter) in setup.space().options(&best).zip(parameters) {
        writeln!(out, "  {name:<width$} {value:>10}   began with {}", parameter.start)?;
    }
    if let Faults { units, last: Some(last) } = state.faults() {
        writeln!(out, "with faults: {units}, the last: {last}")?;
    }
    if let Some(words) = match_in_words(state.final_match()) {
        let pairs: u64 = state.final_match().iter().sum();
        writeln!(out, "found against start, {} games: {words}", 2 * pairs)?;
    }
    for file in [WEIGHTS, REPORT] {
        writeln!(out, "{}", dir.join(file).display())?;
    }
    Ok(())
}

/// Tells how a run gets on.
struct Teller {
    bar: ProgressBar,
    json: bool,
    began: Instant,
    /// What was there when it was begun or gone on with.
    before: f64,
}

/// The bar has so many parts.
const PARTS: f64 = 10_000.0;

impl Teller {
    fn new(state: &State, json: bool) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(PARTS as u64), target);
        let style = ProgressStyle::with_template("{bar:20} {percent} %  {elapsed} passed{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, json, began: Instant::now(), before: part(state) }
    }
}

/// How much of a run is made, 0 to 1.
fn part(state: &State) -> f64 {
    let played: u64 = state.final_match().iter().sum();
    let finals = match state.final_pairs() {
        0 => 1.0,
        pairs => played as f64 / f64::from(pairs),
    };
    // The final match is taken for a tenth of all.
    0.9 * state.seasons().progress().part.unwrap_or(0.0) + 0.1 * finals
}

impl Watcher for Teller {
    fn made(&self, state: &State) {
        if self.bar.is_hidden() {
            return;
        }
        let part = part(state);
        self.bar.set_position((part * PARTS) as u64);
        let progress = state.seasons().progress();
        let done = part - self.before;
        let seconds = self.began.elapsed().as_secs_f64() * (1.0 - part).max(0.0) / done;
        let left = Duration::try_from_secs_f64(seconds).ok().filter(|_| done > 0.0);
        let left = left.map_or(String::new(), |left| format!(", {} left", HumanDuration(left)));
        let last = state.seasons().generations().last().and_then(|it| it.shares);
        let best =
            last.map_or(String::new(), |shares| format!(", best {:.1} %", 100.0 * shares.best));
        let (measurements, games) = (progress.questions, progress.games);
        self.bar.set_message(format!("{left}; {measurements} measurements, {games} games{best}"));
    }

    fn answered(&self, _state: &State, (season, question, answer): &Answered) {
        if self.json {
            // Whoever read the lines has gone; the run goes on all the same.
            drop(say(&Told::Answer { season: *season, question, answer }));
        }
    }
}
