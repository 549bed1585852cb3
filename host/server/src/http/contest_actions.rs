//! Routes that change a contest: entrants submit entries and request trials; the organiser retests
//! entries, manages entrants and sets the closing time.
//! [`ContestService`](sandboard_contest::ContestService) decides what is allowed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::contests::BearerToken;
use super::{Json, Path};
use crate::App;
use crate::contests::OpenContest;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::wire::whole_number;
use sandboard_common::date::parse_date;
use sandboard_contest::service::{Caller, ServiceError, status_word};
use sandboard_contest::store::Entrant;
use sandboard_contest_rules::Status;

/// The time limit for uploading an entry.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an upload waits for others.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(90);

/// The number of a new entry or trial.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedNumber {
    /// Counted from 1, over all entrants.
    number: i64,
}

/// A request for an unrated bout.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialRequest {
    /// The number of an accepted entry; absent: the latest.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 9_223_372_036_854_775_807_i64)]
    entry: Option<i64>,
    /// The id of the house engine.
    house: String,
    /// The side of the entry, 0 or 1.
    #[serde(deserialize_with = "whole_number::one")]
    #[schema(maximum = 1)]
    side: u8,
}

/// The new status of an entrant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntrantStatusChange {
    #[schema(schema_with = status_schema)]
    status: Status,
    /// The reason, in one line; required for a disqualification.
    #[serde(default)]
    #[schema(max_length = 500, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    reason: String,
}

/// An entrant to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEntrant {
    /// The name of the new entrant, or of the existing one whose token is replaced: letters,
    /// digits, inner spaces and `.`, `_`, `-`, `'`.
    #[schema(min_length = 1, max_length = 40)]
    name: String,
    /// Whether an entrant that exists gets a new token, which replaces the old one. Otherwise its
    /// name is refused.
    #[serde(default)]
    new_token: bool,
}

/// The token of a new entrant.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntrantToken {
    /// The entrant's name.
    pub name: String,
    /// The token. Only its hash is stored, so this is the only time it is shown.
    pub token: String,
}

/// The closing time of a contest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClosingTime {
    /// The time as RFC 3339, in the years 1970 to 9999; null: now.
    #[schema(format = DateTime)]
    closes_at: Option<String>,
}

fn status_schema() -> utoipa::openapi::schema::Schema {
    use utoipa::openapi::schema::{ObjectBuilder, Type};
    let words = [Status::In, Status::Withdrawn, Status::Disqualified].map(status_word);
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).build().into()
}

/// Handles `POST /contests/{id}/entries`.
pub(crate) async fn submit(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<(StatusCode, axum::Json<CreatedNumber>)> {
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let entrant = require_entrant(caller)?;
    // Checked before the body is read.
    contest
        .service()
        .may_submit(&entrant)
        .await
        .map_err(|error| refusal_problem(&app, &contest, error))?;
    let busy = || Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_ENTRIES);
    let slot = tokio::time::timeout(
        QUEUE_TIMEOUT,
        app.contests.upload_slots.take(&contest.id, &entrant.name),
    );
    let _slot = slot.await.map_err(|_| busy())?.ok_or_else(|| {
        Problem::new(
            ProblemKind::TooMany,
            "you are already uploading an entry; upload one at a time",
        )
    })?;
    let received =
        tokio::time::timeout(UPLOAD_TIMEOUT, read_body(&headers, body, contest.rules.entry_bytes));
    let module = received.await.map_err(|_| {
        let detail = format!("the entry was not received within {} s", UPLOAD_TIMEOUT.as_secs());
        Problem::new(ProblemKind::Timeout, detail).at("body")
    })??;
    // The contest may have closed during the upload.
    let contest = app.contests.find(&id).await?;
    let number = contest.service().submit(&entrant, &module).await;
    let number = number.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok((StatusCode::CREATED, axum::Json(CreatedNumber { number })))
}

/// Reads a body. Err: it is longer than the limit; reading stops there.
async fn read_body(headers: &HeaderMap, body: Body, bytes_max: u64) -> ApiResult<Vec<u8>> {
    let too_long = || {
        let detail = format!("the entry is longer than the contest's limit of {bytes_max} bytes");
        Problem::new(ProblemKind::TooLarge, detail)
    };
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if declared.and_then(|text| text.parse::<u64>().ok()).is_some_and(|bytes| bytes > bytes_max) {
        return Err(too_long());
    }
    let mut module = Vec::new();
    let mut parts = body.into_data_stream();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|error| Problem::bad_request("body", error))?;
        if (module.len() + part.len()) as u64 > bytes_max {
            return Err(too_long());
        }
        module.extend_from_slice(&part);
    }
    Ok(module)
}

/// Handles `POST /contests/{id}/trials`.
pub(crate) async fn request_trial(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(request): Json<TrialRequest>,
) -> ApiResult<(StatusCode, axum::Json<CreatedNumber>)> {
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let entrant = require_entrant(caller)?;
    let number = contest
        .service()
        .request_trial(&entrant, request.entry, &request.house, request.side)
        .await;
    let number = number.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok((StatusCode::CREATED, axum::Json(CreatedNumber { number })))
}

/// Handles `POST /contests/{id}/entries/{number}/retest`.
pub(crate) async fn retest(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: BearerToken,
) -> ApiResult<StatusCode> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let retested = contest.service().request_retest(number).await;
    retested.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Handles `POST /contests/{id}/entrants`.
pub(crate) async fn add_entrant(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(NewEntrant { name, new_token }): Json<NewEntrant>,
) -> ApiResult<(StatusCode, axum::Json<EntrantToken>)> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let token = match new_token {
        true => contest.service().renew_token(&name).await,
        false => contest.service().admit(&name).await,
    };
    let token = token.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok((StatusCode::CREATED, axum::Json(EntrantToken { name, token })))
}

/// Handles `POST /contests/{id}/closing-time`.
pub(crate) async fn set_closing_time(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(ClosingTime { closes_at }): Json<ClosingTime>,
) -> ApiResult<StatusCode> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let at = match closes_at {
        None => SystemTime::now(),
        Some(text) => parse_date(&text).ok_or_else(|| {
            let detail = format!(
                "`{}` is not a date of RFC 3339, such as 2026-12-01T18:00:00Z",
                text.escape_debug()
            );
            Problem::unprocessable("closes_at", detail)
        })?,
    };
    contest
        .service()
        .set_closes(at)
        .await
        .map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Handles `POST /contests/{id}/entrants/{name}`.
pub(crate) async fn set_status(
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
    bearer: BearerToken,
    Json(EntrantStatusChange { status, reason }): Json<EntrantStatusChange>,
) -> ApiResult<StatusCode> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let set = contest.service().set_status(&name, status, &reason).await;
    set.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok(StatusCode::NO_CONTENT)
}

fn require_entrant(caller: Caller) -> ApiResult<Entrant> {
    match caller {
        Caller::Entrant(entrant) => Ok(entrant),
        Caller::Organiser => {
            let detail = "this needs an entrant's token, not the organiser's";
            Err(Problem::new(ProblemKind::Forbidden, detail))
        }
    }
}

pub(super) fn require_organiser(
    (contest, caller): (Arc<OpenContest>, Caller),
) -> ApiResult<Arc<OpenContest>> {
    match caller {
        Caller::Organiser => Ok(contest),
        Caller::Entrant(_) => {
            let detail = "this needs the organiser's token, not an entrant's";
            Err(Problem::new(ProblemKind::Forbidden, detail))
        }
    }
}

/// Returns the problem that describes why a request is refused.
pub(super) fn refusal_problem(app: &App, contest: &OpenContest, error: ServiceError) -> Problem {
    let kind = match &error {
        ServiceError::Store(error) => return app.contests.unreadable(&contest.id, error),
        ServiceError::NotYet(_)
        | ServiceError::Closed(_)
        | ServiceError::AlreadyClosed
        | ServiceError::NameTaken(_)
        | ServiceError::BeforeOpening(_)
        | ServiceError::DatePassed(_) => ProblemKind::Conflict,
        ServiceError::NotParticipating { .. } => ProblemKind::Forbidden,
        ServiceError::NotInvited => ProblemKind::Unauthorized,
        ServiceError::InvitationRevoked
        | ServiceError::InvitationEnded(_)
        | ServiceError::InvitationUsed(_) => ProblemKind::Gone,
        ServiceError::UnknownInvitation(_) => ProblemKind::NotFound,
        ServiceError::TooManyInvitations => ProblemKind::TooMany,
        ServiceError::Places => return Problem::bad_request("places", error),
        ServiceError::InvitationEnd => return Problem::unprocessable("ends_at", error),
        ServiceError::NameOfAnother(_) => {
            return Problem::new(ProblemKind::Conflict, error).at("name");
        }
        ServiceError::TooLong { .. } => ProblemKind::TooLarge,
        ServiceError::TooManyEntries { .. }
        | ServiceError::TooManyTrials { .. }
        | ServiceError::TooManyTrialsADay { .. }
        | ServiceError::Quota { .. } => ProblemKind::TooMany,
        ServiceError::NoEntry { .. }
        | ServiceError::UnknownEntry(_)
        | ServiceError::UnknownEntrant { .. } => ProblemKind::NotFound,
        ServiceError::Empty => return Problem::bad_request("body", error),
        ServiceError::NotHouseEngine { .. } => return Problem::unprocessable("house", error),
        ServiceError::Side(_) => return Problem::bad_request("side", error),
        ServiceError::Reason => return Problem::unprocessable("reason", error),
        ServiceError::InvalidName(_) | ServiceError::HouseName(_) => {
            return Problem::unprocessable("name", error);
        }
        ServiceError::Random => ProblemKind::Internal,
    };
    Problem::new(kind, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a body of these parts with this Content-Length. Expects its length, or the kind of
    /// problem.
    async fn check(
        declared: Option<&'static str>,
        parts: &[usize],
        expected: Result<usize, ProblemKind>,
    ) {
        let mut headers = HeaderMap::new();
        if let Some(declared) = declared {
            headers.insert(header::CONTENT_LENGTH, header::HeaderValue::from_static(declared));
        }
        let parts: Vec<Result<Vec<u8>, std::io::Error>> =
            parts.iter().map(|bytes| Ok(vec![0; *bytes])).collect();
        let body = Body::from_stream(futures_util::stream::iter(parts));
        let found = read_body(&headers, body, 10).await;
        assert_eq!(
            found.map(|module| module.len()).map_err(|it| it.kind),
            expected,
            "{declared:?}"
        );
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        check(None, &[], Ok(0)).await;
        check(None, &[4, 6], Ok(10)).await;
        check(Some("10"), &[10], Ok(10)).await;
        check(None, &[4, 6, 1], Err(ProblemKind::TooLarge)).await;
        check(None, &[11], Err(ProblemKind::TooLarge)).await;
        check(Some("11"), &[], Err(ProblemKind::TooLarge)).await;
        check(Some("99999999999999999999999"), &[11], Err(ProblemKind::TooLarge)).await;
    }
}
