//! Asks an engine about one position: starts a fresh instance, collects its reports, and returns
//! its choice. Checks the answer only for legality.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use sandboard_abi::{Barred, Bound, Choice, Decision, Line, Score, Setup};
use sandboard_common::text::quoted;
use sandboard_engine::{Budget, ChooseResponse, Fault, FaultCode, Listener, StopHandle};
use sandboard_games::{DynGame, Seat};

use crate::clock::{Clock, Grace};
use crate::driver::EnginePlayer;

/// Queries an engine about positions. Each query gets a fresh instance, so that none can influence
/// the next.
pub struct PositionQuery {
    /// The engine with its options and limits.
    pub engine: EnginePlayer,
    /// What each query may spend.
    pub budget: Budget,
    /// The seed of every instance.
    pub seed: u64,
}

/// Cancels queries from any thread: the current one and all later ones.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<Mutex<CancelState>>);

#[derive(Debug, Default)]
struct CancelState {
    cancelled: bool,
    /// Stops the current call.
    call: Option<StopHandle>,
}

impl CancelHandle {
    fn state(&self) -> MutexGuard<'_, CancelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the engine to stop. An engine that does not is killed a moment later.
    pub fn cancel(&self) {
        let mut state = self.state();
        state.cancelled = true;
        if let Some(call) = &state.call {
            call.stop();
        }
    }

    /// Sets the call that [`cancel`](Self::cancel) stops. An earlier `cancel` stops it at once.
    pub fn set_call(&self, call: Option<StopHandle>) {
        let mut state = self.state();
        if let Some(call) = call.as_ref().filter(|_| state.cancelled) {
            call.stop();
        }
        state.call = call;
    }
}

/// The result of a query.
#[derive(Debug)]
pub struct QueryResult {
    /// The engine's answer or fault.
    pub answer: Result<ChooseResponse, Fault>,
    /// The last line of rank 1 that the engine reported.
    pub last_line: Option<Line>,
    /// The lines of rank 1 at which the best move or its score changed.
    pub preferences: Vec<Preference>,
}

/// The point at which an engine began to prefer a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preference {
    /// The first move of the line, as the engine wrote it.
    pub r#move: String,
    /// The score of the line.
    pub score: Option<Score>,
    /// The search depth, in plies.
    pub depth: u32,
    /// The number of nodes searched until then.
    pub nodes: u64,
    /// The wall time since the request, in microseconds.
    pub time_us: u64,
}

impl PositionQuery {
    /// Asks for a move in the position of `game`, except those in `barred`.
    pub fn run(&self, game: &dyn DynGame, barred: &[Barred]) -> QueryResult {
        self.run_until(game, barred, &CancelHandle::default())
    }

    /// As [`run`](Self::run), until it is cancelled: then the answer is the best move so far.
    pub fn run_until(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        cancel: &CancelHandle,
    ) -> QueryResult {
        self.collect(game, barred, cancel, LineCollector::default())
    }

    /// As [`run_until`](Self::run_until), and passes on each line of rank 1 as soon as the engine
    /// reports it. The closure must not wait: the engine would wait for it.
    pub fn run_reporting(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        cancel: &CancelHandle,
        on_line: impl Fn(&Line) + Send + Sync + 'static,
    ) -> QueryResult {
        let on_line: OnLine = Box::new(on_line);
        self.collect(
            game,
            barred,
            cancel,
            LineCollector { on_line: Some(on_line), ..Default::default() },
        )
    }

    fn collect(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        cancel: &CancelHandle,
        collector: LineCollector,
    ) -> QueryResult {
        let collector = Arc::new(collector);
        let answer = self.choose(game, barred, &collector, cancel);
        let CollectedLines { last, preferences } = std::mem::take(&mut *collector.lines());
        QueryResult { answer, last_line: last, preferences }
    }

    fn choose(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        collector: &Arc<LineCollector>,
        cancel: &CancelHandle,
    ) -> Result<ChooseResponse, Fault> {
        let mut engine = self.engine.source.open(collector.clone(), self.engine.threads)?;
        // The position text contains what the rules need of earlier moves.
        engine.start(&Setup {
            game: game.info().id.into(),
            variant: game.variant().text(),
            start: game.position(),
            moves: String::new(),
            seats: seats_to_move(game),
            seed: self.seed,
            options: self.engine.options.clone(),
            memory_bytes: self.engine.limits.memory_bytes,
            threads: self.engine.threads,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        })?;
        let limits = Clock::new(self.budget).limits(Grace::default());
        collector.start.get_or_init(Instant::now);
        let call = engine.stop_handle();
        call.clear();
        cancel.set_call(Some(call));
        let answer = engine.choose(&limits, barred);
        cancel.set_call(None);
        answer
    }
}

/// The seats of the side to move: one engine plays them all.
pub fn seats_to_move(game: &dyn DynGame) -> Vec<u8> {
    let side = game.side(game.to_move());
    (0..game.seats()).filter(|seat| game.side(Seat(*seat)) == side).collect()
}

/// The canonical text of a chosen move; none: the engine resigned. Err: the choice is not allowed.
pub fn checked_move(
    game: &dyn DynGame,
    choice: &Choice,
    barred: &[Barred],
) -> Result<Option<String>, Fault> {
    let illegal = |sentence: String| Fault::new(FaultCode::IllegalMove, sentence);
    let text = match &choice.decision {
        Decision::Play(text) => text,
        Decision::Resign => return Ok(None),
        Decision::AcceptDraw => {
            return Err(Fault::new(
                FaultCode::Protocol,
                sandboard_engine::messages::ACCEPTED_NO_DRAW,
            ));
        }
    };
    let shown = quoted(text);
    let mv = game.canonical(text).map_err(|refusal| {
        illegal(format!("chose an illegal move, {shown}: {}", refusal.reason))
    })?;
    match barred.iter().any(|barred| barred.r#move == mv) {
        true => Err(illegal(format!("chose {shown} although it is barred"))),
        false => Ok(Some(mv)),
    }
}

/// The name of a bound in JSON and texts.
pub fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Estimate => "estimate",
        Bound::AtLeast => "at-least",
        Bound::AtMost => "at-most",
        Bound::Exact => "exact",
    }
}

type OnLine = Box<dyn Fn(&Line) + Send + Sync>;

/// Collects the lines of rank 1.
#[derive(Default)]
struct LineCollector {
    /// Receives each line, too.
    on_line: Option<OnLine>,
    start: OnceLock<Instant>,
    lines: Mutex<CollectedLines>,
}

#[derive(Default)]
struct CollectedLines {
    last: Option<Line>,
    preferences: Vec<Preference>,
}

impl LineCollector {
    fn lines(&self) -> MutexGuard<'_, CollectedLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for LineCollector {
    fn report(&self, line: &Line) {
        if line.rank > 1 {
            return;
        }
        if let Some(on_line) = &self.on_line {
            on_line(line);
        }
        let elapsed = self.start.get().map_or(0, |start| start.elapsed().as_micros());
        let mut lines = self.lines();
        let first = line.moves.split_ascii_whitespace().next();
        let newest = lines.preferences.last();
        if let Some(mv) = first
            && newest.is_none_or(|newest| newest.r#move != mv || newest.score != line.score)
        {
            lines.preferences.push(Preference {
                r#move: mv.to_owned(),
                score: line.score,
                depth: line.depth,
                nodes: line.nodes,
                time_us: u64::try_from(elapsed).unwrap_or(u64::MAX),
            });
        }
        lines.last = Some(line.clone());
    }
}
