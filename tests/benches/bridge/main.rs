//! Overhead of the sandbox on the double-dummy solver: `bridge-dd` chooses its opening lead without
//! a limit, native and sandboxed, in turns. Prints a table and writes `target/bench-bridge.json`.
//! `cargo xtask bench peers bridge` compares the solver with DDS.
//!
//! `cargo xtask bench bridge`

#![forbid(unsafe_code)]

#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "not every kind of bar is used here")]
mod table;

use std::sync::Arc;

use sandboard_abi::{Limits, Setup, Unit};
use sandboard_engine::{Caps, EngineSource, NullListener};
use sandboard_engine_native::CallMode;
use sandboard_engine_wasm::Metering;
use sandboard_tests::{gomoku, native, root, wasm};

use parts::Part;
use table::{Bar, Table, median};

const ENGINE: &str = "bridge-dd";
const DEALS: usize = 10;
const ROUNDS: usize = 3;
/// More than any deal needs.
const CPU_US: u64 = 600_000_000;

const PARTS: &[Part] = &[("solver", measure)];

fn main() {
    parts::run("bridge", PARTS);
}

fn measure(table: &mut Table) {
    let native = native(ENGINE, CallMode::Inline).expect("it loads");
    let wasm = wasm(ENGINE, Metering::Deadline, Caps::default()).expect("it loads");
    let setups = deals();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let costs = [cost(&native, &setups), cost(&wasm, &setups)];
        assert_eq!(costs[0].0, costs[1].0, "the results differ");
        // The first round is a warm-up.
        if round > 0 {
            outside.push(costs[0].1);
            inside.push(costs[1].1);
        }
    }
    let ratios = inside.iter().zip(&outside).map(|(wasm, native)| wasm / native).collect();
    table.add(format!("{ENGINE}, native"), median(outside), "ms a lead", None);
    table.add(format!("{ENGINE}, wasm"), median(inside), "ms a lead", None);
    table.add("  wasm ÷ native", median(ratios), "", Some(Bar::AtMost(2.0)));
}

/// Deals of the fixtures, every second without trumps.
fn deals() -> Vec<Setup> {
    let path = root().join("tests/fixtures/bridge/dd.json");
    let text = std::fs::read_to_string(path).expect("the fixtures are there");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the fixtures are JSON");
    let deals = json["deals"].as_array().expect("there are deals");
    let start = |(number, deal): (usize, &serde_json::Value)| {
        let strain = if number % 2 == 0 { "NT" } else { "S" };
        let hands = deal["pbn"].as_str().expect("a deal has hands");
        Setup {
            game: "bridge".into(),
            variant: "double-dummy".into(),
            start: format!("{hands} {strain} N -"),
            ..gomoku(&[])
        }
    };
    deals.iter().take(DEALS).enumerate().map(start).collect()
}

/// The results with their node counts, and CPU milliseconds per lead.
fn cost(source: &dyn EngineSource, setups: &[Setup]) -> (Vec<(String, u64)>, f64) {
    let limits = Limits { unit: Unit::Cpu, call_max: Some(CPU_US), ..Limits::default() };
    let mut cpu_us = 0;
    let mut found = Vec::new();
    for setup in setups {
        let mut engine = source.open(Arc::new(NullListener), 1).expect("it opens");
        engine.start(setup).expect("it starts");
        let answer = engine.choose(&limits, &[]).expect("it chooses");
        cpu_us += answer.spent.cpu_us.expect("CPU time is counted here");
        let line = answer.choice.line.expect("the answer has a line");
        found.push((line.moves, line.nodes));
    }
    (found, cpu_us as f64 / 1e3 / setups.len() as f64)
}
