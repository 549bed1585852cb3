//! Suites: positions with known answers, put to an engine one by one. Reading,
//! judging and comparing are pure values; [`run`] alone asks engines, [`store`]
//! alone writes files, and nothing here prints. No game is known beyond text
//! and what its rules say.
//!
//! - `json` and `epd` read the two kinds of files to [`Draft`]s;
//! - [`check`] sets them up by the rules of the game, to [`Case`]s;
//! - [`Answer`] says whether a choice solves a case, [`run`] asks for it;
//! - [`Run`] is what is kept, [`Difference`] what changed since another.

mod answer;
mod bar;
mod check;
mod compare;
mod draft;
mod epd;
mod fault;
mod json;
mod outcome;
mod read;
mod run;
pub mod store;

#[cfg(test)]
mod tests_read;

pub use answer::{Answer, Target};
pub use bar::Bar;
pub use check::{Case, check};
pub use compare::{Change, Difference, by_id};
pub use draft::{Draft, Moves};
pub use fault::{Place, SuiteError, SuiteFault};
pub use outcome::{At, EngineOfRun, FORMAT, FaultOfRun, Outcome, Run, SuiteOfRun, Totals, VERSION};
pub use read::{Drafts, FILE_BYTES, POSITIONS_MAX, read};
pub use run::{Watcher, run};
