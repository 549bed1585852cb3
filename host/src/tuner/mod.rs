//! Finding better weights for an engine's options: which are tried next is said by `sandboard-evolution`, how they
//! play by bouts under fuel, or by games that somebody played. `docs/tuning.md` explains it.
//!
//! Invariant: a run is its setup and its journal: killed at any moment it goes on as the run that it was, and nothing
//! that comes of it depends on how many threads made it or which was faster (under fuel). Knows no rule of a game and
//! no engine by name; loads none: the command line does.

mod desk;
mod journal;
mod lessons;
mod plots;
mod report;
mod run;
mod seasons;
mod setup;
mod trial;

#[cfg(test)]
mod tests;

pub use desk::{Desk, DeskError, Faults, Unit, UnitKey};
pub use journal::{FILE, FinalLine, Journal, JournalError, Line, UnitLine};
pub use lessons::{Lesson, lessons};
pub use report::{end_in_words, html, match_in_words, options_file};
pub use run::{RunError, Session, State, Watcher, run};
pub use seasons::{Answered, Seasons, Task};
pub use setup::{BLOCK, FORMAT, Measure, TuneSetup, VERSION};
pub use trial::{Agreement, Games, Made, Trial, TrialError, with_weights};
