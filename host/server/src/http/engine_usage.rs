//! The route that shows what an engine used in finished bouts, from their records. It loads no
//! engine, and one record at a time.

use std::sync::Arc;

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bouts::ended_at;
use super::{Admitted, Path, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::store;
use crate::store::FinishedBout;
use sandboard_bout::record::Record;
use sandboard_bout::referee::EventKind;
use sandboard_engine::Usage;

/// The default and the largest number of bouts.
const LIMIT_DEFAULT: u32 = 20;
const LIMIT_MAX: u32 = 100;

/// The query of the route.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// The most bouts to return.
    limit: Option<u32>,
}

/// What an engine used in its latest bouts.
#[derive(Serialize, ToSchema)]
pub(crate) struct EngineUsage {
    usage: Vec<BoutUsage>,
}

/// What one player's engine used in one bout: sums over its moves and its failed answers. Thinking
/// on the opponents' time is not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct BoutUsage {
    /// The bout's id.
    bout: String,
    /// When the bout ended, as RFC 3339.
    ended_at: String,
    game: String,
    variant: String,
    version: String,
    /// The SHA-256 of the module; null: unknown.
    sha256: Option<String>,
    /// The number of moves that it made.
    moves: u32,
    /// Wall time, in milliseconds.
    wall_ms: u64,
    /// CPU time, in milliseconds; null: not measured.
    cpu_ms: Option<u64>,
    /// Fuel; null: not measured.
    fuel: Option<u64>,
    /// The peak memory, in bytes; null: unknown.
    memory_bytes: Option<u64>,
    /// Its faults, one sentence each.
    faults: Vec<String>,
    /// The result of the bout, in one sentence.
    sentence: String,
    /// Whether it won; null: neither side did.
    won: Option<bool>,
}

/// Selects an engine.
struct Engine {
    id: String,
    /// Only this version; none: any.
    version: Option<String>,
}

/// Handles `GET /engines/{id}/usage`.
pub(crate) async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    limit: Result<Query<Limit>, axum::extract::rejection::QueryRejection>,
) -> ApiResult<axum::Json<EngineUsage>> {
    let Query(Limit { limit }) =
        limit.map_err(|error| Problem::bad_request("limit", error.body_text()))?;
    let limit = limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX);
    let failed = |error| Problem::new(ProblemKind::Internal, error);
    let app_clone = app.clone();
    let found = run_blocking(move || {
        let named = app_clone.engines.find_engine(&name);
        Ok(named.map(|(id, version)| Engine { id, version }).ok_or(name))
    });
    // An engine that was removed still has bouts.
    let (is_there, engine) = match found.await? {
        Ok(engine) => (true, engine),
        Err(id) => (false, Engine { id, version: None }),
    };
    let query =
        store::BoutQuery { engine: engine.id.clone(), limit, ..store::BoutQuery::default() };
    let bouts = app.hub.store.bouts(&query).await.map_err(failed)?;
    if bouts.is_empty() && !is_there {
        let detail = "no engine of this name is in the folder or in any bout";
        return Err(Problem::new(ProblemKind::NotFound, detail));
    }
    let engine = Arc::new(engine);
    let mut usage = Vec::new();
    for FinishedBout { id, .. } in bouts {
        // A bout may be replaced in the meantime; none is ever deleted.
        let Some(bout) = app.hub.store.bout(&id).await.map_err(failed)? else { continue };
        let engine = engine.clone();
        usage.extend(run_blocking(move || of_bout(&bout, &engine)).await?);
        if usage.len() >= limit as usize {
            usage.truncate(limit as usize);
            break;
        }
    }
    Ok(axum::Json(EngineUsage { usage }))
}

fn of_bout(bout: &FinishedBout, engine: &Engine) -> ApiResult<Vec<BoutUsage>> {
    // The record was checked against the rules when it was stored.
    let record: Record = serde_json::from_str(&bout.record).map_err(|error| {
        let detail = format!("the record of {} cannot be read: {error}", bout.id);
        Problem::new(ProblemKind::Internal, detail)
    })?;
    let players = 0..record.players.len();
    Ok(players.filter_map(|player| of_player(bout, &record, player, engine)).collect())
}

/// Returns the usage of a player; none: it is a different engine.
fn of_player(
    bout: &FinishedBout,
    record: &Record,
    player: usize,
    engine_filter: &Engine,
) -> Option<BoutUsage> {
    let setup = record.players.get(player)?;
    let engine = setup.engine.as_ref().filter(|engine| engine.id == engine_filter.id)?;
    if engine_filter.version.as_ref().is_some_and(|version| *version != engine.version) {
        return None;
    }
    let own_plies = record.plies.iter().filter(|ply| setup.owns(ply.seat));
    let mut sum = Sum::default();
    let mut moves = 0;
    for ply in own_plies {
        moves += 1;
        sum.add(&ply.spent);
    }
    let mut faults = Vec::new();
    for event in &record.events {
        match &event.kind {
            EventKind::Fault { player: index, sentence, spent, .. } if *index == player => {
                sum.add(spent);
                faults.push(sentence.clone());
            }
            EventKind::Refused { player: index, spent: Some(spent), .. }
            | EventKind::Resigned { player: index, spent: Some(spent) }
            | EventKind::DrawAccepted { player: index, spent: Some(spent) }
                if *index == player =>
            {
                sum.add(spent);
            }
            _ => (),
        }
    }
    let result = record.result.as_ref();
    let won = result.filter(|result| result.counts() && result.winner.is_some()).and_then(|it| {
        let own = it.scores.get(usize::from(*setup.seats.first()?))?;
        Some(Some(own) == it.scores.iter().max())
    });
    Some(BoutUsage {
        bout: bout.id.clone(),
        ended_at: ended_at(bout.ended_ms),
        game: record.game.clone(),
        variant: record.variant.clone(),
        version: engine.version.clone(),
        sha256: engine.module_sha256.clone(),
        moves,
        wall_ms: sum.wall_us / 1000,
        cpu_ms: sum.cpu_us.map(|us| us / 1000),
        fuel: sum.fuel,
        memory_bytes: sum.memory_bytes,
        faults,
        sentence: bout.sentence.clone(),
        won,
    })
}

/// Sums of several calls. A call without a value does not change the sum.
#[derive(Default)]
struct Sum {
    wall_us: u64,
    cpu_us: Option<u64>,
    fuel: Option<u64>,
    memory_bytes: Option<u64>,
}

impl Sum {
    fn add(&mut self, spent: &Usage) {
        let sum = |whole: Option<u64>, part: Option<u64>| match (whole, part) {
            (Some(whole), Some(part)) => Some(whole.saturating_add(part)),
            (one, other) => one.or(other),
        };
        self.wall_us = self.wall_us.saturating_add(spent.wall_us);
        self.cpu_us = sum(self.cpu_us, spent.cpu_us);
        self.fuel = sum(self.fuel, spent.fuel);
        self.memory_bytes = self.memory_bytes.max(spent.peak_memory_bytes);
    }
}
