//! Speed of `xiangqi-mt`: nodes per CPU second, native and sandboxed.
//! Prints a table and writes `target/bench-xiangqi.json`.
//!
//! `cargo xtask bench xiangqi`, or some parts of it: `… xiangqi nodes`

#![forbid(unsafe_code)]

#[path = "../shared/nodes.rs"]
mod nodes;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "only lower bars are used here")]
mod table;

use parts::Part;
use sandboard_abi::Setup;
use sandboard_tests::{gomoku, root};

const PARTS: &[Part] = &[("nodes", measure_nodes)];

/// Step between the used positions of the fixtures.
const STEP: usize = 4;

/// Measures nodes per second in middle games and endings of the fixtures.
fn measure_nodes(table: &mut table::Table) {
    nodes::measure_engine(table, "xiangqi-mt", &positions(), 2.0);
}

fn positions() -> Vec<Setup> {
    let path = root().join("tests/fixtures/xiangqi/tactics.json");
    let text = std::fs::read_to_string(path).expect("the fixtures are there");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the fixtures are JSON");
    let records = json["positions"].as_array().expect("there are positions");
    let setup = |record: &serde_json::Value| Setup {
        game: "xiangqi".into(),
        variant: "computer".into(),
        start: record["fen"].as_str().expect("a position has a text").into(),
        ..gomoku(&[])
    };
    records.iter().step_by(STEP).map(setup).collect()
}

fn main() {
    parts::run("xiangqi", PARTS);
}
