//! One search under several conditions: the same positions to the same number of nodes, in turns,
//! so that noise affects all. All conditions must give the same results.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Limits, Setup};
use sandboard_engine::{EngineSource, Fault, NullListener};
use sandboard_tests::{gomoku, root};

use crate::table::{Bar, Table, median};

/// The engine that searches.
pub(crate) const ENGINE: &str = "gomoku-alpha";
const POSITIONS: usize = 12;
/// Plies of each game: enough stones for a middle game without a win.
const PLIES: usize = 16;
const NODES: u64 = 60_000;
const ROUNDS: usize = 7;

/// The search under one condition.
pub(crate) struct Contender {
    pub name: &'static str,
    source: Box<dyn EngineSource>,
    nodes_per_s: Vec<f64>,
}

impl Contender {
    /// A contender without measurements.
    pub(crate) fn new(name: &'static str, source: impl EngineSource + 'static) -> Self {
        Self { name, source: Box::new(source), nodes_per_s: Vec::new() }
    }

    /// The median of its rounds.
    pub(crate) fn nodes_per_s(&self) -> f64 {
        median(self.nodes_per_s.clone())
    }

    /// The median over rounds of its speed relative to the other's in the same round.
    pub(crate) fn speed_against(&self, other: &Contender) -> f64 {
        median(self.nodes_per_s.iter().zip(&other.nodes_per_s).map(|(a, b)| a / b).collect())
    }
}

/// Lets all contenders search in turns. Panics if their results differ.
pub(crate) fn race(contenders: &mut [Contender]) {
    let setups = positions();
    let mut found = Vec::new();
    for round in 0..=ROUNDS {
        for contender in &mut *contenders {
            let (answers, nodes_per_s) = search_all(&*contender.source, &setups);
            // The first round is a warm-up.
            if round > 0 {
                contender.nodes_per_s.push(nodes_per_s);
            }
            found.push((contender.name, answers));
        }
    }
    for (name, answers) in &found {
        assert_eq!(answers, &found[0].1, "{name} found something else than {}", found[0].0);
    }
}

/// Adds a row for each contender, and for each but the first a row relative to the first, with its
/// bar.
pub(crate) fn report(
    table: &mut Table,
    contenders: &[Contender],
    bar: impl Fn(&str) -> Option<Bar>,
) {
    for contender in contenders {
        let speed = contender.nodes_per_s() / 1e6;
        table.add(format!("{ENGINE}, {}", contender.name), speed, "Mnodes/s", None);
    }
    if let Some((first, others)) = contenders.split_first() {
        for contender in others {
            let what = format!("  {} ÷ {}", contender.name, first.name);
            table.add(what, contender.speed_against(first), "", bar(contender.name));
        }
    }
}

/// Middle games from the fixtures.
pub(crate) fn positions() -> Vec<Setup> {
    let path = root().join("tests/fixtures/gomoku/tactics.json");
    let text = std::fs::read_to_string(path).expect("the fixtures are there");
    let json: serde_json::Value = serde_json::from_str(&text).expect("the fixtures are JSON");
    let records = json["records"].as_array().expect("there are records");
    let freestyle = records.iter().filter(|record| record["rule"] == "freestyle");
    let line = |record: &serde_json::Value| {
        let moves = record["moves"].as_array().expect("a record has moves");
        let texts = moves.iter().take(PLIES).map(|mv| mv.as_str().expect("a move is a text"));
        texts.collect::<Vec<_>>().join(" ")
    };
    let setup = |record| Setup { moves: line(record), ..gomoku(&[]) };
    freestyle.take(POSITIONS).map(setup).collect()
}

/// Result of a search: the chosen line and the node count.
pub(crate) type Found = (String, u64);

/// Searches with a new instance to this number of nodes; the result and the seconds of `choose`.
pub(crate) fn search(
    source: &dyn EngineSource,
    setup: &Setup,
    nodes: u64,
) -> Result<(Found, f64), Fault> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut engine = source.open(Arc::new(NullListener), 1)?;
    engine.start(setup)?;
    let began = Instant::now();
    let answer = engine.choose(&limits, &[])?;
    let seconds = began.elapsed().as_secs_f64();
    let line = answer.choice.line.expect("the answer has a line");
    Ok(((line.moves, line.nodes), seconds))
}

/// The results of all positions, and nodes per second over all.
fn search_all(source: &dyn EngineSource, setups: &[Setup]) -> (Vec<Found>, f64) {
    let one = |setup| search(source, setup, NODES).expect("it searches");
    let (found, seconds): (Vec<Found>, Vec<f64>) = setups.iter().map(one).unzip();
    let nodes: u64 = found.iter().map(|(_, nodes)| nodes).sum();
    (found, nodes as f64 / seconds.iter().sum::<f64>())
}
