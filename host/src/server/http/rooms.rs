//! Rooms over HTTP: opened, listed, looked at, taken home as files; and their sockets.

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{Admitted, Asker, Json, aside};
use crate::convert::{Game, from_record};
use crate::record::Record;
use crate::server::App;
use crate::server::hub::{Opened, Paired, Quick, TicketTold};
use crate::server::lobby::cards;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::room::Room;
use crate::server::socket::{self, MESSAGE_BYTES};
use crate::server::wire::{NewRoom, RoomCard, Snapshot};

/// What a socket keeps for reading; messages are short.
const READ_BYTES: usize = 512;
/// What may wait in a socket to be sent.
const UNSENT_BYTES: usize = 4 * 1024 * 1024;

/// `GET /rooms`.
pub async fn list(_: Admitted, State(app): State<Arc<App>>) -> axum::Json<Vec<RoomCard>> {
    axum::Json(cards(&app.hub))
}

/// `POST /rooms`.
pub async fn open(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(wanted): Json<NewRoom>,
) -> Answer<(StatusCode, axum::Json<Opened>)> {
    let hub = app.hub.clone();
    let (opened, emission) = aside(move || hub.open(wanted)).await?;
    let room = emission.room.clone();
    // A ticket is good for something once the room is stored.
    app.hub.settle(emission).await?;
    room.begin_alone();
    Ok((StatusCode::CREATED, axum::Json(opened)))
}

/// `POST /quick`.
pub async fn quick(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(wanted): Json<Quick>,
) -> Answer<(StatusCode, axum::Json<Paired>)> {
    let hub = app.hub.clone();
    let (paired, emission) = aside(move || hub.quick(wanted)).await?;
    app.hub.settle(emission).await?;
    Ok((StatusCode::CREATED, axum::Json(paired)))
}

/// The room of this id that is there. Err: it is over and forgotten, or never was.
async fn room(app: &App, id: &str) -> Answer<Arc<Room>> {
    if let Some(room) = app.hub.room(id) {
        return Ok(room);
    }
    let stored = app.hub.store.bout(id).await.map_err(|error| Problem::new(Kind::Internal, error));
    Err(match stored? {
        Some(_) => Problem::new(Kind::Gone, "the bout of this room is over: look at its replay"),
        None => Problem::new(Kind::NotFound, "there is no such room"),
    })
}

/// The room for somebody that may see it, with its ticket.
async fn seen(app: &App, asker: &Asker, id: &str) -> Answer<(Arc<Room>, Option<usize>)> {
    let room = room(app, id).await?;
    let ticket = asker.ticket.as_deref().map(|secret| room.ticket(secret)).transpose()?;
    if ticket.is_none() && !asker.admitted {
        let detail = "log in, or bring a ticket of the room";
        return Err(Problem::new(Kind::Unauthorized, detail));
    }
    Ok((room, ticket))
}

/// `GET /rooms/{id}`.
pub async fn snapshot(
    State(app): State<Arc<App>>,
    asker: Asker,
    Path(id): Path<String>,
) -> Answer<axum::Json<Snapshot>> {
    let (room, ticket) = seen(&app, &asker, &id).await?;
    Ok(axum::Json(room.snapshot(ticket)))
}

/// The record of a room that goes on or is over.
async fn kept(app: &App, asker: &Asker, id: &str) -> Answer<Record> {
    let failed = |error| Problem::new(Kind::Internal, error);
    if app.hub.room(id).is_some() {
        seen(app, asker, id).await?;
    } else if !asker.admitted {
        return Err(Problem::new(Kind::Unauthorized, "log in to see records"));
    }
    let text = match app.hub.store.bout(id).await.map_err(failed)? {
        Some(bout) => Some(bout.record),
        None => {
            let record = app.hub.store.record(id).await;
            record.map_err(|error| Problem::new(Kind::Internal, error))?
        }
    };
    let text = text.ok_or_else(|| {
        Problem::new(Kind::NotFound, "no bout of this id is stored: it has not begun, or never was")
    })?;
    aside(move || {
        let parsed = Record::parse(text.as_bytes(), sandboard_games::game);
        parsed.map_err(|error| Problem::new(Kind::Internal, error))
    })
    .await
}

fn file(name: String, kind: &'static str, bytes: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::from_str(&disposition);
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static(kind);
    ([(header::CONTENT_DISPOSITION, disposition), (header::CONTENT_TYPE, kind)], bytes)
        .into_response()
}

/// `GET /rooms/{id}/record`.
pub async fn record(
    State(app): State<Arc<App>>,
    asker: Asker,
    Path(id): Path<String>,
) -> Answer<Response> {
    let record = kept(&app, &asker, &id).await?;
    let name = format!("{}-{id}.json", record.game);
    Ok(file(name, "application/json", record.to_json()))
}

/// `GET /rooms/{id}/export/{format}`.
pub async fn export(
    State(app): State<Arc<App>>,
    asker: Asker,
    Path((id, format)): Path<(String, String)>,
) -> Answer<Response> {
    let record = kept(&app, &asker, &id).await?;
    aside(move || {
        let wrong = |error: &dyn std::fmt::Display| Problem::new(Kind::Conflict, error.to_string());
        let start = record.start(sandboard_games::game).map_err(|error| wrong(&error))?;
        let known = start.game.formats.iter().find(|it| it.id == format);
        let unknown = || Problem::new(Kind::NotFound, "the game has no such format");
        let known = known.ok_or_else(unknown)?;
        let tree = from_record(&record).map_err(|error| wrong(&error))?;
        let written = Game { start, tree }.write(known);
        let unwritten = || Problem::new(Kind::Conflict, "this format is read and not written");
        let bytes = written.ok_or_else(unwritten)?.map_err(|error| wrong(&error))?;
        let ending = known.extensions.first().copied().unwrap_or("txt");
        let name = format!("{}-{id}.{ending}", record.game);
        Ok(file(name, "application/octet-stream", bytes))
    })
    .await
}

/// `POST /rooms/{id}/rematch`.
pub async fn rematch(
    State(app): State<Arc<App>>,
    asker: Asker,
    Path(id): Path<String>,
) -> Answer<(StatusCode, axum::Json<Opened>)> {
    let room = room(&app, &id).await?;
    let needs = || Problem::new(Kind::Forbidden, "a rematch is asked for with a player's ticket");
    let secret = asker.ticket.ok_or_else(needs)?;
    let ticket = room.ticket(&secret)?;
    let player = room.player_of(ticket);
    let (next, emissions) = aside(move || room.rematch(ticket)).await?;
    for emission in emissions {
        app.hub.settle(emission).await?;
    }
    if let Some(next) = app.hub.room(&next) {
        next.begin_alone();
    }
    let tickets = vec![TicketTold { player, ticket: secret }];
    Ok((StatusCode::CREATED, axum::Json(Opened { room: next, tickets })))
}

fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(UNSENT_BYTES)
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
}

/// `GET /rooms/{id}/ws`.
pub async fn socket(
    State(app): State<Arc<App>>,
    asker: Asker,
    Path(id): Path<String>,
    upgrade: WebSocketUpgrade,
) -> Answer<Response> {
    let room = room(&app, &id).await?;
    let hub = app.hub.clone();
    let admitted = asker.admitted;
    Ok(bounded(upgrade).on_upgrade(move |socket| socket::of_room(hub, room, socket, admitted)))
}

/// `GET /lobby/ws`.
pub async fn lobby(
    _: Admitted,
    State(app): State<Arc<App>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let (hub, engines) = (app.hub.clone(), app.engines.clone());
    bounded(upgrade).on_upgrade(move |socket| socket::of_lobby(hub, engines, socket))
}
