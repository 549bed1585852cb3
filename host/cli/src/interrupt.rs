//! Handles Ctrl-C (also SIGTERM and SIGHUP) for commands that work through many items: the
//! results so far are printed, and no further item is started. A second signal ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::output::error_line;
use sandboard_arena::database::sqlite;
use sandboard_common::ordered_work::Stop;

/// How long the end of the process may take after a second signal.
const END_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the end waits for another program that has locked a store.
const STORE_TIMEOUT: Duration = Duration::from_millis(500);
/// The exit code after a second signal.
const EXIT_CODE: i32 = 1;

/// Requests a stop at Ctrl-C; a second Ctrl-C ends the process.
pub(crate) fn on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    let note =
        "ending: what is in progress is finished first; a second signal (Ctrl-C) ends at once";
    if let Err(error) = on_first_signal(note, move || stop.stop()) {
        log::warn!("Ctrl-C will end this process at once: {error}");
    }
}

/// Calls `stop` at the first signal, and prints the note to standard error. A second signal ends
/// the process within [`END_TIMEOUT`], whatever its threads do. Err: the system refuses a handler.
pub(crate) fn on_first_signal(
    note: &'static str,
    stop: impl Fn() + Send + 'static,
) -> Result<(), ctrlc::Error> {
    let requested = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if requested.swap(true, Ordering::SeqCst) {
            end();
        }
        stop();
        // Another thread prints: standard error may be a pipe that is full.
        let _ = std::thread::Builder::new().spawn(move || error_line!("{note}"));
    })
}

/// Ends the process at once. What was stored stays complete.
pub(crate) fn end() -> ! {
    // Neither a locked store nor an exit handler of a native engine can hold up the end.
    let guard = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(END_TIMEOUT);
        kill_this_process();
    });
    if guard.is_err() {
        kill_this_process();
    }
    sqlite::empty_all_logs(STORE_TIMEOUT);
    std::process::exit(EXIT_CODE);
}

#[cfg(unix)]
fn kill_this_process() {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_this_process() {
    std::process::abort();
}
