//! Arenas: tournaments of bouts, in pairs of games with the seats exchanged. The schedule, the
//! count and the statistics are pure values (the crates `sandboard-tournament` and
//! `sandboard-arena-plan`). Threads are in `runner` only; files are in `folder`, `store` and
//! `openings_file`. The crate knows no rules of games and loads no engines: its caller does.
//!
//! The store of an arena is its whole state: the setup, the openings, every attempt at a game. So
//! an interrupted arena resumes where it was, and ends as if it had not been interrupted. See
//! `docs/arena.md`.
//!
//! Entry points: [`ArenaFolder`] creates or opens an arena, [`run`] plays it, [`OpenFolder`] and
//! [`Follower`] read it, and [`present`] renders its [view](sandboard_arena_plan::View).
#![forbid(unsafe_code)]

mod balanced;
pub mod database;
mod dialogue;
#[cfg(any(test, feature = "test-support"))]
pub mod fixture;
mod folder;
mod follow;
mod live;
mod openings_file;
pub mod present;
mod run_request;
mod runner;
pub mod store;
mod store_location;

pub use crate::database::Url;
pub use crate::dialogue::DialogueFolder;
pub use balanced::{BalancedError, BalancedOpening, OpeningCriteria, OpeningFinder, find_openings};
pub use folder::{
    ArenaFolder, FolderError, LoadedArena, OpenFolder, is_running, load, load_record,
};
pub use follow::Follower;
pub use live::{LiveObserver, LiveSlot};
pub use openings_file::read_openings;
pub use run_request::{PlayerSource, Request};
pub use runner::{
    Arena, CONCURRENCY_MAX, CommitCallback, JobQueue, JobSource, NextJob, PlayedGame, RunError,
    RunObserver, Session, Threads, UnresolvedGame, default_concurrency, no_result_reason, run,
    unused_name,
};
pub use sandboard_common::ordered_work::Stop;
pub use store_location::StoreLocation;
