//! `sandboard tune`: what was typed, and which part of it does the work. Plays nothing itself.

mod begin;
mod make;
mod space;

use std::path::PathBuf;

use anyhow::Result;

use super::engines::EngineArgs;
use super::seat::SeatSpec;
use super::usage;
use crate::arena::CONCURRENCY_MAX;
use crate::budget::Budget;

const EXAMPLES: &str = "\
A run is a folder: journal.jsonl, which is the whole run and can be gone on with after a kill at any moment;
weights.options, what is found so far; report.html, how it came about. Under fuel the same seed gives the same run.

Examples:
  sandboard tune gomoku-rows --game gomoku --openings openings/gomoku/freestyle.txt
  sandboard tune gomoku-rows:options=spoilt.options --against gomoku-rows --method cma-es
  sandboard tune xiangqi-mt --option rook=500..1500 --option cannon --pairs 32 --games 50000
  sandboard tune gomoku-rows --agree masters.sgf --positions 400
  sandboard tune --resume ~/.local/share/sandboard/tune/gomoku-rows-20260701-123456
  sandboard play gomoku --seat human --seat gomoku-rows:options=weights.options";

/// Find better weights for an engine's tunable options
///
/// For example: sandboard tune gomoku-rows --openings book.txt
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Args {
    /// The engine, with its budget and with options: those that are tuned begin there, the others stay as they are
    #[arg(value_name = "ENGINE", required_unless_present = "resume")]
    engine: Option<SeatSpec>,
    /// Go on with the run in this folder, as it was begun; beside it --concurrency, --json and where engines are
    #[arg(long, value_name = "DIR", conflicts_with_all = BEGINS)]
    resume: Option<PathBuf>,
    /// An option that is tuned, and the part of its range that is looked at; may be given several times
    /// [default: all that the engine declares tunable]
    #[arg(long = "option", value_name = "NAME[=MIN..MAX]")]
    options: Vec<space::Asked>,
    /// Whom it plays; may be given several times [default: itself, as it begins, and then what it found]
    #[arg(long, value_name = "ENGINE")]
    against: Vec<SeatSpec>,
    /// In place of games: how often it chooses as somebody did in this file of games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "pairs"])]
    agree: Option<PathBuf>,
    /// With --agree: positions of a measurement [default: 256]
    #[arg(long, value_name = "N", requires = "agree")]
    #[arg(value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    positions: Option<u32>,
    /// The game [default: the only one that all play]
    #[arg(long)]
    game: Option<String>,
    /// The variant [default: the game's first]
    #[arg(long)]
    variant: Option<String>,
    /// What each may spend, where it does not say so itself; only under fuel is a run repeated bit for bit
    /// [default: fuel:1e7/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// A file of openings, as in `arena`; pairs take them in turn [default: the start position]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// How weights are found: `steady-state` and `generational` are genetic algorithms
    #[arg(long, value_enum, default_value_t = MethodName::SteadyState)]
    method: MethodName,
    /// A setting of the method, `name=value`; may be given several times (docs/tuning.md lists them)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<space::Setting>,
    /// Pairs of games of a measurement, at most [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    /// The probability with which weights that are good enough may be given up early; 0: all of a measurement is
    /// made
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    race: f64,
    /// The run is over after so many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// The run is over after so many measurements [default: 500, unless --games is said]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    measurements: Option<u32>,
    /// In how many parts the run is made: each begins with the best of the one before, and plays the best of each before
    /// beside --against [default: 4 where it plays itself, or as many as leave each three
    /// generations; 1 with --against, --agree or spsa]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    seasons: Option<u32>,
    /// Pairs that the weights found then play against those it began with
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    final_pairs: u32,
    /// After so many moves a game is a draw [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    plies_max: Option<u32>,
    /// What all randomness is drawn from [default: drawn]
    #[arg(long)]
    seed: Option<u64>,
    /// The folder of the run [default: `tune/ENGINE-DATE` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    make: MakeArgs,
}

/// How a run is made, be it begun or gone on with.
#[derive(clap::Args, Debug)]
pub struct MakeArgs {
    /// Games played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// Print JSON lines: each measurement when it is made, and everything at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// What a run is begun with, and does not change when it is gone on with.
const BEGINS: [&str; 20] = [
    "engine",
    "options",
    "against",
    "agree",
    "positions",
    "game",
    "variant",
    "budget",
    "openings",
    "method",
    "settings",
    "pairs",
    "race",
    "games",
    "measurements",
    "seasons",
    "final_pairs",
    "plies_max",
    "seed",
    "dir",
];

/// How weights are found.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodName {
    /// One child at a time takes the place of the worst
    SteadyState,
    /// A whole generation at a time, of which the best stay
    Generational,
    /// Simultaneous perturbation: two sets of weights play each other
    Spsa,
    /// Covariance matrix adaptation
    CmaEs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if let Some(dir) = &args.resume {
        return make::go_on(dir, &args.make);
    }
    match &args.engine {
        Some(engine) => make::make(begin::begin(args, engine)?, &args.make),
        None => Err(usage("say which engine is tuned, or go on with --resume DIR")),
    }
}
