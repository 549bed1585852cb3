//! Tunes an engine's options: `sandboard-evolution` chooses the weights to try, games or positions
//! measure them, and a journal keeps the run. `docs/tuning.md` explains it.
//!
//! Invariant: a run is its setup and its journal. Under fuel, nothing of it depends on the number
//! of threads, on which of them was faster, or on when the run was killed. Knows no rule of a game
//! and no engine by name, and loads no engine: the command line does.
//!
//! Entry points: [`TuneSetup`], [`Journal`], [`State`], [`run`].
#![forbid(unsafe_code)]

mod evaluator;
mod journal;
mod plots;
mod report;
mod run;
mod seasons;
mod setup;
mod training_positions;
mod unit_runner;

#[cfg(test)]
mod tests;

pub use evaluator::{Evaluator, EvaluatorError, FaultSummary, Unit, UnitKey};
pub use journal::{FinalLine, JOURNAL_FILE, Journal, JournalError, Line, UnitLine};
pub use report::{describe_end, describe_match, html, options_file};
pub use run::{RunError, RunObserver, Session, State, run};
pub use seasons::{FinishedMeasurement, Seasons, Task};
pub use setup::{FORMAT, Measure, POSITIONS_PER_UNIT, TuneSetup, VERSION};
pub use training_positions::{TrainingPosition, training_positions};
pub use unit_runner::{
    AgreementRunner, GameRunner, UnitError, UnitResult, UnitRunner, with_weights,
};
