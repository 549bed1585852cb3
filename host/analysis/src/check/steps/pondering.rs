//! Step 17: whether a pondering engine stops on request and then plays on correctly. As in step 10,
//! an engine does not fail on a busy machine.

use std::time::Duration;

use super::super::context::{CheckContext, SetupMode};
use super::super::cpu_baseline::{CpuBaseline, TimedCall};
use super::super::outcome::{StepFailure, StepResult};
use super::super::positions::{Board, legal};
use sandboard_bout::clock::Grace;
use sandboard_common::text::counted;
use sandboard_engine::FaultCode;

/// The times after which pondering is stopped: at once, and in the middle.
const STOP_AFTER: [Duration; 2] = [Duration::ZERO, Duration::from_millis(40)];
/// The number of attempts if it does not return in time.
const TRIES: usize = 3;
/// How often the engine ponders in one game.
const TURNS: usize = 3;

/// The measurements of one game.
#[derive(Default)]
struct Totals {
    calls: usize,
    slowest_stop_us: u64,
    busy: bool,
}

pub(crate) fn pondering(context: &mut CheckContext<'_>) -> StepResult {
    let unit = context.default_request().limits.unit;
    if !context.engine(unit)?.description.abilities.ponders {
        let reason = "its description says that it does not ponder";
        return Err(StepFailure::Skipped(reason.into()));
    }
    let mut all = Totals::default();
    let mut busy = 0;
    for board in context.smallest_boards() {
        for after in STOP_AFTER {
            let mut totals = game(context, &board, after)?;
            for _ in 1..TRIES {
                if totals.busy {
                    totals = game(context, &board, after)?;
                }
            }
            busy += usize::from(totals.busy);
            all.calls += totals.calls;
            all.slowest_stop_us = all.slowest_stop_us.max(totals.slowest_stop_us);
        }
    }
    let judged = match busy {
        0 => String::new(),
        _ => format!("; {} not judged, because the machine is too busy", counted(busy, "game")),
    };
    let slowest_us = all.slowest_stop_us;
    Ok(format!(
        "it pondered {}, returned at most {}.{} ms after the stop, and chose a legal move each \
         time{judged}",
        counted(all.calls, "time"),
        slowest_us / 1000,
        slowest_us % 1000 / 100
    ))
}

/// Plays the beginning of a game in which the engine ponders before each reply.
fn game(context: &mut CheckContext<'_>, board: &Board, after: Duration) -> StepResult<Totals> {
    let move_request = context.default_request();
    let mut instance = context.start_at(board, &[], SetupMode::Moves, move_request.limits.unit)?;
    let mut totals = Totals::default();
    for _ in 0..TURNS {
        let baseline = CpuBaseline { after, grace: Duration::ZERO };
        let TimedCall { value, baseline_time, .. } = instance.think(baseline);
        match value {
            Ok(spent) if spent.stopped => {
                let overrun_us = spent.wall_us.saturating_sub(after.as_micros() as u64);
                totals.slowest_stop_us = totals.slowest_stop_us.max(overrun_us);
            }
            Ok(_) => (),
            Err(fault)
                if fault.code == FaultCode::Timeout
                    && baseline_time < Duration::from_micros(Grace::default().us) =>
            {
                totals.busy = true;
                return Ok(totals);
            }
            Err(fault) => {
                let call = format!("think, stopped after {} ms", after.as_millis());
                return Err(instance.fault(&fault, &call, "a return as soon as `left()` is 0"));
            }
        }
        totals.calls += 1;
        // Then the first legal reply, and the engine's answer.
        let Some(reply) = legal(&*instance.game).into_iter().next() else { break };
        instance.played(&reply)?;
        if instance.game.is_over() {
            break;
        }
        let Some(mv) = instance.choose(&move_request, &[])?.mv else { break };
        instance.played(&mv)?;
        if instance.game.is_over() {
            break;
        }
    }
    Ok(totals)
}
