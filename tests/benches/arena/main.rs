//! Costs of an arena besides the engines: plies per second of one core with all work of a game (new
//! instances, fuel, referee, record, statistics, store), the start of a bout, the overhead of
//! jailed engine processes, and the memory of a hundred thousand games.
//!
//! Compared conditions are measured in one run, in turns, as CPU time. Prints a table and writes
//! `target/bench-arena.json`.
//!
//! `cargo xtask bench arena`, or some parts of it: `… arena plies start worker memory games=100000`

#![forbid(unsafe_code)]

mod memory;
#[path = "../shared/parts.rs"]
mod parts;
mod plies;
#[expect(dead_code, reason = "only the memory is used here")]
#[path = "../shared/processes.rs"]
mod processes;
mod stage;
mod start;
#[path = "../shared/table.rs"]
mod table;
mod worker;

use parts::Part;

const PARTS: &[Part] = &[
    ("plies", plies::measure),
    ("start", start::measure),
    ("worker", worker::measure),
    ("memory", memory::measure),
];

fn main() {
    parts::run("arena", PARTS);
}
