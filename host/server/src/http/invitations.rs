//! Routes of invitations to a contest: the organiser makes and revokes them, and a person with
//! the secret of one registers as an entrant.
//! [`ContestService`](sandboard_contest::ContestService) decides what is allowed.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::contest_actions::{EntrantToken, refusal_problem, require_organiser};
use super::contests::BearerToken;
use super::{Json, Path};
use crate::App;
use crate::problem::{ApiResult, Problem};
use crate::wire::whole_number;
use sandboard_common::date::parse_date;
use sandboard_contest::store::Invitation;

/// An invitation to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewInvitation {
    /// How many entrants can register with it.
    #[serde(deserialize_with = "whole_number::one")]
    #[schema(minimum = 1, maximum = 1000)]
    places: u32,
    /// When it ends, as RFC 3339: in the future, and within a year.
    #[schema(format = DateTime)]
    ends_at: String,
}

/// The secret of a new invitation.
#[derive(Serialize, ToSchema)]
pub(crate) struct InvitationSecret {
    /// The secret. Only its hash is stored, so this is the only time it is shown.
    invitation: String,
}

/// An invitation as its contest shows it, without the secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct InvitationView {
    /// Its number, from 1.
    number: i64,
    /// How many entrants can register with it.
    places: u32,
    /// How many have registered with it.
    used: u32,
    /// When it ends, in milliseconds since 1970.
    ends_ms: i64,
    /// Whether the organiser has revoked it.
    is_revoked: bool,
}

/// An entrant who registers.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRegistration {
    /// The name: letters, digits, inner spaces and `.`, `_`, `-`, `'`.
    #[schema(min_length = 1, max_length = 40)]
    name: String,
}

impl From<Invitation> for InvitationView {
    fn from(it: Invitation) -> Self {
        let Invitation { number, places, used, expires_ms, is_revoked, .. } = it;
        Self { number, places, used, ends_ms: expires_ms, is_revoked }
    }
}

/// Handles `POST /contests/{id}/invitations`.
pub(crate) async fn invite(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(NewInvitation { places, ends_at }): Json<NewInvitation>,
) -> ApiResult<(StatusCode, axum::Json<InvitationSecret>)> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let ends_at = parse_date(&ends_at).ok_or_else(|| {
        Problem::unprocessable("ends_at", "it is no date of RFC 3339 such as 2026-12-01T18:00:00Z")
    })?;
    let invitation = contest.service().invite(places, ends_at).await;
    let invitation = invitation.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok((StatusCode::CREATED, axum::Json(InvitationSecret { invitation })))
}

/// Handles `POST /contests/{id}/invitations/{number}/revoke`.
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: BearerToken,
) -> ApiResult<StatusCode> {
    let contest = require_organiser(bearer.authorize(&app, &id).await?)?;
    let revoked = contest.service().revoke_invitation(number).await;
    revoked.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Handles `GET /contests/{id}/invitation`.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
) -> ApiResult<axum::Json<InvitationView>> {
    let (contest, secret) = bearer.invitation(&app, &id).await?;
    let invitation = contest.service().invitation(&secret).await;
    let invitation = invitation.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok(axum::Json(invitation.into()))
}

/// The longest name of an entrant, in characters.
const NAME_CHARS: usize = 40;

/// Handles `POST /contests/{id}/registrations`.
pub(crate) async fn register(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(NewRegistration { name }): Json<NewRegistration>,
) -> ApiResult<(StatusCode, axum::Json<EntrantToken>)> {
    let (contest, secret) = bearer.invitation(&app, &id).await?;
    // Whatever the state of the invitation is.
    if !(1..=NAME_CHARS).contains(&name.chars().count()) {
        let detail = format!("a name has 1 to {NAME_CHARS} characters");
        return Err(Problem::bad_request("name", detail));
    }
    let token = contest.service().register(&secret, &name).await;
    let token = token.map_err(|error| refusal_problem(&app, &contest, error))?;
    Ok((StatusCode::CREATED, axum::Json(EntrantToken { name, token })))
}
