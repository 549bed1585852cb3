//! Contests: games between untrusted entries, from the contest file to the final; and the writing
//! of audit bundles, which anyone can verify. `docs/contests.md` and `docs/bundles.md` explain
//! both.
//!
//! Invariant: an entry is compiled and run in jailed processes only. Whether it is accepted depends
//! on its bytes, the contest's file and the house engines, and not on its entrant or other entries.
//! If the machine is at fault, the entry stays undecided.
//!
//! Entry points: [`ContestFolder`], [`service::ContestService`], [`runner::run`],
//! [`bundle_writer::write`].
#![forbid(unsafe_code)]

pub mod bundle_writer;
pub mod entrant_view;
mod entry_loader;
pub mod export;
mod folder;
mod fuel_speed;
mod log_quota;
mod pipeline;
mod roster;
pub mod runner;
pub mod service;
pub mod similarity;
mod stages;
mod standings;
pub mod store;
mod test_seed;
pub mod token;

pub use folder::{
    ContestFolder, ContestFolderError, LoadError, closing_date, load, now_ms, open_store,
};
pub use fuel_speed::{FLAGGED_NS, FuelSpeed, SUSPENDED_NS, SpeedVerdict};
pub use pipeline::{Bounds, Observer, Pipeline, Report, STAGES, Stage, StageReport};
pub use roster::{Version, roster, version_name};
pub use standings::{Row, standings};
