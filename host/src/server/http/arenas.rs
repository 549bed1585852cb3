//! Arenas of this machine over HTTP. Whoever may look at bouts that are over may look at them, and the
//! operator may have one stop.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Admitted, aside};
use crate::arena::{Filter, GameKey, GameRow, store};
use crate::server::App;
use crate::server::arenas::{ArenaCard, Exhibit, Part};
use crate::server::problem::{Answer, Kind, Problem};

/// How long an answer waits for something new.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long who wants tables waits while others have theirs made.
const QUEUE: Duration = Duration::from_secs(20);
/// How many games are listed at once.
const LIST: u32 = 50;
const LIST_MAX: u32 = 500;

/// Names and values of a query, of which some come several times.
pub type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Games of an arena.
#[derive(Serialize, ToSchema)]
pub struct ArenaGames {
    /// The latest of the schedule first.
    #[schema(value_type = Vec<Object>)]
    games: Vec<GameRow>,
    /// What to ask `before` for the rest; null: there is none.
    next: Option<String>,
}

/// `GET /arenas`.
pub async fn list(_: Admitted, State(app): State<Arc<App>>) -> Answer<axum::Json<Vec<ArenaCard>>> {
    aside(move || Ok(axum::Json(app.arenas.list()))).await
}

/// `GET /arenas/{id}`.
pub async fn one(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<Response> {
    let (filter, since) = wanted(&pairs(asked)?)?;
    let exhibit = exhibit(&app, id).await?;
    let (of, wanted) = (exhibit.clone(), filter.clone());
    aside(move || of.check(&wanted)).await?;
    if !is_news(&app, &exhibit, Part::View, since.as_deref()).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let seat = tokio::time::timeout(QUEUE, app.arenas.surveys.clone().acquire_owned()).await;
    let busy = || Problem::new(Kind::TooMany, "other arenas are being surveyed; try again soon");
    let seat = seat.ok().and_then(Result::ok).ok_or_else(busy)?;
    let told = aside(move || {
        let told = exhibit.told(&filter);
        drop(seat);
        told
    });
    Ok(json(told.await?))
}

/// `GET /arenas/{id}/live`.
pub async fn live(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<Response> {
    let mut since = None;
    for (name, value) in pairs(asked)? {
        match name.as_str() {
            "since" => since = Some(value),
            _ => return Err(unknown(&name)),
        }
    }
    let exhibit = exhibit(&app, id).await?;
    if !is_news(&app, &exhibit, Part::Live, since.as_deref()).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(json(aside(move || exhibit.live()).await?))
}

/// `GET /arenas/{id}/games`.
pub async fn games(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    asked: Pairs,
) -> Answer<axum::Json<ArenaGames>> {
    let query = searched(&pairs(asked)?)?;
    let exhibit = exhibit(&app, id).await?;
    aside(move || {
        let found = exhibit.games(&query).map_err(|error| app.arenas.unreadable(&error))?;
        let last = found.last().filter(|_| found.len() == query.limit as usize);
        let next = last.map(|last| last.game.name());
        Ok(axum::Json(ArenaGames { games: found.iter().map(GameRow::from).collect(), next }))
    })
    .await
}

/// `GET /arenas/{id}/games/{name}`.
pub async fn game(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer<Response> {
    let none = || Problem::new(Kind::NotFound, "the arena has no finished game of this name");
    let key = GameKey::of_name(&name).ok_or_else(none)?;
    let exhibit = exhibit(&app, id).await?;
    let record = aside(move || exhibit.record(key).map_err(|error| app.arenas.unreadable(&error)));
    Ok(json(record.await?.ok_or_else(none)?.into()))
}

/// `POST /arenas/{id}/stop`.
pub async fn stop(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<StatusCode> {
    let exhibit = exhibit(&app, id).await?;
    aside(move || {
        exhibit.stop().map_err(|error| app.arenas.unreadable(&error))??;
        app.hub.note("info", format!("arena {} was asked to stop", exhibit.id));
        Ok(StatusCode::ACCEPTED)
    })
    .await
}

async fn exhibit(app: &Arc<App>, id: String) -> Answer<Arc<Exhibit>> {
    let app = app.clone();
    aside(move || app.arenas.exhibit(&id)).await
}

/// Whether there is something that who asks does not know, now or soon.
async fn is_news(app: &App, exhibit: &Exhibit, part: Part, since: Option<&str>) -> bool {
    match since {
        None => true,
        Some(since) => app.arenas.changed(exhibit, part, since, PATIENCE).await,
    }
}

pub(super) fn json(told: Bytes) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], told).into_response()
}

/// What was asked, but for fields that were left empty.
pub(super) fn pairs(asked: Pairs) -> Answer<Vec<(String, String)>> {
    let Query(pairs) = asked.map_err(|error| Problem::bad("query", error.body_text()))?;
    Ok(pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect())
}

pub(super) fn unknown(name: &str) -> Problem {
    let name = crate::referee::tidy(name, 64);
    Problem::bad("query", format!("nothing is called `{name}` here"))
}

pub(super) fn number(name: &str, value: &str) -> Answer<u32> {
    let wrong = || Problem::bad(name, "it is no whole number from 0 to 4294967295");
    value.parse().map_err(|_| wrong())
}

fn yes_or_no(name: &str, value: &str) -> Answer<bool> {
    value.parse().map_err(|_| Problem::bad(name, "it is `true` or `false`"))
}

/// Which games count for the tables, and which state of them is known.
fn wanted(pairs: &[(String, String)]) -> Answer<(Filter, Option<String>)> {
    let (mut filter, mut since) = (Filter::default(), None);
    for (name, value) in pairs {
        match name.as_str() {
            "since" => since = Some(value.clone()),
            "player" => filter.players.push(number(name, value)?),
            "opening" => filter.opening = Some(number(name, value)?),
            "round" => filter.round = Some(number(name, value)?),
            "no_faults" => filter.no_faults = yes_or_no(name, value)?,
            _ => return Err(unknown(name)),
        }
    }
    filter.players.sort_unstable();
    filter.players.dedup();
    Ok((filter, since))
}

/// Which games count for the tables of a file.
pub(super) fn selected(pairs: &[(String, String)]) -> Answer<Filter> {
    match wanted(pairs)? {
        (filter, None) => Ok(filter),
        (_, Some(_)) => Err(unknown("since")),
    }
}

/// Which games are listed.
fn searched(pairs: &[(String, String)]) -> Answer<store::Query> {
    let mut query = store::Query { limit: LIST, ..store::Query::default() };
    for (name, value) in pairs {
        match name.as_str() {
            "player" => query.player = Some(number(name, value)?),
            "opponent" => query.opponent = Some(number(name, value)?),
            "opening" => query.opening = Some(number(name, value)?),
            "round" => query.round = Some(number(name, value)?),
            "fault" => query.fault = Some(yes_or_no(name, value)?),
            "before" => {
                let wrong = || Problem::bad(name, "it is no game's name");
                query.before = Some(GameKey::of_name(value).ok_or_else(wrong)?);
            }
            "limit" => query.limit = number(name, value)?.clamp(1, LIST_MAX),
            _ => return Err(unknown(name)),
        }
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs_of(text: &str) -> Vec<(String, String)> {
        let uri = format!("/?{text}").parse().unwrap();
        pairs(Ok(Query::try_from_uri(&uri).unwrap())).unwrap()
    }

    /// A place and a reason for what is wrong.
    fn wrong<T: std::fmt::Debug>(found: Answer<T>, place: &str, reason: &str) {
        let problem = found.unwrap_err();
        assert_eq!((problem.kind, problem.place.as_deref()), (Kind::BadRequest, Some(place)));
        assert!(problem.detail.contains(reason), "{problem}");
    }

    #[test]
    fn filters() {
        let check = |text: &str, expected: (Filter, Option<&str>)| {
            let expected = (expected.0, expected.1.map(str::to_owned));
            assert_eq!(wanted(&pairs_of(text)).unwrap(), expected, "{text}");
        };
        let none = Filter::default;
        check("", (none(), None));
        check("since=3.0&round=&opening=", (none(), Some("3.0")));
        check("player=2&player=0&player=2", (Filter { players: vec![0, 2], ..none() }, None));
        check(
            "opening=3&round=1&no_faults=true",
            (Filter { opening: Some(3), round: Some(1), no_faults: true, ..none() }, None),
        );
        check("no_faults=false", (none(), None));
        assert_eq!(selected(&pairs_of("round=1")).unwrap().round, Some(1));
        wrong(selected(&pairs_of("since=1")), "query", "nothing is called `since`");
        let check = |text: &str, place: &str, reason: &str| {
            wrong(wanted(&pairs_of(text)), place, reason);
        };
        check("player=-1", "player", "no whole number");
        check("player=4294967296", "player", "no whole number");
        check("opening=a", "opening", "no whole number");
        check("no_faults=1", "no_faults", "`true` or `false`");
        check("players=1", "query", "nothing is called `players`");
    }

    #[test]
    fn searches() {
        let check = |text: &str, expected: store::Query| {
            assert_eq!(searched(&pairs_of(text)).unwrap(), expected, "{text}");
        };
        let all = || store::Query { limit: LIST, ..store::Query::default() };
        check("", all());
        check("player=&fault=&before=&limit=", all());
        check("player=1&opponent=0", store::Query { player: Some(1), opponent: Some(0), ..all() });
        check(
            "opening=2&round=0&fault=true&limit=7",
            store::Query { opening: Some(2), round: Some(0), fault: Some(true), limit: 7, ..all() },
        );
        check("limit=0", store::Query { limit: 1, ..all() });
        check("limit=501", store::Query { limit: LIST_MAX, ..all() });
        let before = Some(GameKey { pair: 1, game: 1 });
        check(
            "before=pair-000002-2&fault=false",
            store::Query { before, fault: Some(false), ..all() },
        );
        let check = |text: &str, place: &str, reason: &str| {
            wrong(searched(&pairs_of(text)), place, reason);
        };
        check("before=pair-2-2", "before", "no game's name");
        check("limit=many", "limit", "no whole number");
        check("fault=yes", "fault", "`true` or `false`");
        check("since=1", "query", "nothing is called `since`");
    }
}
