//! Xiangqi: a match of `xiangqi-mt` against Fairy-Stockfish with a fixed number of nodes a move.
//! Ours has as much CPU time a move as that takes, which the first bouts find out.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use sandboard_forge::packages::{self, Purpose};

use super::fairy::{ID, OURS, Seats};
use super::matches::{Duel, Fault, Played, Tally};
use super::table::{Bar, Table};
use crate::workspace::Workspace;

/// What Fairy-Stockfish may spend. The time is for one that does not answer, which the nodes alone
/// would wait for without end: it takes some hundredths of a second.
const THEIRS: &str = "nodes:1e4,10s/move";
const OPENINGS: &str = "openings/xiangqi/computer.txt";
const VARIANT: &str = "computer";
/// Pairs from which it is found out what is equal, roughly and then closely: what Fairy-Stockfish takes
/// differs from bout to bout by a seventh.
const TRIALS: [u32; 2] = [4, 16];
/// What ours is given at first, in microseconds a move.
const GUESS_US: u64 = 30_000;
/// How much more CPU time than the other ours may have had where they are called equal.
const TOLERANCE: f64 = 0.05;

/// Play xiangqi-mt against Fairy-Stockfish at equal CPU time a move
#[derive(Parser)]
#[command(name = "cargo xtask bench peers xiangqi")]
struct Args {
    /// How many pairs of bouts
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
}

/// Finds out what is equal, plays the match and says what it came to.
pub fn main(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
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
        seats: Seats::prepare(workspace, &folder)?,
        openings: workspace.root.join(OPENINGS),
        matches,
    };
    let budget_us = bench.equal_us(args.pairs)?;
    let played = bench.play("match", args.pairs, budget_us)?;
    report(&played, &bench.seats.version, budget_us)?.finish(&workspace.target);
    Ok(())
}

/// Where matches are played.
struct Bench {
    seats: Seats,
    openings: PathBuf,
    matches: PathBuf,
}

impl Bench {
    /// One bout at a time: the players need one core in turns, and a second bout on another core
    /// would share caches and memory with it, which bends CPU times.
    fn play(&self, name: &str, pairs: u32, budget_us: u64) -> Result<Played> {
        let ours = format!("{OURS}:table-mib=16@cpu:{}ms/move", ms(budget_us as f64));
        let theirs = format!("{ID}@{THEIRS}");
        eprintln!("== {name}: {} bouts, {ours} against {theirs}", 2 * u64::from(pairs));
        let pairs = pairs.to_string();
        let words = ["arena", "match", &ours, &theirs, "--pairs", &pairs, "--concurrency", "1"];
        let mut command = self.seats.host(&words);
        command.args(["--variant", VARIANT, "--seed", "1", "--ponder=off", "--openings"]);
        command.arg(&self.openings).arg("--dir").arg(self.matches.join(name));
        let played = Played::by(&mut command)?;
        for Fault { player, code, games, sentence } in &played.faults {
            let name = [OURS, ID][player & 1];
            eprintln!("{name} lost {games} bouts by a fault, {code}; the first: {sentence}");
        }
        Ok(played)
    }

    /// The budget with which ours takes as long for a move as Fairy-Stockfish.
    fn equal_us(&self, pairs: u32) -> Result<u64> {
        let mut budget_us = GUESS_US;
        for (number, most) in (1..).zip(TRIALS) {
            let pairs = pairs.min(most);
            let played = self.play(&format!("trial-{number}"), pairs, budget_us)?;
            let [ours, theirs] = played.cpu_us()?;
            let seconds = played.seconds / f64::from(2 * pairs);
            let (own, other) = (ms(ours), ms(theirs));
            eprintln!("CPU time a move: {OURS} {own} ms, {ID} {other} ms; {seconds:.1} s a bout");
            budget_us = scaled(budget_us, ours, theirs);
        }
        Ok(budget_us)
    }
}

/// Milliseconds to the hundredth, as budgets take them.
fn ms(us: f64) -> f64 {
    (us / 10.0).round() / 100.0
}

/// The budget of which ours should use as much as the other took, when of this one it used so
/// much: an engine stops before its budget ends.
fn scaled(budget_us: u64, ours: f64, theirs: f64) -> u64 {
    let factor = (theirs / ours.max(1.0)).clamp(0.25, 4.0);
    (budget_us as f64 * factor).round().max(1_000.0) as u64
}

fn report(played: &Played, version: &str, budget_us: u64) -> Result<Table> {
    let mut table = Table::of("peers-xiangqi");
    let score = played.tally();
    let what = format!("{OURS} against {ID} {version}, {} bouts; goal 45 %", score.games());
    table.add(what, score.percent(), "%", Some(Bar::AtLeast(25.0)));
    if let Some(Duel { score, elo, elo_low, elo_high }) = &played.duel {
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
    tally(&mut table, "", score);
    for (side, sided) in played.sides.iter().zip(played.players[0].by_seat) {
        table.add(format!("  as {side}"), sided.percent(), "%", None);
        tally(&mut table, "  ", sided);
    }
    let [ours, theirs] = played.cpu_us()?;
    let given = ms(budget_us as f64);
    table.add(format!("CPU time a move: {OURS}, which had {given} ms"), ours / 1e3, "ms", None);
    table.add(format!("  {ID}"), theirs / 1e3, "ms", None);
    table.add("  ours ÷ theirs", ours / theirs, "", Some(Bar::AtMost(1.0 + TOLERANCE)));
    for (player, name) in [OURS, ID].into_iter().enumerate() {
        let of = played.faults.iter().filter(|fault| fault.player == player);
        let games: u32 = of.map(|fault| fault.games).sum();
        let what = format!("bouts lost by a fault: {name}");
        table.add(what, games.into(), "", Some(Bar::AtMost(0.0)));
    }
    Ok(table)
}

fn tally(table: &mut Table, indent: &str, tally: Tally) {
    let Tally { wins, draws, losses } = tally;
    for (name, count) in [("won", wins), ("drawn", draws), ("lost", losses)] {
        table.add(format!("{indent}  {name}"), count.into(), "", None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_follow_what_was_used_of_them() {
        let check = |budget_us, ours, theirs, expected| {
            assert_eq!(scaled(budget_us, ours, theirs), expected, "{budget_us} {ours} {theirs}");
        };
        check(30_000, 26_000.0, 26_000.0, 30_000);
        // Nine tenths are used, and as much is wanted as was allowed.
        check(30_000, 27_000.0, 30_000.0, 33_333);
        check(30_000, 30_000.0, 20_000.0, 20_000);
        // What cannot be is believed by steps.
        check(30_000, 1_000.0, 30_000.0, 120_000);
        check(30_000, 0.0, 30_000.0, 120_000);
        check(30_000, 30_000.0, 1.0, 7_500);
        check(2_000, 2_000.0, 1.0, 1_000);
    }

    #[test]
    fn milliseconds_are_written_as_budgets_are_read() {
        let check = |us: f64, expected: &str| assert_eq!(ms(us).to_string(), expected);
        check(30_000.0, "30");
        check(33_333.0, "33.33");
        check(26_657.4, "26.66");
        check(1_000.4, "1");
    }
}
