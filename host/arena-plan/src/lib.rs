//! Tournaments of bouts as pure values: the setup of an arena, the jobs that follow from it, the
//! count of their results, and the statistics. The crate knows no rules of games and loads no
//! engines: its caller does.
//!
//! Invariant: no clock, file, thread or store. The same setup and results give the same jobs and
//! the same view.
//!
//! Entry points: [`ArenaSetup`] says what an arena is, [`Ledger`] which games are to be played and
//! which count, [`Conditions`] makes a bout of a [`Job`], and [`ArenaStatistics`] computes the
//! [`View`].
#![forbid(unsafe_code)]

mod conditions;
mod counted_results;
#[cfg(any(test, feature = "test-support"))]
pub mod fixture;
mod job;
mod ledger;
mod openings;
mod outcome;
mod score_statistics;
mod setup;
mod statistics;
mod status;
mod view;

pub use conditions::{ArenaPlayer, Conditions};
pub use counted_results::{CountedPair, CountedResults, FaultCount, Filter};
pub use job::{GameKey, Job, Plan, SeedKey, job_id, rotated};
pub use ledger::{Ledger, LedgerError};
pub use openings::{OPENINGS_BYTES, OpeningFault, Openings, OpeningsError};
pub use outcome::{GameFault, GameResult};
pub use sandboard_tournament::schedule::Format;
pub use setup::{ArenaSetup, Contestant, FORMAT, OpeningsSource, VERSION};
pub use statistics::ArenaStatistics;
pub use status::Status;
pub use view::{
    FaultView, GameRow, HeadToHeadView, Interval, LiveGame, LongGame, MatchStatistics, OpeningView,
    PlayerView, PonderView, Progress, RatingSnapshot, SprtView, State, Unrated, View,
};
