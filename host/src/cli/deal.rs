//! `sandboard deal`: positions of games that begin by chance, each with its exact value
//! where the game can be solved.

use std::io::Write;

use anyhow::{Result, anyhow};
use sandboard_games::GAMES;
use serde_json::json;

use super::arena::sized;
use super::interrupt::on_interrupt;
use super::plan::drawn_seed;
use super::{game_named, usage, variant_of};
use crate::arena::usual_concurrency;
use crate::exact::{self, ExactError};
use crate::ordered::{Ended, Stop, in_order};
use crate::record::Start;

/// More are no use to anybody.
const COUNT_MAX: i64 = 1_000_000;

const EXAMPLES: &str = "\
A deal depends on nothing but game, variant and seed; of several deals the second has the next
seed, and so on. The lines are openings for `sandboard arena match --openings FILE`, and each
position can be played with `sandboard play --position`. Where the game can be solved exactly, a
position bears its value: `dd=7` says that NS take 7 tricks when both sides play perfectly.

Examples:
  sandboard deal bridge
  sandboard deal bridge --variant double-dummy-8 --seed 1 --count 100 > openings.txt
  sandboard deal bridge --seed 7 --count 3 --json";

/// Deal positions of a game that begins by chance
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The game's id
    game: String,
    /// The variant, with a size where it has several: `double-dummy-8`
    #[arg(long)]
    variant: Option<String>,
    /// The seed of the first deal [default: drawn]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many deals
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    count: u32,
    /// Print a JSON line for each, with its seed
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let info = game_named(&args.game)?;
    let Some(deal) = info.deal else {
        let dealt = GAMES.iter().filter(|info| info.deal.is_some()).map(|info| info.id);
        let dealt = dealt.collect::<Vec<_>>().join(", ");
        return Err(usage(format!("{} always begins alike; dealt are: {dealt}", info.id)));
    };
    let variant = sized(info, &variant_of(info, args.variant.as_deref())?)?;
    let first = args.seed.unwrap_or_else(drawn_seed);
    let (count, named) = (args.count, variant.text());
    let stop = Stop::default();
    on_interrupt(&stop);
    let mut out = std::io::stdout().lock();
    if !args.json {
        let s = if count == 1 { "" } else { "s" };
        writeln!(out, "# {count} deal{s} of {}, {named}, seed {first}", info.name)?;
    }
    let seeds = (0..count).map(move |index| first.wrapping_add(index.into()));
    let told = stop.clone();
    let worker = move || {
        let (variant, told) = (variant.clone(), told.clone());
        move |seed: u64| {
            let position = Some(deal(&variant, seed));
            let start = Start { game: info, variant: variant.clone(), position };
            match exact::marked(&start, &|| !told.is_stopped()) {
                Err(ExactError::Stopped) => None,
                other => Some((seed, other)),
            }
        }
    };
    let threads = usual_concurrency().min(count as usize);
    let ended = in_order(seeds, threads, &stop, worker, |(seed, start)| {
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
        Ended::All => Ok(()),
        Ended::Stopped => Err(anyhow!("interrupted; the deals above are whole")),
        Ended::Lost => Err(anyhow!("a thread that dealt is lost")),
    }
}
