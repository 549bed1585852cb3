//! Broadcasts the list of rooms to the lobby's sockets: on connecting, and after changes, at a
//! limited rate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::{Notify, broadcast};

use super::hub::{Hub, QuickGameRules};
use super::wire::{RoomCard, message};

/// The shortest time between two updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(250);
/// The most rooms in the list, newest first.
const ROOMS_MAX: usize = 500;
/// How many messages are buffered for a slow reader.
const MESSAGES_BUFFERED: usize = 16;

/// The lobby; see the [module](self).
pub(crate) struct Lobby {
    changed: Notify,
    dirty: AtomicBool,
    packets: broadcast::Sender<Utf8Bytes>,
}

impl Default for Lobby {
    fn default() -> Self {
        let (packets, _) = broadcast::channel(MESSAGES_BUFFERED);
        Self { changed: Notify::new(), dirty: AtomicBool::new(false), packets }
    }
}

#[derive(Serialize)]
struct Rooms {
    rooms: Vec<RoomCard>,
}

#[derive(Serialize)]
struct QuickGames {
    requests: Vec<QuickGameRules>,
}

/// Returns the rooms that the lobby lists.
pub(crate) fn room_cards(hub: &Hub) -> Vec<RoomCard> {
    let over = |card: &RoomCard| card.state == super::wire::State::Over;
    hub.rooms().iter().map(|room| room.card()).filter(|card| !over(card)).take(ROOMS_MAX).collect()
}

/// Returns the lobby's messages: the rooms, and the quick games without an opponent.
pub(crate) fn messages(hub: &Hub) -> [Utf8Bytes; 2] {
    let rooms = message(None, Some("rooms"), &Rooms { rooms: room_cards(hub) });
    let quick_games =
        message(None, Some("quick-games"), &QuickGames { requests: hub.quick_game_requests() });
    [rooms.into(), quick_games.into()]
}

impl Lobby {
    /// Marks that a room has changed.
    pub(crate) fn mark_changed(&self) {
        if !self.dirty.swap(true, Ordering::Relaxed) {
            self.changed.notify_one();
        }
    }

    /// Sends a message to all sockets of the lobby at once.
    pub(crate) fn send(&self, text: Utf8Bytes) {
        let _ = self.packets.send(text);
    }

    /// Subscribes to all messages from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Utf8Bytes> {
        self.packets.subscribe()
    }
}

/// Sends the lobby's messages after changes, as long as the server runs.
pub(crate) async fn run(hub: std::sync::Arc<Hub>) {
    loop {
        hub.lobby.changed.notified().await;
        tokio::time::sleep(UPDATE_INTERVAL).await;
        hub.lobby.dirty.store(false, Ordering::Relaxed);
        if hub.lobby.packets.receiver_count() > 0 {
            for text in messages(&hub) {
                hub.lobby.send(text);
            }
        }
    }
}
