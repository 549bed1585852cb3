//! Analyses a game with an engine, position by position, and streams lines of JSON. Each analysis
//! has its own thread; it stops, even within a position, when the client disconnects.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use utoipa::ToSchema;

use super::{Admitted, Json, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::room::{line, parse_budget, parse_start};
use crate::wire::{EngineSeat, Line, object, whole_number};
use sandboard_abi::Barred;
use sandboard_bout::query::{CancelHandle, PositionQuery, checked_move};
use sandboard_bout::start::StartPosition;
use sandboard_engine::Budget;
use sandboard_games::DynGame;

/// How many lines are buffered for a slow reader.
const LINES_BUFFERED: usize = 4;
/// The most lines of a position.
const LINES_MAX: u32 = 5;
/// The least time between two updates of a line.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The most time for one position, in microseconds.
const POSITION_US_MAX: u64 = 60_000_000;

/// A game to analyse.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnalysisRequest {
    game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    variant: String,
    /// The start position; absent: the variant's own.
    #[serde(default)]
    start: Option<String>,
    /// The moves of the game.
    #[schema(max_items = 20_000)]
    moves: Vec<String>,
    /// The first position to analyse, by the number of moves before it; absent: all.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 20_000)]
    first: Option<u32>,
    /// The engine that analyses.
    #[serde(deserialize_with = "object::one")]
    engine: EngineSeat,
    /// The budget of each position, and of each line of it.
    budget: String,
    /// The number of lines of each position, with different first moves; absent: one.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 5)]
    lines: Option<u32>,
    /// Whether lines are sent while the engine thinks, as it reports them.
    #[serde(default)]
    updates: bool,
    /// Whether to analyse each position as if the side to move had passed: what does the other side
    /// threaten? Where the rules have no null move, a position has no lines.
    #[serde(default)]
    threat: bool,
}

/// The analysis of one position.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct PositionAnalysis {
    /// The number of moves played before it.
    ply: usize,
    /// The engine's move.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#move: Option<String>,
    /// The engine's line.
    #[serde(flatten)]
    line: Option<Line>,
    /// Whether the engine still thinks about this line: a later one of the same rank replaces it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    thinking: bool,
    /// Why there is no move to find: the game is over in this position.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    /// Why there is no move: the engine failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Handles `POST /analyse`.
pub(crate) async fn analyse(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(request): Json<AnalysisRequest>,
) -> ApiResult<Response> {
    let busy = |_| Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_ANALYSES);
    let permit = app.analyses.clone().try_acquire_owned().map_err(busy)?;
    let limits = parse_limits(&request.budget)?;
    let hub = app.hub.clone();
    let (updates, threat) = (request.updates, request.threat);
    let lines_max = request.lines.unwrap_or(1);
    if !(1..=LINES_MAX).contains(&lines_max) {
        let detail = format!("the number of lines is 1 to {LINES_MAX}");
        return Err(Problem::bad_request("lines", detail));
    }
    let (query, start, moves, first) = run_blocking(move || {
        let AnalysisRequest { game, variant, start, moves, first, engine, .. } = request;
        let first = first.unwrap_or(0) as usize;
        if first > moves.len() {
            let detail = format!("there are {} moves, not {first}", moves.len());
            return Err(Problem::unprocessable("first", detail));
        }
        // All moves are checked before the first position is analysed.
        parse_start(&hub.games.now(), &game, &variant, start.clone(), &moves)?;
        let start = parse_start(&hub.games.now(), &game, &variant, start, &[])?;
        hub.engine_provider.check_budget(&limits)?;
        let player = hub.engine_provider.load_player(&engine, limits.unit(), &start);
        let player = player.map_err(|problem| problem.at("engine"))?;
        Ok((PositionQuery { engine: player, budget: limits, seed: 0 }, start, moves, first))
    })
    .await?;
    let (sender, lines) = channel::<Bytes>(LINES_BUFFERED);
    let mut stream = LineStream { lines, cancel: CancelHandle::default() };
    let cancel = stream.cancel.clone();
    let thread = std::thread::Builder::new().name("analysis".into()).stack_size(8 << 20);
    let spawned = thread.spawn(move || {
        let analysis = Analysis { query, cancel, lines_max, updates, threat, sender };
        if let Err(problem) = analysis.run(&start, &moves, first) {
            log::warn!("an analysis ended early: {problem}");
        }
        drop(permit);
    });
    spawned.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
    let body = futures_util::stream::poll_fn(move |context| stream.next(context));
    let kind = HeaderValue::from_static("application/x-ndjson");
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(body)).into_response())
}

/// The receiving end of an analysis. Dropping it stops the engine.
struct LineStream {
    lines: Receiver<Bytes>,
    cancel: CancelHandle,
}

impl LineStream {
    fn next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        self.lines.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for LineStream {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Parses the budget of a position. Err: it does not bound the analysis.
fn parse_limits(text: &str) -> ApiResult<Budget> {
    let limits = parse_budget(text, "budget".into())?;
    let bad = |detail: &str| Err(Problem::unprocessable("budget", detail));
    match (limits.per_move(), limits.unit()) {
        (Some(us), sandboard_abi::Unit::Wall | sandboard_abi::Unit::Cpu)
            if us > POSITION_US_MAX =>
        {
            bad(crate::messages::POSITION_MINUTE)
        }
        (None, _) if limits.depth().is_none() && limits.nodes().is_none() => {
            bad(crate::messages::POSITION_NEEDS_LIMIT)
        }
        _ => Ok(limits),
    }
}

/// An analysis on its thread.
struct Analysis {
    query: PositionQuery,
    cancel: CancelHandle,
    lines_max: u32,
    updates: bool,
    threat: bool,
    sender: Sender<Bytes>,
}

/// The client is gone.
struct Disconnected;

impl Analysis {
    /// Analyses every position after the first moves, until all are sent or the client is gone.
    fn run(&self, start: &StartPosition, moves: &[String], first: usize) -> ApiResult<()> {
        let failed =
            |error: &dyn std::fmt::Display| Problem::new(ProblemKind::Internal, error.to_string());
        let mut game = start.set_up().map_err(|error| failed(&error))?;
        for mv in &moves[..first] {
            game.play(mv).map_err(|error| failed(&error))?;
        }
        for ply in first..=moves.len() {
            if self.position(game.as_ref(), ply).is_err() {
                return Ok(());
            }
            if let Some(mv) = moves.get(ply) {
                game.play(mv).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }

    /// Analyses one position, or the one after a pass.
    fn position(&self, game: &dyn DynGame, ply: usize) -> Result<(), Disconnected> {
        if let Some(ending) = game.ending() {
            let over = Some(ending.reason.into_owned());
            return self.send(&PositionAnalysis { ply, over, ..PositionAnalysis::default() });
        }
        if !self.threat {
            return self.lines(game, ply);
        }
        match game.after_null_move() {
            Some(passed) if !passed.is_over() => self.lines(passed.as_ref(), ply),
            _ => self.send(&PositionAnalysis { ply, ..PositionAnalysis::default() }),
        }
    }

    /// Finds lines with different first moves: each query bars the moves of those before it. It
    /// takes an engine nothing but the rules of `choose` to give several lines.
    fn lines(&self, game: &dyn DynGame, ply: usize) -> Result<(), Disconnected> {
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let legal_count = legal.split_ascii_whitespace().count();
        let mut barred: Vec<Barred> = Vec::new();
        for rank in 1..=self.lines_max {
            if self.sender.is_closed() {
                return Err(Disconnected);
            }
            if rank > 1 && barred.len() >= legal_count {
                break;
            }
            let found = self.line(game, &barred, ply, rank);
            self.send(&found)?;
            let Some(mv) = found.r#move else { break };
            barred.push(Barred { r#move: mv, reason: "another line begins with it".into() });
        }
        Ok(())
    }

    fn line(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        ply: usize,
        rank: u32,
    ) -> PositionAnalysis {
        let ranked = move |found: &sandboard_abi::Line| Line { rank, ..line(found) };
        let report = match self.updates {
            true => {
                let (sender, last) = (self.sender.clone(), Mutex::new(None::<Instant>));
                self.query.run_reporting(game, barred, &self.cancel, move |found| {
                    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                    if last.is_none_or(|last| last.elapsed() >= UPDATE_INTERVAL) {
                        *last = Some(Instant::now());
                        let line = Some(ranked(found));
                        let update =
                            PositionAnalysis { ply, line, thinking: true, ..Default::default() };
                        // A reader that is too slow for this update gets a later one.
                        let _ = json_line(&update).map(|text| sender.try_send(text));
                    }
                })
            }
            false => self.query.run_until(game, barred, &self.cancel),
        };
        let move_and_line = report.answer.and_then(|answer| {
            let mv = checked_move(game, &answer.choice, barred)?;
            Ok((mv, answer.choice.line.or(report.last_line)))
        });
        match move_and_line {
            Ok((mv, found)) => {
                let line = found.as_ref().map(ranked);
                PositionAnalysis { ply, r#move: mv, line, ..PositionAnalysis::default() }
            }
            Err(fault) => {
                let error = Some(sandboard_bout::messages::the_engine(fault.sentence));
                PositionAnalysis { ply, error, ..PositionAnalysis::default() }
            }
        }
    }

    fn send(&self, found: &PositionAnalysis) -> Result<(), Disconnected> {
        let text = json_line(found).ok_or(Disconnected)?;
        self.sender.blocking_send(text).map_err(|_| Disconnected)
    }
}

/// A line of JSON; none: it cannot be written, which no value causes.
fn json_line(found: &PositionAnalysis) -> Option<Bytes> {
    let mut text = serde_json::to_string(found).ok()?;
    text.push('\n');
    Some(text.into())
}
