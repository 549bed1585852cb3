//! Test suites: positions with known answers that an engine is asked about one by one.
//!
//! Reading, checking and comparing are pure; only [`run`] calls engines, and only [`store`] writes
//! files. Nothing here prints. Independent of any game: rules come from the game's own code.
//!
//! - `json` and `epd` read the two file formats into [`RawPosition`]s.
//! - [`check`] sets them up by the rules of the game, as [`Case`]s.
//! - [`Solution`] decides whether a choice solves a case; [`run`] requests the choices.
//! - [`SuiteRun`] is the stored result, [`RunDifference`] the comparison with another run.

mod case;
mod difference;
mod epd;
mod fault;
mod json;
mod raw_position;
mod read;
mod result;
mod run;
mod solution;
pub mod store;
mod threshold;

#[cfg(test)]
mod tests;

pub use case::{Case, check};
pub use difference::{PositionChange, RunDifference, by_id};
pub use fault::{FileLocation, SuiteError, SuiteFault};
pub use raw_position::{MoveList, RawPosition};
pub use read::{FILE_BYTES, POSITIONS_MAX, SuiteFile, read};
pub use result::{
    FORMAT, PositionResult, RunEngine, RunFault, RunSuite, SearchPoint, SuiteRun, Totals, VERSION,
};
pub use run::{RunObserver, run};
pub use solution::{KnownScore, Solution};
pub use threshold::PassThreshold;
