//! Guarantees and costs of the sandbox: the delay of stopping an engine, that no other engine is
//! stopped with it, the overhead of interruption checks, and that bouts on fuel are reproducible.
//!
//! Prints a table and writes `target/bench-sandbox.json`.
//!
//! `cargo xtask bench sandbox`, or some parts of it: `… sandbox kill workers idle loads neighbours`
//! `metering counting records fuel`

#![forbid(unsafe_code)]

mod counting;
mod fuel;
mod guests;
mod idle;
mod kill;
mod loads;
mod metering;
mod neighbours;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/processes.rs"]
mod processes;
mod progress;
mod records;
#[path = "../shared/searches.rs"]
mod searches;
#[path = "../shared/table.rs"]
mod table;
mod workers;

use parts::Part;

const PARTS: &[Part] = &[
    ("kill", kill::measure),
    ("workers", workers::measure),
    ("idle", idle::measure),
    ("loads", loads::measure),
    ("neighbours", neighbours::measure),
    ("metering", metering::measure),
    ("counting", counting::measure),
    ("records", records::measure),
    ("fuel", fuel::measure),
];

fn main() {
    parts::run("sandbox", PARTS);
}
