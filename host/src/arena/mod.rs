//! Many bouts: a match of two players in pairs of games with the seats
//! exchanged. What is to be played, what a result is worth and what it says of
//! the players' strength are pure values ([`Schedule`], [`Ledger`], [`Score`],
//! [`Elo`]); threads are in `runner` alone, files in `folder` and `openings`.
//! Knows no rule of any game, and loads no engine: the command line does.
//!
//! The folder of a match is its whole state: the setup, the openings, and one
//! record for each finished game, named by its job and written whole or not at
//! all. So a match that was killed goes on where it was, and ends as it would
//! have ended undisturbed. `docs/arena.md` explains the files.

mod balanced;
mod folder;
mod ledger;
mod openings;
mod outcome;
mod parts;
mod progress;
mod report;
mod runner;
mod schedule;
mod setup;
mod standing;
mod table;

#[cfg(test)]
mod tests_folder;
#[cfg(test)]
mod tests_ledger;
#[cfg(test)]
mod tests_openings;

pub use balanced::{Balanced, BalancedError, Finder, Recipe, find};
pub use folder::{FolderError, MatchFolder};
pub use ledger::Ledger;
pub use openings::{OpeningFault, Openings, OpeningsError};
pub use outcome::{GameFault, GameResult, Spending};
pub use parts::Parts;
pub use progress::Bar;
pub use report::{Report, Session};
pub use runner::{
    CONCURRENCY_MAX, Match, Rival, RunError, Watcher, run, seats_by_side, usual_concurrency,
};
pub use sandboard_tournament::stats::{Elo, Sample, Score, Tally};
pub use schedule::{Job, Schedule};
pub use setup::{Contestant, FORMAT, MatchSetup, OpeningsSource, PAIRS_MAX, VERSION};
pub use standing::{Faults, Standing};
