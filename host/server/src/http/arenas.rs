//! Routes of arenas: lists, tables, live games and records for admitted callers, and the operator's
//! request to stop a run.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::export::record_as_file;
use super::{Admitted, Path, run_blocking};
use crate::App;
use crate::arenas::{ArenaCache, ArenaCard, Part};
use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena::store;
use sandboard_arena_plan::{Filter, GameKey, GameRow};
use sandboard_bout::record::Record;

/// How long a long-polling request waits for a change.
const LONG_POLL: Duration = Duration::from_secs(20);
/// How long a request waits while other tables are computed.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);
/// The default and the largest number of games in a list.
const LIMIT_DEFAULT: u32 = 50;
const LIMIT_MAX: u32 = 500;

/// Names and values of a query, in which names may repeat.
pub(crate) type QueryPairs = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Games of an arena.
#[derive(Serialize, ToSchema)]
pub(crate) struct ArenaGames {
    /// The latest of the schedule first.
    #[schema(value_type = Vec<Object>)]
    games: Vec<GameRow>,
    /// The value of `before` for the next page; null: this is the last one.
    next: Option<String>,
}

/// Handles `GET /arenas`.
pub(crate) async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
) -> ApiResult<axum::Json<Vec<ArenaCard>>> {
    run_blocking(move || Ok(axum::Json(app.arenas.list()))).await
}

/// Handles `GET /arenas/{id}`.
pub(crate) async fn one(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<Response> {
    let (filter, since) = parse_view_query(&query_pairs(query)?)?;
    let arena_cache = find_arena(&app, id).await?;
    let (checked, wanted) = (arena_cache.clone(), filter.clone());
    run_blocking(move || checked.check(&wanted)).await?;
    if !wait_for_news(&app, &arena_cache, Part::View, since.as_deref()).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let permit = view_permit(&app).await?;
    let bytes = run_blocking(move || {
        let bytes = arena_cache.view_json(&filter);
        drop(permit);
        bytes
    });
    Ok(json(bytes.await?))
}

/// Handles `GET /arenas/{id}/live`.
pub(crate) async fn live(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<Response> {
    let mut since = None;
    for (name, value) in query_pairs(query)? {
        match name.as_str() {
            "since" => since = Some(value),
            _ => return Err(unknown_parameter(&name)),
        }
    }
    let arena_cache = find_arena(&app, id).await?;
    if !wait_for_news(&app, &arena_cache, Part::Live, since.as_deref()).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(json(run_blocking(move || arena_cache.live_json()).await?))
}

/// Handles `GET /arenas/{id}/games`.
pub(crate) async fn games(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: QueryPairs,
) -> ApiResult<axum::Json<ArenaGames>> {
    let query = parse_game_query(&query_pairs(query)?)?;
    let arena_cache = find_arena(&app, id).await?;
    run_blocking(move || {
        let found = arena_cache.games(&query).map_err(|error| app.arenas.unreadable(&error))?;
        let last = found.last().filter(|_| found.len() == query.limit as usize);
        let next = last.map(|last| last.game.name());
        Ok(axum::Json(ArenaGames { games: found.iter().map(GameRow::from).collect(), next }))
    })
    .await
}

/// Handles `GET /arenas/{id}/games/{name}`.
pub(crate) async fn game(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
) -> ApiResult<Response> {
    Ok(json(stored_record(&app, id, &name).await?.into()))
}

/// Handles `GET /arenas/{id}/games/{name}/export/{format}`.
pub(crate) async fn export(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, name, format)): Path<(String, String, String)>,
) -> ApiResult<Response> {
    let bytes = stored_record(&app, id, &name).await?;
    run_blocking(move || {
        let games = app.hub.games.now();
        let record = Record::parse(&bytes, &games);
        let record = record.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
        record_as_file(&games, &record, &format, &name)
    })
    .await
}

/// Returns the record of a finished game, as JSON.
async fn stored_record(app: &Arc<App>, id: String, name: &str) -> ApiResult<Vec<u8>> {
    let not_found = || Problem::new(ProblemKind::NotFound, crate::messages::NO_ARENA_GAME);
    let key = GameKey::from_name(name).ok_or_else(not_found)?;
    let arena_cache = find_arena(app, id).await?;
    let app = app.clone();
    let record = run_blocking(move || {
        arena_cache.record(key).map_err(|error| app.arenas.unreadable(&error))
    });
    record.await?.ok_or_else(not_found)
}

/// Handles `POST /arenas/{id}/stop`.
pub(crate) async fn stop(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let arena_cache = find_arena(&app, id).await?;
    run_blocking(move || {
        arena_cache.stop().map_err(|error| app.arenas.unreadable(&error))??;
        app.hub.notify_operator("info", format!("requested that arena {} stops", arena_cache.id));
        Ok(StatusCode::ACCEPTED)
    })
    .await
}

/// Waits for a permit to compute tables. Err: too many are being computed.
pub(super) async fn view_permit(app: &App) -> ApiResult<OwnedSemaphorePermit> {
    let permit =
        tokio::time::timeout(QUEUE_TIMEOUT, app.arenas.view_permits.clone().acquire_owned()).await;
    let busy = || Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_TABLES);
    permit.ok().and_then(Result::ok).ok_or_else(busy)
}

pub(super) async fn find_arena(app: &Arc<App>, id: String) -> ApiResult<Arc<ArenaCache>> {
    let app = app.clone();
    run_blocking(move || app.arenas.find(&id)).await
}

/// Returns whether the arena differs from the version `since`, now or within the long-poll time.
pub(super) async fn wait_for_news(
    app: &App,
    arena_cache: &ArenaCache,
    part: Part,
    since: Option<&str>,
) -> bool {
    match since {
        None => true,
        Some(since) => app.arenas.wait_for_change(arena_cache, part, since, LONG_POLL).await,
    }
}

pub(super) fn json(bytes: Bytes) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], bytes).into_response()
}

/// Returns the pairs of a query.
pub(super) fn query_pairs(query: QueryPairs) -> ApiResult<Vec<(String, String)>> {
    let Query(pairs) = query.map_err(|error| Problem::bad_request("query", error.body_text()))?;
    Ok(pairs)
}

pub(super) fn unknown_parameter(name: &str) -> Problem {
    let name = sandboard_bout::text::sanitize(name, 64);
    Problem::bad_request("query", format!("unknown parameter `{name}`"))
}

pub(super) fn parse_number(name: &str, value: &str) -> ApiResult<u32> {
    let invalid = || Problem::bad_request(name, "it is not a whole number from 0 to 4294967295");
    value.parse().map_err(|_| invalid())
}

fn parse_bool(name: &str, value: &str) -> ApiResult<bool> {
    value.parse().map_err(|_| Problem::bad_request(name, "it is `true` or `false`"))
}

/// Parses which games the tables include, and the version that the client has.
fn parse_view_query(pairs: &[(String, String)]) -> ApiResult<(Filter, Option<String>)> {
    let (mut filter, mut since) = (Filter::default(), None);
    for (name, value) in pairs {
        match name.as_str() {
            "since" => since = Some(value.clone()),
            "player" => filter.players.push(parse_number(name, value)?),
            "opening" => filter.opening = Some(parse_number(name, value)?),
            "round" => filter.round = Some(parse_number(name, value)?),
            "no_faults" => filter.no_faults = parse_bool(name, value)?,
            _ => return Err(unknown_parameter(name)),
        }
    }
    filter.players.sort_unstable();
    filter.players.dedup();
    Ok((filter, since))
}

/// Parses which games the tables of a download include.
pub(super) fn parse_filter(pairs: &[(String, String)]) -> ApiResult<Filter> {
    match parse_view_query(pairs)? {
        (filter, None) => Ok(filter),
        (_, Some(_)) => Err(unknown_parameter("since")),
    }
}

/// Parses which games are listed.
fn parse_game_query(pairs: &[(String, String)]) -> ApiResult<store::GameQuery> {
    let mut query = store::GameQuery { limit: LIMIT_DEFAULT, ..store::GameQuery::default() };
    for (name, value) in pairs {
        match name.as_str() {
            "player" => query.player = Some(parse_number(name, value)?),
            "opponent" => query.opponent = Some(parse_number(name, value)?),
            "opening" => query.opening = Some(parse_number(name, value)?),
            "round" => query.round = Some(parse_number(name, value)?),
            "fault" => query.fault = Some(parse_bool(name, value)?),
            "before" => {
                let invalid = || Problem::unprocessable(name, crate::messages::NOT_A_GAME_NAME);
                query.before = Some(GameKey::from_name(value).ok_or_else(invalid)?);
            }
            "limit" => query.limit = parse_number(name, value)?.clamp(1, LIMIT_MAX),
            _ => return Err(unknown_parameter(name)),
        }
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs_of(text: &str) -> Vec<(String, String)> {
        let uri = format!("/?{text}").parse().unwrap();
        query_pairs(Ok(Query::try_from_uri(&uri).unwrap())).unwrap()
    }

    /// Checks that a query is refused, with this parameter and reason.
    fn check_refused<T: std::fmt::Debug>(found: ApiResult<T>, parameter: &str, reason: &str) {
        let problem = found.unwrap_err();
        assert_eq!(
            (problem.kind, problem.location.as_deref()),
            (ProblemKind::BadRequest, Some(parameter))
        );
        assert!(problem.detail.contains(reason), "{problem}");
    }

    #[test]
    fn filters() {
        let check = |text: &str, expected: (Filter, Option<&str>)| {
            let expected = (expected.0, expected.1.map(str::to_owned));
            assert_eq!(parse_view_query(&pairs_of(text)).unwrap(), expected, "{text}");
        };
        let all_games = Filter::default;
        check("", (all_games(), None));
        check("since=3.0", (all_games(), Some("3.0")));
        check("player=2&player=0&player=2", (Filter { players: vec![0, 2], ..all_games() }, None));
        check(
            "opening=3&round=1&no_faults=true",
            (Filter { opening: Some(3), round: Some(1), no_faults: true, ..all_games() }, None),
        );
        check("no_faults=false", (all_games(), None));
        assert_eq!(parse_filter(&pairs_of("round=1")).unwrap().round, Some(1));
        check_refused(parse_filter(&pairs_of("since=1")), "query", "unknown parameter `since`");
        let check = |text: &str, parameter: &str, reason: &str| {
            check_refused(parse_view_query(&pairs_of(text)), parameter, reason);
        };
        check("player=-1", "player", "not a whole number");
        check("round=", "round", "not a whole number");
        check("player=4294967296", "player", "not a whole number");
        check("opening=a", "opening", "not a whole number");
        check("no_faults=1", "no_faults", "`true` or `false`");
        check("players=1", "query", "unknown parameter `players`");
    }

    #[test]
    fn searches() {
        let check = |text: &str, expected: store::GameQuery| {
            assert_eq!(parse_game_query(&pairs_of(text)).unwrap(), expected, "{text}");
        };
        let all = || store::GameQuery { limit: LIMIT_DEFAULT, ..store::GameQuery::default() };
        check("", all());
        check(
            "player=1&opponent=0",
            store::GameQuery { player: Some(1), opponent: Some(0), ..all() },
        );
        check(
            "opening=2&round=0&fault=true&limit=7",
            store::GameQuery {
                opening: Some(2),
                round: Some(0),
                fault: Some(true),
                limit: 7,
                ..all()
            },
        );
        check("limit=0", store::GameQuery { limit: 1, ..all() });
        check("limit=501", store::GameQuery { limit: LIMIT_MAX, ..all() });
        let before = Some(GameKey { pair: 1, game: 1 });
        check(
            "before=pair-000002-2&fault=false",
            store::GameQuery { before, fault: Some(false), ..all() },
        );
        let check = |text: &str, parameter: &str, reason: &str| {
            check_refused(parse_game_query(&pairs_of(text)), parameter, reason);
        };
        let problem = parse_game_query(&pairs_of("before=pair-000000-1")).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Unprocessable);
        check("limit=many", "limit", "not a whole number");
        check("fault=yes", "fault", "`true` or `false`");
        check("since=1", "query", "unknown parameter `since`");
    }
}
