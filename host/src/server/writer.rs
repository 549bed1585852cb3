//! The one way from what happens in rooms to the store and to the sockets: what waits is written
//! in one transaction, then told, in the order in which it came. Nobody is told what is not stored.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::sync::oneshot;

use super::hub::Hub;
use super::room::{Room, Told, text};
use super::store::{Store, Write};
use crate::record::Record;

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
    /// The record of its bout, which is to be stored before anybody is told.
    pub record: Option<Box<Record>>,
    /// What else is.
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
        let mut steps = Vec::new();
        for emission in &mut waiting {
            if let Some(record) = emission.record.take() {
                add(&mut steps, emission.room.id.clone(), record);
            }
            steps.extend(emission.writes.drain(..).map(Step::Write));
        }
        let writes = written(steps).await;
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

/// Something to be stored, in the order in which it came.
enum Step {
    Record(String, Box<Record>),
    Write(Write),
}

/// Adds a room's record; of two of one room the later counts.
fn add(steps: &mut Vec<Step>, id: String, record: Box<Record>) {
    let same = |step: &&mut Step| matches!(step, Step::Record(other, _) if *other == id);
    match steps.iter_mut().find(same) {
        Some(earlier) => *earlier = Step::Record(id, record),
        None => steps.push(Step::Record(id, record)),
    }
}

/// The same as the store takes it. Long records take their time, which no socket waits for.
async fn written(steps: Vec<Step>) -> Vec<Write> {
    if steps.iter().all(|step| matches!(step, Step::Write(_))) {
        return writes_of(steps);
    }
    match tokio::task::spawn_blocking(move || writes_of(steps)).await {
        Ok(writes) => writes,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and with it this.
            Err(_) => std::future::pending().await,
        },
    }
}

fn writes_of(steps: Vec<Step>) -> Vec<Write> {
    let write = |step| match step {
        Step::Write(write) => write,
        Step::Record(id, record) => Write::Record { id, record: text(&record) },
    };
    steps.into_iter().map(write).collect()
}
