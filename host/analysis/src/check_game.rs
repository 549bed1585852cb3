//! The conformance check for authors of games: a numbered list of steps with a result for each.
//! Uses a game as a bout does, through its checked form. Prints nothing and is independent of any
//! game.

mod context;
mod game_state;
mod random_game;
mod steps;
mod test_game;
#[cfg(test)]
mod tests;

use std::time::Instant;

use sandboard_games::GameInfo;
use sandboard_packs::catalog::GameEntry;
use sandboard_packs::game_loader::GameLoader;

use crate::check::outcome::StepResult;
use crate::check::sequence::{StepSequence, steps};
use crate::check::{CheckObserver, Step, StepReport};
use context::GameContext;

type StepRun = fn(&mut GameContext<'_>) -> StepResult;

steps! {
    StepRun;
    1 "module" requires [], steps::module::module:
        "the rules load, and begin a game of each variant and size"
    2 "positions" requires ["module"], steps::positions::positions:
        "a position text that is set up again gives the same position"
    3 "moves" requires ["module"], steps::moves::moves:
        "every listed move can be played, and a refused text changes nothing"
    4 "copies" requires ["module"], steps::history::copies:
        "a copy is equal to the original and independent of it"
    5 "undo" requires ["module"], steps::history::undo:
        "moves that are taken back and played again change nothing"
    6 "counts" requires ["copies"], steps::counts::counts:
        "the counts of move sequences are those of playing all moves"
    7 "playouts" requires ["moves"], steps::playouts::playouts:
        "random games end, with a result that all its parts agree on"
    8 "determinism" requires ["module"], steps::determinism::determinism:
        "two games that get the same calls give the same answers"
    9 "texts" requires ["module"], steps::texts::texts:
        "diagrams, names of sides and prompts can be shown to people"
    10 "views" requires ["moves"], steps::views::views:
        "what seats see and may do depends only on what they know"
    11 "boards" requires ["module"], steps::boards::boards:
        "boards as data are valid in random games"
    12 "speed" requires ["module"], steps::speed::speed:
        "how fast the rules are, for information"
}

/// The game to check.
#[derive(Clone, Copy)]
pub enum GameTarget<'a> {
    /// A game that is built in.
    BuiltIn(&'static GameInfo),
    /// A plugged-in game.
    PluggedIn {
        /// Its catalog entry.
        entry: &'a GameEntry,
        /// The loader for it.
        loader: &'a GameLoader,
    },
}

/// The settings of a check.
#[derive(Clone, Debug, Default)]
pub struct GameCheckSettings {
    /// Check only this variant; none: all variants. Without a size, the smallest, the default and
    /// the largest size are checked.
    pub variant: Option<String>,
    /// The only source of randomness.
    pub seed: u64,
    /// The numbers of the steps to run in addition to step 1; empty: all steps.
    pub only: Vec<u8>,
    /// The command that runs this check again, for advice.
    pub rerun_command: String,
}

impl GameTarget<'_> {
    /// The game's id.
    pub fn id(&self) -> &str {
        match self {
            Self::BuiltIn(info) => info.id,
            Self::PluggedIn { entry, .. } => &entry.id,
        }
    }

    /// The game's row. Err: the entry has faults.
    fn info(&self) -> Result<&'static GameInfo, &GameEntry> {
        match self {
            Self::BuiltIn(info) => Ok(info),
            Self::PluggedIn { entry, loader } => match entry.faults() {
                [] => Ok(loader.row(entry)),
                _ => Err(entry),
            },
        }
    }
}

/// Runs the steps in their order. After a failed step only those that require it are skipped.
pub fn run(
    target: &GameTarget<'_>,
    settings: &GameCheckSettings,
    observer: &mut dyn CheckObserver,
) -> Vec<StepReport> {
    let mut context = GameContext::new(target, settings, &STEPS[0]);
    let sequence = StepSequence { steps: STEPS, only: &settings.only, is_over: &|| false };
    sequence.run(observer, |index| run_step(&mut context, &STEPS[index], RUNS[index]))
}

fn run_step(context: &mut GameContext<'_>, step: &'static Step, run: StepRun) -> StepReport {
    context.step = step;
    let began = Instant::now();
    let result = run(context);
    let warnings = std::mem::take(&mut context.warnings);
    StepReport::new(step, result, warnings, began.elapsed())
}
