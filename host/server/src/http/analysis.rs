//! Analyses a game with an engine, position by position, and streams one JSON line for each. Each
//! analysis has its own thread; it stops, even within a position, when the client disconnects.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

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
use sandboard_bout::query::{CancelHandle, PositionQuery, checked_move};
use sandboard_bout::start::StartPosition;
use sandboard_engine::Budget;

/// How many lines are buffered for a slow reader.
const LINES_BUFFERED: usize = 4;
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
    /// The budget of each position.
    budget: String,
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
        if let Err(problem) = analyse_all(&query, &cancel, &start, (&moves, first), &sender) {
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

/// Analyses every position after the first moves, until all are sent or the client is gone.
fn analyse_all(
    query: &PositionQuery,
    cancel: &CancelHandle,
    start: &StartPosition,
    (moves, first): (&[String], usize),
    lines: &Sender<Bytes>,
) -> ApiResult<()> {
    let failed =
        |error: &dyn std::fmt::Display| Problem::new(ProblemKind::Internal, error.to_string());
    let mut game = start.set_up().map_err(|error| failed(&error))?;
    for mv in &moves[..first] {
        game.play(mv).map_err(|error| failed(&error))?;
    }
    for ply in first..=moves.len() {
        if lines.is_closed() {
            return Ok(());
        }
        let result = match game.ending() {
            Some(ending) => {
                let over = Some(ending.reason.into_owned());
                PositionAnalysis { ply, over, ..PositionAnalysis::default() }
            }
            None => analyse_position(query, cancel, game.as_ref(), ply),
        };
        let mut text = serde_json::to_string(&result).map_err(|error| failed(&error))?;
        text.push('\n');
        if lines.blocking_send(text.into()).is_err() {
            return Ok(());
        }
        if let Some(mv) = moves.get(ply) {
            game.play(mv).map_err(|error| failed(&error))?;
        }
    }
    Ok(())
}

fn analyse_position(
    query: &PositionQuery,
    cancel: &CancelHandle,
    game: &dyn sandboard_games::DynGame,
    ply: usize,
) -> PositionAnalysis {
    let report = query.run_until(game, &[], cancel);
    let move_and_line = report.answer.and_then(|answer| {
        let mv = checked_move(game, &answer.choice, &[])?;
        Ok((mv, answer.choice.line.or(report.last_line)))
    });
    match move_and_line {
        Ok((mv, found)) => {
            let line = found.as_ref().map(line);
            PositionAnalysis { ply, r#move: mv, line, ..PositionAnalysis::default() }
        }
        Err(fault) => {
            let error = Some(sandboard_bout::messages::the_engine(fault.sentence));
            PositionAnalysis { ply, error, ..PositionAnalysis::default() }
        }
    }
}
