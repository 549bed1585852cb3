//! The functions that JavaScript calls. Each gets bytes that JavaScript has written to memory from
//! [`sandboard_allocate`], and leaves a text in JSON: the result, or `{"error": …}`. The file
//! `verifier.ts` of the client is the other side.
#![expect(unsafe_code, reason = "memory is passed by its address")]

use std::cell::RefCell;

use sandboard_bundle::Finding;
use sandboard_bundle::game_check::Outcome;
use serde_json::{Value, json};

use crate::session::Session;

thread_local! {
    /// What this instance of the program verifies.
    static SESSION: RefCell<Session> = RefCell::default();
    /// The last result.
    static RESULT: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "sandboard:verifier")]
unsafe extern "C" {
    /// Gets the name of a game that is to be replayed.
    safe fn on_game(name: *const u8, length: usize);
    /// Gets the message of a panic, which ends the program.
    safe fn on_panic(message: *const u8, length: usize);
}

/// Elsewhere there is no JavaScript that listens.
#[cfg(not(target_family = "wasm"))]
fn on_game(_: *const u8, _: usize) {}

#[cfg(not(target_family = "wasm"))]
fn on_panic(_: *const u8, _: usize) {}

/// Prepares the program: panics are reported. Call it once, before all others.
#[unsafe(no_mangle)]
extern "C" fn sandboard_initialize() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        on_panic(message.as_ptr(), message.len());
    }));
}

/// Allocates memory for bytes that JavaScript writes. A function that gets them frees them.
#[unsafe(no_mangle)]
extern "C" fn sandboard_allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// The bytes at an address from [`sandboard_allocate`].
fn taken(bytes: *mut u8, length: usize) -> Vec<u8> {
    let slice = std::ptr::slice_from_raw_parts_mut(bytes, length);
    // SAFETY: JavaScript passes each address once, with the length for which it was allocated.
    unsafe { Box::from_raw(slice) }.into_vec()
}

/// Leaves a result for JavaScript.
fn leave(result: Result<Value, String>) {
    let value = result.unwrap_or_else(|reason| json!({ "error": reason }));
    RESULT.set(value.to_string());
}

/// Leaves what a function of the session returns.
fn leave_from(use_it: impl FnOnce(&mut Session) -> Result<Value, String>) {
    leave(SESSION.with_borrow_mut(use_it));
}

/// The address of the last result, in UTF-8.
#[unsafe(no_mangle)]
extern "C" fn sandboard_result() -> *const u8 {
    RESULT.with_borrow(|result| result.as_ptr())
}

/// The length of the last result, in bytes.
#[unsafe(no_mangle)]
extern "C" fn sandboard_result_length() -> usize {
    RESULT.with_borrow(String::len)
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
