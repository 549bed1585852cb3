//! The functions that JavaScript calls. Each gets bytes that JavaScript has written to memory from
//! [`sandboard_allocate`], and leaves a text in JSON: the result, or `{"error": …}`. The folder
//! `src/program` of the client is the other side.
#![expect(unsafe_code, reason = "memory is passed by its address")]

mod play;
mod verify;

use std::cell::RefCell;

use serde_json::{Value, json};

thread_local! {
    /// The last result.
    static RESULT: RefCell<String> = const { RefCell::new(String::new()) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "sandboard:browser")]
unsafe extern "C" {
    /// Gets the name of a game that is to be replayed.
    safe fn on_game(name: *const u8, length: usize);
    /// Gets what an engine reports, as JSON, while a call runs.
    safe fn on_report(report: *const u8, length: usize);
    /// Gets the message of a panic, which ends the program.
    safe fn on_panic(message: *const u8, length: usize);
}

/// Elsewhere there is no JavaScript that listens.
#[cfg(not(target_family = "wasm"))]
fn on_game(_: *const u8, _: usize) {}

#[cfg(not(target_family = "wasm"))]
fn on_report(_: *const u8, _: usize) {}

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
