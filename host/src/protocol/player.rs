//! The engine of a session: one instance for a game, told what has changed since it was asked last.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandboard_abi::{Choice, Limits, Setup, Unit};

use super::Question;
use crate::ask::Halt;
use crate::bout::EnginePlayer;
use crate::engine::{Engine, Fault, Listener};

/// What is left at least of a limit of time, in microseconds.
const LEAST_US: u64 = 1000;

/// An engine that answers questions, one after another.
pub struct Player {
    engine: EnginePlayer,
    game: &'static str,
    /// Its source of randomness.
    seed: u64,
    sitting: Option<Sitting>,
}

/// An instance, and what it knows.
struct Sitting {
    engine: Box<dyn Engine>,
    /// What it was started with; its moves, limits and barred moves do not count.
    begun: Question,
    moves: Vec<String>,
}

impl Player {
    /// An engine that plays a game, to be asked with this seed.
    pub fn new(engine: EnginePlayer, game: &'static str, seed: u64) -> Self {
        Self { engine, game, seed, sitting: None }
    }

    /// Asks it; `halt` ends the answer early. After a fault the next question has a new instance.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        listener: &Arc<dyn Listener>,
        halt: &Halt,
    ) -> Result<Choice, Fault> {
        let begun = Instant::now();
        let mut sitting = self.seated(question, listener)?;
        // The other program's clock runs while an instance is made ready.
        let limits = without(&question.limits, begun.elapsed());
        let control = sitting.engine.control();
        control.clear();
        halt.asks(Some(control));
        let answer = sitting.engine.choose(&limits, &question.barred);
        halt.asks(None);
        let choice = answer?.choice;
        self.sitting = Some(sitting);
        Ok(choice)
    }

    /// Makes an instance ready for a question.
    pub(super) fn prepare(
        &mut self,
        question: &Question,
        listener: &Arc<dyn Listener>,
    ) -> Result<(), Fault> {
        self.sitting = Some(self.seated(question, listener)?);
        Ok(())
    }

    /// An instance that knows the position.
    fn seated(
        &mut self,
        question: &Question,
        listener: &Arc<dyn Listener>,
    ) -> Result<Sitting, Fault> {
        let Some(mut sitting) = self.sitting.take().filter(|it| it.is_for(question)) else {
            return self.sit(question, listener);
        };
        let same = sitting.moves.iter().zip(&question.moves).take_while(|(a, b)| a == b).count();
        let back = sitting.moves.len() - same;
        if back > 0 {
            sitting.engine.taken_back(u32::try_from(back).unwrap_or(u32::MAX))?;
        }
        for mv in &question.moves[same..] {
            sitting.engine.played(mv)?;
        }
        sitting.moves.clone_from(&question.moves);
        Ok(sitting)
    }

    fn sit(&self, question: &Question, listener: &Arc<dyn Listener>) -> Result<Sitting, Fault> {
        let mut engine = self.engine.source.open_for(listener.clone(), self.engine.threads)?;
        engine.start(&Setup {
            game: self.game.into(),
            variant: question.variant.clone(),
            start: question.start.clone(),
            moves: question.moves.join(" "),
            seats: question.seats.clone(),
            seed: self.seed,
            options: question.options.clone(),
            memory_bytes: self.engine.memory_bytes,
            threads: self.engine.threads,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        })?;
        Ok(Sitting { engine, begun: question.clone(), moves: question.moves.clone() })
    }
}

impl Sitting {
    /// Whether this is a question about the game that it was started with.
    fn is_for(&self, question: &Question) -> bool {
        let of = |it: &Question| {
            (it.game, it.variant.clone(), it.start.clone(), it.seats.clone(), it.options.clone())
        };
        of(&self.begun) == of(question)
    }
}

/// Limits of wall time of which so much has gone, or 1 ms.
fn without(limits: &Limits, gone: Duration) -> Limits {
    let mut limits = limits.clone();
    if limits.unit == Unit::Wall {
        let gone_us = u64::try_from(gone.as_micros()).unwrap_or(u64::MAX);
        let less = |us: u64| us.saturating_sub(gone_us).max(us.min(LEAST_US));
        limits.call_max = limits.call_max.map(less);
        limits.game_left = limits.game_left.map(less);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seating_takes_of_the_time() {
        let check = |unit, call_max, game_left, gone_ms, expected| {
            let limits = Limits { unit, call_max, game_left, ..Limits::default() };
            let found = without(&limits, Duration::from_millis(gone_ms));
            assert_eq!((found.call_max, found.game_left), expected);
        };
        check(Unit::Wall, Some(5_000_000), None, 400, (Some(4_600_000), None));
        check(Unit::Wall, None, Some(5_000_000), 0, (None, Some(5_000_000)));
        check(Unit::Wall, Some(300_000), Some(900_000), 400, (Some(1000), Some(500_000)));
        check(Unit::Cpu, Some(300_000), None, 400, (Some(300_000), None));
        check(Unit::Unlimited, None, None, 400, (None, None));
    }
}
