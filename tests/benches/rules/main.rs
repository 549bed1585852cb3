//! Speed of the rules: moves made and taken back, and queries about points. Prints a table and
//! writes `target/bench-rules.json`.
//!
//! `cargo xtask bench rules`, or some parts of it: `… rules reversi`

#![forbid(unsafe_code)]

#[path = "../shared/cpu.rs"]
mod cpu;
mod gomoku;
#[path = "../shared/parts.rs"]
mod parts;
mod plugged_in;
mod reversi;
#[path = "../shared/table.rs"]
mod table;
mod xiangqi;

use parts::Part;

const PARTS: &[Part] = &[
    ("gomoku", gomoku::measure),
    ("reversi", reversi::measure),
    ("xiangqi", xiangqi::measure),
    ("plugged-in", plugged_in::measure),
];

fn main() {
    parts::run("rules", PARTS);
}
