//! Verifies the engines of a record that played on fuel: repeats their calls and compares the
//! results.

use std::sync::Arc;

use sandboard_abi::{Score, Unit};
use sandboard_engine::meter::Allowance;
use sandboard_engine::{Budget, Caps, EngineSource, Fault, FaultCode};
use sandboard_games::DynGame;

use super::call_runner::{CallOutcome, CallResult, CallRunner};
use super::call_script::{CallScript, EngineCall, ExpectedResult, RecordedAnswer, ScriptStep};
use super::difference::{ComparisonContext, Difference, find_difference};
use crate::driver::OutputCollector;
use crate::record::{PlayerRecord, Record};
use crate::start::StartPosition;

/// The most recorded fuel of a call that is repeated, in units: about three hours.
const FUEL_PER_CALL_MAX: u64 = 10_000_000_000_000;

/// The outcome for one player of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyOutcome {
    /// All calls were repeated, with the same results.
    Verified {
        /// The number of `choose` calls.
        choices: u32,
        /// The fuel that these calls used.
        fuel: u64,
    },
    /// The first call with another result.
    Differs(Difference),
    /// The calls before this ply had the same results; the others cannot be compared.
    VerifiedUpTo {
        /// The number of `choose` calls that were compared.
        choices: u32,
        at_ply: u32,
        /// Why the others cannot be compared.
        reason: &'static str,
    },
    /// No call of the player can be verified.
    NotVerifiable(UnverifiableReason),
}

/// Why no call of a player can be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnverifiableReason {
    /// The player is a person.
    Person,
    /// The budget was not in fuel.
    NotFuel,
    /// The engine pondered, which depends on the opponent's time.
    Pondered,
    /// The engine searched with several threads.
    Threads,
}

/// Repeats the calls of a player's engine, and compares the results with the record. After each
/// call, `progress` receives the number of calls made and the number of all calls.
pub fn verify(
    record: &Record,
    script: &CallScript,
    player: usize,
    source: &dyn EngineSource,
    mut progress: impl FnMut(usize, usize),
) -> VerifyOutcome {
    let steps = script.players.get(player).map(Vec::as_slice).unwrap_or_default();
    if let Some(reason) = record.players.get(player).and_then(unverifiable_reason) {
        return VerifyOutcome::NotVerifiable(reason);
    }
    let (steps, unknown) = comparable_steps(steps);
    let recorded = record.players.get(player).and_then(|player| player.engine.as_ref());
    let recorded = recorded.and_then(|engine| engine.fuel_meter.as_ref());
    let same_stack = recorded == source.fuel_meter().as_ref();
    let output = Arc::new(OutputCollector::new(player, None));
    let mut runner = CallRunner::new(source, output.clone());
    let mut tracker = GameTracker { start: &script.start, record, game: None };
    let (mut choices, mut fuel) = (0, 0_u64);
    for (index, step) in steps.iter().enumerate() {
        let up_to = |reason| VerifyOutcome::VerifiedUpTo { choices, at_ply: step.at_ply, reason };
        let Some(game) = tracker.apply(step) else {
            return up_to("a move is illegal by the rules of this host");
        };
        output.begin_call(step.at_ply);
        // A huge budget would let a call run for years after its recorded fuel.
        let recorded_fuel = recorded_fuel(&step.expected);
        if recorded_fuel > Some(FUEL_PER_CALL_MAX) {
            return up_to("the record says that a call used more than 1e13 units of fuel");
        }
        let guard_us = recorded_fuel.map(guard_us);
        runner.lower_fuel_guard(guard_us.unwrap_or(u64::MAX));
        let repeated = runner.run(step);
        progress(index + 1, steps.len());
        if let Err(fault) = &repeated
            && fault.code == FaultCode::Host
        {
            // A failure of this machine says nothing about the engine. A call that does not end may
            // be a forgery or a very slow machine.
            let is_guard = guard_us.is_some_and(|guard_us| fault.spent.wall_us >= guard_us);
            return up_to(match is_guard {
                true => "a call ran far longer than its recorded fuel explains",
                false => "this machine failed during the replay",
            });
        }
        let overflows = |fault: &Fault| fault.code == FaultCode::Stack;
        let recorded = matches!(&step.expected, ExpectedResult::Fault(fault) if overflows(fault));
        if !same_stack && (recorded || repeated.as_ref().is_err_and(overflows)) {
            return up_to(
                "the stack usage of a call depends on the optimisation of its code; use the \
                 recorded --opt-level",
            );
        }
        let (line, reported) = output.take_lines();
        let context = ComparisonContext {
            game,
            reported,
            draw_offers: record.settings.draw_offers,
            reported_score: line.and_then(|line| line.score),
            recorded_score: recorded_score(record, step),
        };
        if let Some(kind) = find_difference(step, &repeated, &context) {
            return VerifyOutcome::Differs(Difference { at_ply: step.at_ply, player, kind });
        }
        if matches!(step.call, EngineCall::Choose(..)) {
            choices += 1;
            fuel = fuel.saturating_add(fuel_used(&repeated));
        }
    }
    match unknown {
        Some((at_ply, reason)) => VerifyOutcome::VerifiedUpTo { choices, at_ply, reason },
        None => VerifyOutcome::Verified { choices, fuel },
    }
}

/// The fuel that the record gives for a call, in units; none: it gives none.
fn recorded_fuel(expected: &ExpectedResult) -> Option<u64> {
    match expected {
        ExpectedResult::Answer(_, spent) => spent.fuel,
        ExpectedResult::Fault(fault) => fault.spent.fuel,
        ExpectedResult::Done | ExpectedResult::Unknown => None,
    }
}

/// The guard of a call that uses this fuel, in microseconds of wall time.
fn guard_us(fuel: u64) -> u64 {
    Allowance::guard_beside_fuel(fuel, Caps::default().guard_us).due_us
}

/// The recorded score of the move that this step returned; none: it returned no move, or the bout
/// does not depend on scores.
fn recorded_score(record: &Record, step: &ScriptStep) -> Option<Option<Score>> {
    let moved = matches!(&step.expected, ExpectedResult::Answer(RecordedAnswer::Move { .. }, _));
    let counts = moved && record.settings.adjudication.counts_scores();
    let ply = record.plies.get(step.at_ply as usize).filter(|_| counts)?;
    Some(ply.line.as_ref().and_then(|line| line.to_line().score))
}

/// The position in which an engine is called.
struct GameTracker<'a> {
    start: &'a StartPosition,
    record: &'a Record,
    game: Option<Box<dyn DynGame>>,
}

impl GameTracker<'_> {
    /// The game after this call. None: a move is illegal.
    fn apply(&mut self, step: &ScriptStep) -> Option<&dyn DynGame> {
        if !self.start.game.allows_undo() {
            // The calls show the moves as the engine's seat sees them. No move was undone.
            if self.game.is_none() {
                self.game = Some(self.start.set_up().ok()?);
            }
            let game = self.game.as_mut()?;
            let played = game.plies().checked_sub(self.start.moves.len())?;
            for ply in self.record.plies.get(played..step.at_ply as usize)? {
                game.play(&ply.r#move).ok()?;
            }
            return self.game.as_deref();
        }
        match &step.call {
            EngineCall::Start(setup) => {
                // The moves of the setup begin with those before the bout.
                let mut game = self.start.set_up_before_moves().ok()?;
                setup
                    .moves
                    .split(' ')
                    .filter(|mv| !mv.is_empty())
                    .try_for_each(|mv| game.play(mv).ok().map(drop))?;
                self.game = Some(game);
            }
            EngineCall::Played(mv) => drop(self.game.as_mut()?.play(mv).ok()?),
            EngineCall::TakenBack(plies) => drop(self.game.as_mut()?.take_back(*plies as usize)),
            EngineCall::Choose(..) => (),
        }
        self.game.as_deref()
    }
}

fn fuel_used(repeated: &CallResult) -> u64 {
    let spent = match repeated {
        Ok(CallOutcome::Chosen(answer)) => answer.spent.fuel,
        Ok(_) => None,
        Err(fault) => fault.spent.fuel,
    };
    spent.unwrap_or(0)
}

/// Why a player cannot be verified; none: it can.
pub fn unverifiable_reason(player: &PlayerRecord) -> Option<UnverifiableReason> {
    match &player.engine {
        None => Some(UnverifiableReason::Person),
        Some(engine) => unverifiable_setup_reason(player.ponders, engine.threads, player.budget),
    }
}

/// Why an engine with these settings cannot be verified; none: it can.
pub fn unverifiable_setup_reason(
    ponders: bool,
    threads: u16,
    budget: Budget,
) -> Option<UnverifiableReason> {
    match threads {
        _ if ponders => Some(UnverifiableReason::Pondered),
        2.. => Some(UnverifiableReason::Threads),
        _ if budget.unit() != Unit::Fuel => Some(UnverifiableReason::NotFuel),
        _ => None,
    }
}

/// The steps whose results are known from the record, and the ply and the reason of the first one
/// that is not.
fn comparable_steps(steps: &[ScriptStep]) -> (&[ScriptStep], Option<(u32, &'static str)>) {
    let unknown = steps.iter().position(|step| match &step.expected {
        ExpectedResult::Unknown => true,
        ExpectedResult::Answer(_, spent) => spent.stopped,
        ExpectedResult::Fault(fault) => fault.spent.stopped || fault.code == FaultCode::Host,
        ExpectedResult::Done => false,
    });
    let Some(unknown) = unknown else { return (steps, None) };
    let reason = match &steps[unknown].expected {
        ExpectedResult::Fault(fault) if fault.code == FaultCode::Host => {
            "the bout was aborted there"
        }
        ExpectedResult::Unknown => {
            "moves were undone there, and the engine's answer is not recorded"
        }
        _ => "the engine was stopped there on request",
    };
    (&steps[..unknown], Some((steps[unknown].at_ply, reason)))
}
