//! Whether the fuel-clocked engines of a record, asked again, do what it says.

use std::sync::Arc;

use sandboard_abi::{Score, Unit};
use sandboard_games::DynGame;

use super::difference::{self, Difference, Seen};
use super::script::{Answered, Call, Expected, Script, Step};
use super::walk::{Outcome, Repeated, Walker};
use crate::bout::Ears;
use crate::budget::Budget;
use crate::engine::{EngineSource, Fault, FaultCode};
use crate::record::{PlayerRecord, Record, Start};

/// What came of one player of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that it was asked was asked again, and brought the same.
    Verified {
        /// How many moves it was asked for.
        choices: u32,
        /// What these had burnt.
        fuel: u64,
    },
    /// It did something else, for the first time here.
    Differs(Difference),
    /// The same up to here; what comes then depends on more than the record holds.
    UpTo {
        /// How many moves it was asked for until then.
        choices: u32,
        /// How many moves had been played.
        at_ply: u32,
        /// What the record does not hold.
        why: &'static str,
    },
    /// Nothing of it can be verified.
    NotClocked(Unverifiable),
}

/// Why nothing of a player can be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverifiable {
    /// It is a person.
    Person,
    /// Its time was not counted in fuel.
    NotFuel,
    /// It thought on its opponent's time, as long as that took.
    Pondered,
    /// It searched with several threads.
    Threads,
}

/// Asks the engine of a player again what it was asked in the bout; `see` hears
/// after each call how many of how many are made.
pub fn verify(
    record: &Record,
    script: &Script,
    player: usize,
    source: &dyn EngineSource,
    mut see: impl FnMut(usize, usize),
) -> Verdict {
    let steps = script.players.get(player).map(Vec::as_slice).unwrap_or_default();
    if let Some(reason) = record.players.get(player).and_then(unverifiable) {
        return Verdict::NotClocked(reason);
    }
    let (steps, open) = known(steps);
    let recorded = record.players.get(player).and_then(|player| player.engine.as_ref());
    let recorded = recorded.and_then(|engine| engine.fuel_clock.as_ref());
    let same_level = recorded.map(|clock| clock.opt_level.as_str())
        == source.fuel_clock().as_ref().map(|clock| clock.opt_level.as_str());
    let ears = Arc::new(Ears::new(player, None));
    let mut walker = Walker::new(source, ears.clone());
    let mut board = Board { start: &script.start, game: None };
    let (mut choices, mut fuel) = (0, 0_u64);
    for (index, step) in steps.iter().enumerate() {
        let Some(game) = board.follow(&step.call) else {
            let why = "a move of it is against the rules of this host";
            return Verdict::UpTo { choices, at_ply: step.at_ply, why };
        };
        ears.begin(step.at_ply);
        let repeated = walker.make(&step.call);
        see(index + 1, steps.len());
        if let Err(fault) = &repeated
            && fault.code == FaultCode::Host
        {
            // The machine's doing, not the engine's: nothing is known now.
            let why = "the machine gave out before the engine did";
            return Verdict::UpTo { choices, at_ply: step.at_ply, why };
        }
        let overflows = |fault: &Fault| fault.code == FaultCode::Stack;
        let recorded = matches!(&step.expected, Expected::Fault(fault) if overflows(fault));
        if !same_level && (recorded || repeated.as_ref().is_err_and(overflows)) {
            let why = "how much stack a call takes depends on how its code is optimised; \
                       take the recorded --opt-level";
            return Verdict::UpTo { choices, at_ply: step.at_ply, why };
        }
        let (line, reported) = ears.heard();
        let seen = Seen {
            game,
            reported,
            draw_offers: record.settings.draw_offers,
            said: line.and_then(|line| line.score),
            recorded: score_of(record, step),
        };
        if let Some(how) = difference::between(step, &repeated, &seen) {
            return Verdict::Differs(Difference { at_ply: step.at_ply, player, how });
        }
        if matches!(step.call, Call::Choose(..)) {
            choices += 1;
            fuel = fuel.saturating_add(burnt(&repeated));
        }
    }
    match open {
        Some((at_ply, why)) => Verdict::UpTo { choices, at_ply, why },
        None => Verdict::Verified { choices, fuel },
    }
}

/// What the record has of the score of the move that this step brought; none: it brought none,
/// or the bout did not depend on it.
fn score_of(record: &Record, step: &Step) -> Option<Option<Score>> {
    let moved = matches!(&step.expected, Expected::Answer(Answered::Move { .. }, _));
    let counts = moved && record.settings.adjudication.counts_scores();
    let ply = record.plies.get(step.at_ply as usize).filter(|_| counts)?;
    Some(ply.line.as_ref().and_then(|line| line.to_line().score))
}

/// The game as an engine was told of it.
struct Board<'a> {
    start: &'a Start,
    game: Option<Box<dyn DynGame>>,
}

impl Board<'_> {
    /// The game after this call. None: a move does not fit it.
    fn follow(&mut self, call: &Call) -> Option<&dyn DynGame> {
        match call {
            Call::Start(setup) => {
                let mut game = self.start.set_up().ok()?;
                setup
                    .moves
                    .split(' ')
                    .filter(|mv| !mv.is_empty())
                    .try_for_each(|mv| game.play(mv).ok().map(drop))?;
                self.game = Some(game);
            }
            Call::Played(mv) => drop(self.game.as_mut()?.play(mv).ok()?),
            Call::TakenBack(plies) => drop(self.game.as_mut()?.take_back(*plies as usize)),
            Call::Choose(..) => (),
        }
        self.game.as_deref()
    }
}

fn burnt(repeated: &Repeated) -> u64 {
    let spent = match repeated {
        Ok(Outcome::Chosen(answer)) => answer.spent.fuel,
        Ok(_) => None,
        Err(fault) => fault.spent.fuel,
    };
    spent.unwrap_or(0)
}

/// Why a player cannot be verified, if it cannot.
pub fn unverifiable(player: &PlayerRecord) -> Option<Unverifiable> {
    match &player.engine {
        None => Some(Unverifiable::Person),
        Some(engine) => unverifiable_setup(player.ponders, engine.threads, player.budget),
    }
}

/// Why an engine that plays like this cannot be verified, if it cannot.
pub fn unverifiable_setup(ponders: bool, threads: u16, budget: Budget) -> Option<Unverifiable> {
    match threads {
        _ if ponders => Some(Unverifiable::Pondered),
        2.. => Some(Unverifiable::Threads),
        _ if budget.unit() != Unit::Fuel => Some(Unverifiable::NotFuel),
        _ => None,
    }
}

/// The steps that depend on nothing but the record, and at which ply and why
/// the others do not.
fn known(steps: &[Step]) -> (&[Step], Option<(u32, &'static str)>) {
    let open = steps.iter().position(|step| match &step.expected {
        Expected::Unknown => true,
        Expected::Answer(_, spent) => spent.stopped,
        Expected::Fault(fault) => fault.spent.stopped || fault.code == FaultCode::Host,
        Expected::Done => false,
    });
    let Some(open) = open else { return (steps, None) };
    let why = match &steps[open].expected {
        Expected::Fault(fault) if fault.code == FaultCode::Host => "the bout was voided there",
        Expected::Unknown => {
            "moves were taken back there, and what became of its answer is not recorded"
        }
        _ => "somebody told the engine to stop",
    };
    (&steps[..open], Some((steps[open].at_ply, why)))
}
