//! `sandboard perft`: counts move sequences to a depth, to test a move generator.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use sandboard_games::DynGame;

use super::StartArgs;

/// A progress bar appears after this time.
const LONG: Duration = Duration::from_secs(1);

const EXAMPLES: &str = "\
Examples:
  sandboard perft gomoku --depth 2
  sandboard perft gomoku --variant standard-19 --depth 2 --json
  sandboard perft gomoku --position '5/5/1xo2/5/5 b' --depth 3";

/// Count all move sequences of exactly N plies
///
/// Counts every sequence of legal moves of the given length; a game that ends earlier counts as
/// one. Compare the number with that of another program to test a move generator.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    start: StartArgs,
    /// The number of plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    /// Print only {"nodes": …}
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (_, mut game) = args.start.begin()?;
    let started = Instant::now();
    let nodes = count(game.as_mut(), args.depth, started);
    let took = started.elapsed();
    let mut out = crate::output::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::json!({ "nodes": nodes }))?;
    } else {
        let (id, variant, depth) = (game.info().id, game.variant().text(), args.depth);
        let rate = nodes as f64 / took.as_secs_f64().max(1e-6);
        writeln!(out, "{id} {variant}, depth {depth}: {nodes} nodes")?;
        writeln!(out, "{:.3} s, {:.1} million nodes/s", took.as_secs_f64(), rate / 1e6)?;
    }
    Ok(())
}

/// Counts move by move, to show the progress.
fn count(game: &mut dyn DynGame, depth: u32, started: Instant) -> u64 {
    if depth < 2 || game.is_over() {
        return game.perft(depth);
    }
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let moves: Vec<&str> = legal.split_ascii_whitespace().collect();
    let mut bar: Option<ProgressBar> = None;
    let mut nodes = 0;
    for (index, mv) in moves.iter().enumerate() {
        if bar.is_none() && started.elapsed() > LONG {
            bar = Some(progress(moves.len() as u64));
        }
        if let Some(bar) = &bar {
            bar.set_position(index as u64);
        }
        if game.play(mv).is_ok() {
            nodes += game.perft(depth - 1);
            game.take_back(1);
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    nodes
}

/// A progress bar on standard error; hidden if that is not a terminal.
fn progress(moves: u64) -> ProgressBar {
    let bar = ProgressBar::new(moves);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} moves, {eta} to go") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
