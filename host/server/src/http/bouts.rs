//! Routes of finished bouts: searched and read from the store.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export::record_as_file;
use super::{Admitted, Path, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::store;
use crate::store::FinishedBout;
use crate::wire::Message;
use sandboard_bout::record::Record;
use sandboard_common::date::rfc3339;

/// The default and the largest number of bouts in a list.
const LIMIT_DEFAULT: u32 = 50;
const LIMIT_MAX: u32 = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoutListQuery {
    /// The game's id.
    game: Option<String>,
    /// Part of a player's name, ignoring case.
    name: Option<String>,
    /// The id of an engine that played.
    engine: Option<String>,
    /// Only bouts with this result.
    result: Option<ResultFilter>,
    /// The cursor `next` of the previous page.
    before: Option<String>,
    /// The most bouts to return.
    limit: Option<u32>,
}

/// The results of bouts.
#[derive(Clone, Copy, Deserialize)]
enum ResultFilter {
    #[serde(rename = "0")]
    First,
    #[serde(rename = "1")]
    Second,
    #[serde(rename = "draw")]
    Draw,
    #[serde(rename = "aborted")]
    Aborted,
}

impl ResultFilter {
    /// The word in the store, which is that of the query.
    fn word(self) -> &'static str {
        match self {
            ResultFilter::First => "0",
            ResultFilter::Second => "1",
            ResultFilter::Draw => "draw",
            ResultFilter::Aborted => "aborted",
        }
    }
}

/// A page of bouts.
#[derive(Serialize, ToSchema)]
pub(crate) struct Bouts {
    bouts: Vec<BoutCard>,
    /// The value of `before` for the next page; null: this is the last one.
    next: Option<String>,
}

/// A bout in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct BoutCard {
    id: String,
    game: String,
    variant: String,
    names: Vec<String>,
    sentence: String,
    /// The sentence as code and parameters; null: it has no code.
    message: Option<Message>,
    plies: u32,
    ended_at: String,
}

/// Handles `GET /bouts`.
pub(crate) async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    query: Result<Query<BoutListQuery>, axum::extract::rejection::QueryRejection>,
) -> ApiResult<axum::Json<Bouts>> {
    let Query(query) = query.map_err(|error| Problem::bad_request("query", error.body_text()))?;
    let before = query.before.as_deref().map(cursor).transpose()?;
    let limit = query.limit.unwrap_or(LIMIT_DEFAULT).clamp(1, LIMIT_MAX);
    let query = store::BoutQuery {
        game: query.game.unwrap_or_default(),
        name: query.name.unwrap_or_default(),
        engine: query.engine.unwrap_or_default(),
        result: query.result.map_or_else(String::new, |it| it.word().to_owned()),
        before,
        limit,
    };
    let found = app.hub.store.bouts(&query).await;
    let found = found.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
    let last = found.last().filter(|_| found.len() == limit as usize);
    let next = last.map(|last| format!("{}:{}", last.ended_ms, last.id));
    Ok(axum::Json(Bouts { bouts: found.into_iter().map(card).collect(), next }))
}

fn cursor(text: &str) -> ApiResult<(i64, String)> {
    let is_number = |at: &str| {
        let digits = at.strip_prefix('-').unwrap_or(at);
        (1..=18).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit())
    };
    let parts = text.split_once(':').filter(|(at, _)| is_number(at));
    let parts = parts.and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
    parts.ok_or_else(|| Problem::bad_request("before", "it is not a cursor of a list"))
}

fn card(bout: FinishedBout) -> BoutCard {
    let FinishedBout { id, game, variant, names, sentence, plies, ended_ms, .. } = bout;
    let message = Message::of(&sentence);
    BoutCard { id, game, variant, names, sentence, message, plies, ended_at: ended_at(ended_ms) }
}

/// Returns the end time as RFC 3339.
pub(super) fn ended_at(ended_ms: i64) -> String {
    let ended = Duration::from_millis(u64::try_from(ended_ms).unwrap_or(0));
    rfc3339(SystemTime::UNIX_EPOCH + ended)
}

/// Handles `GET /bouts/{id}`.
pub(crate) async fn one(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let record = stored_record(&app, &id).await?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], record).into_response())
}

/// Handles `GET /bouts/{id}/export/{format}`.
pub(crate) async fn export(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, format)): Path<(String, String)>,
) -> ApiResult<Response> {
    let text = stored_record(&app, &id).await?;
    run_blocking(move || {
        let games = app.hub.games.now();
        let record = Record::parse(text.as_bytes(), &games);
        let record = record.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
        record_as_file(&games, &record, &format, &id)
    })
    .await
}

/// Returns the record of a finished bout, as text.
async fn stored_record(app: &App, id: &str) -> ApiResult<String> {
    let found = app.hub.store.bout(id).await;
    let found = found.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
    let unknown = || Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_BOUT);
    Ok(found.ok_or_else(unknown)?.record)
}
