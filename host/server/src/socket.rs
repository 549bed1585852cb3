//! Sockets of rooms and of the lobby: handshake, messages in both directions, and limits on size,
//! rate and silence. What a message means is decided by the room.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;

use super::engines::EngineRegistry;
use super::hub::Hub;
use super::lobby;
use super::problem::ProblemKind;
use super::rate_limit::{MESSAGE_RATE, TokenBucket};
use super::room::{ActionOutcome, Packet, Recipient, Room, Subscription};
use super::wire::{ClientAction, ClientMessage, EngineSeat, Event, Handshake, VERSION, message};
use sandboard_abi::limits::LABEL_BYTES;
use sandboard_bout::text::sanitize;

/// The largest message and frame of a client, in bytes.
pub(crate) const MESSAGE_BYTES: usize = 64 * 1024;
/// The time limit for the first message.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for sending one message.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval of pings, and the longest silence of a client.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const SILENCE_MAX: Duration = Duration::from_secs(65);
/// How many messages over the rate, one after another, close the socket.
const EXCESS_MESSAGES_MAX: u32 = 100;

/// Why a socket is closed: a WebSocket status code and a reason.
type CloseReason = (u16, &'static str);

const POLICY_VIOLATION: u16 = 1008;
const GOING_AWAY: u16 = 1001;
const TRY_AGAIN_LATER: u16 = 1013;
const MESSAGE_TOO_BIG: u16 = 1009;

/// The longest error text in a reply, in bytes: it may quote the message.
const DETAIL_BYTES: usize = 256;

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), CloseReason> {
    match tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err((GOING_AWAY, "")),
        Err(_) => Err((TRY_AGAIN_LATER, "the client reads too slowly")),
    }
}

async fn send_text(socket: &mut WebSocket, text: Utf8Bytes) -> Result<(), CloseReason> {
    send(socket, Message::Text(text)).await
}

/// Sends an event to this socket only.
async fn reply(socket: &mut WebSocket, event: &Event) -> Result<(), CloseReason> {
    send_text(socket, message(None, None, event).into()).await
}

fn error(id: &str, kind: ProblemKind, detail: &str) -> Event {
    let (kind, message) = (kind.id(), crate::wire::Message::of(detail));
    Event::Error { id: id.to_owned(), kind, detail: detail.to_owned(), message }
}

fn too_many(id: &str) -> Event {
    error(id, ProblemKind::TooMany, crate::messages::TOO_MANY_MESSAGES)
}

/// Counts an open connection until it is dropped.
struct ConnectionGuard(Arc<Hub>);

impl ConnectionGuard {
    fn new(hub: &Arc<Hub>) -> Self {
        hub.counts.connections.fetch_add(1, Ordering::Relaxed);
        Self(hub.clone())
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.counts.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a client introduces itself with.
struct Hello {
    ticket: Option<String>,
    name: String,
    since: Option<u64>,
}

/// Waits for the client's first message.
async fn receive_hello(socket: &mut WebSocket) -> Result<Hello, CloseReason> {
    let first = tokio::time::timeout(HELLO_TIMEOUT, socket.recv()).await;
    let Ok(Some(Ok(Message::Text(text)))) = first else {
        return Err((POLICY_VIOLATION, "the first message must be a hello, within five seconds"));
    };
    match serde_json::from_str(&text) {
        Ok(Handshake::Hello { v: VERSION, ticket, name, since }) => {
            let name = sanitize(name.trim(), LABEL_BYTES);
            Ok(Hello { ticket, name, since })
        }
        Ok(Handshake::Hello { .. }) => {
            Err((POLICY_VIOLATION, "this host supports version 1 of the API"))
        }
        Err(_) => Err((POLICY_VIOLATION, "the first message must be a hello")),
    }
}

/// Sends a close frame and waits a moment for the client's.
async fn close(mut socket: WebSocket, (code, reason): CloseReason) {
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    let closing = async {
        // Sending fails if the client has closed already; reading on completes the handshake.
        let _ = socket.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = socket.recv().await {}
    };
    let _ = tokio::time::timeout(HELLO_TIMEOUT, closing).await;
}

/// The message rate and silence of one client.
struct MessageLimiter {
    tokens: TokenBucket,
    excess: u32,
    last_received: Instant,
}

impl MessageLimiter {
    fn new() -> Self {
        let now = Instant::now();
        Self { tokens: TokenBucket::new(MESSAGE_RATE, now), excess: 0, last_received: now }
    }

    /// Classifies a message. Err: the socket must be closed.
    fn receive(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<Incoming, CloseReason> {
        let now = Instant::now();
        self.last_received = now;
        let message = match message {
            None | Some(Ok(Message::Close(_))) => return Err((GOING_AWAY, "")),
            Some(Err(_)) => return Err((MESSAGE_TOO_BIG, "the message is too long or invalid")),
            Some(Ok(message)) => message,
        };
        let within_rate = self.tokens.take(now);
        self.excess = if within_rate { 0 } else { self.excess + 1 };
        if self.excess > EXCESS_MESSAGES_MAX {
            return Err((POLICY_VIOLATION, "too many messages"));
        }
        match message {
            Message::Binary(_) => Err((POLICY_VIOLATION, "messages must be texts")),
            Message::Text(_) if !within_rate => Ok(Incoming::TooMany),
            Message::Text(text) => Ok(Incoming::Text(text)),
            _ => Ok(Incoming::Control),
        }
    }

    fn is_timed_out(&self) -> bool {
        self.last_received.elapsed() > SILENCE_MAX
    }
}

/// A received message, as far as it is looked at.
enum Incoming {
    Text(Utf8Bytes),
    TooMany,
    Control,
}

/// Serves a socket of a room. `admitted`: it may watch without a ticket.
pub(crate) async fn serve_room(
    hub: Arc<Hub>,
    room: Arc<Room>,
    mut socket: WebSocket,
    admitted: bool,
) {
    let _connection = ConnectionGuard::new(&hub);
    let Hello { ticket, name, since } = match receive_hello(&mut socket).await {
        Ok(hello) => hello,
        Err(close_reason) => return close(socket, close_reason).await,
    };
    let ticket = match ticket.map(|secret| room.find_ticket(&secret)).transpose() {
        Ok(None) if !admitted => {
            return close(socket, (POLICY_VIOLATION, crate::messages::LOG_IN_OR_TICKET)).await;
        }
        Ok(ticket) => ticket,
        Err(_) => {
            return close(socket, (POLICY_VIOLATION, crate::messages::NOT_A_TICKET)).await;
        }
    };
    let close_reason = match run_room(&hub, &room, &mut socket, (ticket, &name), since).await {
        Err(close_reason) => close_reason,
        Ok(never) => match never {},
    };
    hub.send(room.leave(ticket)).await;
    close(socket, close_reason).await;
}

async fn run_room(
    hub: &Arc<Hub>,
    room: &Arc<Room>,
    socket: &mut WebSocket,
    (ticket, name): (Option<usize>, &str),
    since: Option<u64>,
) -> Result<Infallible, CloseReason> {
    // Subscribed first: the game may begin as soon as its last player enters.
    let Subscription { initial, mut packets } = room.subscribe(ticket, since);
    hub.send(room.enter(ticket, name)).await;
    for text in initial {
        send_text(socket, text).await?;
    }
    let mut limiter = MessageLimiter::new();
    let mut ping = tokio::time::interval(PING_INTERVAL);
    loop {
        tokio::select! {
            packet = packets.recv() => match packet {
                Ok(Packet { to: Recipient::Ticket(other), .. }) if ticket != Some(other) => (),
                Ok(Packet { text, .. }) => {
                    let text = text.unwrap_or_else(|| room.snapshot_message(ticket));
                    send_text(socket, text).await?;
                }
                // The reader is too far behind: start again with a snapshot.
                Err(RecvError::Lagged(_)) => {
                    let restart = room.subscribe(ticket, None);
                    packets = restart.packets;
                    for text in restart.initial {
                        send_text(socket, text).await?;
                    }
                }
                Err(RecvError::Closed) => return Err((GOING_AWAY, "the room is gone")),
            },
            message = socket.recv() => match limiter.receive(message)? {
                Incoming::Control => (),
                Incoming::TooMany => {
                    reply(socket, &too_many("")).await?;
                }
                Incoming::Text(text) => {
                    if let Some(event) = handle_text(hub, room, ticket, &text).await {
                        reply(socket, &event).await?;
                    }
                }
            },
            _ = ping.tick() => {
                if limiter.is_timed_out() {
                    return Err((GOING_AWAY, "the client has been silent too long"));
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
        }
    }
}

/// Passes a message to the room. Returns the reply for this client only.
async fn handle_text(
    hub: &Arc<Hub>,
    room: &Arc<Room>,
    ticket: Option<usize>,
    text: &str,
) -> Option<Event> {
    let message: ClientMessage = match serde_json::from_str(text) {
        Ok(message) => message,
        Err(error_in_text) => {
            let id = serde_json::from_str::<MessageId>(text).unwrap_or_default().id;
            return Some(error(
                &id,
                ProblemKind::BadRequest,
                &sanitize(&error_in_text.to_string(), DETAIL_BYTES),
            ));
        }
    };
    if message.v != VERSION {
        return Some(error(&message.id, ProblemKind::BadRequest, "this host supports version 1"));
    }
    let Some(ticket) = ticket else {
        return Some(match message.action {
            ClientAction::Ping => Event::Pong { id: message.id },
            _ => error(&message.id, ProblemKind::Forbidden, crate::messages::SPECTATORS_CANNOT),
        });
    };
    if !room.take_message(ticket) {
        return Some(too_many(&message.id));
    }
    match room.handle_message(ticket, message) {
        ActionOutcome::Pending => (),
        ActionOutcome::Emit(update) => hub.send(update).await,
        ActionOutcome::LoadEngine { player, engine, by } => {
            tokio::spawn(load_engine(hub.clone(), room.clone(), player, engine, by));
        }
    }
    None
}

/// Loads an engine and seats it in place of a player. A room loads one engine at a time, and all
/// rooms share a few threads.
async fn load_engine(
    hub: Arc<Hub>,
    room: Arc<Room>,
    player: usize,
    engine: EngineSeat,
    by: (usize, String),
) {
    let (provider, shared) = (hub.engine_provider.clone(), room.clone());
    let loaded = hub.engine_loads.run(move || {
        let start = shared.start_position()?;
        provider.load_player(&engine, shared.unit_of(player), &start)
    });
    let update = match loaded.await {
        Ok(engine) => room.seat(player, engine, by),
        Err(problem) => room.refuse_engine(by, problem),
    };
    hub.send(update).await;
}

/// The part of a message that an error reply needs.
#[derive(Default, Deserialize)]
struct MessageId {
    #[serde(default)]
    id: String,
}

/// Serves a socket of the lobby.
pub(crate) async fn serve_lobby(
    hub: Arc<Hub>,
    engines: Arc<EngineRegistry>,
    mut socket: WebSocket,
) {
    let _connection = ConnectionGuard::new(&hub);
    let close_reason = match receive_hello(&mut socket).await {
        Err(close_reason) => close_reason,
        Ok(_) => match run_lobby(&hub, &engines, &mut socket).await {
            Err(close_reason) => close_reason,
            Ok(never) => match never {},
        },
    };
    close(socket, close_reason).await;
}

async fn run_lobby(
    hub: &Arc<Hub>,
    engines: &EngineRegistry,
    socket: &mut WebSocket,
) -> Result<Infallible, CloseReason> {
    let mut packets = hub.lobby.subscribe();
    for text in lobby::messages(hub) {
        send_text(socket, text).await?;
    }
    send_text(socket, engines.listing_message()).await?;
    let mut limiter = MessageLimiter::new();
    let mut ping = tokio::time::interval(PING_INTERVAL);
    loop {
        tokio::select! {
            packet = packets.recv() => match packet {
                Ok(text) => send_text(socket, text).await?,
                // The next message contains the complete list.
                Err(RecvError::Lagged(_)) => (),
                Err(RecvError::Closed) => return Err((GOING_AWAY, "")),
            },
            message = socket.recv() => match limiter.receive(message)? {
                Incoming::Text(text) => {
                    let id = serde_json::from_str::<MessageId>(&text).unwrap_or_default().id;
                    reply(socket, &Event::Pong { id }).await?;
                }
                Incoming::TooMany | Incoming::Control => (),
            },
            _ = ping.tick() => {
                if limiter.is_timed_out() {
                    return Err((GOING_AWAY, "the client has been silent too long"));
                }
                send(socket, Message::Ping(Default::default())).await?;
            }
        }
    }
}
