//! What searching with two threads, or two instances in the sandbox, is worth: time to a depth,
//! depth in a time, nodes, nodes a second and use of the processor against one, both ways, in
//! openings of gomoku and xiangqi and endings of reversi that are solved; and what the machine gives
//! to as many searches that have nothing to do with each other.
//! Means over positions are geometric, with the 95 % interval of a mean of so many. Prints a
//! table and writes `target/bench-parallel.json`. Needs as many idle cores as it has workers.
//!
//! `cargo xtask bench parallel`, or some parts of it: `… parallel gomoku reversi xiangqi`; with
//! other figures: `… parallel xiangqi positions=6 workers=4 kinds=native ms=500`

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
