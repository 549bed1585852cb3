//! `sandboard tune`: its arguments, and the module that runs it. Plays nothing itself.

mod run;
mod setup;
mod space;

use std::path::PathBuf;

use anyhow::Result;

use super::engines::EngineArgs;
use super::seat::SeatSpec;
use super::usage;
use sandboard_arena::CONCURRENCY_MAX;
use sandboard_engine::Budget;

const EXAMPLES: &str = "\
A run is a folder with three files: journal.jsonl is the whole run, and can be resumed even after
the process was killed; weights.options has the best weights so far; report.html shows the progress.
Under fuel the same seed gives the same run.

Examples:
  sandboard tune gomoku-rows --game gomoku --openings openings/gomoku/freestyle.txt
  sandboard tune gomoku-rows:options=spoilt.options --against gomoku-rows --method cma-es
  sandboard tune xiangqi-mt --option rook=500..1500 --option cannon --pairs 32 --games 50000
  sandboard tune gomoku-rows --agree masters.sgf --positions 400
  sandboard tune --resume ~/.local/share/sandboard/tune/gomoku-rows-20260701-123456
  sandboard play gomoku --seat human --seat gomoku-rows:options=weights.options";

/// Tune the options of an engine
///
/// For example: sandboard tune gomoku-rows --openings book.txt
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    /// The engine, with its budget and options: tuned options start at these values, the others
    /// keep them
    #[arg(value_name = "ENGINE", required_unless_present = "resume")]
    engine: Option<SeatSpec>,
    /// Continue the run in this folder; only --concurrency, --json and the options of engines may
    /// be given
    #[arg(long, value_name = "DIR", conflicts_with_all = FIXED_ARGS)]
    resume: Option<PathBuf>,
    /// An option to tune, and optionally a part of its range; may be repeated
    /// [default: every option that the engine declares tunable]
    #[arg(long = "option", value_name = "NAME[=MIN..MAX]")]
    options: Vec<space::OptionRange>,
    /// An opponent; may be repeated [default: the engine itself with its start values, and later
    /// with the weights found]
    #[arg(long, value_name = "ENGINE")]
    against: Vec<SeatSpec>,
    /// Instead of games, measure how often the engine chooses the move that was played in this file
    /// of games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "pairs"])]
    agree: Option<PathBuf>,
    /// With --agree: the number of positions of a measurement [default: 256]
    #[arg(long, value_name = "N", requires = "agree")]
    #[arg(value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    positions: Option<u32>,
    /// The game [default: the only game that all engines support]
    #[arg(long)]
    game: Option<String>,
    /// The variant [default: the game's first]
    #[arg(long)]
    variant: Option<String>,
    /// The budget of engines without their own; only a run on fuel can be repeated exactly
    /// [default: fuel:1e7/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// A file of openings, as for `arena`; pairs use them in turn [default: the start position]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The optimisation method: `steady-state` and `generational` are genetic algorithms
    #[arg(long, value_enum, default_value_t = MethodName::SteadyState)]
    method: MethodName,
    /// A setting of the method, `name=value`; may be repeated (docs/tuning.md lists them)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<space::Setting>,
    /// The most pairs of games of a measurement [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    /// The probability of stopping the measurement of weights early although they are good enough;
    /// 0: measure all of them completely
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    race: f64,
    /// Stop after this number of games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Stop after this number of measurements [default: 500, unless --games is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    measurements: Option<u32>,
    /// The number of seasons: each starts with the best weights of the previous one, and adds the
    /// best weights of each earlier season to the opponents [default: 4 in self-play, or fewer, so
    /// that each season has at least three generations; 1 with --against, --agree or spsa]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    seasons: Option<u32>,
    /// The pairs of the final match, between the weights found and the start values
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    final_pairs: u32,
    /// The ply limit: a longer game is a draw [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    plies_max: Option<u32>,
    /// The seed of everything random in the run [default: a random one]
    #[arg(long)]
    seed: Option<u64>,
    /// The folder of the run [default: `tune/ENGINE-DATE` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

/// Arguments of a run, whether it is new or resumed.
#[derive(clap::Args, Debug)]
pub(crate) struct RunArgs {
    /// The number of games played at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    /// Print JSON lines: one for each measurement, and the results at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// The arguments that are fixed when a run is created; they conflict with --resume.
const FIXED_ARGS: [&str; 20] = [
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

/// An optimisation method.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodName {
    /// Genetic algorithm: one new set of weights at a time replaces the worst
    SteadyState,
    /// Genetic algorithm: a whole generation at a time, of which the best stay
    Generational,
    /// Simultaneous perturbation: two sets of weights play against each other
    Spsa,
    /// Covariance matrix adaptation
    CmaEs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(dir) = &args.resume {
        return run::resume(dir, &args.run);
    }
    match &args.engine {
        Some(engine) => run::run(setup::create(args, engine)?, &args.run),
        None => Err(usage("name the engine to tune, or continue a run with --resume DIR")),
    }
}
