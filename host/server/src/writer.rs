//! The writer: takes updates of all rooms from one queue, stores a batch in one transaction, then
//! publishes its events in order. It never publishes what is not stored.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::oneshot;

use super::hub::Hub;
use super::room::{OutgoingEvent, Room, record_text};
use super::store::{Store, Write};
use sandboard_bout::record::Record;

/// How many updates may wait. While the queue is full, senders wait.
const QUEUE_MAX: usize = 4096;
/// The most updates in one transaction.
const BATCH_MAX: usize = 512;
/// How long the writer waits before it retries after the store has failed.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// A change in a room, to be stored and published.
pub(crate) struct RoomUpdate {
    /// The room that changed.
    pub room: Arc<Room>,
    /// The record of the room's bout, stored before anything is published.
    pub record: Option<Box<Record>>,
    /// Further writes to the store.
    pub writes: Vec<Write>,
    /// The events to publish.
    pub events: Vec<OutgoingEvent>,
    /// Notified when the update is stored and published.
    pub done: Option<oneshot::Sender<()>>,
}

/// The sending end of the queue.
pub(crate) type Queue = Sender<RoomUpdate>;

/// Creates the queue of a hub.
pub(crate) fn queue() -> (Queue, Receiver<RoomUpdate>) {
    tokio::sync::mpsc::channel(QUEUE_MAX)
}

/// Stores and publishes updates until the last sender is gone.
pub(crate) async fn run(hub: Arc<Hub>, store: Arc<dyn Store>, mut queue: Receiver<RoomUpdate>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let mut steps = Vec::new();
        for update in &mut batch {
            if let Some(record) = update.record.take() {
                add_record(&mut steps, update.room.id.clone(), record);
            }
            steps.extend(update.writes.drain(..).map(StoreStep::Write));
        }
        let writes = to_writes(steps).await;
        while !writes.is_empty() {
            match store.commit(&writes).await {
                Ok(()) => {
                    hub.counts.store_fails.store(false, Ordering::Relaxed);
                    break;
                }
                Err(error) => {
                    hub.counts.store_fails.store(true, Ordering::Relaxed);
                    hub.notify_operator("error", format!("the store cannot be written: {error}"));
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
        for RoomUpdate { room, events, done, .. } in batch.drain(..) {
            room.publish(events);
            if let Some(done) = done {
                // The receiver may have stopped waiting.
                let _ = done.send(());
            }
        }
        hub.lobby.mark_changed();
    }
}

/// A write to the store, in the order of the updates.
enum StoreStep {
    Record(String, Box<Record>),
    Write(Write),
}

/// Adds a room's record, or replaces an earlier one of the same room.
fn add_record(steps: &mut Vec<StoreStep>, id: String, record: Box<Record>) {
    let same = |step: &&mut StoreStep| matches!(step, StoreStep::Record(other, _) if *other == id);
    match steps.iter_mut().find(same) {
        Some(earlier) => *earlier = StoreStep::Record(id, record),
        None => steps.push(StoreStep::Record(id, record)),
    }
}

/// Converts steps into writes. Serializing long records takes time, so it runs on a blocking
/// thread.
async fn to_writes(steps: Vec<StoreStep>) -> Vec<Write> {
    if steps.iter().all(|step| matches!(step, StoreStep::Write(_))) {
        return writes_of(steps);
    }
    match tokio::task::spawn_blocking(move || writes_of(steps)).await {
        Ok(writes) => writes,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}

fn writes_of(steps: Vec<StoreStep>) -> Vec<Write> {
    let write = |step| match step {
        StoreStep::Write(write) => write,
        StoreStep::Record(id, record) => Write::Record { id, record: record_text(&record) },
    };
    steps.into_iter().map(write).collect()
}
