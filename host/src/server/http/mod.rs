//! What is asked over HTTP: the table of routes, and who may take which. The answers are in the
//! files beside this one.

mod analyse;
mod arena_files;
mod arenas;
mod bouts;
mod contest_desk;
mod contest_games;
mod contests;
mod files;
mod folder;
mod games;
mod openapi;
mod receipts;
mod rooms;
mod session;
mod solve;

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::routing::{any, delete, get, post};
use axum::{Extension, Router, middleware};
use serde::de::DeserializeOwned;

use super::guard::{Caller, guard};
use super::problem::{Answer, Kind, Problem};
use super::upload::UPLOAD_BYTES;
use super::{App, client};

/// The longest body of a request that brings no file, in bytes.
const BODY_BYTES: usize = 256 * 1024;
/// The longest body that brings a record or a file of moves.
const FILE_BYTES: usize = 16 * 1024 * 1024;

/// All that is answered.
pub fn router(app: Arc<App>) -> Router {
    let large = DefaultBodyLimit::max(FILE_BYTES);
    let api = Router::new()
        .route("/info", get(session::info))
        .route("/login", post(session::login))
        .route("/games", get(games::games))
        .route("/rules", post(games::rules))
        .route("/engines", get(folder::engines))
        .route("/engines", post(folder::upload).layer(DefaultBodyLimit::max(UPLOAD_BYTES)))
        .route("/engines/{id}", delete(folder::remove))
        .route("/engines/{id}/trust", post(folder::trust))
        .route("/engines/{id}/receipts", get(receipts::list))
        .route("/rooms", get(rooms::list).post(rooms::open).layer(large))
        .route("/quick", post(rooms::quick))
        .route("/rooms/{id}", get(rooms::snapshot))
        .route("/rooms/{id}/record", get(rooms::record))
        .route("/rooms/{id}/export/{format}", get(rooms::export))
        .route("/rooms/{id}/rematch", post(rooms::rematch))
        .route("/rooms/{id}/ws", any(rooms::socket))
        .route("/lobby/ws", any(rooms::lobby))
        .route("/files", post(files::read).layer(large))
        .route("/analyse", post(analyse::analyse))
        .route("/solve", post(solve::solve))
        .route("/bouts", get(bouts::list))
        .route("/bouts/{id}", get(bouts::one))
        .route("/arenas", get(arenas::list))
        .route("/arenas/{id}", get(arenas::one))
        .route("/arenas/{id}/games", get(arenas::games))
        .route("/arenas/{id}/games/{name}", get(arenas::game))
        .route("/arenas/{id}/games.csv", get(arena_files::games))
        .route("/arenas/{id}/report.csv", get(arena_files::standings))
        .route("/arenas/{id}/report.html", get(arena_files::report))
        .route("/arenas/{id}/live", get(arenas::live))
        .route("/arenas/{id}/stop", post(arenas::stop))
        .route("/contests", get(contests::list))
        .route("/contests/{id}", get(contests::one))
        .route("/contests/{id}/own", get(contests::own))
        .route("/contests/{id}/entries", post(contest_desk::submit))
        .route("/contests/{id}/entries/{number}", get(contests::entry))
        .route("/contests/{id}/entries/{number}/retry", post(contest_desk::retry))
        .route("/contests/{id}/games", get(contest_games::list))
        .route("/contests/{id}/games/{arena}/{name}", get(contest_games::one))
        .route("/contests/{id}/trials", post(contest_desk::ask))
        .route("/contests/{id}/trials/{number}", get(contest_games::trial))
        .route("/contests/{id}/entrants", post(contest_desk::let_in))
        .route("/contests/{id}/entrants/{name}", post(contest_desk::set_status))
        .route("/contests/{id}/closes", post(contest_desk::set_closes))
        .route("/operator", get(session::operator))
        .route("/openapi.json", get(openapi::document))
        .fallback(nothing)
        .method_not_allowed_fallback(not_so);
    Router::new()
        .nest("/api/v1", api)
        .route("/api", any(nothing))
        .route("/api/{*rest}", any(nothing))
        .fallback(client::page)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn nothing() -> Problem {
    Problem::new(Kind::NotFound, "there is nothing of that name in version 1 of the interface")
}

async fn not_so() -> Problem {
    Problem::new(Kind::BadRequest, "this is not answered to that method")
}

/// Somebody who may use the server.
pub struct Admitted;

impl<S: Send + Sync> FromRequestParts<S> for Admitted {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        caller(parts, state).await.check().map(|()| Self)
    }
}

/// Who asks; nobody, where the guard has not looked.
async fn caller<S: Send + Sync>(parts: &mut Parts, state: &S) -> Caller {
    let known = Extension::<Caller>::from_request_parts(parts, state).await;
    known.map_or(Caller { admitted: false }, |Extension(caller)| caller)
}

/// Who asks, and the ticket that it brings.
pub struct Asker {
    /// Whether it may use the server without one.
    pub admitted: bool,
    /// The secret.
    pub ticket: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Asker {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let admitted = caller(parts, state).await.admitted;
        let ticket = parts.headers.get("x-ticket").and_then(|value| value.to_str().ok());
        Ok(Self { admitted, ticket: ticket.map(str::to_owned) })
    }
}

/// Somebody who may use the server, or who plays in one of its rooms.
pub struct Known;

impl FromRequestParts<Arc<App>> for Known {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Answer<Self> {
        let Ok(Asker { admitted, ticket }) = Asker::from_request_parts(parts, app).await;
        match admitted || ticket.is_some_and(|secret| app.hub.knows_ticket(&secret)) {
            true => Ok(Self),
            false => Caller { admitted }.check().map(|()| Self),
        }
    }
}

/// A body in JSON; what is wrong with it is a [`Problem`].
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Answer<Self> {
        match axum::Json::<T>::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(wrong_body(rejection)),
        }
    }
}

fn wrong_body(rejection: JsonRejection) -> Problem {
    let kind = match rejection.status() {
        axum::http::StatusCode::PAYLOAD_TOO_LARGE => Kind::TooLarge,
        _ => Kind::BadRequest,
    };
    let text = rejection.body_text();
    let reason = text.rsplit_once("target type: ").map_or(text.as_str(), |(_, reason)| reason);
    Problem::new(kind, crate::referee::tidy(reason, 512)).at("body")
}

/// Runs what may take its time where it holds nobody up.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    let failed = |error| Problem::new(Kind::Internal, format!("the work was given up: {error}"));
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}
