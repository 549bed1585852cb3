//! Xiangqi: a match of `xiangqi-mt` against Fairy-Stockfish, which has a fixed number of nodes a
//! move. Our engine gets the CPU time a move that this takes, as measured in trial games.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use sandboard_builder::packages::{self, Purpose};

use super::fairy::{BenchEngines, ID, OURS};
use super::matches::{Duel, Fault, MatchResult, Tally};
use super::table::{Bar, Table};
use crate::workspace::Workspace;

/// The budget of Fairy-Stockfish. The nodes take some hundredths of a second; the time limit only
/// ends a game with a program that does not answer.
const THEIRS: &str = "nodes:1e4,10s/move";
const OPENINGS: &str = "openings/xiangqi/computer.txt";
const VARIANT: &str = "computer";
/// The number of pairs in each trial match, first roughly and then closely: the CPU time of
/// Fairy-Stockfish differs by a seventh from bout to bout.
const TRIALS: [u32; 2] = [4, 16];
/// The first budget of our engine, in microseconds a move.
const FIRST_BUDGET_US: u64 = 30_000;
/// The largest excess of our CPU time with which times still count as equal, as a fraction.
const TOLERANCE: f64 = 0.05;

/// Play xiangqi-mt against Fairy-Stockfish at equal CPU time a move
#[derive(Parser)]
#[command(name = "cargo xtask bench peers xiangqi")]
struct Args {
    /// The number of pairs of bouts
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
}

/// Measures an equal budget, plays the match and prints the result.
pub(super) fn main(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let name = OsString::from("xiangqi");
    let args = Args::try_parse_from([&name].into_iter().chain(arguments))
        .unwrap_or_else(|error| error.exit());
    packages::ensure(&[Purpose::Build])?;
    let folder = workspace.target.join("peers").join("xiangqi");
    let matches = folder.join("matches");
    if matches.exists() {
        std::fs::remove_dir_all(&matches)
            .with_context(|| format!("cannot remove {}", matches.display()))?;
    }
    let bench = Bench {
        engines: BenchEngines::prepare(workspace, &folder)?,
        openings: workspace.root.join(OPENINGS),
        matches,
    };
    let budget_us = bench.equal_budget_us(args.pairs)?;
    let result = bench.play("match", args.pairs, budget_us)?;
    report(&result, &bench.engines.version, budget_us)?.finish(&workspace.target);
    Ok(())
}

/// The engines, openings and output folder of the matches.
struct Bench {
    engines: BenchEngines,
    openings: PathBuf,
    matches: PathBuf,
}

impl Bench {
    /// Plays a match, one bout at a time: the players use one core in turns. A second bout on
    /// another core would share caches and memory with it, which changes CPU times.
    fn play(&self, name: &str, pairs: u32, budget_us: u64) -> Result<MatchResult> {
        let ours = format!("{OURS}:table-mib=16@cpu:{}ms/move", ms(budget_us as f64));
        let theirs = format!("{ID}@{THEIRS}");
        eprintln!("== {name}: {} bouts, {ours} against {theirs}", 2 * u64::from(pairs));
        let pairs = pairs.to_string();
        let arguments = ["arena", "match", &ours, &theirs, "--pairs", &pairs, "--concurrency", "1"];
        let mut command = self.engines.host(&arguments);
        command.args(["--variant", VARIANT, "--seed", "1", "--ponder=off", "--openings"]);
        command.arg(&self.openings).arg("--dir").arg(self.matches.join(name));
        let result = MatchResult::run(&mut command)?;
        for Fault { player, code, games, sentence } in &result.faults {
            let name = [OURS, ID][player & 1];
            eprintln!("{name} lost {games} bouts by the fault {code}; the first: {sentence}");
        }
        Ok(result)
    }

    /// The budget with which our engine uses as much CPU time a move as Fairy-Stockfish.
    fn equal_budget_us(&self, pairs: u32) -> Result<u64> {
        let mut budget_us = FIRST_BUDGET_US;
        for (number, pairs_max) in (1..).zip(TRIALS) {
            let pairs = pairs.min(pairs_max);
            let result = self.play(&format!("trial-{number}"), pairs, budget_us)?;
            let [ours, theirs] = result.cpu_us()?;
            let seconds = result.seconds / f64::from(2 * pairs);
            let (own, other) = (ms(ours), ms(theirs));
            eprintln!("CPU time a move: {OURS} {own} ms, {ID} {other} ms; {seconds:.1} s a bout");
            budget_us = scaled(budget_us, ours, theirs);
        }
        Ok(budget_us)
    }
}

/// Converts to milliseconds with two decimal places, as budgets are written.
fn ms(us: f64) -> f64 {
    (us / 10.0).round() / 100.0
}

/// The next budget of our engine: with `budget_us` it used `ours` a move, and it should use
/// `theirs`. All in microseconds. The budget is scaled, because an engine stops before it ends.
fn scaled(budget_us: u64, ours: f64, theirs: f64) -> u64 {
    let factor = (theirs / ours.max(1.0)).clamp(0.25, 4.0);
    (budget_us as f64 * factor).round().max(1_000.0) as u64
}

fn report(result: &MatchResult, version: &str, budget_us: u64) -> Result<Table> {
    let mut table = Table::of("peers-xiangqi");
    let score = result.tally();
    let label = format!("{OURS} against {ID} {version}, {} bouts; goal 45 %", score.games());
    table.add(label, score.percent(), "%", Some(Bar::AtLeast(25.0)));
    if let Some(Duel { score, elo, elo_low, elo_high }) = &result.match_statistics {
        let percent = |bound: Option<f64>| bound.map(|share| share * 100.0);
        let rows = [
            ("  at least, 95 %", percent(score.low), "%"),
            ("  at most", percent(score.high), "%"),
            ("  Elo", *elo, ""),
            ("  Elo at least, 95 %", *elo_low, ""),
            ("  Elo at most", *elo_high, ""),
        ];
        for (name, value, unit) in rows {
            value.into_iter().for_each(|value| table.add(name, value, unit, None));
        }
    }
    add_tally(&mut table, "", score);
    for (side, tally) in result.sides.iter().zip(result.players[0].by_seat) {
        table.add(format!("  as {side}"), tally.percent(), "%", None);
        add_tally(&mut table, "  ", tally);
    }
    let [ours, theirs] = result.cpu_us()?;
    let budget = ms(budget_us as f64);
    table.add(
        format!("CPU time a move: {OURS}, with a budget of {budget} ms"),
        ours / 1e3,
        "ms",
        None,
    );
    table.add(format!("  {ID}"), theirs / 1e3, "ms", None);
    table.add("  ours ÷ theirs", ours / theirs, "", Some(Bar::AtMost(1.0 + TOLERANCE)));
    for (player, name) in [OURS, ID].into_iter().enumerate() {
        let of = result.faults.iter().filter(|fault| fault.player == player);
        let games: u32 = of.map(|fault| fault.games).sum();
        let label = format!("bouts lost by a fault: {name}");
        table.add(label, games.into(), "", Some(Bar::AtMost(0.0)));
    }
    Ok(table)
}

fn add_tally(table: &mut Table, indent: &str, tally: Tally) {
    let Tally { wins, draws, losses } = tally;
    for (name, count) in [("won", wins), ("drawn", draws), ("lost", losses)] {
        table.add(format!("{indent}  {name}"), count.into(), "", None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_scaled_by_the_cpu_time_used() {
        let check = |budget_us, ours, theirs, expected| {
            assert_eq!(scaled(budget_us, ours, theirs), expected, "{budget_us} {ours} {theirs}");
        };
        check(30_000, 26_000.0, 26_000.0, 30_000);
        // Nine tenths of the budget are used, and all of it should be.
        check(30_000, 27_000.0, 30_000.0, 33_333);
        check(30_000, 30_000.0, 20_000.0, 20_000);
        // One step changes the budget at most fourfold.
        check(30_000, 1_000.0, 30_000.0, 120_000);
        check(30_000, 0.0, 30_000.0, 120_000);
        check(30_000, 30_000.0, 1.0, 7_500);
        check(2_000, 2_000.0, 1.0, 1_000);
    }

    #[test]
    fn milliseconds_have_two_decimal_places() {
        let check = |us: f64, expected: &str| assert_eq!(ms(us).to_string(), expected);
        check(30_000.0, "30");
        check(33_333.0, "33.33");
        check(26_657.4, "26.66");
        check(1_000.4, "1");
    }
}
