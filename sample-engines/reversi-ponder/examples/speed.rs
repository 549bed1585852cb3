//! Measures the speed of the middle-game search and the nodes that ProbCut saves; prints a table.
//! `cargo run --profile bench -p reversi-ponder --example speed`.
#![forbid(unsafe_code)]

use std::time::Instant;

use reversi_ponder::eval::Weights;
use reversi_ponder::midgame::{MobilityAnalyzer, PatternEvaluator};
use sandboard_sdk::abi::Limits;
use sandboard_sdk::games::reversi::{INFO, Reversi};
use sandboard_sdk::games::{MoveSet, Rules};
use sandboard_sdk::{Host, Random, Search, SearchTask, Switches};

/// The numbers of random moves before the measured positions.
const PLIES: [u64; 8] = [6, 10, 14, 18, 22, 26, 30, 34];

fn main() {
    println!("depth    margin   nodes/1000   seconds   nodes/s/1000   values");
    for depth in [8, 10, 12] {
        for margin_tenths in [0, 20, 15, 11] {
            if margin_tenths == 0 && depth > 10 {
                continue;
            }
            let (mut nodes, mut values) = (0, Vec::new());
            let began = Instant::now();
            for plies in PLIES {
                let mut position = Reversi::start(&INFO.variant("standard").unwrap());
                let mut random = Random::seeded(plies);
                for _ in 0..plies {
                    let mut moves = Vec::new();
                    position.generate(MoveSet::All, &mut moves);
                    position.make(moves[random.below(moves.len())]);
                }
                let evaluator = PatternEvaluator::new(Weights::built_in(), margin_tenths);
                let switches =
                    Switches { aspiration_windows: true, prob_cut: true, ..Switches::CLASSIC };
                let mut search =
                    Search::with_parts(MobilityAnalyzer, evaluator, switches, 16 << 20);
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
                let result = search.run(&position, task);
                nodes += result.line.nodes;
                values.push(result.line.score.map_or(0, |score| score.value));
            }
            let seconds = began.elapsed().as_secs_f64();
            let (rate, nodes) = (nodes as f64 / seconds / 1e3, nodes / 1000);
            println!(
                "{depth:5} {margin_tenths:9} {nodes:12} {seconds:9.2} {rate:14.0}   {values:?}"
            );
        }
    }
}
