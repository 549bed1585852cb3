//! The one way from what happens in rooms to the store and to the sockets: what waits is written
//! in one transaction, then told, in the order in which it came. Nobody is told what is not stored.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::oneshot;

use super::hub::Hub;
use super::room::{Room, Told};
use super::store::{Store, Write};

/// How many emissions may wait: whoever brings more waits for the writer.
const WAITING: usize = 4096;
/// How many are written at once.
const AT_ONCE: usize = 512;
/// How long the writer waits after the store failed, before it tries again.
const AGAIN: Duration = Duration::from_millis(200);

/// Something that happened in a room.
pub struct Emission {
    /// Where.
    pub room: Arc<Room>,
    /// What is to be stored before anybody is told.
    pub writes: Vec<Write>,
    /// What is to be told, and to whom.
    pub told: Vec<Told>,
    /// Who waits until it is stored and told.
    pub done: Option<oneshot::Sender<()>>,
}

/// The end where emissions are handed in.
pub type Queue = Sender<Emission>;

/// The queue of a hub.
pub fn queue() -> (Queue, Receiver<Emission>) {
    tokio::sync::mpsc::channel(WAITING)
}

/// Writes and tells until the last sender is gone.
pub async fn run(hub: Arc<Hub>, store: Arc<dyn Store>, mut queue: Receiver<Emission>) {
    let mut waiting = Vec::with_capacity(AT_ONCE);
    while queue.recv_many(&mut waiting, AT_ONCE).await > 0 {
        let mut writes = Vec::new();
        for emission in &mut waiting {
            for write in emission.writes.drain(..) {
                add(&mut writes, write);
            }
        }
        while !writes.is_empty() {
            match store.commit(&writes).await {
                Ok(()) => break,
                Err(error) => {
                    hub.note("error", format!("the store does not take what is played: {error}"));
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
        for Emission { room, told, done, .. } in waiting.drain(..) {
            room.tell(told);
            if let Some(done) = done {
                // Whoever waited may be gone.
                let _ = done.send(());
            }
        }
        hub.lobby.changed();
    }
}

/// Adds a write; of two records of one room the later counts.
fn add(writes: &mut Vec<Write>, write: Write) {
    if let Write::Record { id, .. } = &write {
        let same = |other: &Write| matches!(other, Write::Record { id: other, .. } if other == id);
        if let Some(earlier) = writes.iter_mut().find(|other| same(other)) {
            *earlier = write;
            return;
        }
    }
    writes.push(write);
}
