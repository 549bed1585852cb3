//! What is different when a server has an arena played: the process yields to the rooms of the
//! server, and ends with it.

use std::io::Read;

use crate::interrupt;

/// How much lower the priority is than that of the server, as `nice` counts it.
const NICENESS: i32 = 10;

/// Lowers the priority of this process, and ends it when standard input does: when the server asks
/// for that, or has ended itself. Call before other threads start, which inherit the priority.
pub(super) fn begin() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(NICENESS) {
        log::warn!("the priority cannot be lowered: {error}");
    }
    let watch = || {
        let mut input = std::io::stdin().lock();
        let mut bytes = [0; 64];
        while input.read(&mut bytes).is_ok_and(|count| count > 0) {}
        interrupt::end();
    };
    if let Err(error) = std::thread::Builder::new().name("server".into()).spawn(watch) {
        log::warn!("this process may outlive the server: {error}");
    }
}
