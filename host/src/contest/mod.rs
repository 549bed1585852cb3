//! Contests: games between entries that nobody trusts. So far what an entry is held to, and whether it is
//! accepted. `docs/contests.md` explains it.
//!
//! Invariant: an entry is only ever compiled and run in jailed processes; whether it is accepted depends on its bytes, the
//! contest's file and the house's engines, and neither on who sent it nor on what others sent; what the machine is to blame for
//! is undecided.

mod file;
pub mod lot;
mod pipeline;
mod stages;

pub use file::{Contest, ContestError};
pub use pipeline::{Bounds, Observer, Pipeline, Report, STAGES, Stage, StageReport};
