//! Speed of the reversi engine's endgame solver on the FFO suite. Prints a table and writes
//! `target/bench-reversi.json`.
//!
//! `cargo xtask bench reversi`, or some parts of it: `… reversi ffo threads=2`

#![forbid(unsafe_code)]

mod ffo;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "not every bench has medians")]
mod table;

use parts::Part;

const PARTS: &[Part] = &[("ffo", ffo::measure)];

fn main() {
    parts::run("reversi", PARTS);
}
