//! Handles Ctrl-C (also SIGTERM and SIGHUP) for commands that work through many items: the
//! results so far are printed, and no further item is started.

use sandboard_common::ordered_work::Stop;

/// Requests a stop at Ctrl-C; a second Ctrl-C ends the process at once.
pub(crate) fn on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    let handled = ctrlc::set_handler(move || {
        if stop.is_stopped() {
            std::process::exit(1);
        }
        stop.stop();
    });
    if let Err(error) = handled {
        log::warn!("Ctrl-C will end this process at once: {error}");
    }
}
