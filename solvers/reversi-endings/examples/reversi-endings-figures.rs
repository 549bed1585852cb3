//! Measures the time to solve the positions of tests/fixtures/reversi, by number of empty squares:
//! `cargo run --release -p sandboard-reversi-endings --example reversi-endings-figures`.
//! A wrong score is an error.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sandboard_reversi_endings::{EMPTIES_MAX, Solver, TABLE_BYTES};
use serde_json::Value;

/// The number of positions, the nodes searched, the total time and the longest time.
type Row = (u32, u64, Duration, Duration);

fn main() {
    let mut rows: BTreeMap<u64, Row> = BTreeMap::new();
    for file in ["ffo.json", "endgame.json"] {
        let path = format!("{}/../../tests/fixtures/reversi/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("the fixtures are there");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        for position in file["positions"].as_array().expect("positions") {
            let empties = position["empties"].as_u64().expect("a number");
            if empties <= u64::from(EMPTIES_MAX).min(18) {
                let (nodes, took) = solve(position);
                let row = rows.entry(empties).or_default();
                *row = (row.0 + 1, row.1 + nodes, row.2 + took, row.3.max(took));
            }
        }
    }
    println!("empty  number  positions each      ms each   slowest ms");
    for (empties, (number, nodes, all, slowest)) in rows {
        println!(
            "{empties:5}  {number:6}  {:14}  {:11.1}  {:11.1}",
            nodes / u64::from(number),
            all.as_secs_f64() * 1000.0 / f64::from(number),
            slowest.as_secs_f64() * 1000.0
        );
    }
}

fn solve(position: &Value) -> (u64, Duration) {
    let of = |side: &str| -> u64 {
        let board = position["board"].as_str().expect("a board").chars().enumerate();
        board.map(|(at, cell)| u64::from(side.contains(cell)) << at).sum()
    };
    let (own, opponent) =
        if position["side"] == "X" { (of("X"), of("O")) } else { (of("O"), of("X")) };
    // A new solver for each position; the time includes creating its table.
    let began = Instant::now();
    let mut solver = Solver::new(TABLE_BYTES);
    let score = solver.score(own, opponent, &|| true).expect("it is solved");
    assert_eq!(Some(i64::from(score)), position["score"].as_i64(), "{}", position["id"]);
    (solver.nodes(), began.elapsed())
}
