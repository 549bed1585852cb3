//! Repeats a recorded bout: the same referee derives the calls that each engine received, the calls
//! are made again on a fresh instance, and the results are compared.
//!
//! [`CallScript`] is pure: a record goes in, calls come out. [`CallRunner`] makes the calls, and
//! [`verify`](verify()) compares the results with the record. Only the recorded moves are played:
//! an engine that answers otherwise changes nothing for the others.

mod call_runner;
mod call_script;
mod consistency;
mod derivation;
mod difference;
mod fault_reports;
mod timeline;
mod verify;

use std::path::Path;

use sandboard_builder::command::shell_quote;

pub use call_runner::{CallOutcome, CallResult, CallRunner};
pub use call_script::{
    CallScript, CallScriptError, EngineCall, ExpectedResult, RecordedAnswer, ScriptStep,
};
pub use difference::{Difference, DifferenceKind};
pub use fault_reports::{FaultReport, fault_reports};
pub use verify::{
    UnverifiableReason, VerifyOutcome, unverifiable_reason, unverifiable_setup_reason, verify,
};

/// The command that repeats the calls of `player` up to its request at `at_ply`.
pub fn replay_command(record: &Path, at_ply: u32, player: usize) -> String {
    let file = shell_quote(&record.to_string_lossy());
    format!("sandboard replay {file} --ply {at_ply} --player {player}")
}
