//! The conformance check for engine authors: a numbered list of steps with a result for each. Calls
//! the engine through the same ABI as a bout, and the rules through [`sandboard_games`]. Prints
//! nothing and is independent of any game.

mod bouts;
mod context;
mod cpu_baseline;
pub(crate) mod outcome;
mod output;
pub(crate) mod positions;
pub(crate) mod sequence;
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
pub use sequence::{CheckObserver, Step};
use sequence::{StepSequence, steps};

type StepRun = fn(&mut CheckContext<'_>) -> StepResult;

steps! {
    StepRun;
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
}

/// The steps that test an engine in games with chance, hidden information or moves at the same
/// time. They let the referee play bouts, because only it knows what a seat may see.
const STEPS_OF_GENERAL_GAMES: &[&str] =
    &["module", "description", "starts", "answers", "games", "seed"];

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

/// Runs the steps in their order. After a failed step only those that require it are skipped.
pub fn run(
    target: &CheckTarget<'_>,
    settings: &CheckSettings,
    observer: &mut dyn CheckObserver,
) -> Vec<StepReport> {
    let mut context = CheckContext::new(target, settings, &STEPS[0]);
    let is_over = || settings.test_budget.as_ref().is_some_and(|budget| budget.is_over());
    let sequence = StepSequence { steps: STEPS, only: &settings.only, is_over: &is_over };
    sequence.run(observer, |index| run_step(&mut context, &STEPS[index], RUNS[index]))
}

fn run_step(context: &mut CheckContext<'_>, step: &'static Step, run: StepRun) -> StepReport {
    context.step = step;
    let began = Instant::now();
    let result = match context.has_only_general_boards() {
        true if !STEPS_OF_GENERAL_GAMES.contains(&step.name) => Err(StepFailure::Skipped(
            "not for games with chance, hidden information or moves at the same time".into(),
        )),
        _ => run(context),
    };
    let warnings = std::mem::take(&mut context.warnings);
    let (output, output_omitted) = context.log.take();
    let report = StepReport::new(step, result, warnings, began.elapsed());
    StepReport { output, output_omitted, ..report }
}
