//! The HTTP API: the table of routes and the extractors that decide who may use them. The handlers
//! are in the submodules.

mod analysis;
mod arena_files;
mod arena_runs;
mod arenas;
mod bouts;
mod contest_actions;
mod contest_games;
mod contests;
mod engine_files;
mod engine_ratings;
mod engine_usage;
mod engines;
mod export;
mod files;
pub(crate) mod games;
mod invitations;
mod monitoring;
mod openapi;
mod operations;
mod rooms;
mod session;
mod solve;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{any, delete, get, post};
use axum::{Extension, Router, middleware};
use serde::de::DeserializeOwned;

use super::guard::{Caller, guard};
use super::guest_work::run_blocking;
use super::problem::{ApiResult, Problem, ProblemKind};
use super::upload::UPLOAD_BYTES;
use super::wire::object::Object;
use super::{App, client};

/// The largest request body without a file, in bytes.
const BODY_BYTES: usize = 256 * 1024;
/// The largest body that contains a record or a file of moves, in bytes.
const FILE_BYTES: usize = 16 * 1024 * 1024;

/// Returns the router of the whole server: API and client.
pub(crate) fn router(app: Arc<App>) -> Router {
    let large = DefaultBodyLimit::max(FILE_BYTES);
    let api = Router::new()
        .route("/info", get(session::info))
        .route("/login", post(session::login))
        .route("/games", get(games::games))
        .route("/position", post(games::position))
        .route("/engines", get(engines::list))
        .route("/engines", post(engines::upload).layer(DefaultBodyLimit::max(UPLOAD_BYTES)))
        .route("/engines/files/{file}", delete(engines::remove))
        .route("/engines/{id}/trust", post(engines::trust))
        .route("/engines/{id}/files", get(engine_files::list))
        .route("/engines/{id}/files/{sha256}", get(engine_files::one))
        .route("/games/{id}/rules/{sha256}", get(engine_files::rules))
        .route("/engines/{id}/usage", get(engine_usage::list))
        .route("/engines/{id}/ratings", get(engine_ratings::list))
        .route("/rooms", get(rooms::list).post(rooms::open).layer(large))
        .route("/quick-games", post(rooms::quick_game))
        .route("/rooms/{id}", get(rooms::snapshot))
        .route("/rooms/{id}/board", get(rooms::board))
        .route("/rooms/{id}/record", get(rooms::record))
        .route("/rooms/{id}/export/{format}", get(rooms::export))
        .route("/rooms/{id}/rematch", post(rooms::rematch))
        .route("/rooms/{id}/ws", get(rooms::socket))
        .route("/lobby/ws", get(rooms::lobby))
        .route("/files", post(files::read).layer(large))
        .route("/files/export/{format}", post(files::export).layer(large))
        .route("/analyse", post(analysis::analyse))
        .route("/solve", post(solve::solve))
        .route("/bouts", get(bouts::list))
        .route("/bouts/{id}", get(bouts::one))
        .route("/bouts/{id}/export/{format}", get(bouts::export))
        .route("/arenas", get(arenas::list).post(arena_runs::create).layer(large))
        .route("/arena-runs", get(arena_runs::list))
        .route("/arenas/{id}", get(arenas::one))
        .route("/arenas/{id}/games", get(arenas::games))
        .route("/arenas/{id}/games/{name}", get(arenas::game))
        .route("/arenas/{id}/games/{name}/export/{format}", get(arenas::export))
        .route("/arenas/{id}/games.csv", get(arena_files::games_csv))
        .route("/arenas/{id}/report.csv", get(arena_files::standings_csv))
        .route("/arenas/{id}/report.html", get(arena_files::report_html))
        .route("/arenas/{id}/live", get(arenas::live))
        .route("/arenas/{id}/stop", post(arenas::stop))
        .route("/arenas/{id}/resume", post(arena_runs::resume))
        .route("/contests", get(contests::list))
        .route("/contests/{id}", get(contests::one))
        .route("/contests/{id}/account", get(contests::account))
        .route("/contests/{id}/entries", post(contest_actions::submit))
        .route("/contests/{id}/entries/{number}", get(contests::entry))
        .route("/contests/{id}/entries/{number}/retest", post(contest_actions::retest))
        .route("/contests/{id}/games", get(contest_games::list))
        .route("/contests/{id}/games/{arena}/{name}", get(contest_games::one))
        .route(
            "/contests/{id}/games/{arena}/{name}/export/{format}",
            get(contest_games::export_game),
        )
        .route("/contests/{id}/live/{arena}", get(contest_games::live))
        .route("/contests/{id}/position", post(contest_games::position))
        .route("/contests/{id}/trials", post(contest_actions::request_trial))
        .route("/contests/{id}/trials/{number}", get(contest_games::trial))
        .route("/contests/{id}/trials/{number}/export/{format}", get(contest_games::export_trial))
        .route("/contests/{id}/entrants", post(contest_actions::add_entrant))
        .route("/contests/{id}/entrants/{name}", post(contest_actions::set_status))
        .route("/contests/{id}/invitations", post(invitations::invite))
        .route("/contests/{id}/invitations/{number}/revoke", post(invitations::revoke))
        .route("/contests/{id}/invitation", get(invitations::one))
        .route("/contests/{id}/registrations", post(invitations::register))
        .route("/contests/{id}/closing-time", post(contest_actions::set_closing_time))
        .route("/operator", get(session::operator))
        .route("/metrics", get(monitoring::metrics))
        .route("/openapi.json", get(openapi::document))
        .route_layer(middleware::from_fn(operations::check_query))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    Router::new()
        .nest(operations::PREFIX, api)
        .route("/healthz", get(monitoring::healthz))
        .route("/api", any(not_found))
        .route("/api/{*rest}", any(not_found))
        .fallback(client::serve)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn not_found() -> Problem {
    Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_PATH)
}

async fn method_not_allowed() -> Problem {
    // The router adds the header `Allow`.
    Problem::new(ProblemKind::MethodNotAllowed, "this path does not support the method")
}

/// Extractor: the caller may use the server.
pub(crate) struct Admitted;

impl<S: Send + Sync> FromRequestParts<S> for Admitted {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        caller(parts, state).await.require_admitted().map(|()| Self)
    }
}

/// Returns the caller that the guard has determined; without the guard, it is not admitted.
async fn caller<S: Send + Sync>(parts: &mut Parts, state: &S) -> Caller {
    let known = Extension::<Caller>::from_request_parts(parts, state).await;
    known.map_or(Caller { admitted: false }, |Extension(caller)| caller)
}

/// Extractor: whether the caller is admitted, and the ticket of the request.
pub(crate) struct RequestIdentity {
    /// Whether the caller may use the server without a ticket.
    pub admitted: bool,
    /// The ticket's secret.
    pub ticket: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for RequestIdentity {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let admitted = caller(parts, state).await.admitted;
        let ticket = parts.headers.get("x-ticket").and_then(|value| value.to_str().ok());
        Ok(Self { admitted, ticket: ticket.map(str::to_owned) })
    }
}

/// Extractor: the caller may use the server, or has a ticket of one of its rooms.
pub(crate) struct AdmittedOrPlayer {
    /// Whether the caller may use the server without a ticket.
    pub admitted: bool,
}

impl FromRequestParts<Arc<App>> for AdmittedOrPlayer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> ApiResult<Self> {
        let Ok(RequestIdentity { admitted, ticket }) =
            RequestIdentity::from_request_parts(parts, app).await;
        match admitted || ticket.is_some_and(|secret| app.hub.knows_ticket(&secret)) {
            true => Ok(Self { admitted }),
            false => Caller { admitted }.require_admitted().map(|()| Self { admitted }),
        }
    }
}

/// Extractor for the parameters of a path; errors become a [`Problem`].
pub(crate) struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let invalid = |rejection: PathRejection| {
            let reason = sandboard_bout::text::sanitize(&rejection.body_text(), 256);
            Problem::bad_request("path", reason)
        };
        path.map(|axum::extract::Path(parameters)| Self(parameters)).map_err(invalid)
    }
}

/// Extractor for the request to open a socket; errors become a [`Problem`].
pub(crate) struct SocketUpgrade(pub WebSocketUpgrade);

impl<S: Send + Sync> FromRequestParts<S> for SocketUpgrade {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let upgrade = WebSocketUpgrade::from_request_parts(parts, state).await;
        let invalid = |rejection: WebSocketUpgradeRejection| {
            let detail = format!("the request opens no WebSocket: {}", rejection.body_text());
            Problem::new(ProblemKind::BadRequest, detail)
        };
        upgrade.map(Self).map_err(invalid)
    }
}

/// Extractor for a JSON body; errors become a [`Problem`].
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        match axum::Json::<Object<T>>::from_request(request, state).await {
            Ok(axum::Json(Object(value))) => Ok(Self(value)),
            Err(rejection) => Err(body_problem(rejection)),
        }
    }
}

fn body_problem(rejection: JsonRejection) -> Problem {
    let kind = match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ProblemKind::TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ProblemKind::UnsupportedMediaType,
        _ => ProblemKind::BadRequest,
    };
    let text = rejection.body_text();
    let reason = text.rsplit_once("target type: ").map_or(text.as_str(), |(_, reason)| reason);
    Problem::new(kind, sandboard_bout::text::sanitize(reason, 512)).at("body")
}

/// Extractor for the bytes of a file; errors become a [`Problem`].
pub(crate) struct FileBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for FileBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let unread = |rejection: BytesRejection| {
            let kind = match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => ProblemKind::TooLarge,
                _ => ProblemKind::BadRequest,
            };
            Problem::new(kind, rejection.body_text()).at("body")
        };
        let bytes = Bytes::from_request(request, state).await.map_err(unread)?;
        match bytes.is_empty() {
            true => Err(Problem::bad_request("body", crate::messages::EMPTY_BODY)),
            false => Ok(Self(bytes)),
        }
    }
}
