//! Sockets: of a room, and of the lobby. They greet, carry messages both ways, and are closed
//! when they say too much, too fast, or read too slowly. What messages mean is the room's.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;

use super::bucket::{Bucket, Rate};
use super::engines::Shelf;
use super::hub::Hub;
use super::lobby;
use super::problem::Kind;
use super::room::{Entry, Heard, Packet, Room, To};
use super::wire::{Event, First, Said, VERSION, Want, message};
use crate::referee::tidy;

/// The longest message of a client, and the longest frame of one.
pub const MESSAGE_BYTES: usize = 64 * 1024;
/// How long a client may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);
/// How long one message may take on its way to a client.
const SENDING: Duration = Duration::from_secs(20);
/// How often a silent client is asked whether it is there, and how long it may be silent.
const PING_EVERY: Duration = Duration::from_secs(20);
const SILENT: Duration = Duration::from_secs(65);
/// How fast a client may talk.
const TALK: Rate = Rate { per_second: 20, burst: 60 };
/// How many messages too many close the socket.
const PATIENCE: u32 = 100;

/// Why a socket is closed: a number of the protocol, and a reason.
type Farewell = (u16, &'static str);

const POLICY: u16 = 1008;
const GOING: u16 = 1001;
const AGAIN: u16 = 1013;
const TOO_BIG: u16 = 1009;

/// The longest reason for which a message is refused, in bytes: it may quote it.
const TOLD_BYTES: usize = 256;

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Farewell> {
    match tokio::time::timeout(SENDING, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err((GOING, "")),
        Err(_) => Err((AGAIN, "you read too slowly")),
    }
}

async fn send_text(socket: &mut WebSocket, text: Utf8Bytes) -> Result<(), Farewell> {
    send(socket, Message::Text(text)).await
}

/// Tells one socket alone.
async fn reply(socket: &mut WebSocket, event: &Event) -> Result<(), Farewell> {
    send_text(socket, message(None, None, event).into()).await
}

fn error(id: &str, kind: Kind, detail: &str) -> Event {
    Event::Error { id: id.to_owned(), kind: kind.word(), detail: detail.to_owned() }
}

/// Counts a connection for as long as it lives.
struct Counted(Arc<Hub>);

impl Counted {
    fn new(hub: &Arc<Hub>) -> Self {
        hub.counts.connections.fetch_add(1, Ordering::Relaxed);
        Self(hub.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.counts.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits for the first message.
async fn greet(socket: &mut WebSocket) -> Result<(Option<String>, Option<u64>), Farewell> {
    let first = tokio::time::timeout(GREETING, socket.recv()).await;
    let Ok(Some(Ok(Message::Text(text)))) = first else {
        return Err((POLICY, "the first message is a hello, within five seconds"));
    };
    match serde_json::from_str(&text) {
        Ok(First::Hello { v: VERSION, ticket, since }) => Ok((ticket, since)),
        Ok(First::Hello { .. }) => Err((POLICY, "this host speaks version 1 of the contract")),
        Err(_) => Err((POLICY, "the first message is a hello")),
    }
}

/// Says why, and waits a moment for the other end to say the same.
async fn close(mut socket: WebSocket, (code, reason): Farewell) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let last_words = async {
        // It may be closed already; then its own word is answered by reading on.
        let _ = socket.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = socket.recv().await {}
    };
    let _ = tokio::time::timeout(GREETING, last_words).await;
}

/// What a client has still to its credit, and when it was heard last.
struct Ear {
    talk: Bucket,
    too_many: u32,
    heard: Instant,
}

impl Ear {
    fn new() -> Self {
        let now = Instant::now();
        Self { talk: Bucket::new(TALK, now), too_many: 0, heard: now }
    }

    /// What there is to do about a message. Err: enough of this client.
    fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<Word, Farewell> {
        let now = Instant::now();
        self.heard = now;
        let message = match message {
            None | Some(Ok(Message::Close(_))) => return Err((GOING, "")),
            Some(Err(_)) => return Err((TOO_BIG, "what came is too long, or is no message")),
            Some(Ok(message)) => message,
        };
        let in_time = self.talk.take(now);
        self.too_many = if in_time { 0 } else { self.too_many + 1 };
        if self.too_many > PATIENCE {
            return Err((POLICY, "too many messages"));
        }
        match message {
            Message::Binary(_) => Err((POLICY, "messages are texts")),
            Message::Text(_) if !in_time => Ok(Word::TooMany),
            Message::Text(text) => Ok(Word::Text(text)),
            _ => Ok(Word::Nothing),
        }
    }

    fn is_silent(&self) -> bool {
        self.heard.elapsed() > SILENT
    }
}

/// A message, as far as it is looked at.
enum Word {
    Text(Utf8Bytes),
    TooMany,
    Nothing,
}

/// A socket of a room. `admitted`: it may watch without a ticket.
pub async fn of_room(hub: Arc<Hub>, room: Arc<Room>, mut socket: WebSocket, admitted: bool) {
    let _counted = Counted::new(&hub);
    let (ticket, since) = match greet(&mut socket).await {
        Ok(hello) => hello,
        Err(farewell) => return close(socket, farewell).await,
    };
    let ticket = match ticket.map(|secret| room.ticket(&secret)).transpose() {
        Ok(None) if !admitted => {
            return close(socket, (POLICY, "log in, or bring a ticket of the room")).await;
        }
        Ok(ticket) => ticket,
        Err(_) => return close(socket, (POLICY, "this is no ticket of the room")).await,
    };
    hub.send_soon(room.enter(ticket)).await;
    let farewell = match talk(&hub, &room, &mut socket, ticket, since).await {
        Err(farewell) => farewell,
        Ok(never) => match never {},
    };
    hub.send_soon(room.leave(ticket)).await;
    close(socket, farewell).await;
}

async fn talk(
    hub: &Arc<Hub>,
    room: &Arc<Room>,
    socket: &mut WebSocket,
    ticket: Option<usize>,
    since: Option<u64>,
) -> Result<Infallible, Farewell> {
    let Entry { first, mut packets } = room.subscribe(ticket, since);
    for text in first {
        send_text(socket, text).await?;
    }
    let mut ear = Ear::new();
    let mut ping = tokio::time::interval(PING_EVERY);
    loop {
        tokio::select! {
            packet = packets.recv() => match packet {
                Ok(Packet { to: To::Ticket(other), .. }) if ticket != Some(other) => (),
                Ok(Packet { text, .. }) => send_text(socket, text).await?,
                // So much has happened that it has missed some: it is told all anew.
                Err(RecvError::Lagged(_)) => {
                    let anew = room.subscribe(ticket, None);
                    packets = anew.packets;
                    for text in anew.first {
                        send_text(socket, text).await?;
                    }
                }
                Err(RecvError::Closed) => return Err((GOING, "the room is gone")),
            },
            message = socket.recv() => match ear.hear(message)? {
                Word::Nothing => (),
                Word::TooMany => {
                    reply(socket, &error("", Kind::TooMany, "more slowly, please")).await?;
                }
                Word::Text(text) => {
                    if let Some(event) = said(hub, room, ticket, &text).await {
                        reply(socket, &event).await?;
                    }
                }
            },
            _ = ping.tick() => {
                if ear.is_silent() {
                    return Err((GOING, "you have gone silent"));
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
        }
    }
}

/// Carries a message to the room; what only who sent it is told comes back.
async fn said(
    hub: &Arc<Hub>,
    room: &Arc<Room>,
    ticket: Option<usize>,
    text: &str,
) -> Option<Event> {
    let said: Said = match serde_json::from_str(text) {
        Ok(said) => said,
        Err(wrong) => {
            let id = serde_json::from_str::<Labelled>(text).unwrap_or_default().id;
            return Some(error(&id, Kind::BadRequest, &tidy(&wrong.to_string(), TOLD_BYTES)));
        }
    };
    if said.v != VERSION {
        return Some(error(&said.id, Kind::BadRequest, "this host speaks version 1"));
    }
    let Some(ticket) = ticket else {
        return Some(match said.want {
            Want::Ping => Event::Pong { id: said.id },
            _ => error(&said.id, Kind::Forbidden, "you are watching"),
        });
    };
    match room.hear(ticket, said) {
        Heard::Later => (),
        Heard::Now(emission) => hub.send_soon(emission).await,
        Heard::Seat { player, engine, by } => {
            let (hub, room) = (hub.clone(), room.clone());
            tokio::task::spawn_blocking(move || {
                let found = room
                    .start_position()
                    .and_then(|start| hub.supplier.player(&engine, room.unit_of(player), &start));
                hub.send(match found {
                    Ok(engine) => room.seat(player, engine, by),
                    Err(problem) => room.refuse(by, problem),
                });
            });
        }
    }
    None
}

/// As much of a message as an answer needs.
#[derive(Default, Deserialize)]
struct Labelled {
    #[serde(default)]
    id: String,
}

/// A socket of the lobby.
pub async fn of_lobby(hub: Arc<Hub>, engines: Arc<Shelf>, mut socket: WebSocket) {
    let _counted = Counted::new(&hub);
    let farewell = match greet(&mut socket).await {
        Err(farewell) => farewell,
        Ok(_) => match listen(&hub, &engines, &mut socket).await {
            Err(farewell) => farewell,
            Ok(never) => match never {},
        },
    };
    close(socket, farewell).await;
}

async fn listen(
    hub: &Arc<Hub>,
    engines: &Shelf,
    socket: &mut WebSocket,
) -> Result<Infallible, Farewell> {
    let mut packets = hub.lobby.subscribe();
    for text in lobby::told(hub) {
        send_text(socket, text).await?;
    }
    send_text(socket, engines.told()).await?;
    let mut ear = Ear::new();
    let mut ping = tokio::time::interval(PING_EVERY);
    loop {
        tokio::select! {
            packet = packets.recv() => match packet {
                Ok(text) => send_text(socket, text).await?,
                // What comes next says all.
                Err(RecvError::Lagged(_)) => (),
                Err(RecvError::Closed) => return Err((GOING, "")),
            },
            message = socket.recv() => match ear.hear(message)? {
                Word::Text(text) => {
                    let id = serde_json::from_str::<Labelled>(&text).unwrap_or_default().id;
                    reply(socket, &Event::Pong { id }).await?;
                }
                Word::TooMany | Word::Nothing => (),
            },
            _ = ping.tick() => {
                if ear.is_silent() {
                    return Err((GOING, "you have gone silent"));
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
        }
    }
}
