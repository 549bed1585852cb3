//! Step 10: whether what a move may cost is kept. Late is what the host's own
//! grace says; since any machine may be busy for a moment, a request that came
//! too late is made again before it counts.

use std::time::Duration;

use sandboard_abi::{Limits, Unit};

use super::super::bench::{Ask, Bench, Way};
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::player::stopped_after;
use super::super::positions::Board;
use crate::budget::Budget;
use crate::clock::{Clock, Grace};
use crate::engine::FaultCode;

/// Budgets that the host's clock ends: a move, and clocks that are nearly empty.
const TIMED: [&str; 4] = ["5ms/move", "50ms/move", "10ms+5ms", "2ms"];
/// Budgets that the engine has to keep by itself.
const COUNTED: [&str; 3] = ["depth:1", "nodes:1", "nodes:300"];
/// Budgets of fuel, for engines whose fuel is counted.
const FUELLED: [&str; 2] = ["fuel:1e6/move", "fuel:3e7/move"];
/// How often a request is made that comes back too late.
const TRIES: usize = 3;
/// When an unlimited request is told to stop.
const STOP_AFTER: Duration = Duration::from_millis(40);

pub fn budget(bench: &mut Bench<'_>) -> Verdict {
    let mut scenes = Vec::new();
    for board in bench.small_boards() {
        let moves = board.random_game(bench.settings.seed);
        scenes.push((board.clone(), Vec::new()));
        scenes.push((board, moves[..moves.len() / 2].to_vec()));
    }
    let fuelled: &[&str] = if bench.fuelled.is_some() { &FUELLED } else { &[] };
    let (mut requests, mut worst_us, mut worst_fuel) = (0, 0, 0);
    for text in TIMED.iter().chain(&COUNTED).chain(fuelled) {
        let budget: Budget = text
            .parse()
            .map_err(|error: crate::budget::BudgetError| Wrong::Skipped(error.to_string()))?;
        let ask =
            Ask { limits: Clock::new(budget).limits(Grace::default()), label: (*text).into() };
        for scene in &scenes {
            let overrun = request(bench, scene, &ask)?;
            requests += 1;
            match budget.unit() {
                Unit::Fuel => worst_fuel = worst_fuel.max(overrun),
                _ => worst_us = worst_us.max(overrun),
            }
        }
    }
    let mut slowest_us = 0;
    for scene in &scenes {
        slowest_us = slowest_us.max(stop(bench, scene)?);
        requests += 1;
    }
    let fuel = match fuelled {
        [] => String::new(),
        _ => format!(", {worst_fuel} of {} units of fuel", Grace::default().fuel),
    };
    Ok(format!(
        "{requests} requests; the worst overrun was {} of {} ms of grace{fuel}; it stopped {} ms \
         after it was told to",
        ms(worst_us),
        Grace::default().us / 1000,
        ms(slowest_us)
    ))
}

fn ms(us: u64) -> String {
    format!("{}.{}", us / 1000, us % 1000 / 100)
}

/// One request, made again when it comes too late; by how much it overran, in
/// the budget's unit.
fn request(
    bench: &mut Bench<'_>,
    (board, moves): &(Board, Vec<String>),
    ask: &Ask,
) -> Verdict<u64> {
    let mut late = None;
    for tried in 1..=TRIES {
        let mut player = bench.seat(board, moves, Way::Moves, ask.limits.unit)?;
        if ask.limits.unit == Unit::Unlimited {
            let chosen = player.choose(ask, &[])?;
            check_counts(bench, ask, &player.scene, chosen.lines.last().or(chosen.line.as_ref()));
            return Ok(0);
        }
        match player.ask(ask, &[], None) {
            (Ok(answer), _) => {
                let spent = match ask.limits.unit {
                    Unit::Fuel => answer.spent.fuel.unwrap_or(0),
                    _ => answer.spent.wall_us,
                };
                player.judged(ask, &[], answer)?;
                if let Some(Wrong::Failed(finding)) = late {
                    let sentence = format!("{} of {tried} times {}", tried - 1, finding.sentence);
                    bench.warn(Finding { sentence, ..*finding });
                }
                return Ok(spent.saturating_sub(allowed(&ask.limits)));
            }
            (Err(fault), _) => {
                let expected = "a move within limit and grace; ask `left()` more often";
                let wrong = player.fault(&fault, &player.call(ask, &[]), expected);
                if fault.code != FaultCode::Timeout {
                    return Err(wrong);
                }
                late = Some(wrong);
            }
        }
    }
    Err(late.unwrap_or_else(|| Wrong::Skipped("nothing was asked".into())))
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

/// Asks without a limit, and has it stopped; how long it took to come back
/// from then on, in microseconds.
fn stop(bench: &mut Bench<'_>, (board, moves): &(Board, Vec<String>)) -> Verdict<u64> {
    let ask = Ask { limits: Limits { lines: 1, ..Limits::default() }, label: "none".into() };
    let mut player = bench.seat(board, moves, Way::Moves, ask.limits.unit)?;
    let control = player.control();
    let (answer, _) = stopped_after(STOP_AFTER, control, || player.ask(&ask, &[], None).0);
    match answer {
        Ok(answer) => {
            let late_us = answer.spent.wall_us.saturating_sub(STOP_AFTER.as_micros() as u64);
            player.judged(&ask, &[], answer)?;
            Ok(late_us)
        }
        Err(fault) => {
            let call =
                format!("choose without a limit, stopped after {} ms", STOP_AFTER.as_millis());
            Err(player.fault(&fault, &call, "a move as soon as `left()` is 0"))
        }
    }
}
