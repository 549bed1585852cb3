//! `sandboard replay`: the calls that an engine got in a recorded bout, made
//! again on a fresh instance, to look at one of them: under a debugger, or to
//! see a fault a second time.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use sandboard_abi::{Decision, Level, Line, Unit};

use super::engines::{EngineArgs, Engines};
use super::usage;
use crate::arena::load_record;
use crate::budget::Amount;
use crate::engine::{Fault, Listener};
use crate::record::Record;
use crate::referee::{What, tidy};
use crate::replay::{Answered, Call, Expected, Outcome, Repeated, Script, Step, Walker};

const EXAMPLES: &str = "\
--ply N is the moment when N moves had been played: `--ply 0` repeats what was asked first. All
calls that the engine got before are made, too, so that it is in the state that it was in. On fuel
the same comes out; on a clock of time an engine may search further or less far than it did.

A native engine runs in this process: with --no-deadline it can be stopped in a debugger.

Exit codes: 0 the calls were made (a fault that comes again is done), 1 they were not, 2 it was
asked for wrongly.

Examples:
  sandboard replay b.json --ply 12
  sandboard replay b.json --ply 13 --player 1
  gdb --args sandboard replay b.json --ply 12 --no-deadline";

/// Repeat the calls that an engine got in a recorded bout, up to a ply
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The record
    record: PathBuf,
    /// How many moves had been played when the call was made
    #[arg(long, value_name = "N")]
    ply: u32,
    /// Whose calls, counted from 0 [default: who did something wrong at that ply, else who was to
    /// move]
    #[arg(long, value_name = "P")]
    player: Option<usize>,
    /// No call is ended by force, however long it takes
    #[arg(long)]
    no_deadline: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

pub fn run(args: &Args) -> Result<()> {
    let record = load_record(&args.record, sandboard_games::game)?;
    let script = Script::of(&record, sandboard_games::game)?;
    let (player, steps) = chosen(args, &record, &script)?;
    let seated = &record.players[player];
    let Some(engine) = &seated.engine else {
        return Err(usage(format!("player {player} is a person, who gets no calls")));
    };
    let mut engines = Engines::open(&args.engines)?;
    let loaded = engines.of_replay(engine, seated.budget.unit(), !args.no_deadline)?;

    let mut out = std::io::stdout().lock();
    writeln!(out, "{} (player {player}) of {}", seated.name, args.record.display())?;
    let ear = Arc::new(Ear::default());
    let mut walker = Walker::new(&*loaded.source, ear.clone());
    let Some((last, before)) = steps.split_last() else { return Ok(()) };
    for step in before {
        ear.forget();
        let repeated = walker.make(&step.call);
        tell(&mut out, step, &repeated)?;
    }
    if engine.threads > 1 {
        let threads = engine.threads;
        writeln!(
            out,
            "it searched with {threads} threads: what they find first is never the same"
        )?;
    }
    if args.no_deadline {
        writeln!(out, "process {}: the next call is the one", std::process::id())?;
    }
    out.flush()?;
    ear.forget();
    let repeated = walker.make(&last.call);
    for line in ear.heard() {
        writeln!(out, "  {line}")?;
    }
    tell(&mut out, last, &repeated)?;
    Ok(out.flush()?)
}

/// The calls to make: those of one player, up to the last one at that ply.
fn chosen<'a>(args: &Args, record: &Record, script: &'a Script) -> Result<(usize, &'a [Step])> {
    let at_ply = |player: usize| {
        let steps = script.players.get(player)?;
        let last = steps.iter().rposition(|step| step.at_ply == args.ply)?;
        Some(&steps[..=last])
    };
    let player = match args.player {
        Some(player) if player >= record.players.len() => {
            let last = record.players.len() - 1;
            return Err(usage(format!("there is no player {player}; they are 0 to {last}")));
        }
        Some(player) => player,
        None => usual_player(args.ply, record, script).ok_or_else(|| none(args, record, script))?,
    };
    let steps = at_ply(player).ok_or_else(|| none(args, record, script))?;
    Ok((player, steps))
}

/// Who did something wrong when so many moves had been played, else who was
/// asked for a move.
fn usual_player(ply: u32, record: &Record, script: &Script) -> Option<usize> {
    let faulty = record.events.iter().find_map(|event| match event.what {
        What::Fault { player, .. } if event.at_ply == ply => Some(player),
        _ => None,
    });
    let asked = |steps: &Vec<Step>| {
        steps.iter().any(|step| step.at_ply == ply && matches!(step.call, Call::Choose(..)))
    };
    faulty.or_else(|| script.players.iter().position(asked))
}

fn none(args: &Args, record: &Record, script: &Script) -> anyhow::Error {
    let all = script.players.iter().enumerate();
    let range = |(player, steps): (usize, &Vec<Step>)| {
        let (first, last) = (steps.first()?.at_ply, steps.last()?.at_ply);
        let name = &record.players.get(player)?.name;
        Some(format!("{name} (--player {player}) got calls at plies {first} to {last}"))
    };
    let ranges: Vec<String> = all.filter_map(range).collect();
    let ranges = if ranges.is_empty() { "no engine plays in it".into() } else { ranges.join("; ") };
    let (ply, file) = (args.ply, args.record.display());
    usage(format!("no such call was made when {ply} moves of {file} had been played; {ranges}"))
}

fn tell(out: &mut impl Write, step: &Step, repeated: &Repeated) -> Result<()> {
    let call = match &step.call {
        Call::Start(setup) if setup.moves.is_empty() => "start".into(),
        Call::Start(setup) => format!("start after {}", setup.moves),
        Call::Played(mv) => format!("played {mv}"),
        Call::TakenBack(plies) => format!("taken-back {plies}"),
        Call::Choose(limits, barred) => {
            let left = limits.call_max.into_iter().chain(limits.game_left).min();
            let units = if limits.unit == Unit::Fuel { " units of fuel" } else { "" };
            let left = left.map(|value| Amount { unit: limits.unit, value }.to_string());
            let of = left.map_or(String::new(), |left| format!(" within {left}{units}"));
            let barred: Vec<&str> = barred.iter().map(|barred| barred.r#move.as_str()).collect();
            match barred.as_slice() {
                [] => format!("choose{of}"),
                barred => format!("choose{of}, not {}", barred.join(" ")),
            }
        }
    };
    let now = match repeated {
        Ok(Outcome::Started(spent)) => spent.to_string(),
        Ok(Outcome::Told) => "done".into(),
        Ok(Outcome::Chosen(answer)) => {
            let decision = match &answer.choice.decision {
                Decision::Play(mv) => format!("`{}`", tidy(mv, sandboard_abi::limits::MOVE_BYTES)),
                Decision::Resign => "resigned".into(),
                Decision::AcceptDraw => "accepted a draw".into(),
            };
            format!("{decision}, {}", answer.spent)
        }
        Err(fault) => told_fault(fault),
    };
    writeln!(out, "ply {}: {call}: {now}", step.at_ply)?;
    if let Some(then) = recorded(&step.expected) {
        writeln!(out, "    recorded: {then}")?;
    }
    Ok(())
}

fn told_fault(fault: &Fault) -> String {
    let sentence = tidy(&fault.sentence, sandboard_abi::limits::REASON_BYTES);
    format!("fault `{}`: {sentence}, {}", fault.code, fault.spent)
}

fn recorded(expected: &Expected) -> Option<String> {
    match expected {
        Expected::Done => None,
        Expected::Unknown => Some("nothing, the answer was given up".into()),
        Expected::Fault(fault) => Some(told_fault(fault)),
        Expected::Answer(answered, spent) => {
            let answered = match answered {
                Answered::Move { mv, offers_draw: false } => format!("`{mv}`"),
                Answered::Move { mv, .. } => format!("`{mv}` with the offer of a draw"),
                Answered::Refused(text) => format!("`{text}`, which was refused"),
                Answered::Resigned => "resigned".into(),
                Answered::DrawAccepted => "accepted a draw".into(),
            };
            Some(format!("{answered}, {spent}"))
        }
    }
}

/// What the engine says during a call.
#[derive(Default)]
struct Ear {
    heard: std::sync::Mutex<Vec<String>>,
}

/// Lines that are kept of one call.
const KEPT: usize = 1000;

impl Ear {
    fn lines(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn forget(&self) {
        self.lines().clear();
    }

    fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines())
    }

    fn keep(&self, line: String) {
        let mut lines = self.lines();
        if lines.len() < KEPT {
            lines.push(line);
        }
    }
}

impl Listener for Ear {
    fn report(&self, line: &Line) {
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let (depth, nodes, moves) = (line.depth, line.nodes, tidy(&line.moves, 200));
        self.keep(format!("report: depth {depth}{score} nodes {nodes} {moves}"));
    }

    fn log(&self, level: Level, text: &str) {
        self.keep(format!("log {}: {text}", format!("{level:?}").to_lowercase()));
    }
}
