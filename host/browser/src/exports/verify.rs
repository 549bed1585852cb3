//! The functions that verify: see `verify.rs`. The file `verifier.ts` of the client is the other
//! side.

use std::cell::RefCell;

use sandboard_bundle::Finding;
use sandboard_bundle::game_check::Outcome;
use serde_json::{Value, json};

use super::{leave, on_game, taken};
use crate::verify::Session;

thread_local! {
    /// What this instance of the program verifies.
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Leaves what a function of the session returns.
fn leave_from(use_it: impl FnOnce(&mut Session) -> Result<Value, String>) {
    leave(SESSION.with_borrow_mut(use_it));
}

/// Opens the bytes of a bundle. Leaves what it is about.
#[unsafe(no_mangle)]
extern "C" fn sandboard_open(bytes: *mut u8, length: usize) {
    let bundle = taken(bytes, length);
    leave_from(|session| session.open(bundle));
}

/// Adds a module. Leaves its hash.
#[unsafe(no_mangle)]
extern "C" fn sandboard_add_module(bytes: *mut u8, length: usize) {
    let module = taken(bytes, length);
    leave_from(|session| Ok(json!({ "sha256": session.add_module(module) })));
}

/// Leaves what the open bundle is about.
#[unsafe(no_mangle)]
extern "C" fn sandboard_summary() {
    leave_from(|session| session.summary());
}

/// Checks everything but the calls of the engines. Leaves the findings.
#[unsafe(no_mangle)]
extern "C" fn sandboard_check() {
    leave_from(|session| Ok(json!(session.check(&mut |name| on_game(name.as_ptr(), name.len()))?)));
}

/// Replays the game of the bundle with this name. Leaves its result.
#[unsafe(no_mangle)]
extern "C" fn sandboard_replay(name: *mut u8, length: usize) {
    let name = String::from_utf8_lossy(&taken(name, length)).into_owned();
    leave_from(|session| Ok(session.replay(&name)?.to_json()));
}

/// Replays a single record with the modules that were added. Leaves its result.
#[unsafe(no_mangle)]
extern "C" fn sandboard_replay_record(record: *mut u8, length: usize) {
    let record = taken(record, length);
    leave_from(|session| Ok(session.replay_record(&record).to_json()));
}

/// What [`sandboard_verdict`] gets.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictRequest {
    /// The findings of the check.
    findings: Vec<Finding>,
    /// The outcome of each game that was replayed.
    outcomes: Vec<Outcome>,
    /// The commitment that was published.
    commitment: Option<String>,
}

/// Sums up. Gets a [`VerdictRequest`] as JSON, and leaves the verdict.
#[unsafe(no_mangle)]
extern "C" fn sandboard_verdict(request: *mut u8, length: usize) {
    let request = serde_json::from_slice(&taken(request, length));
    leave_from(|session| {
        let request: VerdictRequest = request.map_err(|error| error.to_string())?;
        let VerdictRequest { findings, outcomes, commitment } = request;
        session.verdict(findings, &outcomes, commitment.as_deref())
    });
}
