//! What people do to a contest over HTTP: submit, ask for bouts, and, its organiser, have an entry tried again or take somebody out.
//! What may be done is said by [`Desk`](crate::contest::desk::Desk).

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Json;
use super::contests::Bearer;
use crate::contest::desk::{Refused, Who};
use crate::contest::store::{Entrant, Status};
use crate::record::of_date;
use crate::server::App;
use crate::server::contests::Stage;
use crate::server::problem::{Answer, Kind, Problem};

/// How long an entry may be on its way.
const ARRIVAL: Duration = Duration::from_secs(60);
/// How long it waits for others that are.
const QUEUE: Duration = Duration::from_secs(90);

/// The number of what was taken.
#[derive(Serialize, ToSchema)]
pub struct Numbered {
    /// From 1, over all entrants.
    number: i64,
}

/// An unrated bout that is wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The number of an accepted entry; absent: the latest.
    entry: Option<i64>,
    /// The id of the house's engine.
    house: String,
    /// The side that the entry is to have, 0 or 1.
    side: u8,
}

/// What becomes of an entrant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// `in`, `withdrawn` or `disqualified`.
    #[schema(value_type = String)]
    status: Status,
    /// Why; who is disqualified must be told.
    #[serde(default)]
    reason: String,
}

/// Somebody who is to be let in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Newcomer {
    /// His name; one who is in gets a new token in place of the old one.
    name: String,
}

/// What somebody submits with.
#[derive(Serialize, ToSchema)]
pub struct Admitted {
    /// His name.
    name: String,
    /// His token, which is told this once.
    token: String,
}

/// Until when entries are taken.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    /// As RFC 3339; null: until now.
    at: Option<String>,
}

/// `POST /contests/{id}/entries`.
pub async fn submit(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
    headers: HeaderMap,
    body: Body,
) -> Answer<(StatusCode, axum::Json<Numbered>)> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let entrant = entrant(who)?;
    // Before anything of it is read.
    stage.desk().may_submit(&entrant).await.map_err(|refused| told(&app, &stage, refused))?;
    let crowd = || Problem::new(Kind::TooMany, "other entries are on their way; try again soon");
    let seat = tokio::time::timeout(QUEUE, app.contests.arriving.take(&stage.id, &entrant.name));
    let _seat = seat.await.map_err(|_| crowd())?.ok_or_else(|| {
        Problem::new(Kind::TooMany, "another entry of yours is on its way: one at a time")
    })?;
    let arrived = tokio::time::timeout(ARRIVAL, whole(&headers, body, stage.contest.entry_bytes));
    let module = arrived.await.map_err(|_| {
        Problem::bad("body", format!("the entry did not come within {} s", ARRIVAL.as_secs()))
    })??;
    // It may have been closed meanwhile.
    let stage = app.contests.stage(&id).await?;
    let number = stage.desk().submit(&entrant, &module).await;
    let number = number.map_err(|refused| told(&app, &stage, refused))?;
    Ok((StatusCode::CREATED, axum::Json(Numbered { number })))
}

/// The bytes of a body. Err: there are more than these, of which no more are read.
async fn whole(headers: &HeaderMap, body: Body, most: u64) -> Answer<Vec<u8>> {
    let long = || {
        let detail = format!("the entry is longer than the {most} bytes that the contest takes");
        Problem::new(Kind::TooLarge, detail)
    };
    let said = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if said.and_then(|text| text.parse::<u64>().ok()).is_some_and(|bytes| bytes > most) {
        return Err(long());
    }
    let mut module = Vec::new();
    let mut parts = body.into_data_stream();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|error| Problem::bad("body", error))?;
        if (module.len() + part.len()) as u64 > most {
            return Err(long());
        }
        module.extend_from_slice(&part);
    }
    Ok(module)
}

/// `POST /contests/{id}/trials`.
pub async fn ask(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
    Json(wish): Json<Wish>,
) -> Answer<(StatusCode, axum::Json<Numbered>)> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let entrant = entrant(who)?;
    let number = stage.desk().ask(&entrant, wish.entry, &wish.house, wish.side).await;
    let number = number.map_err(|refused| told(&app, &stage, refused))?;
    Ok((StatusCode::CREATED, axum::Json(Numbered { number })))
}

/// `POST /contests/{id}/entries/{number}/retry`.
pub async fn retry(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: Bearer,
) -> Answer<StatusCode> {
    let stage = as_organiser(bearer.at(&app, &id).await?)?;
    let tried = stage.desk().try_again(number).await;
    tried.map_err(|refused| told(&app, &stage, refused))?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /contests/{id}/entrants`.
pub async fn let_in(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
    Json(Newcomer { name }): Json<Newcomer>,
) -> Answer<(StatusCode, axum::Json<Admitted>)> {
    let stage = as_organiser(bearer.at(&app, &id).await?)?;
    let token = stage.desk().let_in(&name).await;
    let token = token.map_err(|refused| told(&app, &stage, refused))?;
    Ok((StatusCode::CREATED, axum::Json(Admitted { name, token })))
}

/// `POST /contests/{id}/closes`.
pub async fn set_closes(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
    Json(Closing { at }): Json<Closing>,
) -> Answer<StatusCode> {
    let stage = as_organiser(bearer.at(&app, &id).await?)?;
    let at = match at {
        None => SystemTime::now(),
        Some(text) => of_date(&text).ok_or_else(|| {
            let detail = format!(
                "`{}` is no date of RFC 3339 such as 2026-12-01T18:00:00Z",
                text.escape_debug()
            );
            Problem::bad("at", detail)
        })?,
    };
    stage.desk().set_closes(at).await.map_err(|refused| told(&app, &stage, refused))?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /contests/{id}/entrants/{name}`.
pub async fn set_status(
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
    bearer: Bearer,
    Json(Verdict { status, reason }): Json<Verdict>,
) -> Answer<StatusCode> {
    let stage = as_organiser(bearer.at(&app, &id).await?)?;
    let set = stage.desk().set_status(&name, status, &reason).await;
    set.map_err(|refused| told(&app, &stage, refused))?;
    Ok(StatusCode::NO_CONTENT)
}

fn entrant(who: Who) -> Answer<Entrant> {
    match who {
        Who::Entrant(entrant) => Ok(entrant),
        Who::Organiser => {
            let detail = "this is the organiser's token, and an entrant's is wanted";
            Err(Problem::new(Kind::Forbidden, detail))
        }
    }
}

fn as_organiser((stage, who): (Arc<Stage>, Who)) -> Answer<Arc<Stage>> {
    match who {
        Who::Organiser => Ok(stage),
        Who::Entrant(_) => {
            let detail = "this is an entrant's token, and the organiser's is wanted";
            Err(Problem::new(Kind::Forbidden, detail))
        }
    }
}

/// What who asks is told.
fn told(app: &App, stage: &Stage, refused: Refused) -> Problem {
    let kind = match &refused {
        Refused::Store(error) => return app.contests.unreadable(&stage.id, error),
        Refused::NotYet(_)
        | Refused::Closed(_)
        | Refused::Over
        | Refused::Early(_)
        | Refused::Past(_) => Kind::Conflict,
        Refused::Out { .. } => Kind::Forbidden,
        Refused::Long { .. } => Kind::TooLarge,
        Refused::Often { .. } | Refused::Many { .. } => Kind::TooMany,
        Refused::NoEntry { .. } | Refused::Unknown(_) | Refused::Nobody { .. } => Kind::NotFound,
        Refused::Empty => return Problem::bad("body", refused),
        Refused::NotHouse { .. } => return Problem::bad("house", refused),
        Refused::Side(_) => return Problem::bad("side", refused),
        Refused::Reason => return Problem::bad("reason", refused),
        Refused::Name(_) | Refused::House(_) => return Problem::bad("name", refused),
        Refused::Random => Kind::Internal,
    };
    Problem::new(kind, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes come of a body in these parts that says it has so many, or the kind of problem.
    async fn check(said: Option<&'static str>, parts: &[usize], expected: Result<usize, Kind>) {
        let mut headers = HeaderMap::new();
        if let Some(said) = said {
            headers.insert(header::CONTENT_LENGTH, header::HeaderValue::from_static(said));
        }
        let parts: Vec<Result<Vec<u8>, std::io::Error>> =
            parts.iter().map(|bytes| Ok(vec![0; *bytes])).collect();
        let body = Body::from_stream(futures_util::stream::iter(parts));
        let found = whole(&headers, body, 10).await;
        assert_eq!(found.map(|module| module.len()).map_err(|it| it.kind), expected, "{said:?}");
    }

    #[tokio::test]
    async fn a_body_is_read_as_far_as_it_may_be_long() {
        check(None, &[], Ok(0)).await;
        check(None, &[4, 6], Ok(10)).await;
        check(Some("10"), &[10], Ok(10)).await;
        check(None, &[4, 6, 1], Err(Kind::TooLarge)).await;
        check(None, &[11], Err(Kind::TooLarge)).await;
        check(Some("11"), &[], Err(Kind::TooLarge)).await;
        check(Some("99999999999999999999999"), &[11], Err(Kind::TooLarge)).await;
    }
}
