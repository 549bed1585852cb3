//! Whole random games a second, on one thread and in CPU time: rules compiled in, the same rules as
//! a plugged-in component, and the rules of OpenSpiel. All play in turns. Prints a table and writes
//! `target/bench-playouts.json`.
//!
//! `cargo xtask bench playouts`, or with OpenSpiel and some parts of it:
//! `… playouts hex open_spiel=/path/to/python`, a Python that has the package `open_spiel`. Nothing
//! is installed.
//!
//! A component plays the games itself, for a call with their number; or the host plays them, with a
//! call to list the moves of each ply and one to play. OpenSpiel plays in C++: Python only asks for
//! a number of games (`open_spiel.py`).

#![forbid(unsafe_code)]

#[path = "../shared/cpu.rs"]
mod cpu;
mod implementations;
mod open_spiel;
#[path = "../shared/parts.rs"]
mod parts;
#[path = "../shared/table.rs"]
#[allow(dead_code, reason = "not every kind of bar is used here")]
mod table;

use sandboard_games::{GAMES, GameInfo, bridge, gomoku, reversi, xiangqi};

use implementations::{Implementation, Measurement, OurRules};
use open_spiel::OpenSpiel;
use parts::Part;
use table::{Bar, Table, median};

/// The request of a game that OpenSpiel lacks, or plays by other rules.
const NO_PEER: &str = "";
const ROUNDS: usize = 7;
/// The CPU time that each implementation plays for in a round, about.
const ROUND_S: f64 = 0.3;
/// The games of the first measurement, by which the others are planned.
const TRIAL: u64 = 200;
/// How far the mean results of two implementations may be apart. An implementation with other rules
/// or with choices that are not uniform exceeds it.
const TOLERANCE: f64 = 0.1;

const PARTS: &[Part] = &[
    ("connect-four", |table| {
        measure(table, &connect_four::INFO, ["", ""], "evaluator connect_four");
    }),
    ("hex", |table| {
        measure(table, &hex::INFO, ["plain-11", ""], "evaluator hex(board_size=11)");
    }),
    ("reversi", |table| measure(table, &reversi::INFO, ["standard-8", ""], "evaluator othello")),
    ("gomoku", |table| measure(table, &gomoku::INFO, ["freestyle-15", ""], NO_PEER)),
    ("xiangqi", |table| measure(table, &xiangqi::INFO, ["", ""], NO_PEER)),
    ("bridge", |table| {
        let deal = bridge::INFO.deal.expect("bridge deals");
        let deal = deal(&bridge::INFO.default_variant(), 1);
        measure(table, &bridge::INFO, ["", &deal], NO_PEER);
    }),
    // OpenSpiel's evaluator does not begin with chance: both cards are dealt before.
    ("kuhn-poker-dealt", |table| {
        measure(table, &kuhn_poker::INFO, ["", "KJ:"], "evaluator kuhn_poker 2 0");
    }),
    // The deal included, in OpenSpiel with a call from Python for each game.
    ("kuhn-poker", |table| measure(table, &kuhn_poker::INFO, ["", ""], "bots kuhn_poker")),
];

fn main() {
    parts::run("playouts", PARTS);
}

/// An implementation with the number of games of a round, and its results in each round.
struct Entrant {
    name: &'static str,
    implementation: Box<dyn Implementation>,
    games: u64,
    rounds: Vec<Measurement>,
}

impl Entrant {
    fn new(name: &'static str, mut implementation: impl Implementation + 'static) -> Self {
        let trial = implementation.play(TRIAL);
        let games = (ROUND_S / trial.cpu_s * TRIAL as f64).ceil() as u64;
        Self { name, implementation: Box::new(implementation), games, rounds: Vec::new() }
    }

    /// Its mean results of seat 0.
    fn mean_result(&self) -> f64 {
        self.rounds.iter().map(|it| it.mean_result).sum::<f64>() / self.rounds.len() as f64
    }

    fn games_per_s(&self) -> Vec<f64> {
        self.rounds.iter().map(|it| self.games as f64 / it.cpu_s).collect()
    }
}

/// Measures the rules of a game from a position; no text: the start. `peer` is the request to
/// OpenSpiel, without the number of games.
fn measure(
    table: &mut Table,
    info: &'static GameInfo,
    [variant, position]: [&str; 2],
    peer: &'static str,
) {
    let id = info.id;
    let component = match GAMES.iter().any(|it| it.id == id) {
        true => sandboard_tests::built_in_game(id),
        false => sandboard_tests::built(&format!("{id}/{id}.wasm")),
    };
    let component = std::fs::read(component).expect("the component can be read");
    let variant = info.variant(variant).expect("a variant");
    let start = (!position.is_empty()).then_some(position);
    let plugged_in = || OurRules::plugged_in(&component, info, &variant, start);
    let mut entrants = vec![
        Entrant::new("compiled in", OurRules::compiled_in(info, &variant, start)),
        Entrant::new("plugged in", plugged_in()),
        Entrant::new("plugged in, by calls", plugged_in().with_calls()),
    ];
    if let Some(python) = open_spiel::python().filter(|_| peer != NO_PEER) {
        entrants.push(Entrant::new("OpenSpiel", OpenSpiel::start(&python, peer)));
    }
    // The first round is a warm-up.
    for round in 0..=ROUNDS {
        for entrant in &mut entrants {
            let played = entrant.implementation.play(entrant.games);
            entrant.rounds.extend((round > 0).then_some(played));
        }
    }
    report(table, &format!("{id} {position}"), &entrants);
}

fn report(table: &mut Table, game: &str, entrants: &[Entrant]) {
    for entrant in entrants {
        let what = format!("{}, {}", game.trim_end(), entrant.name);
        table.add(what, median(entrant.games_per_s()) / 1e3, "1000/s", None);
        let apart = (entrant.mean_result() - entrants[0].mean_result()).abs();
        assert!(apart < TOLERANCE, "{game}: the results of {} differ by {apart}", entrant.name);
    }
    let ratio = |one: &Entrant, other: &Entrant| {
        median(one.games_per_s().iter().zip(other.games_per_s()).map(|(a, b)| a / b).collect())
    };
    let [compiled_in, plugged_in, _, peer @ ..] = entrants else { return };
    table.add("  plugged in ÷ compiled in", ratio(plugged_in, compiled_in), "", None);
    for peer in peer {
        let bars = [(compiled_in, Bar::AtLeast(5.0)), (plugged_in, Bar::AtLeast(1.0))];
        for (ours, bar) in bars {
            let what = format!("  {} ÷ {}", ours.name, peer.name);
            table.add(what, ratio(ours, peer), "", Some(bar));
        }
    }
}
