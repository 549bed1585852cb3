//! `sandboard playouts`: random games, and what they say about a game.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use sandboard_arena::default_concurrency;
use sandboard_common::ordered_work::{Completion, Stop, run_in_order};
use sandboard_games::{
    DynGame, GameInfo, PlayoutPlan, Playouts, Seat, SetupError, Side, Variant, winner,
};
use serde_json::{Value, json};

use super::StartArgs;
use super::arena::sized;
use super::interrupt::on_interrupt;
use super::plan::random_seed;
use super::progress::progress;

/// The most games of one call.
const GAMES_MAX: i64 = 100_000_000;
/// The games of one piece of work of a thread.
const PART_GAMES: u32 = 64;

const EXAMPLES: &str = "\
Every legal move has the same probability, and so has each deal; other outcomes of chance have their
weights. The numbers describe the game, not good play: how long it lasts, how many moves there are
to choose from, whether the first seat has an advantage, and whether it ends at all.

A game depends only on the rules, the start and its seed; the second game uses the next seed, and
so on. Games that deal their start positions get a new deal for each game.

Examples:
  sandboard playouts reversi
  sandboard playouts hex --variant plain-11 --games 10000 --seed 1
  sandboard playouts kuhn-poker --position KJ: --games 100000 --json";

/// Play random games, and show what they say about a game
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    start: StartArgs,
    /// The number of games
    #[arg(long, value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=GAMES_MAX))]
    games: u32,
    /// The seed of the first game [default: a random one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The plies after which a game counts as unfinished
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    plies_max: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (variant, game) = args.start.begin()?;
    let info = game.info();
    let variant = match info.deal {
        Some(_) => sized(info, &variant)?,
        None => game.variant(),
    };
    let plan = PlayoutPlan {
        seed: args.seed.unwrap_or_else(random_seed),
        games: args.games,
        plies_max: args.plies_max,
    };
    let started = Instant::now();
    let start = Start { info, variant, position: args.start.position.clone() };
    let mut summary = Summary::new(&*game);
    play(&start, plan, &mut summary)?;
    let mut out = crate::output::stdout();
    match args.json {
        true => writeln!(out, "{}", summary.to_json(&start, &plan))?,
        false => summary.write(&mut out, &start, &plan, started.elapsed())?,
    }
    Ok(())
}

/// Where the games begin.
#[derive(Clone)]
struct Start {
    info: &'static GameInfo,
    variant: Variant,
    position: Option<String>,
}

impl Start {
    fn begin(&self, position: Option<&str>) -> Result<Box<dyn DynGame>, SetupError> {
        (self.info.new)(&self.variant, position)
    }

    /// Plays a part of the games, from `game` or from a deal for each.
    fn play(&self, game: &dyn DynGame, plan: PlayoutPlan) -> Result<Playouts> {
        let Some(deal) = self.info.deal.filter(|_| self.position.is_none()) else {
            let results = game.playouts(&plan);
            return self.without_fault(game, results);
        };
        let (mut results, mut left) = (Playouts::default(), plan);
        while left.games > 0 {
            let game = self.begin(Some(&deal(&self.variant, left.seed)))?;
            let played = game.playouts(&PlayoutPlan { games: 1, ..left });
            results.append(self.without_fault(&*game, played)?);
            left = left.after(1);
        }
        Ok(results)
    }

    fn without_fault(&self, game: &dyn DynGame, results: Playouts) -> Result<Playouts> {
        match game.fault() {
            Some(reason) => Err(SetupError::Judge { game: self.info.id, reason }.into()),
            None => Ok(results),
        }
    }
}

/// Plays all games of the plan, in several threads.
fn play(start: &Start, plan: PlayoutPlan, summary: &mut Summary) -> Result<()> {
    let stop = Stop::default();
    on_interrupt(&stop);
    let bar = progress(plan.games.into(), "games");
    let parts = (0..plan.games.div_ceil(PART_GAMES)).map(move |part| {
        let rest = plan.after(part * PART_GAMES);
        PlayoutPlan { games: rest.games.min(PART_GAMES), ..rest }
    });
    let threads = default_concurrency().min(parts.len());
    let of_thread = start.clone();
    let worker = move || {
        let start = of_thread.clone();
        let game = start.begin(start.position.as_deref());
        move |plan: PlayoutPlan| match &game {
            Ok(game) => Some(start.play(&**game, plan)),
            Err(error) => Some(Err(anyhow!("{error}"))),
        }
    };
    let ended = run_in_order(parts, threads, &stop, worker, |played: Result<Playouts>| {
        let played = played?;
        bar.inc(played.games() as u64);
        summary.add(&played);
        Ok::<(), anyhow::Error>(())
    })?;
    bar.finish_and_clear();
    match ended {
        Completion::ThreadLost => Err(anyhow!("a thread that plays games failed")),
        Completion::Stopped if summary.games == 0 => bail!("interrupted before the first game"),
        Completion::Stopped | Completion::All => Ok(()),
    }
}

/// What random games say about a game. Its size does not depend on their number.
struct Summary {
    games: usize,
    unfinished: usize,
    drawn: usize,
    sides: Vec<SideSummary>,
    /// The side of each seat.
    side_of_seat: Vec<Side>,
    /// The fewest and the most plies of a game; none: no game was played.
    plies: Option<(u32, u32)>,
    /// The plies of all games.
    plies_sum: u64,
    decisions: u64,
    /// The legal moves of all decisions.
    choices: u64,
}

/// The results of one side.
struct SideSummary {
    /// Its name at the start of a game.
    name: &'static str,
    /// The games that it won alone.
    won: usize,
    /// Its scores in finished games.
    scores: Mean,
}

impl Summary {
    /// The summary of no games.
    fn new(start: &dyn DynGame) -> Self {
        let side = |name: &&'static str| SideSummary { name, won: 0, scores: Mean::default() };
        Self {
            games: 0,
            unfinished: 0,
            drawn: 0,
            sides: start.sides().iter().map(side).collect(),
            side_of_seat: (0..start.seats()).map(|seat| start.side(Seat(seat))).collect(),
            plies: None,
            plies_sum: 0,
            decisions: 0,
            choices: 0,
        }
    }

    fn add(&mut self, results: &Playouts) {
        let of_games = results.scores.chunks_exact(self.side_of_seat.len());
        for (index, (scores, plies)) in of_games.zip(&results.plies).enumerate() {
            let (fewest, most) = self.plies.unwrap_or((*plies, *plies));
            self.plies = Some((fewest.min(*plies), most.max(*plies)));
            self.plies_sum += u64::from(*plies);
            if results.unfinished.binary_search(&(index as u32)).is_err() {
                self.add_result(scores);
            }
        }
        self.games += results.games();
        self.unfinished += results.unfinished.len();
        self.decisions += results.decisions;
        self.choices += results.choices;
    }

    /// Adds a finished game with these scores of the seats.
    fn add_result(&mut self, scores: &[i32]) {
        for (side, summary) in (0..).map(Side).zip(&mut self.sides) {
            // All seats of a side have the same score.
            let seat = self.side_of_seat.iter().position(|it| *it == side);
            seat.into_iter().for_each(|seat| summary.scores.add(scores[seat].into()));
        }
        match winner(scores, |seat| self.side_of_seat[usize::from(seat.0)]) {
            Some(Side(side)) => self.sides[usize::from(side)].won += 1,
            None => self.drawn += 1,
        }
    }

    /// The mean number of plies of a game.
    fn plies_mean(&self) -> f64 {
        self.plies_sum as f64 / self.games.max(1) as f64
    }

    /// The mean number of legal moves of a decision; none: there was no decision.
    fn choices_mean(&self) -> Option<f64> {
        (self.decisions > 0).then(|| self.choices as f64 / self.decisions as f64)
    }

    fn to_json(&self, start: &Start, plan: &PlayoutPlan) -> Value {
        let side = |side: &SideSummary| {
            let (mean, error) = side.scores.with_error().unzip();
            json!({ "name": side.name, "won": side.won, "score_mean": mean, "score_error": error })
        };
        let (min, max) = self.plies.unzip();
        json!({
            "game": start.info.id,
            "variant": start.variant.text(),
            "position": start.position,
            "seed": plan.seed,
            "games": self.games,
            "unfinished": self.unfinished,
            "drawn": self.drawn,
            "sides": self.sides.iter().map(side).collect::<Vec<_>>(),
            "plies": { "min": min, "max": max, "mean": self.plies_mean() },
            "choices_mean": self.choices_mean(),
        })
    }

    fn write(
        &self,
        out: &mut impl Write,
        start: &Start,
        plan: &PlayoutPlan,
        took: Duration,
    ) -> Result<()> {
        let (id, variant, seed) = (start.info.id, start.variant.text(), plan.seed);
        let missing = match plan.games as usize - self.games {
            0 => String::new(),
            _ => format!(" of {} (interrupted)", plan.games),
        };
        writeln!(out, "{id} {variant}: {} random games{missing}, seed {seed}", self.games)?;
        let percent = |games: usize| 100.0 * games as f64 / self.games.max(1) as f64;
        let width = self.sides.iter().map(|side| side.name.len()).max().unwrap_or(0);
        for SideSummary { name, won, scores } in &self.sides {
            write!(out, "  {name:width$}  won {won} ({:.1} %)", percent(*won))?;
            match scores.with_error() {
                // 95 % of a normal distribution.
                Some((mean, error)) => {
                    writeln!(out, ", mean score {mean:+.3} ± {:.3}", 1.96 * error)?;
                }
                None => writeln!(out)?,
            }
        }
        writeln!(out, "  drawn {} ({:.1} %)", self.drawn, percent(self.drawn))?;
        if self.unfinished > 0 {
            let (count, most) = (self.unfinished, plan.plies_max);
            writeln!(out, "  unfinished {count} ({:.1} %), after {most} plies", percent(count))?;
        }
        if let Some((fewest, most)) = self.plies {
            let mean = self.plies_mean();
            writeln!(out, "  plies: {fewest} to {most}, {mean:.1} on average")?;
        }
        if let Some(choices) = self.choices_mean() {
            writeln!(out, "  legal moves of a decision: {choices:.1} on average")?;
        }
        let seconds = took.as_secs_f64().max(1e-6);
        writeln!(out, "{seconds:.3} s, {:.0} games/s", self.games as f64 / seconds)?;
        Ok(())
    }
}

/// The mean of some numbers, summed up as they come (Welford 1962).
#[derive(Clone, Copy, Default)]
struct Mean {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Mean {
    fn add(&mut self, number: f64) {
        self.count += 1.0;
        let before = number - self.mean;
        self.mean += before / self.count;
        self.squares += before * (number - self.mean);
    }

    /// The mean and its standard error; none without numbers.
    fn with_error(&self) -> Option<(f64, f64)> {
        let variance = self.squares / (self.count - 1.0).max(1.0);
        (self.count > 0.0).then(|| (self.mean, (variance / self.count).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scores: &[i32], unfinished: &[u32], expected: &str) {
        let info = &sandboard_games::reversi::INFO;
        let start = Start { info, variant: info.default_variant(), position: None };
        let results = Playouts {
            plies: (1..=scores.len() as u32 / 2).collect(),
            scores: scores.to_vec(),
            unfinished: unfinished.to_vec(),
            decisions: 4,
            choices: 10,
        };
        let game = start.begin(None).unwrap();
        let plan = PlayoutPlan { seed: 7, games: results.games() as u32, plies_max: 3 };
        let mut out = Vec::new();
        let mut summary = Summary::new(&*game);
        summary.add(&results);
        summary.write(&mut out, &start, &plan, Duration::from_secs(1)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn results_are_summed_up() {
        check(
            &[2, -2, 4, -4, 0, 0, -6, 6],
            &[],
            "reversi standard: 4 random games, seed 7\n\
             \x20 black  won 2 (50.0 %), mean score +0.000 ± 4.234\n\
             \x20 white  won 1 (25.0 %), mean score +0.000 ± 4.234\n\
             \x20 drawn 1 (25.0 %)\n\
             \x20 plies: 1 to 4, 2.5 on average\n\
             \x20 legal moves of a decision: 2.5 on average\n\
             1.000 s, 4 games/s\n",
        );
        check(
            &[0, 0, 3, -3],
            &[0],
            "reversi standard: 2 random games, seed 7\n\
             \x20 black  won 1 (50.0 %), mean score +3.000 ± 0.000\n\
             \x20 white  won 0 (0.0 %), mean score -3.000 ± 0.000\n\
             \x20 drawn 0 (0.0 %)\n\
             \x20 unfinished 1 (50.0 %), after 3 plies\n\
             \x20 plies: 1 to 2, 1.5 on average\n\
             \x20 legal moves of a decision: 2.5 on average\n\
             1.000 s, 2 games/s\n",
        );
    }

    #[test]
    fn one_game_has_no_error() {
        let mut mean = Mean::default();
        assert_eq!(mean.with_error(), None);
        mean.add(3.0);
        assert_eq!(mean.with_error(), Some((3.0, 0.0)));
        mean.add(5.0);
        assert_eq!(mean.with_error(), Some((4.0, 1.0)));
    }
}
