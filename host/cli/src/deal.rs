//! `sandboard deal`: deals start positions of games with random starts, each with its exact value
//! if the game can be solved.

use std::io::Write;

use anyhow::{Result, anyhow};
use serde_json::json;

use super::arena::sized;
use super::interrupt::on_interrupt;
use super::plan::random_seed;
use super::{game_named, known_games, usage, variant_of};
use sandboard_arena::default_concurrency;
use sandboard_bout::solver;
use sandboard_bout::solver::SolverError;
use sandboard_bout::start::StartPosition;
use sandboard_common::ordered_work::{Completion, Stop, run_in_order};

/// The most deals of one call.
const COUNT_MAX: i64 = 1_000_000;

const EXAMPLES: &str = "\
A deal depends only on game, variant and seed; the second deal uses the next seed, and so on. Use
the lines as openings (`sandboard arena match --openings FILE`), or play a position with
`sandboard play --position`. If the game can be solved, each position contains its exact value:
`dd=7` means that NS take 7 tricks when both sides play perfectly.

Examples:
  sandboard deal bridge
  sandboard deal bridge --variant double-dummy-8 --seed 1 --count 100 > openings.txt
  sandboard deal bridge --seed 7 --count 3 --json";

/// Deal start positions of a game with random starts
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's id
    game: String,
    /// The variant, with its size if it has several: `double-dummy-8`
    #[arg(long)]
    variant: Option<String>,
    /// The seed of the first deal [default: a random one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The number of deals
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    count: u32,
    /// Print a JSON line for each deal, with its seed
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let games = known_games();
    let info = game_named(&games, &args.game)?;
    let Some(deal) = info.deal else {
        let dealt = games.iter().filter(|info| info.deal.is_some()).map(|info| info.id);
        let dealt = dealt.collect::<Vec<_>>().join(", ");
        return Err(usage(format!("{} has no random starts; games that have: {dealt}", info.id)));
    };
    let variant = sized(info, &variant_of(info, args.variant.as_deref())?)?;
    let first = args.seed.unwrap_or_else(random_seed);
    let (count, named) = (args.count, variant.text());
    let stop = Stop::default();
    on_interrupt(&stop);
    let mut out = crate::output::stdout();
    if !args.json {
        let s = if count == 1 { "" } else { "s" };
        writeln!(out, "# {count} deal{s} of {}, {named}, seed {first}", info.name)?;
    }
    let seeds = (0..count).map(move |index| first.wrapping_add(index.into()));
    let stop_flag = stop.clone();
    let worker = move || {
        let (variant, stop) = (variant.clone(), stop_flag.clone());
        move |seed: u64| {
            let position = Some(deal(&variant, seed));
            let start = StartPosition::new(info, variant.clone(), position);
            match solver::with_mark(&start, &|| !stop.is_stopped()) {
                Err(SolverError::Stopped) => None,
                other => Some((seed, other)),
            }
        }
    };
    let threads = default_concurrency().min(count as usize);
    let ended = run_in_order(seeds, threads, &stop, worker, |(seed, start)| {
        let position = start?.position.unwrap_or_default();
        match args.json {
            true => {
                let line =
                    json!({"game": info.id, "variant": named, "seed": seed, "position": position});
                writeln!(out, "{line}")?;
            }
            false => writeln!(out, "{position} # seed {seed}")?,
        }
        Ok::<(), anyhow::Error>(out.flush()?)
    })?;
    match ended {
        Completion::All => Ok(()),
        Completion::Stopped => Err(anyhow!("interrupted; the deals above are complete")),
        Completion::ThreadLost => Err(anyhow!("a dealing thread failed")),
    }
}
