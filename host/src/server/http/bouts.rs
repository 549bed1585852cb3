//! Bouts that are over, out of the store.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Admitted;
use crate::record::rfc3339;
use crate::server::App;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::store::{self, Bout};

/// How many bouts are listed at once.
const LIST: u32 = 50;
const LIST_MAX: u32 = 200;

/// Which bouts are wanted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Of this game.
    game: Option<String>,
    /// With this in somebody's name.
    name: Option<String>,
    /// With this engine.
    engine: Option<String>,
    /// `0` or `1` for the side that won, `draw`, `aborted`.
    result: Option<String>,
    /// Older ones than this cursor.
    before: Option<String>,
    /// At most so many.
    limit: Option<u32>,
}

/// Bouts.
#[derive(Serialize, ToSchema)]
pub struct Bouts {
    /// The latest first.
    bouts: Vec<BoutCard>,
    /// What to ask `before` for the rest; null: there is none.
    next: Option<String>,
}

/// A bout in a list.
#[derive(Serialize, ToSchema)]
pub struct BoutCard {
    id: String,
    game: String,
    variant: String,
    names: Vec<String>,
    sentence: String,
    plies: u32,
    ended_at: String,
}

/// `GET /bouts`.
pub async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    wanted: Result<Query<Wanted>, axum::extract::rejection::QueryRejection>,
) -> Answer<axum::Json<Bouts>> {
    let Query(wanted) = wanted.map_err(|error| Problem::bad("query", error.body_text()))?;
    let before = wanted.before.as_deref().map(cursor).transpose()?;
    let limit = wanted.limit.unwrap_or(LIST).clamp(1, LIST_MAX);
    let query = store::Query {
        game: wanted.game.unwrap_or_default(),
        name: wanted.name.unwrap_or_default(),
        engine: wanted.engine.unwrap_or_default(),
        result: wanted.result.unwrap_or_default(),
        before,
        limit,
    };
    let found = app.hub.store.bouts(&query).await;
    let found = found.map_err(|error| Problem::new(Kind::Internal, error))?;
    let last = found.last().filter(|_| found.len() == limit as usize);
    let next = last.map(|last| format!("{}:{}", last.ended_ms, last.id));
    Ok(axum::Json(Bouts { bouts: found.into_iter().map(card).collect(), next }))
}

fn cursor(text: &str) -> Answer<(i64, String)> {
    let parts = text.split_once(':').and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
    parts.ok_or_else(|| Problem::bad("before", "it is no cursor of a list"))
}

fn card(bout: Bout) -> BoutCard {
    let Bout { id, game, variant, names, sentence, plies, ended_ms, .. } = bout;
    BoutCard { id, game, variant, names, sentence, plies, ended_at: ended_at(ended_ms) }
}

/// The moment of an end, as RFC 3339.
pub(super) fn ended_at(ended_ms: i64) -> String {
    let ended = Duration::from_millis(u64::try_from(ended_ms).unwrap_or(0));
    rfc3339(SystemTime::UNIX_EPOCH + ended)
}

/// `GET /bouts/{id}`.
pub async fn one(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<Response> {
    let found = app.hub.store.bout(&id).await;
    let found = found.map_err(|error| Problem::new(Kind::Internal, error))?;
    let unknown = || Problem::new(Kind::NotFound, "there is no such bout");
    let bout = found.ok_or_else(unknown)?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], bout.record).into_response())
}
