//! Gain of searching with two threads, or two sandboxed instances: time to a depth, depth in a
//! time, nodes, nodes per second and CPU use compared with one thread, in both parallel modes, in
//! openings of gomoku and xiangqi and solved endings of reversi; and the speed of the same number
//! of independent searches on this machine. Means over positions are geometric, with the 95 %
//! interval. Prints a table and writes `target/bench-parallel.json`. Needs as many idle cores as
//! search threads.
//!
//! `cargo xtask bench parallel`, or some parts of it: `… parallel gomoku reversi xiangqi`; with
//! other settings: `… parallel xiangqi positions=6 workers=4 kinds=native ms=500`

#![forbid(unsafe_code)]

mod games;
mod measure;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "only lower bars are used here")]
mod table;

use parts::Part;

const PARTS: &[Part] = &[
    ("gomoku", |table| measure::measure(table, &games::gomoku())),
    ("reversi", |table| measure::measure(table, &games::reversi())),
    ("xiangqi", |table| measure::measure(table, &games::xiangqi())),
];

fn main() {
    parts::run("parallel", PARTS);
}
