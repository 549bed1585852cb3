//! What the rules cost: moves made and taken back, and questions about points.
//! Prints a table and writes `target/bench-rules.json`.
//!
//! `cargo xtask bench rules`, or some parts of it: `… rules gomoku`

#![forbid(unsafe_code)]

mod gomoku;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
mod table;

use parts::Part;

const PARTS: &[Part] = &[("gomoku", gomoku::measure)];

fn main() {
    parts::run("rules", PARTS);
}
