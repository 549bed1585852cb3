//! `sandboard replay`: repeats the calls that an engine got in a recorded bout, on a fresh
//! instance: to examine a call in a debugger, or to reproduce a fault.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use sandboard_abi::{Decision, Level, Line, Unit};

use super::engines::{EngineArgs, Engines};
use super::usage;
use sandboard_arena::load_record;
use sandboard_bout::record::Record;
use sandboard_bout::referee::EventKind;
use sandboard_bout::replay::{
    CallOutcome, CallResult, CallRunner, CallScript, EngineCall, ExpectedResult, RecordedAnswer,
    ScriptStep,
};
use sandboard_bout::text::sanitize;
use sandboard_engine::{Amount, Fault, Listener};

const EXAMPLES: &str = "\
--ply N is the moment after N moves: `--ply 0` repeats the first call for a move. All earlier calls
to the engine are repeated, too, so that it is in the same state. On fuel the result is the same; on
a time budget the engine may search more or less than before.

A native engine runs inside this process; use --no-deadline to stop it in a debugger.

Exit codes: 0: the calls were made, even if a fault occurred again; 1: they were not; 2: usage
error.

Examples:
  sandboard replay b.json --ply 12
  sandboard replay b.json --ply 13 --player 1
  gdb --args sandboard replay b.json --ply 12 --no-deadline";

/// Repeat the calls that an engine got in a recorded bout, up to a ply
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The record of the bout
    record: PathBuf,
    /// The number of moves before the call
    #[arg(long, value_name = "N")]
    ply: u32,
    /// The player to replay, from 0 [default: the player with a fault at that ply, else the player
    /// to move]
    #[arg(long, value_name = "P")]
    player: Option<usize>,
    /// Never end a call by force, however long it takes
    #[arg(long)]
    no_deadline: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut engines = Engines::open(&args.engines)?;
    let record = load_record(&args.record, engines.games())?;
    let script = CallScript::from_record(&record, engines.games())?;
    let (player, steps) = chosen(args, &record, &script)?;
    let seated = &record.players[player];
    let Some(engine) = &seated.engine else {
        return Err(usage(format!("player {player} is a person, and gets no calls")));
    };
    let loaded = engines.for_replay(engine, seated.budget.unit(), !args.no_deadline)?;

    let mut out = crate::output::stdout();
    writeln!(out, "{} (player {player}) of {}", seated.name, args.record.display())?;
    let output = Arc::new(EngineOutput::default());
    let mut runner = CallRunner::new(&*loaded.source, output.clone());
    let Some((last, before)) = steps.split_last() else { return Ok(()) };
    for step in before {
        output.clear();
        let repeated = runner.run(step);
        print_step(&mut out, step, &repeated)?;
    }
    if engine.threads > 1 {
        let threads = engine.threads;
        writeln!(
            out,
            "it searched with {threads} threads, so its results may differ from the recorded ones"
        )?;
    }
    if args.no_deadline {
        writeln!(out, "process {}: the next call is the one to examine", std::process::id())?;
    }
    out.flush()?;
    output.clear();
    let repeated = runner.run(last);
    for line in output.take() {
        writeln!(out, "  {line}")?;
    }
    print_step(&mut out, last, &repeated)?;
    Ok(out.flush()?)
}

/// The player, and its calls up to the last one at the ply.
fn chosen<'a>(
    args: &Args,
    record: &Record,
    script: &'a CallScript,
) -> Result<(usize, &'a [ScriptStep])> {
    let at_ply = |player: usize| {
        let steps = script.players.get(player)?;
        let last = steps.iter().rposition(|step| step.at_ply == args.ply)?;
        Some(&steps[..=last])
    };
    let player = match args.player {
        Some(player) if player >= record.players.len() => {
            let last = record.players.len() - 1;
            return Err(usage(format!("unknown player {player}; the players are 0 to {last}")));
        }
        Some(player) => player,
        None => {
            default_player(args.ply, record, script).ok_or_else(|| no_call(args, record, script))?
        }
    };
    let steps = at_ply(player).ok_or_else(|| no_call(args, record, script))?;
    Ok((player, steps))
}

/// The player with a fault at this ply, else the player that was asked for a move.
fn default_player(ply: u32, record: &Record, script: &CallScript) -> Option<usize> {
    let faulty = record.events.iter().find_map(|event| match event.kind {
        EventKind::Fault { player, .. } if event.at_ply == ply => Some(player),
        _ => None,
    });
    let asked = |steps: &Vec<ScriptStep>| {
        steps.iter().any(|step| step.at_ply == ply && matches!(step.call, EngineCall::Choose(..)))
    };
    faulty.or_else(|| script.players.iter().position(asked))
}

fn no_call(args: &Args, record: &Record, script: &CallScript) -> anyhow::Error {
    let all = script.players.iter().enumerate();
    let range = |(player, steps): (usize, &Vec<ScriptStep>)| {
        let (first, last) = (steps.first()?.at_ply, steps.last()?.at_ply);
        let name = &record.players.get(player)?.name;
        Some(format!("{name} (--player {player}) got calls at plies {first} to {last}"))
    };
    let ranges: Vec<String> = all.filter_map(range).collect();
    let ranges =
        if ranges.is_empty() { "the record has no engine".into() } else { ranges.join("; ") };
    let (ply, file) = (args.ply, args.record.display());
    usage(format!("{file} has no such call after {ply} moves; {ranges}"))
}

fn print_step(out: &mut impl Write, step: &ScriptStep, repeated: &CallResult) -> Result<()> {
    let call = match &step.call {
        EngineCall::Start(setup) if setup.moves.is_empty() => "start".into(),
        EngineCall::Start(setup) => format!("start after {}", setup.moves),
        EngineCall::Played(mv) => format!("played {mv}"),
        EngineCall::TakenBack(plies) => format!("taken-back {plies}"),
        EngineCall::Choose(limits, barred) => {
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
        Ok(CallOutcome::Started(spent)) => spent.to_string(),
        Ok(CallOutcome::Done) => "done".into(),
        Ok(CallOutcome::Chosen(answer)) => {
            let decision = match &answer.choice.decision {
                Decision::Play(mv) => {
                    format!("`{}`", sanitize(mv, sandboard_abi::limits::MOVE_BYTES))
                }
                Decision::Resign => "resigned".into(),
                Decision::AcceptDraw => "accepted a draw".into(),
            };
            format!("{decision}, {}", answer.spent)
        }
        Err(fault) => fault_text(fault),
    };
    writeln!(out, "ply {}: {call}: {now}", step.at_ply)?;
    if let Some(then) = recorded(&step.expected) {
        writeln!(out, "    recorded: {then}")?;
    }
    Ok(())
}

fn fault_text(fault: &Fault) -> String {
    let sentence = sanitize(&fault.sentence, sandboard_abi::limits::REASON_BYTES);
    format!("fault `{}`: {sentence}, {}", fault.code, fault.spent)
}

fn recorded(expected: &ExpectedResult) -> Option<String> {
    match expected {
        ExpectedResult::Done => None,
        ExpectedResult::Unknown => Some("no answer, since the host stopped waiting for it".into()),
        ExpectedResult::Fault(fault) => Some(fault_text(fault)),
        ExpectedResult::Answer(answered, spent) => {
            let answered = match answered {
                RecordedAnswer::Move { mv, offers_draw: false } => format!("`{mv}`"),
                RecordedAnswer::Move { mv, .. } => format!("`{mv}` with a draw offer"),
                RecordedAnswer::Refused(text) => format!("`{text}`, which was refused"),
                RecordedAnswer::Resigned => "resigned".into(),
                RecordedAnswer::DrawAccepted => "accepted a draw".into(),
            };
            Some(format!("{answered}, {spent}"))
        }
    }
}

/// The output of the engine during a call.
#[derive(Default)]
struct EngineOutput {
    lines: std::sync::Mutex<Vec<String>>,
}

/// The most lines that are kept of one call.
const LINES_MAX: usize = 1000;

impl EngineOutput {
    fn lines(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn clear(&self) {
        self.lines().clear();
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines())
    }

    fn push(&self, line: String) {
        let mut lines = self.lines();
        if lines.len() < LINES_MAX {
            lines.push(line);
        }
    }
}

impl Listener for EngineOutput {
    fn report(&self, line: &Line) {
        let score = line.score.map_or(String::new(), |score| format!(" score {}", score.value));
        let (depth, nodes, moves) = (line.depth, line.nodes, sanitize(&line.moves, 200));
        self.push(format!("report: depth {depth}{score} nodes {nodes} {moves}"));
    }

    fn log(&self, level: Level, text: &str) {
        self.push(format!("log {}: {text}", format!("{level:?}").to_lowercase()));
    }
}
