//! How fast the search of the middle game is, and how much probable cuts save:
//! a table on standard output. `cargo run --profile bench -p reversi-ponder --example speed`.
#![forbid(unsafe_code)]

use std::time::Instant;

use reversi_ponder::eval::Weights;
use reversi_ponder::midgame::{FewAnswers, Patterns};
use sandboard_sdk::abi::Limits;
use sandboard_sdk::games::reversi::{INFO, Reversi};
use sandboard_sdk::games::{Generate, Rules};
use sandboard_sdk::{Host, Random, Search, Switches, Task};

/// Positions after so many moves by chance.
const PLIES: [u64; 8] = [6, 10, 14, 18, 22, 26, 30, 34];

fn main() {
    println!("depth   caution   nodes/1000   seconds   nodes/s/1000   values");
    for depth in [8, 10, 12] {
        for caution in [0, 20, 15, 11] {
            if caution == 0 && depth > 10 {
                continue;
            }
            let (mut nodes, mut values) = (0, Vec::new());
            let began = Instant::now();
            for plies in PLIES {
                let mut position = Reversi::start(&INFO.variant("standard").unwrap());
                let mut random = Random::seeded(plies);
                for _ in 0..plies {
                    let mut moves = Vec::new();
                    position.generate(Generate::All, &mut moves);
                    position.make(moves[random.below(moves.len())]);
                }
                let evaluator = Patterns::new(Weights::own(), caution);
                let switches =
                    Switches { aspiration: true, probable_cuts: true, ..Switches::CLASSIC };
                let mut search = Search::with(FewAnswers, evaluator, switches, 16 << 20);
                let limits = Limits { depth: Some(depth), ..Limits::default() };
                let task = Task { limits: &limits, barred: &[], host: &Host::none() };
                let found = search.run(&position, task);
                nodes += found.line.nodes;
                values.push(found.line.score.map_or(0, |score| score.value));
            }
            let seconds = began.elapsed().as_secs_f64();
            let (rate, nodes) = (nodes as f64 / seconds / 1e3, nodes / 1000);
            println!("{depth:5} {caution:9} {nodes:12} {seconds:9.2} {rate:14.0}   {values:?}");
        }
    }
}
