//! Routes of rooms: open, list, snapshot, record, export, rematch; and the upgrade to sockets.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::response::Response;

use super::export::{attachment, record_as_file};
use super::{Admitted, Json, Path, RequestIdentity, SocketUpgrade, run_blocking};
use crate::App;
use crate::guard::ClientPermit;
use crate::hub::{IssuedTicket, OpenedRoom, QuickGame, QuickGameRequest};
use crate::lobby::room_cards;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::room::Room;
use crate::socket;
use crate::socket::MESSAGE_BYTES;
use crate::wire::{NewRoom, RoomBoard, RoomCard, Snapshot};
use sandboard_bout::record::Record;

/// The read buffer of a socket, in bytes; messages are short.
const READ_BYTES: usize = 512;
/// The most bytes that may wait in a socket to be sent.
const UNSENT_BYTES: usize = 4 * 1024 * 1024;

/// Handles `GET /rooms`.
pub(crate) async fn list(_: Admitted, State(app): State<Arc<App>>) -> axum::Json<Vec<RoomCard>> {
    axum::Json(room_cards(&app.hub))
}

/// Handles `POST /rooms`.
pub(crate) async fn open(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(request): Json<NewRoom>,
) -> ApiResult<(StatusCode, axum::Json<OpenedRoom>)> {
    let hub = app.hub.clone();
    let (opened, update) = run_blocking(move || hub.open_room(request)).await?;
    let room = update.room.clone();
    // The tickets work once the room is stored.
    app.hub.send_and_wait(update).await?;
    room.start_without_people();
    Ok((StatusCode::CREATED, axum::Json(opened)))
}

/// Handles `POST /quick-games`.
pub(crate) async fn quick_game(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(request): Json<QuickGameRequest>,
) -> ApiResult<(StatusCode, axum::Json<QuickGame>)> {
    let hub = app.hub.clone();
    let (game, update) = run_blocking(move || hub.join_quick_game(request)).await?;
    app.hub.send_and_wait(update).await?;
    Ok((StatusCode::CREATED, axum::Json(game)))
}

/// Returns the open room with this id. Err: its bout is over and the room removed, or there never
/// was one.
async fn find_room(app: &App, id: &str) -> ApiResult<Arc<Room>> {
    if let Some(room) = app.hub.room(id) {
        return Ok(room);
    }
    let stored =
        app.hub.store.bout(id).await.map_err(|error| Problem::new(ProblemKind::Internal, error));
    Err(match stored? {
        Some(_) => Problem::new(ProblemKind::Gone, crate::messages::ROOM_GONE),
        None => Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_ROOM),
    })
}

/// Returns a room that the caller may see, and the caller's ticket.
async fn authorized_room(
    app: &App,
    identity: &RequestIdentity,
    id: &str,
) -> ApiResult<(Arc<Room>, Option<usize>)> {
    let room = find_room(app, id).await?;
    let ticket = identity.ticket.as_deref().map(|secret| room.find_ticket(secret)).transpose()?;
    if ticket.is_none() && !identity.admitted {
        let detail = crate::messages::LOG_IN_OR_TICKET;
        return Err(Problem::new(ProblemKind::Unauthorized, detail));
    }
    Ok((room, ticket))
}

/// Handles `GET /rooms/{id}`.
pub(crate) async fn snapshot(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<Snapshot>> {
    let (room, ticket) = authorized_room(&app, &identity, &id).await?;
    Ok(axum::Json(room.snapshot(ticket)))
}

/// Handles `GET /rooms/{id}/board`.
pub(crate) async fn board(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<RoomBoard>> {
    Ok(axum::Json(find_room(&app, &id).await?.board()))
}

/// Returns the record of a room's bout, in progress or finished. A record in progress that would
/// show more than a player's seat sees, or from which the next outcome of chance follows, is
/// refused.
async fn stored_record(app: &App, identity: &RequestIdentity, id: &str) -> ApiResult<Record> {
    let failed = |error| Problem::new(ProblemKind::Internal, error);
    if app.hub.room(id).is_some() {
        authorized_room(app, identity, id).await?;
    } else if !identity.admitted {
        return Err(Problem::new(ProblemKind::Unauthorized, crate::messages::LOG_IN_FOR_RECORDS));
    }
    let text = match app.hub.store.bout(id).await.map_err(failed)? {
        Some(bout) => Some(bout.record),
        None => {
            let record = app.hub.store.record(id).await;
            record.map_err(|error| Problem::new(ProblemKind::Internal, error))?
        }
    };
    let text =
        text.ok_or_else(|| Problem::new(ProblemKind::NotFound, crate::messages::NO_STORED_BOUT))?;
    let hub = app.hub.clone();
    let parse = move || {
        let games = hub.games.now();
        let parsed = Record::parse(text.as_bytes(), &games);
        let record = parsed.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
        let features = games.find(&record.game).map(|it| it.features);
        let gives_away = features.is_none_or(|it| it.chance || it.hidden_information);
        if record.result.is_none() && gives_away {
            let detail = "the record can be read once the bout is over: its game has chance or \
                          hidden information";
            return Err(Problem::new(ProblemKind::Conflict, detail));
        }
        Ok(record)
    };
    app.guest_work.run_for(identity.admitted, parse).await
}

/// Handles `GET /rooms/{id}/record`.
pub(crate) async fn record(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let record = stored_record(&app, &identity, &id).await?;
    let name = format!("{}-{id}.json", record.game);
    Ok(attachment(&name, "application/json", record.to_json()))
}

/// Handles `GET /rooms/{id}/export/{format}`.
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
    Path((id, format)): Path<(String, String)>,
) -> ApiResult<Response> {
    let record = stored_record(&app, &identity, &id).await?;
    let hub = app.hub.clone();
    let write = move || record_as_file(&hub.games.now(), &record, &format, &id);
    app.guest_work.run_for(identity.admitted, write).await
}

/// Handles `POST /rooms/{id}/rematch`.
pub(crate) async fn rematch(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
    Path(id): Path<String>,
) -> ApiResult<(StatusCode, axum::Json<OpenedRoom>)> {
    let room = find_room(&app, &id).await?;
    let needs = || Problem::new(ProblemKind::Forbidden, crate::messages::REMATCH_NEEDS_TICKET);
    let secret = identity.ticket.ok_or_else(needs)?;
    let ticket = room.find_ticket(&secret)?;
    let player = room.player_of(ticket);
    let (next, updates) =
        app.guest_work.run_for(identity.admitted, move || room.rematch(ticket)).await?;
    for update in updates {
        app.hub.send_and_wait(update).await?;
    }
    if let Some(next) = app.hub.room(&next) {
        next.start_without_people();
    }
    let tickets = vec![IssuedTicket { player, ticket: secret }];
    Ok((StatusCode::CREATED, axum::Json(OpenedRoom { room: next, tickets })))
}

fn with_limits(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(UNSENT_BYTES)
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
}

/// Handles `GET /rooms/{id}/ws`.
pub(crate) async fn socket(
    State(app): State<Arc<App>>,
    identity: RequestIdentity,
    Path(id): Path<String>,
    Extension(permit): Extension<ClientPermit>,
    SocketUpgrade(upgrade): SocketUpgrade,
) -> ApiResult<Response> {
    let room = find_room(&app, &id).await?;
    let hub = app.hub.clone();
    let admitted = identity.admitted;
    Ok(with_limits(upgrade).on_upgrade(async move |socket| {
        socket::serve_room(hub, room, socket, admitted).await;
        drop(permit);
    }))
}

/// Handles `GET /lobby/ws`.
pub(crate) async fn lobby(
    _: Admitted,
    State(app): State<Arc<App>>,
    Extension(permit): Extension<ClientPermit>,
    SocketUpgrade(upgrade): SocketUpgrade,
) -> Response {
    let (hub, engines) = (app.hub.clone(), app.engines.clone());
    with_limits(upgrade).on_upgrade(async move |socket| {
        socket::serve_lobby(hub, engines, socket).await;
        drop(permit);
    })
}
