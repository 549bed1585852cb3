//! The conformance check for engine authors: a numbered list of steps with a result for each. Calls
//! the engine through the same ABI as a bout, and the rules through [`sandboard_games`]. Prints
//! nothing and is independent of any game.

mod context;
mod cpu_baseline;
mod outcome;
mod output;
mod positions;
mod steps;
mod test_instance;

use std::sync::Arc;
use std::time::Instant;

use sandboard_engine::{Budget, TestBudget};
use sandboard_packs::catalog::Entry;
use sandboard_packs::loader::Loader;

use context::CheckContext;
pub use outcome::{Finding, OutputText, StepOutcome, StepReport};
use outcome::{StepFailure, StepResult};

/// One step of the check.
pub struct Step {
    /// Its number, from 1.
    pub number: u8,
    /// Its name: one word.
    pub name: &'static str,
    /// What the engine must do to pass.
    pub requirement: &'static str,
    /// The steps that must pass before it.
    requires: &'static [&'static str],
    run: fn(&mut CheckContext<'_>) -> StepResult,
}

macro_rules! steps {
    ($($number:literal $name:literal requires $requires:expr, $run:path: $requirement:literal)*) => {
        &[$(Step {
            number: $number,
            name: $name,
            requirement: $requirement,
            requires: &$requires,
            run: $run,
        }),*]
    };
}

/// All steps in their order.
pub const STEPS: &[Step] = steps! {
    1 "module" requires [], steps::module::module:
        "the module is built for this ABI, loads and opens an instance"
    2 "description" requires ["module"], steps::module::description:
        "its description is always the same, within the limits and as in its manifest"
    3 "starts" requires ["module"], steps::begin::starts:
        "it starts every game, variant and size it names, in each seat"
    4 "answers" requires ["starts"], steps::begin::answers:
        "it chooses a legal first move in every game, variant and size it names"
    5 "options" requires ["answers"], steps::begin::options:
        "it starts and answers with every option at its initial value and its limits"
    6 "positions" requires ["answers"], steps::play::positions:
        "it chooses a legal move in any position, however the position is set up"
    7 "games" requires ["answers"], steps::play::games:
        "it plays whole games against itself to an end that the referee accepts"
    8 "barred" requires ["answers"], steps::moves::barred:
        "it chooses another move when some are barred, down to the only one left"
    9 "undo" requires ["answers"], steps::moves::undo:
        "after an undo it plays as if the moves had never been made"
    10 "budget" requires ["answers"], steps::budget::budget:
        "it keeps limits of time, depth, nodes and fuel, and stops on request"
    11 "seed" requires ["answers"], steps::seed::seed:
        "same inputs, same seed: same moves and same reports"
    12 "instances" requires ["seed"], steps::seed::instances:
        "instances that play at the same time do not affect each other"
    13 "memory" requires ["answers"], steps::resources::memory:
        "it stays within its memory over a long game and many short ones"
    14 "reports" requires ["answers"], steps::reports::reports:
        "its reports are true: legal lines, the move it plays, growing depth"
    15 "refusals" requires ["starts"], steps::begin::refusals:
        "it refuses unknown games and positions with a reason, and does not crash"
    16 "output" requires ["answers"], steps::resources::output:
        "its logs and reports stay within the quotas of a game"
    17 "pondering" requires ["answers"], steps::pondering::pondering:
        "it stops pondering on request, and plays on"
};

/// The engine to check.
pub struct CheckTarget<'a> {
    /// Its catalog entry.
    pub entry: &'a Entry,
    /// The loader for it.
    pub loader: &'a Loader,
}

/// The settings of a check.
#[derive(Clone, Debug)]
pub struct CheckSettings {
    /// Check only this game; none: all games that the engine names.
    pub game: Option<String>,
    /// Check only this variant; none: all variants.
    pub variant: Option<String>,
    /// The only source of randomness.
    pub seed: u64,
    /// The options with which the engine is started.
    pub options: Vec<(String, String)>,
    /// The options that step 5 does not vary.
    pub fixed_options: Vec<String>,
    /// The budget of the test games: wall time, CPU time or fuel.
    pub budget: Budget,
    /// The numbers of the steps to run in addition to step 1; empty: all steps.
    pub only: Vec<u8>,
    /// The command that runs this check again, for advice.
    pub rerun_command: String,
    /// The command that analyses positions with this engine, for advice.
    pub analyse_command: String,
    /// For a contest: the budget of the whole check. The engine is then checked on fuel alone,
    /// nothing is measured in wall time, and an instance starts within [`START_US`].
    pub test_budget: Option<Arc<TestBudget>>,
}

/// The longest start in a check on fuel alone, in microseconds (1000 units of fuel each). It is
/// short because a check starts dozens of instances.
pub const START_US: u64 = 1_000_000;

/// Receives the progress of a check.
pub trait CheckObserver {
    /// A step begins.
    fn step_started(&mut self, _step: &'static Step) {}
    /// A step has ended.
    fn step_finished(&mut self, _report: &StepReport) {}
}

/// Runs the steps in their order. After a failed step only those that require it are skipped.
pub fn run(
    target: &CheckTarget<'_>,
    settings: &CheckSettings,
    observer: &mut dyn CheckObserver,
) -> Vec<StepReport> {
    let mut reports: Vec<StepReport> = Vec::new();
    let mut context = CheckContext::new(target, settings, &STEPS[0]);
    for step in STEPS {
        // Step 1 always runs, because it loads the module.
        let wanted = settings.only.is_empty() || settings.only.contains(&step.number);
        if !wanted && step.number != 1 {
            continue;
        }
        observer.step_started(step);
        let missing = step.requires.iter().find_map(|name| {
            reports.iter().find(|report| {
                report.name == *name
                    && matches!(report.outcome, StepOutcome::Failed | StepOutcome::Skipped)
            })
        });
        let is_over = settings.test_budget.as_ref().is_some_and(|budget| budget.is_over());
        let report = match missing {
            _ if is_over => StepReport::skipped(step, "the time for all steps is used up".into()),
            Some(report) => {
                let reason = format!(
                    "step {} ({}) {}, and this step requires it",
                    report.number,
                    report.name,
                    if report.outcome == StepOutcome::Failed { "failed" } else { "was skipped" }
                );
                StepReport::skipped(step, reason)
            }
            None => run_step(&mut context, step),
        };
        observer.step_finished(&report);
        reports.push(report);
    }
    reports
}

fn run_step(context: &mut CheckContext<'_>, step: &'static Step) -> StepReport {
    context.step = step;
    let began = Instant::now();
    let verdict = (step.run)(context);
    let mut findings = std::mem::take(&mut context.warnings);
    let warned = std::mem::take(&mut context.warned);
    let (outcome, sentence) = match verdict {
        Err(StepFailure::Skipped(reason)) => (StepOutcome::Skipped, reason),
        Err(StepFailure::Failed(finding)) => {
            let sentence = finding.sentence.clone();
            findings.insert(0, *finding);
            (StepOutcome::Failed, sentence)
        }
        Ok(sentence) => match findings.first() {
            None => (StepOutcome::Passed, sentence),
            Some(first) if warned == 1 => (StepOutcome::Warned, first.sentence.clone()),
            Some(first) => {
                (StepOutcome::Warned, format!("{}, and {} more", first.sentence, warned - 1))
            }
        },
    };
    let (output, output_omitted) = context.log.take();
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let Step { number, name, .. } = *step;
    StepReport { number, name, outcome, sentence, duration_ms, findings, output, output_omitted }
}
