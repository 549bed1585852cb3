//! A recorded bout played again: the calls that each engine got, derived from
//! the record by the same referee that led the bout, made again on a fresh
//! instance, and what comes back compared.
//!
//! [`Script`] is pure: record in, calls out. A [`Walker`] makes the calls;
//! [`verify`](verify()) holds the answers against the record. Nobody's moves but the
//! record's are ever played: an engine that answers otherwise changes nothing
//! for the others.

mod derivation;
mod difference;
mod faults;
mod script;
mod sound;
mod timeline;
mod verify;
mod walk;

pub use difference::{Difference, How};
pub use faults::{FaultReport, faults};
pub use script::{Answered, Call, Expected, Script, ScriptError, Step};
pub use verify::{Unverifiable, Verdict, unverifiable, unverifiable_setup, verify};
pub use walk::{Outcome, Repeated, Walker};

use std::path::Path;

/// The command that repeats the calls of `player` up to what it was asked when
/// `at_ply` moves had been played.
pub fn command(record: &Path, at_ply: u32, player: usize) -> String {
    let file = sandboard_forge::run::quoted(&record.to_string_lossy());
    format!("sandboard replay {file} --ply {at_ply} --player {player}")
}
