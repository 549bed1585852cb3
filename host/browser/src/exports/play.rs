//! The functions that play: see `play.rs`. The file `player.ts` of the client is the other side.

use std::cell::RefCell;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{leave, on_report, taken};
use crate::play::{Play, Report, Reports};

thread_local! {
    /// What this instance of the program plays.
    static PLAY: RefCell<Play> = RefCell::default();
}

/// Leaves what a function returns that gets a request as JSON.
fn leave_from<T: DeserializeOwned>(
    request: *mut u8,
    length: usize,
    use_it: impl FnOnce(&mut Play, T) -> Result<Value, String>,
) {
    let request = serde_json::from_slice(&taken(request, length));
    let request = request.map_err(|error| format!("the request is invalid: {error}"));
    leave(request.and_then(|request| PLAY.with_borrow_mut(|play| use_it(play, request))));
}

/// Sends the reports of engines to JavaScript, while their calls run.
fn reports() -> Reports {
    Arc::new(|report: &Report| {
        let text = serde_json::to_string(report).unwrap_or_default();
        on_report(text.as_ptr(), text.len());
    })
}

/// Adds a file for the engine, before it is loaded: a name and its bytes.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_add_file(
    name: *mut u8,
    name_length: usize,
    bytes: *mut u8,
    length: usize,
) {
    let name = String::from_utf8_lossy(&taken(name, name_length)).into_owned();
    let bytes = taken(bytes, length);
    leave(PLAY.with_borrow_mut(|play| play.add_file(name, bytes)));
}

/// Loads a [`GameDescription`](sandboard_engine_wasm::GameDescription) whose module was added as a
/// file.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_load_game(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.load_game(request));
}

/// Loads an engine whose module was added as a file. Leaves its description.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_load_engine(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.load_engine(request));
}

/// Leaves the position of a request.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_position(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.position(request));
}

/// Begins a bout in place of an earlier one. Calls no engine. Leaves its state.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_begin(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.begin(request, reports()));
}

/// Hands an action of the person to the bout. Calls no engine. Leaves its state.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_act(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.act(request));
}

/// Lets engines move until the person is to act. Leaves the state of the bout.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_run(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.run(&request));
}

/// Leaves the record of the bout.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_record(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.record(request));
}

/// Asks the engine about a position. Leaves its move.
#[unsafe(no_mangle)]
extern "C" fn sandboard_play_analyse(request: *mut u8, length: usize) {
    leave_from(request, length, |play, request| play.analyse(request, reports()));
}
