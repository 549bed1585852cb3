//! `sandboard arena openings`: a file of fair openings, found by an engine. Judges no position
//! itself.

use std::fmt::Write;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::sized;
use crate::arena::{Balanced, CONCURRENCY_MAX, Finder, Recipe, find, usual_concurrency};
use crate::ask::Asker;
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::cli::engines::{EngineArgs, Engines, check_budget, only_game};
use crate::cli::plan::drawn_seed;
use crate::cli::{SeatSpec, game_named, usage, variant_of};
use crate::record::Start;
use crate::record::store::write_atomically;

/// More are of no use to anybody, and their candidates take days.
const COUNT_MAX: i64 = 100_000;
/// Longer lines are no openings.
const PLIES_MAX: u32 = 100;

const EXAMPLES: &str = "\
An engine draws lines of moves that it likes well enough, and looks at the position after each
for longer; the line is kept if neither side is ahead by more than --margin. With budgets of
nodes, depth or fuel the same seed finds the same openings, whatever --concurrency is.

The file is for `sandboard arena match --openings FILE`. Its head says how it was made.

Examples:
  sandboard arena openings gomoku-alpha --variant standard --count 200 --out standard.txt
  sandboard arena openings gomoku-alpha --plies 3-5 --begin h8 --margin 40 --budget nodes:1e6 \
    --out few.txt";

/// Find fair openings for matches.
///
/// For example: sandboard arena openings gomoku-alpha --count 200 --out openings.txt
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The engine that finds them: its id, with options where wanted (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The file to write; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many openings
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    count: u32,
    /// How many moves an opening has: a number or a range
    #[arg(long, value_name = "FROM-TO", default_value = "4-8", value_parser = plies)]
    plies: RangeInclusive<u32>,
    /// Moves that every opening begins with, counted in --plies: "h8 i9"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    begin: String,
    /// How far a side may be ahead, in the game's unit of score (hundredths of a stone or pawn)
    #[arg(long, value_name = "SCORE", default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    margin: i32,
    /// How much worse than the best a move of an opening may be, in the same unit
    #[arg(long, value_name = "SCORE", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    spread: i32,
    /// The game's id; may be left out when the engine plays just one
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, with a size where it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// What the engine may spend on each move that it draws
    #[arg(long, value_name = "BUDGET", default_value = "nodes:500")]
    draw: Budget,
    /// What it may spend on the position after them
    #[arg(long, value_name = "BUDGET", default_value = "nodes:2e5")]
    budget: Budget,
    /// What all randomness is drawn from [default: drawn]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Candidates looked at at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Reads `4` or `4-8`.
fn plies(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number <= PLIES_MAX);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("a number of moves up to {PLIES_MAX}, or two like 4-8")),
    }
}

pub fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    [&args.draw, &args.budget].into_iter().try_for_each(check_budget)?;
    if args.draw.unit() != args.budget.unit() {
        return Err(usage("--draw and --budget count in different units: name one unit"));
    }
    let mut engines = Engines::open(&args.engines)?;
    let info = match &args.game {
        Some(game) => game_named(game)?,
        None => only_game(&engines.find(&spec.id)?)?,
    };
    if info.deal.is_some() {
        let id = info.id;
        return Err(usage(format!(
            "{id} begins by chance: its openings are dealt: sandboard deal {id}"
        )));
    }
    let variant = sized(info, &variant_of(info, args.variant.as_deref())?)?;
    let player = engines.player(spec, args.budget.unit(), (info, &variant))?;
    let seed = args.seed.unwrap_or_else(drawn_seed);
    let recipe = Recipe {
        start: Start { game: info, variant, position: None },
        begin: args.begin.split_ascii_whitespace().map(str::to_owned).collect(),
        plies: args.plies.clone(),
        spread: args.spread,
        margin: args.margin,
        count: args.count as usize,
        seed,
    };
    let asker = |budget| Asker { player: player.clone(), budget, seed };
    let finder = Finder { quick: asker(args.draw), deep: asker(args.budget) };
    let bar = bar(args.count);
    let threads = args.concurrency.map_or_else(usual_concurrency, usize::from);
    let found = find(&recipe, &finder, threads, &|count| bar.set_position(count as u64));
    bar.finish_and_clear();
    let text = text(args, &recipe, &player, &found?);
    write_atomically(&args.out, text.as_bytes()).map_err(|error| anyhow!(error))?;
    eprintln!("{} openings are in {}", args.count, args.out.display());
    Ok(())
}

/// On anything but a terminal it says nothing.
fn bar(count: u32) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(u64::from(count)), target);
    let style =
        ProgressStyle::with_template("{bar:20} {pos}/{len} openings  {elapsed} passed, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The file: how it was made, and a line for each opening.
fn text(args: &Args, recipe: &Recipe, player: &EnginePlayer, found: &[Balanced]) -> String {
    let mut text = String::new();
    let variant = recipe.start.variant.text();
    let options: String =
        player.options.iter().map(|(name, value)| format!(":{name}={value}")).collect();
    let sha256 = player.module_sha256.as_deref().unwrap_or("unknown");
    let (first, last) = (recipe.plies.start(), recipe.plies.end());
    let begin = match recipe.begin.join(" ") {
        none if none.is_empty() => none,
        moves => format!(" --begin \"{moves}\""),
    };
    let lines = [
        format!("{} openings of {}, {variant}, in which", found.len(), recipe.start.game.name),
        format!("neither side is ahead by more than {}", recipe.margin),
        "found by: sandboard arena openings".to_owned(),
        format!("  {}{options} --game {} --variant {variant}", player.id, recipe.start.game.id),
        format!("  --plies {first}-{last} --margin {} --spread {}", recipe.margin, recipe.spread),
        format!("  --draw {} --budget {} --seed {}{begin}", args.draw, args.budget, recipe.seed),
        format!("with version {} of the engine, SHA-256 {sha256}", player.version),
        "behind each: the score for the side to move, and the depth".to_owned(),
    ];
    for line in lines {
        let _ = writeln!(text, "# {line}");
    }
    for Balanced { moves, score, depth } in found {
        let _ = writeln!(text, "{} # {score:+} at depth {depth}", moves.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_a_number_or_a_range() {
        let check = |text, expected| assert_eq!(plies(text).ok(), expected, "{text}");
        check("4", Some(4..=4));
        check("0-100", Some(0..=100));
        check("8-4", None);
        check("4-101", None);
        check("4-", None);
        check("-4", None);
        check("four", None);
    }
}
