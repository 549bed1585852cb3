//! Step 17: whether an engine that thinks on its opponent's time stops when it is told to,
//! and plays on soundly. As in step 10, a busy machine has made nobody late.

use std::time::Duration;

use super::super::bench::{Bench, Way};
use super::super::outcome::{Verdict, Wrong};
use super::super::positions::{Board, legal};
use super::super::yardstick::{Watch, Watched};
use crate::clock::Grace;
use crate::counted;
use crate::engine::FaultCode;

/// After how long it is told to stop: at once, and when it is well under way.
const STOP_AFTER: [Duration; 2] = [Duration::ZERO, Duration::from_millis(40)];
/// How often it is tried when it does not come back in time.
const TRIES: usize = 3;
/// How often it thinks in one game.
const TURNS: usize = 3;

/// What came of one game.
#[derive(Default)]
struct Tally {
    thoughts: usize,
    slowest_stop_us: u64,
    busy: bool,
}

pub fn pondering(bench: &mut Bench<'_>) -> Verdict {
    let unit = bench.usual_ask().limits.unit;
    if !bench.engine(unit)?.description.abilities.ponders {
        let reason = "it says of itself that it does not think on its opponent's time";
        return Err(Wrong::Skipped(reason.into()));
    }
    let mut all = Tally::default();
    let mut busy = 0;
    for board in bench.small_boards() {
        for after in STOP_AFTER {
            let mut tally = game(bench, &board, after)?;
            for _ in 1..TRIES {
                if tally.busy {
                    tally = game(bench, &board, after)?;
                }
            }
            busy += usize::from(tally.busy);
            all.thoughts += tally.thoughts;
            all.slowest_stop_us = all.slowest_stop_us.max(tally.slowest_stop_us);
        }
    }
    let judged = match busy {
        0 => String::new(),
        _ => format!("; {} not judged, the machine is too busy", counted(busy, "game")),
    };
    let slowest_us = all.slowest_stop_us;
    Ok(format!(
        "it thought {} on its opponent's time, came back at most {}.{} ms after it was told to, and \
         chose a legal move each time{judged}",
        counted(all.thoughts, "time"),
        slowest_us / 1000,
        slowest_us % 1000 / 100
    ))
}

/// The beginning of a game in which it thinks whenever it is not to move, in every seat in turn.
fn game(bench: &mut Bench<'_>, board: &Board, after: Duration) -> Verdict<Tally> {
    let ask = bench.usual_ask();
    let mut player = bench.seat(board, &[], Way::Moves, ask.limits.unit)?;
    let mut tally = Tally::default();
    for _ in 0..TURNS {
        let watch = Watch { after, grace: Duration::ZERO };
        let Watched { value, had, .. } = player.think(watch);
        match value {
            Ok(spent) if spent.stopped => {
                let late_us = spent.wall_us.saturating_sub(after.as_micros() as u64);
                tally.slowest_stop_us = tally.slowest_stop_us.max(late_us);
            }
            Ok(_) => (),
            Err(fault)
                if fault.code == FaultCode::Timeout
                    && had < Duration::from_micros(Grace::default().us) =>
            {
                tally.busy = true;
                return Ok(tally);
            }
            Err(fault) => {
                let call = format!("think, stopped after {} ms", after.as_millis());
                return Err(player.fault(&fault, &call, "back as soon as `left()` is 0"));
            }
        }
        tally.thoughts += 1;
        // Now the reply, by the rules' own list, and its answer to that.
        let Some(reply) = legal(&*player.game).into_iter().next() else { break };
        player.played(&reply)?;
        if player.game.outcome().is_some() {
            break;
        }
        let Some(mv) = player.choose(&ask, &[])?.mv else { break };
        player.played(&mv)?;
        if player.game.outcome().is_some() {
            break;
        }
    }
    Ok(tally)
}
