//! Contests: games between entries that nobody trusts. So far what an entry is held to, and whether it is
//! accepted. `docs/contests.md` explains it.
//!
//! Invariant: an entry is only ever compiled and run in jailed processes; whether it is accepted depends on its bytes, the
//! contest's file and the house's engines, and neither on who sent it nor on what others sent; what the machine is to blame for
//! is undecided.

pub mod desk;
pub mod export;
mod file;
mod folder;
pub mod likeness;
pub mod lot;
mod pipeline;
mod roster;
pub mod runner;
mod squad;
mod stages;
mod standings;
pub mod store;
pub mod token;

pub use file::{Contest, ContestError, Phase};
pub use folder::{
    CLOSES_PAPER, ContestFolder, ContestFolderError, LoadError, load, now_ms, open_store,
};
pub use pipeline::{Bounds, Observer, Pipeline, Report, STAGES, Stage, StageReport};
pub use roster::{Version, roster, version_name};
pub use standings::{Row, standings};
