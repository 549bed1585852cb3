//! `sandboard play`: one bout in the terminal, of people and engines. What is
//! typed becomes a bout in `plan`; who watches it is chosen here.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use super::engines::EngineArgs;
use super::ponder::PlayPonder;
use super::{SeatSpec, plan::plan};
use crate::bout::{self, BoutReport, Mover};
use crate::budget::Budget;
use crate::record::{PlayerRecord, Pondering, Record};
use crate::referee::{Adjudication, OnTimeout};
use crate::replay;
use crate::terminal::{self, BoutLog, Manner, Next};

/// Play a bout: people at this terminal, engines, or both
///
/// A person types moves and commands (below); the board is drawn with the last move marked and
/// both clocks. Engines among themselves play to the end and exit. Every bout is saved, and its
/// path printed; `--from` begins a new bout at any ply of a saved one, `--resume` goes on with an
/// unfinished one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = examples())]
pub struct Args {
    /// The game's id; may be left out with --from and --resume
    pub game: Option<String>,
    /// The variant, with a size where it has several: `freestyle-19`
    #[arg(long, conflicts_with_all = ["from", "resume"])]
    pub variant: Option<String>,
    /// Who plays, one for each seat in order: `human`, or an engine as
    /// `id:option=value:option=value@budget`; for the other signs in a value write `\:`, `\@`
    #[arg(long, value_name = "SPEC")]
    pub seat: Vec<SeatSpec>,
    /// What everybody may spend whose seat does not say: none, 5s/move, 3m+2s, 40/5m, depth:8,
    /// nodes:1e6, cpu:5s/move, fuel:2e9/move [default: 5s/move for engines, none for people]
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<Budget>,
    /// Save the bout in this file [default: a new one in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The position to begin from, in the game's notation [default: the variant's own; of a game
    /// that begins by chance the deal of the seed]
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["from", "resume"])]
    pub position: Option<String>,
    /// Begin a new bout at the end of a saved one, or after so many of its moves; without
    /// --seat, the same players
    #[arg(long, value_name = "FILE[@PLY]", conflicts_with = "resume")]
    pub from: Option<String>,
    /// Go on with an unfinished bout: its players, clocks, seed and settings
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["seat", "budget", "seed", "requests", "on_timeout", "adjudicate", "ponder"])]
    pub resume: Option<PathBuf>,
    /// The only source of randomness [default: drawn, and printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How often an engine is asked for one move; the last illegal answer loses [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub requests: Option<u32>,
    /// What happens to an engine whose time is up [default: loss]
    #[arg(long, value_enum)]
    pub on_timeout: Option<OnTimeoutArg>,
    /// End a bout of engines early: `win=600/8` when both sides see one of them ahead by 600 or more
    /// for 8 plies, `draw=10/8@40` when neither sees anybody ahead by more than 10 for 8 plies, the
    /// first 40 not counted, `exact=12` when perfect play is known (bridge: with 12 tricks left,
    /// reversi: with 12 empty squares); several are joined by commas [default: none]
    #[arg(long, value_name = "RULES")]
    pub adjudicate: Option<Adjudication>,
    /// Whether engines think on their opponents' time: against a person, for as long as the person
    /// thinks. `auto` is on against people only, where the engine's budget is one of time and a
    /// core is free; --ponder alone is `on` [default: auto]
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "on")]
    pub ponder: Option<PlayPonder>,
    /// The engine that gives hints [default: the first that plays]
    #[arg(long, value_name = "ENGINE")]
    pub hint: Option<SeatSpec>,
    /// Print the result as one JSON line at the end, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub engines: EngineArgs,
}

/// [`OnTimeout`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnTimeoutArg {
    /// It loses
    #[default]
    Loss,
    /// The last legal move that it reported is played and marked
    PlayReported,
}

impl From<OnTimeoutArg> for OnTimeout {
    fn from(arg: OnTimeoutArg) -> Self {
        match arg {
            OnTimeoutArg::Loss => OnTimeout::Loss,
            OnTimeoutArg::PlayReported => OnTimeout::PlayReported,
        }
    }
}

fn examples() -> String {
    format!(
        "What a person types:\n{}\n\
Examples:
  sandboard play gomoku --seat human --seat gomoku-alpha
  sandboard play gomoku --seat human@10m+5s --seat gomoku-alpha@1s/move --variant standard
  sandboard play gomoku --seat gomoku-alpha --seat gomoku-simple --ponder
  sandboard play gomoku --seat gomoku-alpha:depth=6 --seat random-mover --budget 1s/move
  sandboard play gomoku --seat a@fuel:2e9/move --seat b@fuel:2e9/move --seed 7 --record b.json
  sandboard play --from b.json@12 --seat human --seat gomoku-alpha
  sandboard play --resume b.json",
        terminal::words_help()
    )
}

pub fn run(args: &Args) -> Result<()> {
    let setup = plan(args)?;
    let colors = |on: bool| on && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let person = setup.players.iter().any(|player| matches!(player.mover, Mover::Person));
    let screen = std::io::stdout().is_terminal();
    let manner = Manner {
        to_stderr: args.json,
        editing: !args.json && screen && std::io::stdin().is_terminal(),
        colors: colors(if args.json { std::io::stderr().is_terminal() } else { screen }),
        next: Next { arguments: args.engines.typed() },
    };
    for player in &setup.players {
        if player.budget.is_none() && matches!(player.mover, Mover::Engine(_)) {
            log::warn!(
                "{} has no limit and may think for ever; Ctrl-C saves and leaves",
                player.name
            );
        }
    }
    let (sides, seed) = (setup.start.game.sides, setup.seed);
    let report = match person {
        true => terminal::play(setup, manner)?,
        false if args.json => bout::run(setup, Some(until_interrupted()), &mut bout::Nobody)?,
        false => {
            let mut log = BoutLog::new(manner);
            log.header(&setup)?;
            let report = bout::run(setup, Some(until_interrupted()), &mut log)?;
            log.footer(&report)?;
            report
        }
    };
    if args.json {
        print_json(&report, sides, seed, &args.engines.typed())?;
    }
    match &report.saved {
        Ok(_) => Ok(()),
        Err(error) => Err(anyhow::anyhow!("the bout is not saved: {error}")),
    }
}

/// A bout of engines has nobody at the keyboard but for Ctrl-C (and its like:
/// SIGTERM, SIGHUP), which leaves it unfinished, saved, to be resumed.
fn until_interrupted() -> bout::People {
    let (input, people) = bout::people();
    let handled = ctrlc::set_handler({
        let input = input.clone();
        move || {
            input.send(bout::PersonEvent::Quit);
        }
    });
    if let Err(error) = handled {
        log::warn!("Ctrl-C will end the bout without saving it: {error}");
        // An input that is gone counts as somebody who has left.
        std::mem::forget(input);
    }
    people
}

/// What each player did on its opponent's time; null for one that did not think then.
fn pondering(record: &Record) -> Vec<Option<serde_json::Value>> {
    let players = record.players.iter().enumerate();
    let of = |(index, player): (usize, &PlayerRecord)| {
        let Pondering { pondered, predictions, hits } = record.pondering(index);
        player.ponders.then(|| {
            json!({
                "wall_us": pondered.wall_us,
                "cpu_us": pondered.cpu_us,
                "late_us": pondered.late_us,
                "predictions": predictions,
                "hits": hits,
            })
        })
    };
    players.map(of).collect()
}

fn print_json(
    report: &BoutReport,
    sides: [&'static str; 2],
    seed: u64,
    arguments: &str,
) -> Result<()> {
    let record = &report.record;
    let path = report.saved.as_ref().ok().and_then(|path| path.as_ref());
    // Names as the game stands at its end: sides may have swapped them.
    let game = record.referee(sandboard_games::game).ok();
    let side = |side: u8| match &game {
        Some(referee) => referee.game().side_name(sandboard_games::Side(side)),
        None => sides[usize::from(side & 1)],
    };
    let winner = report.result.as_ref().and_then(|result| result.winner).map(side);
    let mut faults = replay::faults(record, path.map(|path| path.as_path()));
    faults.iter_mut().filter(|it| !it.replay.is_empty()).for_each(|it| it.replay += arguments);
    let line = json!({
        "game": record.game,
        "variant": record.variant,
        "seed": seed,
        "players": record.players.iter().map(|player| &player.name).collect::<Vec<_>>(),
        "plies": record.plies.len(),
        "winner": winner,
        "result": report.result,
        "exact": record.exact,
        "record": path.map(|path| path.to_string_lossy()),
        "faults": faults,
        "pondering": pondering(record),
    });
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
