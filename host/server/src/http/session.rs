//! Routes about the server itself: version, login, operator's page.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Admitted, Json, RequestIdentity};
use crate::App;
use crate::hub::LogEntry;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::proxy::ClientOrigin;
use sandboard_common::date::rfc3339;

/// What a client needs to know first.
#[derive(Serialize, ToSchema)]
pub(crate) struct Info {
    /// The version of the API.
    version: u32,
    /// The version of the host.
    host_version: &'static str,
    /// Whether the caller may act as the operator.
    operator: bool,
    /// Whether the caller must log in.
    login_needed: bool,
    /// Whether the server requires a token of those who have no ticket.
    token_required: bool,
    /// Whether contests are shown.
    contests: bool,
    /// Whether the server has what a browser needs to run sandboxed engines.
    device_engines: bool,
}

/// Handles `GET /info`.
pub(crate) async fn info(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
) -> axum::Json<Info> {
    axum::Json(Info {
        version: crate::wire::VERSION,
        host_version: env!("CARGO_PKG_VERSION"),
        operator: identity.admitted,
        login_needed: !identity.admitted,
        token_required: app.token.is_required(),
        contests: app.contests.is_enabled(),
        device_engines: crate::client::device_files().is_some(),
    })
}

/// The body of a login.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Login {
    /// The server's token.
    token: String,
}

/// Handles `POST /login`.
pub(crate) async fn login(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientOrigin>,
    Json(Login { token }): Json<Login>,
) -> ApiResult<Response> {
    let cookie = app.token.cookie(&token, origin.is_https);
    // A right token is accepted even if others guess from the same address.
    let Some(cookie) = cookie.filter(|_| app.token.matches(&token)) else {
        return Err(match app.guess_limiter.take(origin.address, Instant::now()) {
            true => {
                let detail = crate::messages::NOT_THE_TOKEN;
                Problem::new(ProblemKind::Unauthorized, detail).at("token")
            }
            false => Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_LOGINS),
        });
    };
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// The state of the server, for the operator.
#[derive(Serialize, ToSchema)]
pub(crate) struct Operator {
    /// When the server started, as RFC 3339.
    started_at: String,
    connections: u64,
    rooms: usize,
    /// Finished bouts in the store.
    bouts: u64,
    /// Moves since the server started.
    moves: u64,
    /// The resident memory of the process, in bytes; null: unknown.
    memory_bytes: Option<u64>,
    /// The operator's log, newest first.
    log: Vec<LogEntry>,
}

/// Handles `GET /operator`.
pub(crate) async fn operator(
    _: Admitted,
    State(app): State<Arc<App>>,
) -> ApiResult<axum::Json<Operator>> {
    let hub = &app.hub;
    let failed = |error| Problem::new(ProblemKind::Internal, error);
    Ok(axum::Json(Operator {
        started_at: rfc3339(hub.started),
        connections: hub.counts.connections.load(Ordering::Relaxed),
        rooms: hub.rooms().len(),
        bouts: hub.store.count().await.map_err(failed)?,
        moves: hub.counts.moves.load(Ordering::Relaxed),
        memory_bytes: memory_bytes(),
        log: hub.operator_log(),
    }))
}

/// Returns the resident memory of this process, where the system has /proc.
pub(super) fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
