//! What is said of the server itself, and who gets in.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::extract::{ConnectInfo, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Admitted, Asker, Json};
use crate::record::rfc3339;
use crate::server::App;
use crate::server::guard::Token;
use crate::server::hub::Note;
use crate::server::problem::{Answer, Kind, Problem};

/// What a client asks first.
#[derive(Serialize, ToSchema)]
pub struct Info {
    /// The version of the contract.
    version: u32,
    /// The host's.
    host_version: &'static str,
    /// Whether who asks may do what operators do.
    operator: bool,
    /// Whether it must log in.
    login_needed: bool,
    /// Whether contests are shown.
    contests: bool,
}

/// `GET /info`.
pub async fn info(State(app): State<Arc<App>>, asker: Asker) -> axum::Json<Info> {
    axum::Json(Info {
        version: crate::server::wire::VERSION,
        host_version: env!("CARGO_PKG_VERSION"),
        operator: asker.admitted,
        login_needed: !asker.admitted,
        contests: app.contests.is_anywhere(),
    })
}

/// What somebody logs in with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The server's token.
    token: String,
}

/// `POST /login`.
pub async fn login(
    State(app): State<Arc<App>>,
    ConnectInfo(from): ConnectInfo<std::net::SocketAddr>,
    Json(Login { token }): Json<Login>,
) -> Answer<Response> {
    if !app.guesses.take(from.ip(), Instant::now()) {
        return Err(Problem::new(Kind::TooMany, "too many tries"));
    }
    let wrong = || Problem::new(Kind::Unauthorized, "this is not the server's token").at("token");
    let cookie = Token::cookie(&token).filter(|_| app.token.is(&token)).ok_or_else(wrong)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// What the operator sees.
#[derive(Serialize, ToSchema)]
pub struct Operator {
    /// When the server began, as RFC 3339.
    started_at: String,
    /// Sockets that are open.
    connections: u64,
    /// Rooms there are.
    rooms: usize,
    /// Bouts that are over, of all times.
    bouts: u64,
    /// Moves since it began.
    moves: u64,
    /// What it holds of the machine's memory; null where that is not known.
    memory_bytes: Option<u64>,
    /// What happened, the latest first.
    log: Vec<Note>,
}

/// `GET /operator`.
pub async fn operator(_: Admitted, State(app): State<Arc<App>>) -> Answer<axum::Json<Operator>> {
    let hub = &app.hub;
    let failed = |error| Problem::new(Kind::Internal, error);
    Ok(axum::Json(Operator {
        started_at: rfc3339(hub.started),
        connections: hub.counts.connections.load(Ordering::Relaxed),
        rooms: hub.rooms().len(),
        bouts: hub.store.count().await.map_err(failed)?,
        moves: hub.counts.moves.load(Ordering::Relaxed),
        memory_bytes: memory_bytes(),
        log: hub.notes(),
    }))
}

/// The resident memory of this process, where the system tells it in a file.
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
