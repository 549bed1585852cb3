//! Strength of `gomoku-alpha`: solved tactics, nodes per CPU second, a match against
//! `gomoku-simple`, bouts without faults, and the order of its levels. Positions and matches run by
//! `sandboard suite` and `sandboard arena match`. Prints a table and writes
//! `target/bench-gomoku.json`.
//!
//! `cargo xtask bench gomoku`, or some parts of it: `… gomoku tactics nodes match faults levels`;
//! with other settings: `… gomoku match pairs=20 budget=50ms/move a=gomoku-alpha:level=9`

#![forbid(unsafe_code)]

#[path = "../shared/commands.rs"]
mod commands;
mod matches;
#[path = "../shared/nodes.rs"]
mod nodes;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/searches.rs"]
#[allow(dead_code, reason = "only its positions are used here")]
mod searches;
#[path = "../shared/table.rs"]
mod table;
mod tactics;
#[path = "../shared/views.rs"]
mod views;

use parts::Part;

const PARTS: &[Part] = &[
    ("tactics", tactics::measure),
    ("nodes", measure_nodes),
    ("match", matches::measure),
    ("faults", matches::measure_faults),
    ("levels", matches::measure_levels),
];

/// Measures nodes per second in the middle games of the fixtures.
fn measure_nodes(table: &mut table::Table) {
    nodes::measure_engine(table, "gomoku-alpha", &searches::positions(), 1.0);
}

fn main() {
    parts::run("gomoku", PARTS);
}
