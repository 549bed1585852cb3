//! Who is told of all rooms: at once, and whenever something has changed, but not too often.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::{Notify, broadcast};

use super::hub::{Hub, Rules};
use super::wire::{RoomCard, message};

/// How often the lobby is told of changes at most.
const EVERY: Duration = Duration::from_millis(250);
/// How many rooms it is told of, the latest first.
const CARDS: usize = 500;
/// How far a reader may be behind.
const BEHIND: usize = 16;

/// See the [module](self).
pub struct Lobby {
    changed: Notify,
    dirty: AtomicBool,
    packets: broadcast::Sender<Utf8Bytes>,
}

impl Default for Lobby {
    fn default() -> Self {
        let (packets, _) = broadcast::channel(BEHIND);
        Self { changed: Notify::new(), dirty: AtomicBool::new(false), packets }
    }
}

#[derive(Serialize)]
struct Rooms {
    rooms: Vec<RoomCard>,
}

#[derive(Serialize)]
struct Waiting {
    waiting: Vec<Rules>,
}

/// The rooms as the lobby shows them.
pub fn cards(hub: &Hub) -> Vec<RoomCard> {
    let over = |card: &RoomCard| card.state == super::wire::State::Over;
    hub.rooms().iter().map(|room| room.card()).filter(|card| !over(card)).take(CARDS).collect()
}

/// What the lobby is told of rooms.
pub fn told(hub: &Hub) -> [Utf8Bytes; 2] {
    let rooms = message(None, Some("rooms"), &Rooms { rooms: cards(hub) });
    let waiting = message(None, Some("quick"), &Waiting { waiting: hub.waiting() });
    [rooms.into(), waiting.into()]
}

impl Lobby {
    /// Some room is not as it was.
    pub fn changed(&self) {
        if !self.dirty.swap(true, Ordering::Relaxed) {
            self.changed.notify_one();
        }
    }

    /// Tells everybody something now.
    pub fn tell(&self, text: Utf8Bytes) {
        let _ = self.packets.send(text);
    }

    /// All that is told from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Utf8Bytes> {
        self.packets.subscribe()
    }
}

/// Tells the lobby of changes, for good.
pub async fn run(hub: std::sync::Arc<Hub>) {
    loop {
        hub.lobby.changed.notified().await;
        tokio::time::sleep(EVERY).await;
        hub.lobby.dirty.store(false, Ordering::Relaxed);
        if hub.lobby.packets.receiver_count() > 0 {
            for text in told(&hub) {
                hub.lobby.tell(text);
            }
        }
    }
}
