//! Whether an engine is sound: a numbered list of steps, each with its verdict,
//! for the engine's author. Asks the engine through the same border as a bout
//! and the rules through [`sandboard_games`]; prints nothing and knows no game.

mod bench;
mod ears;
mod outcome;
mod player;
mod positions;
mod steps;
mod yardstick;

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Budget;
use crate::catalog::Entry;
use crate::engine::Patience;
use crate::loader::Loader;

use bench::Bench;
pub use outcome::{Finding, Outcome, Said, StepReport};
use outcome::{Verdict, Wrong};

/// One step of the list.
pub struct Step {
    /// Its number, from 1.
    pub number: u8,
    /// Its name: one word.
    pub name: &'static str,
    /// What it asks.
    pub asks: &'static str,
    /// Steps without which it makes no sense.
    needs: &'static [&'static str],
    run: fn(&mut Bench<'_>) -> Verdict,
}

macro_rules! steps {
    ($($number:literal $name:literal needs $needs:expr, $run:path: $asks:literal)*) => {
        &[$(Step { number: $number, name: $name, asks: $asks, needs: &$needs, run: $run }),*]
    };
}

/// The list, in its order.
pub const STEPS: &[Step] = steps! {
    1 "module" needs [], steps::module::module:
        "the file is a module of this border, loads, and opens an instance"
    2 "description" needs ["module"], steps::module::description:
        "it says the same of itself every time, within the limits, and what its manifest says"
    3 "starts" needs ["module"], steps::begin::starts:
        "it starts every game, variant and size it names, in each seat"
    4 "answers" needs ["starts"], steps::begin::answers:
        "it chooses a legal first move in every game, variant and size it names"
    5 "options" needs ["answers"], steps::begin::options:
        "it starts and answers with every option at its initial value and its ends"
    6 "positions" needs ["answers"], steps::play::positions:
        "it chooses a legal move in any position, however it came to know it"
    7 "games" needs ["answers"], steps::play::games:
        "it plays whole games against itself to an end that the referee accepts"
    8 "barred" needs ["answers"], steps::moves::barred:
        "it chooses another move when one is refused, down to the only one left"
    9 "undo" needs ["answers"], steps::moves::undo:
        "after moves are taken back it plays on as if they had never been made"
    10 "budget" needs ["answers"], steps::budget::budget:
        "it keeps clocks, depth, nodes and fuel, and stops when it is told to"
    11 "seed" needs ["answers"], steps::seed::seed:
        "same inputs, same seed: same moves and same reports"
    12 "instances" needs ["seed"], steps::seed::instances:
        "instances that play at the same time do not disturb each other"
    13 "memory" needs ["answers"], steps::resources::memory:
        "it stays within its memory over a long game and many short ones"
    14 "reports" needs ["answers"], steps::reports::reports:
        "what it reports is true: legal lines, the move it plays, growing depth"
    15 "refusals" needs ["starts"], steps::begin::refusals:
        "it refuses what it cannot play with a reason, and does not crash"
    16 "output" needs ["answers"], steps::resources::output:
        "what it logs and reports stays within the quotas of a game"
    17 "pondering" needs ["answers"], steps::pondering::pondering:
        "told to stop thinking on its opponent's time it comes back, and plays on"
};

/// An engine to be checked, wherever it came from.
pub struct Subject<'a> {
    /// What is known of it without running it.
    pub entry: &'a Entry,
    /// What loads it.
    pub loader: &'a Loader,
}

/// What a check is to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Only this game; none: every one that the engine names.
    pub game: Option<String>,
    /// Only this variant.
    pub variant: Option<String>,
    /// The only source of randomness.
    pub seed: u64,
    /// The options to start it with.
    pub options: Vec<(String, String)>,
    /// Names of options that step 5 leaves as they are.
    pub held: Vec<String>,
    /// What a move of the test games may spend, in wall time, CPU time or fuel.
    pub budget: Budget,
    /// Numbers of the steps to run, beside the first; empty: all.
    pub only: Vec<u8>,
    /// The command that runs this check again, for hints.
    pub again: String,
    /// The command that asks this engine about positions, for hints.
    pub analyse: String,
    /// Some: it is checked for games on fuel alone, and all of it within this. Nothing is measured in wall time then, and an
    /// instance is started and described within [`START_US`].
    pub patience: Option<Arc<Patience>>,
}

/// What starting may take in a check on fuel alone, in microseconds (where a microsecond is 1000 units of fuel): a check
/// starts dozens of instances.
pub const START_US: u64 = 1_000_000;

/// Watches a check.
pub trait Observer {
    /// A step begins.
    fn begins(&mut self, _step: &'static Step) {}
    /// A step has ended.
    fn ended(&mut self, _report: &StepReport) {}
}

/// Runs the steps in their order. A step that fails ends none but itself and
/// those that make no sense without it.
pub fn run(
    subject: &Subject<'_>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Vec<StepReport> {
    let mut reports: Vec<StepReport> = Vec::new();
    let mut bench = Bench::new(subject, settings, &STEPS[0]);
    for step in STEPS {
        // Without a module there is nothing to run.
        let wanted = settings.only.is_empty() || settings.only.contains(&step.number);
        if !wanted && step.number != 1 {
            continue;
        }
        observer.begins(step);
        let missing = step.needs.iter().find_map(|name| {
            reports.iter().find(|report| {
                report.name == *name && matches!(report.outcome, Outcome::Failed | Outcome::Skipped)
            })
        });
        let is_over = settings.patience.as_ref().is_some_and(|patience| patience.is_over());
        let report = match missing {
            _ if is_over => StepReport::skipped(step, "the time for all steps is over".into()),
            Some(report) => {
                let reason = format!(
                    "step {} ({}) {}, and this one builds on it",
                    report.number,
                    report.name,
                    if report.outcome == Outcome::Failed { "failed" } else { "was skipped" }
                );
                StepReport::skipped(step, reason)
            }
            None => run_step(&mut bench, step),
        };
        observer.ended(&report);
        reports.push(report);
    }
    reports
}

fn run_step(bench: &mut Bench<'_>, step: &'static Step) -> StepReport {
    bench.step = step;
    let began = Instant::now();
    let verdict = (step.run)(bench);
    let mut findings = std::mem::take(&mut bench.warnings);
    let warned = std::mem::take(&mut bench.warned);
    let (outcome, sentence) = match verdict {
        Err(Wrong::Skipped(reason)) => (Outcome::Skipped, reason),
        Err(Wrong::Failed(finding)) => {
            let sentence = finding.sentence.clone();
            findings.insert(0, *finding);
            (Outcome::Failed, sentence)
        }
        Ok(sentence) => match findings.first() {
            None => (Outcome::Passed, sentence),
            Some(first) if warned == 1 => (Outcome::Warned, first.sentence.clone()),
            Some(first) => {
                (Outcome::Warned, format!("{}, and {} more", first.sentence, warned - 1))
            }
        },
    };
    let (output, output_left_out) = bench.log.take();
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let Step { number, name, .. } = *step;
    StepReport { number, name, outcome, sentence, took_ms, findings, output, output_left_out }
}
