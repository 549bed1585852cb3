//! The engine of a session: one instance for each game, updated with what changed since its last
//! search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sandboard_abi::{Choice, Limits, Setup, Unit};

use super::SearchRequest;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::query::CancelHandle;
use sandboard_engine::{Engine, Fault, Listener};

/// The least time that remains of a time limit, in microseconds.
const TIME_MIN_US: u64 = 1000;

/// An engine that performs search requests, one after another.
pub struct SessionEngine {
    engine: EnginePlayer,
    game: &'static str,
    /// The seed of the engine.
    seed: u64,
    instance: Option<Instance>,
}

/// An instance, and the position that it knows.
struct Instance {
    engine: Box<dyn Engine>,
    /// The request that it was started for; only game, variant, start, seats and options matter.
    started_for: SearchRequest,
    moves: Vec<String>,
}

impl SessionEngine {
    /// An engine for a game, with this seed.
    pub fn new(engine: EnginePlayer, game: &'static str, seed: u64) -> Self {
        Self { engine, game, seed, instance: None }
    }

    /// Performs a search; `halt` ends it early. After a fault the next search gets a new instance.
    pub(super) fn search(
        &mut self,
        request: &SearchRequest,
        listener: &Arc<dyn Listener>,
        halt: &CancelHandle,
    ) -> Result<Choice, Fault> {
        let started = Instant::now();
        let mut instance = self.instance_for(request, listener)?;
        // The other program's clock runs while the instance is prepared.
        let limits = minus_elapsed(&request.limits, started.elapsed());
        let control = instance.engine.stop_handle();
        control.clear();
        halt.set_call(Some(control));
        let answer = instance.engine.choose(&limits, &request.barred);
        halt.set_call(None);
        let choice = answer?.choice;
        self.instance = Some(instance);
        Ok(choice)
    }

    /// Prepares an instance for a request.
    pub(super) fn prepare(
        &mut self,
        request: &SearchRequest,
        listener: &Arc<dyn Listener>,
    ) -> Result<(), Fault> {
        self.instance = Some(self.instance_for(request, listener)?);
        Ok(())
    }

    /// An instance that knows the position of the request.
    fn instance_for(
        &mut self,
        request: &SearchRequest,
        listener: &Arc<dyn Listener>,
    ) -> Result<Instance, Fault> {
        let Some(mut instance) = self.instance.take().filter(|it| it.is_for(request)) else {
            return self.start_instance(request, listener);
        };
        let same = instance.moves.iter().zip(&request.moves).take_while(|(a, b)| a == b).count();
        let back = instance.moves.len() - same;
        if back > 0 {
            instance.engine.taken_back(u32::try_from(back).unwrap_or(u32::MAX))?;
        }
        for mv in &request.moves[same..] {
            instance.engine.played(mv)?;
        }
        instance.moves.clone_from(&request.moves);
        Ok(instance)
    }

    fn start_instance(
        &self,
        request: &SearchRequest,
        listener: &Arc<dyn Listener>,
    ) -> Result<Instance, Fault> {
        let mut engine = self.engine.source.open(listener.clone(), self.engine.threads)?;
        engine.start(&Setup {
            game: self.game.into(),
            variant: request.variant.clone(),
            start: request.start.clone(),
            moves: request.moves.join(" "),
            seats: request.seats.clone(),
            seed: self.seed,
            options: request.options.clone(),
            memory_bytes: self.engine.limits.memory_bytes,
            threads: self.engine.threads,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        })?;
        Ok(Instance { engine, started_for: request.clone(), moves: request.moves.clone() })
    }
}

impl Instance {
    /// Whether the request belongs to the game of this instance.
    fn is_for(&self, request: &SearchRequest) -> bool {
        let of = |it: &SearchRequest| {
            (it.game, it.variant.clone(), it.start.clone(), it.seats.clone(), it.options.clone())
        };
        of(&self.started_for) == of(request)
    }
}

/// Wall time limits reduced by the time that has passed, to no less than 1 ms.
fn minus_elapsed(limits: &Limits, elapsed: Duration) -> Limits {
    let mut limits = limits.clone();
    if limits.unit == Unit::Wall {
        let elapsed_us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let less = |us: u64| us.saturating_sub(elapsed_us).max(us.min(TIME_MIN_US));
        limits.call_max = limits.call_max.map(less);
        limits.game_left = limits.game_left.map(less);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preparing_reduces_the_time_limits() {
        let check = |unit, call_max, game_left, elapsed_ms, expected| {
            let limits = Limits { unit, call_max, game_left, ..Limits::default() };
            let found = minus_elapsed(&limits, Duration::from_millis(elapsed_ms));
            assert_eq!((found.call_max, found.game_left), expected);
        };
        check(Unit::Wall, Some(5_000_000), None, 400, (Some(4_600_000), None));
        check(Unit::Wall, None, Some(5_000_000), 0, (None, Some(5_000_000)));
        check(Unit::Wall, Some(300_000), Some(900_000), 400, (Some(1000), Some(500_000)));
        check(Unit::Cpu, Some(300_000), None, 400, (Some(300_000), None));
        check(Unit::Unlimited, None, None, 400, (None, None));
    }
}
