//! Trains the weights of the evaluation: rounds of self-play games, each with the weights of the
//! last round, and a fit to their results. `cargo xtask train reversi` runs it. The same seed gives
//! the same bytes, with any number of cores and any load. Games are not stored.
#![forbid(unsafe_code)]

mod board;
mod fit;
mod games;
mod prob_cut;
mod progress;
mod search;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use fit::Quality;
use games::{Plan, Sample};
use reversi_ponder::eval::{CutTable, KNOT, KNOTS, OPPONENT_MOVES, OWN_MOVES, Weights};

/// The seed of the engine's built-in weights.
const SEED: u64 = 20_241_122;

/// The rounds: number of games, depth, and the most empty squares for exact play. From the second
/// round on, positions are also used for the fits of later rounds.
const ROUNDS: [(usize, u32, u32); 4] =
    [(10_000, 1, 8), (40_000, 2, 9), (150_000, 3, 10), (150_000, 3, 10)];

struct Arguments {
    out: PathBuf,
    seed: u64,
    /// The number of games is divided by this.
    part: usize,
}

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)).and_then(|arguments| train(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `--out FILE`, `--seed N`, `--part N`.
fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut out = None;
    let (mut seed, mut part) = (SEED, 1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        let number = || value.parse::<u64>().map_err(|e| format!("`{word} {value}`: {e}"));
        match word.as_str() {
            "--out" => out = Some(PathBuf::from(value)),
            "--seed" => seed = number()?,
            "--part" => part = (number()? as usize).max(1),
            _ => {
                return Err(format!(
                    "unknown option `{word}`; the options are --out, --seed and --part"
                ));
            }
        }
    }
    Ok(Arguments { out: out.ok_or("the option --out FILE is missing")?, seed, part })
}

fn train(arguments: &Arguments) -> Result<(), String> {
    let began = Instant::now();
    let mut bytes = Weights::write(&initial_weights(), &CutTable::default(), arguments.seed);
    let mut kept: Vec<Sample> = Vec::new();
    for (round, &(games, depth, exact_empties)) in (1..).zip(&ROUNDS) {
        let weights = Weights::read(&bytes).map_err(|error| error.to_string())?;
        let games = games / arguments.part;
        let seed = arguments.seed.wrapping_mul(1_000).wrapping_add(round);
        let plan = Plan { games, depth, exact_empties, seed };
        let name = format!("round {round} of {}, games to depth {depth}", ROUNDS.len());
        let fresh = games::play(&weights, plan, &name);
        if round <= 2 {
            kept.clear();
        }
        kept.extend(fresh);
        let (knots, qualities) = fit::fit(&kept);
        print_qualities(&qualities);
        bytes = Weights::write(&knots, &CutTable::default(), arguments.seed);
        if round as usize == ROUNDS.len() {
            let weights = Weights::read(&bytes).map_err(|error| error.to_string())?;
            let cuts = prob_cut::fit(&weights, &kept, arguments.part);
            bytes = Weights::write(&knots, &cuts, arguments.seed);
        }
    }
    std::fs::write(&arguments.out, &bytes)
        .map_err(|error| format!("cannot write {}: {error}", arguments.out.display()))?;
    let (file, spent) = (arguments.out.display(), began.elapsed().as_secs());
    eprintln!("{file}: {} bytes, from seed {}, in {spent} s", bytes.len(), arguments.seed);
    Ok(())
}

/// The weights of the first games: each move is worth half a disc.
fn initial_weights() -> Vec<Vec<f32>> {
    let mut knot = vec![0.0; KNOT];
    for moves in 0..OPPONENT_MOVES - OWN_MOVES {
        knot[OWN_MOVES + moves] = moves as f32 / 2.0;
        knot[OPPONENT_MOVES + moves] = moves as f32 / -2.0;
    }
    vec![knot; KNOTS.len()]
}

fn print_qualities(qualities: &[Quality]) {
    for (knot, quality) in KNOTS.iter().zip(qualities) {
        let Quality { positions, held_out, error, baseline_error } = quality;
        eprintln!(
            "  {knot} discs: {positions} positions; mean error on {held_out} held-out positions: \
             {error:.2} discs (with weights of 0: {baseline_error:.2})"
        );
    }
}
