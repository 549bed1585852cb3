//! Arenas: tournaments of bouts, in pairs of games with the seats exchanged. The schedule, the
//! count and the statistics are pure values (the crate `sandboard-tournament`, [`Ledger`],
//! [`ArenaStatistics`]). Threads are in `runner` only; files are in `folder`, `store` and
//! `openings`. The crate knows no rules of games and loads no engines: its caller does.
//!
//! The store of an arena is its whole state: the setup, the openings, every attempt at a game. So
//! an interrupted arena resumes where it was, and ends as if it had not been interrupted. See
//! `docs/arena.md`.
//!
//! Entry points: [`ArenaFolder`] creates or opens an arena, [`run`] plays it, [`OpenFolder`] and
//! [`Follower`] read it, [`ArenaStatistics`] computes its [`View`], and [`present`] renders that.
#![forbid(unsafe_code)]

mod balanced;
mod conditions;
mod counted_results;
pub mod database;
#[cfg(any(test, feature = "test-support"))]
pub mod fixture;
mod folder;
mod follow;
mod job;
mod ledger;
mod live;
mod openings;
mod outcome;
pub mod present;
mod run_request;
mod runner;
mod score_statistics;
mod setup;
mod statistics;
pub mod store;
mod store_location;
mod view;

pub use crate::database::Url;
pub use balanced::{BalancedError, BalancedOpening, OpeningCriteria, OpeningFinder, find_openings};
pub use conditions::{ArenaPlayer, Conditions};
pub use counted_results::{CountedPair, CountedResults, FaultCount, Filter};
pub use folder::{
    ArenaFolder, FolderError, LoadedArena, OpenFolder, is_running, load, load_record,
};
pub use follow::Follower;
pub use job::{GameKey, Job, Plan, SeedKey, job_id};
pub use ledger::{Ledger, LedgerError};
pub use live::{LiveObserver, LiveSlot, Status};
pub use openings::{OPENINGS_BYTES, OpeningFault, Openings, OpeningsError};
pub use outcome::{GameFault, GameResult};
pub use run_request::{PlayerSource, Request};
pub use runner::{
    Arena, CONCURRENCY_MAX, CommitCallback, JobQueue, JobSource, NextJob, PlayedGame, RunError,
    RunObserver, Session, Threads, UnresolvedGame, default_concurrency, no_result_reason, run,
    unused_name,
};
pub use sandboard_common::ordered_work::Stop;
pub use sandboard_tournament::schedule::Format;
pub use setup::{ArenaSetup, Contestant, FORMAT, OpeningsSource, VERSION};
pub use statistics::ArenaStatistics;
pub use store_location::StoreLocation;
pub use view::{
    FaultView, GameRow, HeadToHeadView, Interval, LiveGame, MatchStatistics, OpeningView,
    PlayerView, PonderView, Progress, RatingSnapshot, SprtView, State, Unrated, View,
};
