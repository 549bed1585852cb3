//! A game, position by position, put to an engine: a line of JSON for each, as soon as it is
//! known. On a thread of its own, a few at once; who goes away stops it, within a position too.

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

use super::{Admitted, Json, aside};
use crate::ask::{Asker, Halt, checked};
use crate::budget::Budget;
use crate::record::Start;
use crate::server::App;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::room::{budget, line, start_of};
use crate::server::wire::{EngineSeat, Line};

/// How many lines may wait for a slow reader.
const WAITING: usize = 4;
/// The longest that one position may take, in microseconds.
const POSITION_US: u64 = 60_000_000;

/// A game that is to be analysed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The game's id.
    game: String,
    /// The variant's text.
    #[serde(default)]
    variant: String,
    /// Where it begins.
    #[serde(default)]
    start: Option<String>,
    /// Its moves.
    moves: Vec<String>,
    /// Who is asked.
    engine: EngineSeat,
    /// What each position may spend.
    budget: String,
}

/// What an engine makes of one position.
#[derive(Default, Serialize, ToSchema)]
pub struct Analysed {
    /// After how many moves.
    ply: usize,
    /// What it would play.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#move: Option<String>,
    /// The line behind it.
    #[serde(flatten)]
    line: Option<Line>,
    /// Why there is none: the game is over, or the engine did something wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// `POST /analyse`.
pub async fn analyse(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(wanted): Json<Wanted>,
) -> Answer<Response> {
    let busy = |_| Problem::new(Kind::TooMany, "other games are being analysed; try again soon");
    let seat = app.analyses.clone().try_acquire_owned().map_err(busy)?;
    let limits = bounded(&wanted.budget)?;
    let supplier = app.hub.supplier.clone();
    let (asker, start, moves) = aside(move || {
        let Wanted { game, variant, start, moves, engine, .. } = wanted;
        // Every move is looked at before the first position is asked about.
        start_of(&game, &variant, start.clone(), &moves)?;
        let start = start_of(&game, &variant, start, &[])?;
        supplier.check_budget(&limits)?;
        let player = supplier.player(&engine, limits.unit(), &start);
        let player = player.map_err(|problem| problem.at("engine"))?;
        Ok((Asker { player, budget: limits, seed: 0 }, start, moves))
    })
    .await?;
    let (lines, told) = channel::<Bytes>(WAITING);
    let mut reader = Reader { told, halt: Halt::default() };
    let halt = reader.halt.clone();
    let thread = std::thread::Builder::new().name("analysis".into()).stack_size(8 << 20);
    let spawned = thread.spawn(move || {
        if let Err(problem) = each(&asker, &halt, &start, &moves, &lines) {
            log::warn!("an analysis ended early: {problem}");
        }
        drop(seat);
    });
    spawned.map_err(|error| Problem::new(Kind::Internal, error))?;
    let stream = futures_util::stream::poll_fn(move |context| reader.next(context));
    let kind = HeaderValue::from_static("application/x-ndjson");
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(stream)).into_response())
}

/// The end of an analysis where it is read; the engine is halted when nobody reads any more.
struct Reader {
    told: Receiver<Bytes>,
    halt: Halt,
}

impl Reader {
    fn next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        self.told.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.halt.halt();
    }
}

/// A budget that comes to an end, for each position.
fn bounded(text: &str) -> Answer<Budget> {
    let limits = budget(text, "budget".into())?;
    let bad = |detail: &str| Err(Problem::bad("budget", detail));
    match (limits.per_move(), limits.unit()) {
        (Some(us), sandboard_abi::Unit::Wall | sandboard_abi::Unit::Cpu) if us > POSITION_US => {
            bad("a position may take a minute at most")
        }
        (None, _) if limits.depth().is_none() && limits.nodes().is_none() => {
            bad("say what a position may spend: 2s/move, depth:12, nodes:1e6")
        }
        _ => Ok(limits),
    }
}

/// Asks about every position, until all are told or nobody listens.
fn each(
    asker: &Asker,
    halt: &Halt,
    start: &Start,
    moves: &[String],
    lines: &Sender<Bytes>,
) -> Answer<()> {
    let failed = |error: &dyn std::fmt::Display| Problem::new(Kind::Internal, error.to_string());
    let mut game = start.set_up().map_err(|error| failed(&error))?;
    for ply in 0..=moves.len() {
        if lines.is_closed() {
            return Ok(());
        }
        let analysed = match game.outcome() {
            Some(outcome) => {
                let error = Some(format!("the game is over: {}", outcome.reason));
                Analysed { ply, error, ..Analysed::default() }
            }
            None => ask(asker, halt, game.as_ref(), ply),
        };
        let mut text = serde_json::to_string(&analysed).map_err(|error| failed(&error))?;
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

fn ask(asker: &Asker, halt: &Halt, game: &dyn sandboard_games::DynGame, ply: usize) -> Analysed {
    let asked = asker.ask_until(game, &[], halt);
    let answered = asked.answer.and_then(|answer| {
        let mv = checked(game, &answer.choice, &[])?;
        Ok((mv, answer.choice.line.or(asked.last)))
    });
    match answered {
        Ok((mv, found)) => {
            Analysed { ply, r#move: mv, line: found.as_ref().map(line), error: None }
        }
        Err(fault) => {
            let error = Some(format!("the engine {}", fault.sentence));
            Analysed { ply, error, ..Analysed::default() }
        }
    }
}
