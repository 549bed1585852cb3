//! `sandboard play`: plays one bout of people and engines in the terminal. `plan` makes the bout
//! from the arguments; this module chooses how the bout is shown.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Result;
use sandboard_games::Games;
use serde_json::json;

use super::engines::{EngineArgs, TimeArg};
use super::interrupt::on_first_signal;
use super::ponder::PlayPonder;
use super::{SeatSpec, plan::plan};
use crate::terminal::{self, BoutLog, CommandHints, DisplayOptions};
use sandboard_bout::driver as bout;
use sandboard_bout::driver::BoutReport;
use sandboard_bout::record::{PlayerRecord, PonderingStatistics, Record};
use sandboard_bout::referee::{Adjudication, TimeoutPolicy};
use sandboard_bout::replay;
use sandboard_engine::Budget;

/// Play a bout: people at this terminal, engines, or both
///
/// A person types moves and commands (listed below). The board shows the last move and both clocks.
/// A bout between engines runs to its end and exits. Every bout is saved, and its path is printed.
/// `--from` starts a new bout at any ply of a saved one; `--resume` continues an unfinished one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = examples())]
pub(crate) struct Args {
    /// The game's id; optional with --from and --resume
    pub game: Option<String>,
    /// The variant, with its board size if it has several: `freestyle-19`
    #[arg(long, conflicts_with_all = ["from", "resume"])]
    pub variant: Option<String>,
    /// The player of each seat, in order: `human`, or an engine as
    /// `id:option=value:option=value@budget`; in a value, write `\:` and `\@` for `:` and `@`
    #[arg(long, value_name = "SPEC")]
    pub seat: Vec<SeatSpec>,
    /// The budget of seats without their own: none, 5s/move, 3m+2s, 40/5m, depth:8,
    /// nodes:1e6, cpu:5s/move, fuel:2e9/move [default: 5s/move for engines, none for people]
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<Budget>,
    /// Save the bout in this file [default: a new one in the user's data folder]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The start position, in the game's notation [default: the start position of the variant; for
    /// a game with random starts, the deal of the seed]
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["from", "resume"])]
    pub position: Option<String>,
    /// Start a new bout from the end of a saved one, or from a given ply of it; without --seat, the
    /// same players play
    #[arg(long, value_name = "FILE[@PLY]", conflicts_with = "resume")]
    pub from: Option<String>,
    /// Continue an unfinished bout, with its players, clocks, seed and settings
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["seat", "budget", "seed", "requests", "on_timeout", "adjudicate", "move_guard", "ponder"])]
    pub resume: Option<PathBuf>,
    /// The seed of everything random in the bout [default: a random one, which is printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many attempts an engine has for each move; it loses if the last one is illegal too
    /// [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub requests: Option<u32>,
    /// What happens when an engine exceeds its time limit [default: loss]
    #[arg(long, value_enum)]
    pub on_timeout: Option<OnTimeoutArg>,
    /// End a bout between engines early. `win=600/8`: both sides see the same side ahead by 600 or
    /// more for 8 plies. `resign=900/4`: one side sees itself behind by 900 or more in 4 of its own
    /// moves. `draw=10/8@40`: neither side sees an advantage of more than 10 for 8 plies
    /// after the first 40. `solver=12`: the bout ends with the result of perfect play when at most
    /// 12 empty squares (reversi) or tricks (bridge) are left. Join several rules with commas
    /// [default: none]
    #[arg(long, value_name = "RULES")]
    pub adjudicate: Option<Adjudication>,
    /// How long an engine may think about a move without a limit of time or fuel, such as under
    /// `depth:8`: `30s`, `10m`, … Then it is stopped and loses, unless a busy machine kept it from
    /// working [default: 10m]
    #[arg(long, value_name = "TIME")]
    pub move_guard: Option<TimeArg>,
    /// Whether engines think on their opponents' time; against a person, for as long as the person
    /// thinks. `auto` applies to games against people only, if the engine has a time budget and a
    /// core is free; --ponder alone means `on` [default: auto]
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "on")]
    pub ponder: Option<PlayPonder>,
    /// The engine that gives hints [default: the first that plays]
    #[arg(long, value_name = "ENGINE")]
    pub hint: Option<SeatSpec>,
    /// Print only the result, as one JSON line, to standard output
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub engines: EngineArgs,
}

/// The command-line form of [`TimeoutPolicy`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnTimeoutArg {
    /// The engine loses
    #[default]
    Loss,
    /// The last legal move that the engine reported is played and marked
    PlayReported,
}

impl From<OnTimeoutArg> for TimeoutPolicy {
    fn from(arg: OnTimeoutArg) -> Self {
        match arg {
            OnTimeoutArg::Loss => TimeoutPolicy::Loss,
            OnTimeoutArg::PlayReported => TimeoutPolicy::PlayReported,
        }
    }
}

fn examples() -> String {
    format!(
        "What a person can type:\n{}\n\
Examples:
  sandboard play gomoku --seat human --seat gomoku-alpha
  sandboard play gomoku --seat human@10m+5s --seat gomoku-alpha@1s/move --variant standard
  sandboard play gomoku --seat gomoku-alpha --seat gomoku-simple --ponder
  sandboard play gomoku --seat gomoku-alpha:depth=6 --seat random-mover --budget 1s/move
  sandboard play gomoku --seat a@fuel:2e9/move --seat b@fuel:2e9/move --seed 7 --record b.json
  sandboard play --from b.json@12 --seat human --seat gomoku-alpha
  sandboard play --resume b.json",
        terminal::commands_help()
    )
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (setup, games) = plan(args)?;
    let colors = |on: bool| on && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let person = setup.players.iter().any(|player| player.engine.is_none());
    let screen = std::io::stdout().is_terminal();
    let options = DisplayOptions {
        to_stderr: args.json,
        editing: !args.json && screen && std::io::stdin().is_terminal(),
        colors: colors(if args.json { std::io::stderr().is_terminal() } else { screen }),
        hints: CommandHints { arguments: args.engines.as_arguments() },
        games: games.clone(),
    };
    for player in &setup.players {
        if player.budget.is_none() && player.engine.is_some() {
            log::warn!(
                "{} has no limit and may think forever; Ctrl-C saves the bout and exits",
                player.name
            );
        }
    }
    let (sides, seed) = (setup.start.game.sides_of(&setup.start.variant), setup.seed);
    let report = match person {
        true => terminal::play(setup, options)?,
        false if args.json => bout::run(setup, Some(until_interrupted()), &mut bout::NullObserver)?,
        false => {
            let mut log = BoutLog::new(options);
            log.header(&setup)?;
            let report = bout::run(setup, Some(until_interrupted()), &mut log)?;
            log.footer(&report)?;
            report
        }
    };
    if args.json {
        print_json(&report, &games, sides, seed, &args.engines.as_arguments())?;
    }
    match &report.saved {
        Ok(_) => Ok(()),
        Err(error) => Err(anyhow::anyhow!("the bout is not saved: {error}")),
    }
}

/// The input of a bout between engines: Ctrl-C (also SIGTERM and SIGHUP) leaves the bout
/// unfinished and saved, so that it can be resumed.
fn until_interrupted() -> bout::InputReceiver {
    let (input, people) = bout::input_channel();
    let note = "ending: the bout is saved; a second signal (Ctrl-C) ends at once";
    let handled = on_first_signal(note, {
        let input = input.clone();
        move || {
            input.send(bout::InputEvent::Quit);
        }
    });
    if let Err(error) = handled {
        log::warn!("Ctrl-C will end the bout without saving it: {error}");
        // The bout would take a dropped input for a person who left.
        std::mem::forget(input);
    }
    people
}

/// What each player did on its opponents' time; null for a player that did not ponder.
fn pondering(record: &Record) -> Vec<Option<serde_json::Value>> {
    let players = record.players.iter().enumerate();
    let of = |(index, player): (usize, &PlayerRecord)| {
        let PonderingStatistics { time, predictions, hits } = record.pondering(index);
        player.ponders.then(|| {
            json!({
                "wall_us": time.wall_us,
                "cpu_us": time.cpu_us,
                "stop_us": time.stop_us,
                "predictions": predictions,
                "hits": hits,
            })
        })
    };
    players.map(of).collect()
}

fn print_json(
    report: &BoutReport,
    games: &Games,
    sides: &[&'static str],
    seed: u64,
    arguments: &str,
) -> Result<()> {
    let record = &report.record;
    let path = report.saved.as_ref().ok().and_then(|path| path.as_ref());
    // The names of the sides at the end of the game: a swap may have exchanged them.
    let game = record.restore_referee(games).ok();
    let side = |side: u8| match &game {
        Some(referee) => referee.game().side_name(sandboard_games::Side(side)),
        None => sides.get(usize::from(side)).copied().unwrap_or(""),
    };
    let winner = report.result.as_ref().and_then(|result| result.winner).map(side);
    let mut faults = replay::fault_reports(record, path.map(|path| path.as_path()));
    faults.iter_mut().filter(|it| !it.replay.is_empty()).for_each(|it| it.replay += arguments);
    let line = json!({
        "game": record.game,
        "variant": record.variant,
        "seed": seed,
        "players": record.players.iter().map(|player| &player.name).collect::<Vec<_>>(),
        "plies": record.plies.len(),
        "winner": winner,
        "result": report.result,
        "perfect_play": record.perfect_play,
        "record": path.map(|path| path.to_string_lossy()),
        "faults": faults,
        "pondering": pondering(record),
    });
    let mut out = crate::output::stdout();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
