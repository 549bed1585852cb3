//! Ctrl-C (and its like: SIGTERM, SIGHUP) for commands that work on many things: what is
//! done is told, and nothing further is begun.

use crate::ordered::Stop;

/// From now on Ctrl-C says stop; a second one ends the process at once.
pub fn on_interrupt(stop: &Stop) {
    let stop = stop.clone();
    let handled = ctrlc::set_handler(move || {
        if stop.is_stopped() {
            std::process::exit(1);
        }
        stop.stop();
    });
    if let Err(error) = handled {
        log::warn!("Ctrl-C will end this at once: {error}");
    }
}
