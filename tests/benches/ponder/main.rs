//! Gain of pondering: matches in which one player ponders and the other does not, at the same
//! budget, with one core each. Measures the share of predicted replies, the time gained, the depth,
//! and the strength with its error. Prints a table and writes `target/bench-ponder.json`.
//!
//! `cargo xtask bench ponder`, or some parts of it: `… ponder equal stronger weaker controls
//! evaluation native gomoku`; with other settings: `… ponder equal pairs=800 budget=30`, the budget
//! in milliseconds a move.

#![forbid(unsafe_code)]

#[path = "../shared/commands.rs"]
mod commands;
mod depth;
mod matches;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "no figure here is a median")]
mod table;
#[path = "../shared/views.rs"]
mod views;

use parts::Part;

const PARTS: &[Part] = &[
    ("equal", matches::equal),
    ("stronger", matches::stronger),
    ("weaker", matches::weaker),
    ("controls", matches::controls),
    ("evaluation", matches::evaluation),
    ("native", matches::native),
    ("gomoku", matches::gomoku),
];

fn main() {
    parts::run("ponder", PARTS);
}
