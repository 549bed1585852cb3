//! Capacity of the server: a thousand rooms with scripted players and two spectators each, on the
//! machine that runs both. Uses the real binary and real sockets; measures only, never fails.
//!
//! Prints a table and writes `target/bench-server.json`.
//!
//! `cargo xtask bench server`, with other settings:
//! `… server rooms=100 spectators=2 rate=500 seconds=20`

#![forbid(unsafe_code)]

mod descriptors;
mod http;
#[path = "../shared/parts.rs"]
mod parts;
mod person;
#[path = "../shared/processes.rs"]
#[allow(dead_code, reason = "only some of the counts are used here")]
mod processes;
#[path = "../sandbox/progress.rs"]
mod progress;
mod script;
mod served;
mod socket;
mod stage;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "no figure here is a median or has a lowest bar")]
mod table;
mod tally;

use parts::Part;

const PARTS: &[Part] = &[("rooms", stage::measure)];

fn main() {
    parts::run("server", PARTS);
}
