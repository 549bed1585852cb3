//! Step 10: whether the engine keeps its budgets. An engine exceeds a time limit only if the
//! baseline thread had CPU time for the whole grace meanwhile, so it does not fail on a busy
//! machine.

use std::time::Duration;

use sandboard_abi::{Limits, Unit};

use super::super::context::{CheckContext, GENEROUS_GRACE, MoveRequest, SetupMode};
use super::super::cpu_baseline::{CpuBaseline, TimedCall};
use super::super::outcome::{Finding, StepFailure, StepResult};
use super::super::positions::Board;
use super::super::test_instance::TestInstance;
use sandboard_bout::clock::{Clock, Grace};
use sandboard_common::text::counted;
use sandboard_engine::meter::cpu_clock_fault;
use sandboard_engine::{Budget, FaultCode};

/// Budgets of wall time: limits per move, and nearly empty clocks.
const TIMED: [&str; 4] = ["5ms/move", "50ms/move", "10ms+5ms", "2ms"];
/// Budgets that only the engine itself can keep.
const COUNTED: [&str; 3] = ["depth:1", "nodes:1", "nodes:300"];
/// Budgets of CPU time, if the system counts it.
const CPU: [&str; 2] = ["cpu:5ms/move", "cpu:50ms/move"];
/// Budgets of fuel, if the engine's fuel is counted.
const FUELLED: [&str; 2] = ["fuel:1e6/move", "fuel:3e7/move"];
/// The number of attempts if a request is not answered in time.
const TRIES: usize = 3;
/// The time after which a request without a limit is stopped.
const STOP_AFTER: Duration = Duration::from_millis(40);

/// The result of one attempt.
enum Attempt {
    /// A response within limit and grace, with its overrun in the budget's unit.
    InTime(u64),
    /// No response in time, although the engine had enough CPU time.
    Overrun(Finding),
    /// No response in time, but the machine was too busy to judge that.
    Undecided,
}

/// The measurements of all requests.
#[derive(Default)]
struct Totals {
    requests: usize,
    undecided: usize,
    worst_us: u64,
    worst_fuel: u64,
    slowest_stop_us: u64,
}

type Scenario = (Board, Vec<String>);

pub(crate) fn budget(context: &mut CheckContext<'_>) -> StepResult {
    let mut scenarios = Vec::new();
    for board in context.smallest_boards() {
        let moves = board.random_game(context.settings.seed);
        scenarios.push((board.clone(), Vec::new()));
        scenarios.push((board, moves[..moves.len() / 2].to_vec()));
    }
    let fuelled: &[&str] = if context.fuelled.is_some() { &FUELLED } else { &[] };
    let cpu: &[&str] = if cpu_clock_fault().is_none() { &CPU } else { &[] };
    let grace = Grace { us: GENEROUS_GRACE.us, ..Grace::default() };
    let mut totals = Totals::default();
    for text in TIMED.iter().chain(&COUNTED).chain(cpu).chain(fuelled) {
        let budget: Budget = text.parse().map_err(|error: sandboard_engine::BudgetError| {
            StepFailure::Skipped(error.to_string())
        })?;
        let move_request =
            MoveRequest { limits: Clock::new(budget).limits(grace), label: (*text).into() };
        for history in &scenarios {
            let overrun =
                repeat(context, &mut totals, |context| request(context, history, &move_request))?;
            match budget.unit() {
                Unit::Fuel => totals.worst_fuel = totals.worst_fuel.max(overrun),
                _ => totals.worst_us = totals.worst_us.max(overrun),
            }
        }
    }
    for history in &scenarios {
        let overrun_us = repeat(context, &mut totals, |context| stop(context, history))?;
        totals.slowest_stop_us = totals.slowest_stop_us.max(overrun_us);
    }
    let fuel = match fuelled {
        [] => String::new(),
        _ => format!(", {} of {} units of fuel", totals.worst_fuel, Grace::default().fuel),
    };
    Ok(format!(
        "{}; the largest overrun was {} of {} ms of grace{fuel}; it returned at most {} ms after a \
         stop",
        counted(totals.requests, "request"),
        ms(totals.worst_us),
        Grace::default().us / 1000,
        ms(totals.slowest_stop_us)
    ))
}

fn ms(us: u64) -> String {
    format!("{}.{}", us / 1000, us % 1000 / 100)
}

/// Makes a request, and repeats it if it is not answered in time; returns the overrun. Only
/// overruns are a failure; some overruns, or only undecided attempts, are a warning.
fn repeat(
    context: &mut CheckContext<'_>,
    totals: &mut Totals,
    request: impl Fn(&mut CheckContext<'_>) -> StepResult<Attempt>,
) -> StepResult<u64> {
    totals.requests += 1;
    let (mut overrun, mut overruns, mut in_time) = (None, 0, None);
    let mut tried = 0;
    while tried < TRIES && in_time.is_none() {
        tried += 1;
        match request(context)? {
            Attempt::InTime(amount) => in_time = Some(amount),
            Attempt::Overrun(finding) => {
                overruns += 1;
                overrun = Some(finding);
            }
            Attempt::Undecided => totals.undecided += 1,
        }
    }
    match (overrun, in_time) {
        (Some(finding), _) if overruns == TRIES => return Err(context.failed(finding)),
        (Some(finding), _) => {
            let sentence = format!("{overruns} of {tried} times {}", finding.sentence);
            context.warn(Finding { sentence, ..finding });
        }
        (None, None) => {
            let advice = context.advice();
            context.warn(too_busy(advice));
        }
        (None, Some(_)) => (),
    }
    Ok(in_time.unwrap_or(0))
}

/// The warning that the engine could not be judged.
fn too_busy(advice: String) -> Finding {
    Finding {
        sentence: "the machine is too busy to judge whether it keeps its time limit".into(),
        request: "a request, and beside it a thread of the check".into(),
        response: format!("no answer, and almost no CPU time for the thread, {TRIES} times"),
        expected: "a machine that lets a thread run for a moment".into(),
        advice,
    }
}

/// Makes one request under a budget.
fn request(
    context: &mut CheckContext<'_>,
    (board, moves): &Scenario,
    move_request: &MoveRequest,
) -> StepResult<Attempt> {
    let mut instance =
        context.start_at(board, moves, SetupMode::Moves, move_request.limits.unit)?;
    match move_request.limits.unit {
        Unit::Unlimited => {
            let chosen = instance.choose(move_request, &[])?;
            check_counts(
                context,
                move_request,
                &instance.history,
                chosen.lines.last().or(chosen.line.as_ref()),
            );
            Ok(Attempt::InTime(0))
        }
        Unit::Fuel => {
            let chosen = instance.choose(move_request, &[])?;
            let fuel = chosen.spent.fuel.unwrap_or(0);
            Ok(Attempt::InTime(fuel.saturating_sub(allowed(&move_request.limits))))
        }
        Unit::Cpu => request_cpu(&mut instance, move_request),
        Unit::Wall => request_wall(&mut instance, move_request),
    }
}

/// Makes one request under CPU time, which does not depend on the load of the machine.
fn request_cpu(instance: &mut TestInstance, move_request: &MoveRequest) -> StepResult<Attempt> {
    let (limit_us, grace_us) = (allowed(&move_request.limits), Grace::default().us);
    let chosen = instance.choose(move_request, &[])?;
    let Some(spent_us) = chosen.spent.cpu_us else { return Ok(Attempt::InTime(0)) };
    let overrun_us = spent_us.saturating_sub(limit_us);
    if overrun_us <= grace_us {
        return Ok(Attempt::InTime(overrun_us));
    }
    Ok(Attempt::Overrun(Finding {
        sentence: format!(
            "it did not answer within {} ms of CPU time and {} ms of grace",
            limit_us / 1000,
            grace_us / 1000
        ),
        request: format!("{}; {}", instance.history, instance.call(move_request, &[])),
        response: format!("a move after {} ms of CPU time", ms(spent_us)),
        expected: "a move within limit and grace; call `left()` more often".into(),
        advice: instance.advice().to_owned(),
    }))
}

/// Makes one request under wall time; the baseline stops it when the grace of a bout is used up.
fn request_wall(instance: &mut TestInstance, move_request: &MoveRequest) -> StepResult<Attempt> {
    let (limit_us, grace) = (allowed(&move_request.limits), grace());
    let baseline = CpuBaseline { after: Duration::from_micros(limit_us), grace };
    let TimedCall { value, was_stopped, .. } = instance.choose_beside(move_request, &[], baseline);
    let call = instance.call(move_request, &[]);
    match value {
        Err(fault) if fault.code != FaultCode::Timeout => {
            Err(instance.fault(&fault, &call, "a move within limit and grace"))
        }
        _ if was_stopped => Ok(Attempt::Overrun(Finding {
            sentence: format!(
                "it did not answer within {} ms and {} ms of grace",
                limit_us / 1000,
                grace.as_millis()
            ),
            request: format!("{}; {call}", instance.history),
            response: format!(
                "nothing until a thread beside it had {} ms of CPU time",
                grace.as_millis()
            ),
            expected: "a move within limit and grace; call `left()` more often".into(),
            advice: instance.advice().to_owned(),
        })),
        Err(_) => Ok(Attempt::Undecided),
        Ok(answer) => {
            let spent_us = answer.spent.wall_us;
            instance.check_response(move_request, &[], answer)?;
            Ok(Attempt::InTime(spent_us.saturating_sub(limit_us)))
        }
    }
}

/// The grace of a bout.
fn grace() -> Duration {
    Duration::from_micros(Grace::default().us)
}

fn allowed(limits: &Limits) -> u64 {
    limits.call_max.unwrap_or(u64::MAX).min(limits.game_left.unwrap_or(u64::MAX))
}

/// Warns if the reported depth or nodes exceed the budget.
fn check_counts(
    context: &mut CheckContext<'_>,
    move_request: &MoveRequest,
    history: &str,
    line: Option<&sandboard_abi::Line>,
) {
    let Some(line) = line else { return };
    let deeper = move_request.limits.depth.is_some_and(|most| line.depth > most);
    // Some engines count the last batch of nodes only after it is searched.
    let more = move_request.limits.nodes.is_some_and(|most| line.nodes > most + most / 10 + 1024);
    if deeper || more {
        context.warn(Finding {
            sentence: format!(
                "under {} it reports depth {}, {} nodes",
                move_request.label, line.depth, line.nodes
            ),
            request: format!("{history}; choose under {}", move_request.label),
            response: format!("a line of depth {} with {} nodes", line.depth, line.nodes),
            expected: "no more than the budget".into(),
            advice: context.advice(),
        });
    }
}

/// Makes a request without a limit and stops it; returns the time from the stop to the response, in
/// microseconds.
fn stop(context: &mut CheckContext<'_>, (board, moves): &Scenario) -> StepResult<Attempt> {
    let move_request =
        MoveRequest { limits: Limits { lines: 1, ..Limits::default() }, label: "none".into() };
    let mut instance =
        context.start_at(board, moves, SetupMode::Moves, move_request.limits.unit)?;
    let baseline = CpuBaseline { after: STOP_AFTER, grace: Duration::ZERO };
    let TimedCall { value, baseline_time, .. } =
        instance.choose_beside(&move_request, &[], baseline);
    match value {
        Ok(answer) => {
            let overrun_us = answer.spent.wall_us.saturating_sub(STOP_AFTER.as_micros() as u64);
            instance.check_response(&move_request, &[], answer)?;
            Ok(Attempt::InTime(overrun_us))
        }
        Err(fault) if fault.code == FaultCode::Timeout && baseline_time < grace() => {
            Ok(Attempt::Undecided)
        }
        Err(fault) => {
            let call =
                format!("choose without a limit, stopped after {} ms", STOP_AFTER.as_millis());
            Err(instance.fault(&fault, &call, "a move as soon as `left()` is 0"))
        }
    }
}
