//! What the sandbox holds and what holding it costs: how soon an engine is stopped
//! that does not come back, that nobody else is stopped with it, and what a search
//! pays for being watched; and that what was played on fuel is played again bit for bit.
//!
//! Prints a table and writes `target/bench-sandbox.json`.
//!
//! `cargo xtask bench sandbox`, or some parts of it: `… sandbox kill neighbours metering records`

#![forbid(unsafe_code)]

mod guests;
mod kill;
mod metering;
mod neighbours;
#[path = "../shared/parts.rs"]
mod parts;
mod progress;
mod records;
#[path = "../shared/searches.rs"]
mod searches;
#[path = "../shared/table.rs"]
mod table;

use parts::Part;

const PARTS: &[Part] = &[
    ("kill", kill::measure),
    ("neighbours", neighbours::measure),
    ("metering", metering::measure),
    ("records", records::measure),
];

fn main() {
    parts::run("sandbox", PARTS);
}
