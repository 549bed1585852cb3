//! Step 10: whether what a move may cost is kept. Late is what the host's own
//! grace says, by the time that a thread of ours had beside the call: a busy
//! machine, which gave that little, has made nobody late.

use std::time::Duration;

use sandboard_abi::{Limits, Unit};

use super::super::bench::{Ask, Bench, PATIENT, Way};
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::player::Player;
use super::super::positions::Board;
use super::super::yardstick::{Watch, Watched};
use crate::budget::Budget;
use crate::clock::{Clock, Grace};
use crate::counted;
use crate::engine::{FaultCode, no_cpu_clock};

/// Budgets that the host's clock ends: a move, and clocks that are nearly empty.
const TIMED: [&str; 4] = ["5ms/move", "50ms/move", "10ms+5ms", "2ms"];
/// Budgets that the engine has to keep by itself.
const COUNTED: [&str; 3] = ["depth:1", "nodes:1", "nodes:300"];
/// Budgets of CPU time, where the system counts it.
const BUSY: [&str; 2] = ["cpu:5ms/move", "cpu:50ms/move"];
/// Budgets of fuel, for engines whose fuel is counted.
const FUELLED: [&str; 2] = ["fuel:1e6/move", "fuel:3e7/move"];
/// How often a request is made that is not answered in time.
const TRIES: usize = 3;
/// When an unlimited request is told to stop.
const STOP_AFTER: Duration = Duration::from_millis(40);

/// What came of one request, once.
enum Try {
    /// It was answered in time: by how much it overran, in the budget's unit.
    InTime(u64),
    /// It was late, though there was time enough.
    Late(Finding),
    /// It was not answered, but nobody could have done it: the machine is busy.
    Busy,
}

/// What came of all requests.
#[derive(Default)]
struct Tally {
    requests: usize,
    busy: usize,
    worst_us: u64,
    worst_fuel: u64,
    slowest_stop_us: u64,
}

type Scene = (Board, Vec<String>);

pub fn budget(bench: &mut Bench<'_>) -> Verdict {
    let mut scenes = Vec::new();
    for board in bench.small_boards() {
        let moves = board.random_game(bench.settings.seed);
        scenes.push((board.clone(), Vec::new()));
        scenes.push((board, moves[..moves.len() / 2].to_vec()));
    }
    let fuelled: &[&str] = if bench.fuelled.is_some() { &FUELLED } else { &[] };
    let busy: &[&str] = if no_cpu_clock().is_none() { &BUSY } else { &[] };
    let grace = Grace { us: PATIENT.us, ..Grace::default() };
    let mut tally = Tally::default();
    for text in TIMED.iter().chain(&COUNTED).chain(busy).chain(fuelled) {
        let budget: Budget = text
            .parse()
            .map_err(|error: crate::budget::BudgetError| Wrong::Skipped(error.to_string()))?;
        let ask = Ask { limits: Clock::new(budget).limits(grace), label: (*text).into() };
        for scene in &scenes {
            let overrun = repeated(bench, &mut tally, |bench| request(bench, scene, &ask))?;
            match budget.unit() {
                Unit::Fuel => tally.worst_fuel = tally.worst_fuel.max(overrun),
                _ => tally.worst_us = tally.worst_us.max(overrun),
            }
        }
    }
    for scene in &scenes {
        let late_us = repeated(bench, &mut tally, |bench| stop(bench, scene))?;
        tally.slowest_stop_us = tally.slowest_stop_us.max(late_us);
    }
    let fuel = match fuelled {
        [] => String::new(),
        _ => format!(", {} of {} units of fuel", tally.worst_fuel, Grace::default().fuel),
    };
    Ok(format!(
        "{}; the worst overrun was {} of {} ms of grace{fuel}; it stopped {} ms after it was told \
         to",
        counted(tally.requests, "request"),
        ms(tally.worst_us),
        Grace::default().us / 1000,
        ms(tally.slowest_stop_us)
    ))
}

fn ms(us: u64) -> String {
    format!("{}.{}", us / 1000, us % 1000 / 100)
}

/// One request, made again when it is not answered in time; by how much it
/// overran. Late each time is a failure, late at times or not to be judged a warning.
fn repeated(
    bench: &mut Bench<'_>,
    tally: &mut Tally,
    request: impl Fn(&mut Bench<'_>) -> Verdict<Try>,
) -> Verdict<u64> {
    tally.requests += 1;
    let (mut late, mut lates, mut in_time) = (None, 0, None);
    let mut tried = 0;
    while tried < TRIES && in_time.is_none() {
        tried += 1;
        match request(bench)? {
            Try::InTime(overrun) => in_time = Some(overrun),
            Try::Late(finding) => {
                lates += 1;
                late = Some(finding);
            }
            Try::Busy => tally.busy += 1,
        }
    }
    match (late, in_time) {
        (Some(finding), _) if lates == TRIES => return Err(bench.failed(finding)),
        (Some(finding), _) => {
            let sentence = format!("{lates} of {tried} times {}", finding.sentence);
            bench.warn(Finding { sentence, ..finding });
        }
        (None, None) => {
            let help = bench.help();
            bench.warn(too_busy(help));
        }
        (None, Some(_)) => (),
    }
    Ok(in_time.unwrap_or(0))
}

/// What is said where nothing can be said of the engine.
fn too_busy(help: String) -> Finding {
    Finding {
        sentence: "the machine is too busy to judge whether it keeps its time".into(),
        asked: "a request, and beside it a thread of the check".into(),
        came_back: format!("no answer, and next to no time for the thread, {TRIES} times"),
        expected: "a machine that lets a thread run for a moment".into(),
        help,
    }
}

/// One request under a budget.
fn request(bench: &mut Bench<'_>, (board, moves): &Scene, ask: &Ask) -> Verdict<Try> {
    let mut player = bench.seat(board, moves, Way::Moves, ask.limits.unit)?;
    match ask.limits.unit {
        Unit::Unlimited => {
            let chosen = player.choose(ask, &[])?;
            check_counts(bench, ask, &player.scene, chosen.lines.last().or(chosen.line.as_ref()));
            Ok(Try::InTime(0))
        }
        Unit::Fuel => {
            let chosen = player.choose(ask, &[])?;
            let fuel = chosen.spent.fuel.unwrap_or(0);
            Ok(Try::InTime(fuel.saturating_sub(allowed(&ask.limits))))
        }
        Unit::Cpu => busy(&mut player, ask),
        Unit::Wall => timed(&mut player, ask),
    }
}

/// One request under CPU time, which a busy machine leaves as it is.
fn busy(player: &mut Player, ask: &Ask) -> Verdict<Try> {
    let (limit_us, grace_us) = (allowed(&ask.limits), Grace::default().us);
    let chosen = player.choose(ask, &[])?;
    let Some(spent_us) = chosen.spent.cpu_us else { return Ok(Try::InTime(0)) };
    let overrun_us = spent_us.saturating_sub(limit_us);
    if overrun_us <= grace_us {
        return Ok(Try::InTime(overrun_us));
    }
    Ok(Try::Late(Finding {
        sentence: format!(
            "it did not answer within {} ms of CPU time and {} ms of grace",
            limit_us / 1000,
            grace_us / 1000
        ),
        asked: format!("{}; {}", player.scene, player.call(ask, &[])),
        came_back: format!("a move after {} ms of CPU time", ms(spent_us)),
        expected: "a move within limit and grace; ask `left()` more often".into(),
        help: player.help().to_owned(),
    }))
}

/// One request under a clock, which the watch ends when the grace of a bout is over.
fn timed(player: &mut Player, ask: &Ask) -> Verdict<Try> {
    let (limit_us, grace) = (allowed(&ask.limits), grace());
    let watch = Watch { after: Duration::from_micros(limit_us), grace };
    let Watched { value, was_stopped, .. } = player.watched(ask, &[], watch);
    let call = player.call(ask, &[]);
    match value {
        Err(fault) if fault.code != FaultCode::Timeout => {
            Err(player.fault(&fault, &call, "a move within limit and grace"))
        }
        _ if was_stopped => Ok(Try::Late(Finding {
            sentence: format!(
                "it did not answer within {} ms and {} ms of grace",
                limit_us / 1000,
                grace.as_millis()
            ),
            asked: format!("{}; {call}", player.scene),
            came_back: format!(
                "nothing until a thread beside it had run for {} ms",
                grace.as_millis()
            ),
            expected: "a move within limit and grace; ask `left()` more often".into(),
            help: player.help().to_owned(),
        })),
        Err(_) => Ok(Try::Busy),
        Ok(answer) => {
            let spent_us = answer.spent.wall_us;
            player.judged(ask, &[], answer)?;
            Ok(Try::InTime(spent_us.saturating_sub(limit_us)))
        }
    }
}

/// The grace that a bout has.
fn grace() -> Duration {
    Duration::from_micros(Grace::default().us)
}

fn allowed(limits: &Limits) -> u64 {
    limits.call_max.unwrap_or(u64::MAX).min(limits.game_left.unwrap_or(u64::MAX))
}

/// What it says of depth and nodes, against what it was allowed.
fn check_counts(bench: &mut Bench<'_>, ask: &Ask, scene: &str, line: Option<&sandboard_abi::Line>) {
    let Some(line) = line else { return };
    let deeper = ask.limits.depth.is_some_and(|most| line.depth > most);
    // Some count the last batch of nodes after it is searched.
    let more = ask.limits.nodes.is_some_and(|most| line.nodes > most + most / 10 + 1024);
    if deeper || more {
        bench.warn(Finding {
            sentence: format!(
                "under {} it reports depth {}, {} nodes",
                ask.label, line.depth, line.nodes
            ),
            asked: format!("{scene}; choose under {}", ask.label),
            came_back: format!("a line of depth {} with {} nodes", line.depth, line.nodes),
            expected: "no more than the budget".into(),
            help: bench.help(),
        });
    }
}

/// Asks without a limit, and has it stopped; how long it took to come back from
/// then on, in microseconds.
fn stop(bench: &mut Bench<'_>, (board, moves): &Scene) -> Verdict<Try> {
    let ask = Ask { limits: Limits { lines: 1, ..Limits::default() }, label: "none".into() };
    let mut player = bench.seat(board, moves, Way::Moves, ask.limits.unit)?;
    let watch = Watch { after: STOP_AFTER, grace: Duration::ZERO };
    let Watched { value, had, .. } = player.watched(&ask, &[], watch);
    match value {
        Ok(answer) => {
            let late_us = answer.spent.wall_us.saturating_sub(STOP_AFTER.as_micros() as u64);
            player.judged(&ask, &[], answer)?;
            Ok(Try::InTime(late_us))
        }
        Err(fault) if fault.code == FaultCode::Timeout && had < grace() => Ok(Try::Busy),
        Err(fault) => {
            let call =
                format!("choose without a limit, stopped after {} ms", STOP_AFTER.as_millis());
            Err(player.fault(&fault, &call, "a move as soon as `left()` is 0"))
        }
    }
}
