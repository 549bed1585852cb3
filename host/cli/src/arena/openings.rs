//! `sandboard arena openings`: writes a file of fair openings that an engine finds. Judges no
//! position itself.

use std::fmt::Write;
use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::sized;
use crate::engines::{EngineArgs, Engines, check_budget, only_game};
use crate::output::error_line;
use crate::output_file::{FileKind, ensure_replaceable};
use crate::plan::random_seed;
use crate::{SeatSpec, game_named, usage, variant_of};
use sandboard_arena::{
    BalancedOpening, CONCURRENCY_MAX, OpeningCriteria, OpeningFinder, default_concurrency,
    find_openings,
};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::query::PositionQuery;
use sandboard_bout::start::StartPosition;
use sandboard_common::files::write_atomically;
use sandboard_engine::Budget;

/// The most openings of a file; more would take days.
const COUNT_MAX: i64 = 100_000;
/// The most moves of an opening.
const PLIES_MAX: u32 = 100;

const EXAMPLES: &str = "\
The engine draws lines of reasonable moves, and then searches the position after each for longer. A
line is kept if neither side is ahead by more than --margin. With budgets in nodes, depth or fuel,
the same seed finds the same openings, whatever --concurrency is.

Use the file with `sandboard arena match --openings FILE`. Its first lines say how it was made.

Examples:
  sandboard arena openings gomoku-alpha --variant standard --count 200 --out standard.txt
  sandboard arena openings --report DIR --out open.txt
  sandboard arena openings gomoku-alpha --plies 3-5 --begin h8 --margin 40 --budget nodes:1e6 \
    --out few.txt";

/// Find fair openings for matches
///
/// For example: sandboard arena openings gomoku-alpha --count 200 --out openings.txt
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The engine's id, optionally with options (`id:option=value`)
    #[arg(value_name = "ENGINE", required_unless_present = "report")]
    engine: Option<SeatSpec>,
    /// The output file; an existing file is replaced
    #[arg(long, value_name = "FILE", required_unless_present = "report")]
    out: Option<PathBuf>,
    /// Instead of searching: report how the openings of an arena, played by players of equal
    /// strength, decided its games. With --out, write those that left the result open
    #[arg(long, value_name = "DIR", conflicts_with = "engine")]
    report: Option<PathBuf>,
    /// With --report: print one JSON object
    #[arg(long, requires = "report")]
    json: bool,
    /// The number of openings
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    count: u32,
    /// The number of moves of an opening: a number or a range
    #[arg(long, value_name = "FROM-TO", default_value = "4-8", value_parser = plies)]
    plies: RangeInclusive<u32>,
    /// Moves that every opening starts with, included in --plies: "h8 i9"
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    begin: String,
    /// The largest advantage of a side, in the game's unit of score (hundredths of a stone or pawn)
    #[arg(long, value_name = "SCORE", default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    margin: i32,
    /// The largest loss of a move compared with the best one, in the same unit
    #[arg(long, value_name = "SCORE", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(i32).range(0..))]
    spread: i32,
    /// The game's id; optional when the engine plays only one
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, with its board size if it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// The budget of each move that the engine draws
    #[arg(long, value_name = "BUDGET", default_value = "nodes:500")]
    draw: Budget,
    /// The budget of the search after the last move
    #[arg(long, value_name = "BUDGET", default_value = "nodes:2e5")]
    budget: Budget,
    /// The seed of everything random [default: a random one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The number of candidates examined at once [default: one for each core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Parses `4` or `4-8`.
fn plies(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number <= PLIES_MAX);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(format!("expected a number of moves up to {PLIES_MAX}, or a range such as 4-8")),
    }
}

pub(super) fn run(args: &Args) -> Result<()> {
    if let Some(dir) = &args.report {
        return super::openings_report::run(dir, args.out.as_deref(), args.json);
    }
    let (Some(engine), Some(out)) = (&args.engine, &args.out) else {
        return Err(usage("name an engine and --out FILE, or an arena with --report DIR"));
    };
    let spec = engine.engine()?;
    [&args.draw, &args.budget].into_iter().try_for_each(check_budget)?;
    if args.draw.unit() != args.budget.unit() {
        return Err(usage("--draw and --budget must be in the same unit"));
    }
    let mut engines = Engines::open(&args.engines)?;
    let info = match &args.game {
        Some(game) => game_named(engines.games(), game)?,
        None => only_game(engines.games(), &engines.find(&spec.id)?)?,
    };
    if info.deal.is_some() {
        let id = info.id;
        return Err(usage(format!("{id} has random starts: use `sandboard deal {id}` instead")));
    }
    let variant = sized(info, &variant_of(info, args.variant.as_deref())?)?;
    ensure_replaceable("--out", out, FileKind::Openings)?;
    let player = engines.player(spec, args.budget.unit(), (info, &variant))?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let criteria = OpeningCriteria {
        start: StartPosition::new(info, variant, None),
        begin: args.begin.split_ascii_whitespace().map(str::to_owned).collect(),
        plies: args.plies.clone(),
        spread: args.spread,
        margin: args.margin,
        count: args.count as usize,
        seed,
    };
    let query = |budget| PositionQuery { engine: player.clone(), budget, seed };
    let finder = OpeningFinder { quick: query(args.draw), deep: query(args.budget) };
    let bar = bar(args.count);
    let threads = args.concurrency.map_or_else(default_concurrency, usize::from);
    let found = find_openings(&criteria, &finder, threads, &|count| bar.set_position(count as u64));
    bar.finish_and_clear();
    let text = text(args, &criteria, &player, &found?);
    write_atomically(out, text.as_bytes()).map_err(|error| anyhow!(error))?;
    error_line!("{} openings are in {}", args.count, out.display());
    Ok(())
}

/// A progress bar; hidden if standard error is not a terminal.
fn bar(count: u32) -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(u64::from(count)), target);
    let style = ProgressStyle::with_template(
        "{bar:20} {pos}/{len} openings  {elapsed} elapsed, {eta} left",
    );
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The text of the file: how it was made, and a line for each opening.
fn text(
    args: &Args,
    criteria: &OpeningCriteria,
    player: &EnginePlayer,
    found: &[BalancedOpening],
) -> String {
    let mut text = String::new();
    let variant = criteria.start.variant.text();
    let options: String =
        player.options.iter().map(|(name, value)| format!(":{name}={value}")).collect();
    let sha256 = player.module_sha256.as_deref().unwrap_or("unknown");
    let (first, last) = (criteria.plies.start(), criteria.plies.end());
    let begin = match criteria.begin.join(" ") {
        none if none.is_empty() => none,
        moves => format!(" --begin \"{moves}\""),
    };
    let lines = [
        format!("{} openings of {}, {variant}, in which", found.len(), criteria.start.game.name),
        format!("neither side is ahead by more than {}", criteria.margin),
        "found by: sandboard arena openings".to_owned(),
        format!("  {}{options} --game {} --variant {variant}", player.id, criteria.start.game.id),
        format!(
            "  --plies {first}-{last} --margin {} --spread {}",
            criteria.margin, criteria.spread
        ),
        format!("  --draw {} --budget {} --seed {}{begin}", args.draw, args.budget, criteria.seed),
        format!("with version {} of the engine, SHA-256 {sha256}", player.version),
        "after each opening: the score for the side to move, and the depth".to_owned(),
    ];
    for line in lines {
        let _ = writeln!(text, "# {line}");
    }
    for BalancedOpening { moves, score, depth } in found {
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
