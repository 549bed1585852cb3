//! A worker: takes games from the broker, plays them and sends what came of them. A game is acknowledged when the broker
//! has its result; until then it says so again and again that it is being played.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;

use super::blobs::Files;
use super::{ACK_WAIT, Broker, BrokerError, JOBS, PRESENCE, dismissal_of, jobs_of, results_of};
use crate::arena::store::Packed;
use crate::arena::{Slot, Stop};
use crate::queue::blobs::BlobStore;
use crate::queue::hand::{Hand, HandError};
use crate::queue::message::{
    Dismissal, Done, Outcome, Presence, Purpose, Task, VERSION, decoded, kind_of_host,
};

/// After so many deliveries nobody is asked any more to play a game.
const DELIVERIES: i64 = 6;
/// After failures at games of so many pairs one after another a worker gives up.
const FAILURES: usize = 3;
/// How long a game waits that somebody could not play.
const LATER: Duration = Duration::from_secs(1);
/// How long one waits for a game before one looks whether to stop.
const FETCH: Duration = Duration::from_secs(2);
/// How long one waits for a broker that is away.
const PAUSE: Duration = Duration::from_millis(200);
/// How often a worker tells what it plays.
const PRESENT: Duration = Duration::from_millis(500);
/// What of a message is not the record.
const ENVELOPE_BYTES: usize = 4096;

/// How a worker works.
pub struct WorkerSetup<'a> {
    /// Its name, which no other has: letters, digits, `-` and `_`.
    pub name: &'a str,
    /// Games played at once.
    pub slots: usize,
    /// Loads and plays.
    pub hand: &'a Hand,
    /// Says that games in play are to be finished and none begun.
    pub stop: &'a Stop,
}

/// Why a worker ends before somebody says stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The broker says no.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// An arena believes nothing of it any more.
    #[error(
        "the arena {arena} has dismissed this worker, and has all its games played again: {reason}; look for bad \
             memory, an overclocked processor or another build of sandboard"
    )]
    Dismissed {
        /// The arena's id.
        arena: String,
        /// Why.
        reason: String,
    },
    /// It cannot play what it gets.
    #[error(
        "games of {FAILURES} pairs one after another could not be played here, and were left to others; the last one: {reason}"
    )]
    Failing {
        /// Why not, of the last one.
        reason: String,
    },
}

/// A place where one game is played.
#[derive(Default)]
struct Seat {
    slot: Slot,
    /// The arena of the game.
    arena: Mutex<Option<String>>,
}

struct Worker<'a> {
    broker: &'a Broker,
    setup: &'a WorkerSetup<'a>,
    kind: String,
    files: Files,
    /// The pairs of which a game failed since the last that did not.
    failed: Mutex<BTreeSet<String>>,
    games: AtomicU64,
    ended: Arc<Mutex<Option<ServeError>>>,
}

/// Plays games until somebody says stop. How many were played.
pub fn serve(broker: &Broker, setup: &WorkerSetup<'_>) -> Result<u64, ServeError> {
    let worker = Worker {
        broker,
        setup,
        kind: kind_of_host(),
        files: Files::open(broker)?,
        failed: Mutex::default(),
        games: AtomicU64::new(0),
        ended: Arc::default(),
    };
    let consumer = worker.consumer()?;
    let seats: Arc<Vec<Seat>> = Arc::new((0..setup.slots).map(|_| Seat::default()).collect());
    let tasks = [worker.tell_presence(seats.clone()), worker.hear_dismissal()?];
    std::thread::scope(|scope| {
        for seat in seats.iter() {
            let (worker, consumer) = (&worker, consumer.clone());
            scope.spawn(move || worker.work(seat, consumer));
        }
    });
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let ended = worker.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    ended.map_or_else(|| Ok(worker.games.load(Ordering::SeqCst)), Err)
}

impl Worker<'_> {
    fn consumer(&self) -> Result<PullConsumer, BrokerError> {
        let stream = self.broker.stream(JOBS, "sandboard.jobs.>")?;
        let name = format!("workers-{}", self.kind);
        self.broker.consumer(&stream, &name, jobs_of(&self.kind, "*"), ACK_WAIT)
    }

    fn end(&self, error: ServeError) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.setup.stop.stop();
    }

    /// Takes games and plays them, one after another.
    fn work(&self, seat: &Seat, mut consumer: PullConsumer) {
        while !self.setup.stop.is_stopped() {
            match self.broker.wait(fetch(&consumer)) {
                // It came while somebody said stop: it is another's.
                Ok(Some(message)) if self.setup.stop.is_stopped() => {
                    self.answer(&message, AckKind::Nak(None));
                }
                Ok(Some(message)) => self.take(seat, message),
                Ok(None) => {}
                Err(error) => {
                    log::info!("no game is fetched: {error}");
                    std::thread::sleep(PAUSE);
                    // The broker may have lost it.
                    if self.broker.away().is_none()
                        && let Ok(again) = self.consumer()
                    {
                        consumer = again;
                    }
                }
            }
        }
    }

    fn take(&self, seat: &Seat, message: Message) {
        let Ok((delivered, sequence)) =
            message.info().map(|info| (info.delivered, info.stream_sequence))
        else {
            return log::warn!("a message that is none of a stream is passed over");
        };
        let task = match Task::decode(&message.payload) {
            Ok(task) => task,
            Err(error) => {
                log::error!("a job is passed over: {error}");
                return self.answer(&message, AckKind::Term);
            }
        };
        let message = Arc::new(message);
        let name = self.setup.name;
        if matches!(&task.purpose, Purpose::Replay { not_by } if not_by == name) {
            if delivered < DELIVERIES {
                return self.answer(&message, AckKind::Nak(Some(LATER / 2)));
            }
            return self.refuse(&task, &message, sequence, "nobody else plays".into());
        }
        if delivered > DELIVERIES {
            let reason = format!(
                "{DELIVERIES} times it was given to a worker that fell silent while it played, or could not play it"
            );
            return self.refuse(&task, &message, sequence, reason);
        }
        *seat.arena.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.arena.clone());
        let alive = self.keep_alive(message.clone());
        let played = self.setup.hand.play(&task, &self.files, &seat.slot);
        match played {
            Ok(record) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).clear();
                self.games.fetch_add(1, Ordering::SeqCst);
                self.send(&task, &message, sequence, Ok(&record));
            }
            Err(error) => self.failed(&task, &message, (delivered, sequence), &error),
        }
        alive.abort();
        seat.slot.clear();
    }

    /// It was not played; others may have better luck.
    fn failed(
        &self,
        task: &Task,
        message: &Message,
        (delivered, sequence): (i64, u64),
        error: &HandError,
    ) {
        let (name, reason) = (task.job().name(), error.to_string());
        log::warn!("{name} of the arena {} is not played here: {reason}", task.arena);
        if delivered >= DELIVERIES {
            self.refuse(task, message, sequence, reason.clone());
        } else {
            self.answer(message, AckKind::Nak(Some(LATER)));
        }
        // The same pair over again is the pair's doing.
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.insert(task.id.clone());
        if failed.len() >= FAILURES {
            self.end(ServeError::Failing { reason });
        }
    }

    fn refuse(&self, task: &Task, message: &Message, sequence: u64, reason: String) {
        self.send(task, message, sequence, Err(reason));
    }

    /// Sends what came of a task until the broker has it, and acknowledges the task then.
    fn send(&self, task: &Task, message: &Message, sequence: u64, came: Result<&Packed, String>) {
        let worker = self.setup.name;
        let (id, game, attempt) = (&task.id, task.game, task.attempt);
        let purpose = if task.purpose == Purpose::Play { "play" } else { "replay" };
        let id = format!("{id}-{game}-{attempt}-{purpose}-{worker}-{sequence}");
        loop {
            let error = match self.result(task, &came) {
                Ok(bytes) => match self.broker.send(results_of(&task.arena), &id, bytes) {
                    Ok(()) => return self.answer(message, AckKind::Ack),
                    Err(error) => error.to_string(),
                },
                Err(error) => error,
            };
            // Whoever says stop twice ends the process; a result is worth waiting for.
            self.broker.complain("a result waits", &error);
            std::thread::sleep(PAUSE);
        }
    }

    fn result(&self, task: &Task, came: &Result<&Packed, String>) -> Result<Vec<u8>, String> {
        let most = self.broker.client.server_info().max_payload;
        let stored = |record: &Packed| {
            self.files.put(&record.0).map(Outcome::Stored).map_err(|error| error.to_string())
        };
        let (outcome, record) = match came {
            Ok(record) if record.0.len() + ENVELOPE_BYTES > most => (stored(record)?, None),
            Ok(record) => (Outcome::Played, Some(*record)),
            Err(reason) => (Outcome::Refused { reason: reason.clone() }, None),
        };
        let done = Done {
            version: VERSION,
            arena: task.arena.clone(),
            pair: task.pair.number,
            game: task.game,
            attempt: task.attempt,
            purpose: task.purpose.clone(),
            terms: task.terms.digest(),
            worker: self.setup.name.to_owned(),
            outcome,
        };
        Ok(done.encode(record))
    }

    fn answer(&self, message: &Message, kind: AckKind) {
        // What is not heard is delivered again.
        drop(self.broker.wait(message.ack_with(kind)));
    }

    /// Says that a game is being played until it is aborted.
    fn keep_alive(&self, message: Arc<Message>) -> tokio::task::JoinHandle<()> {
        self.broker.runtime.spawn(async move {
            loop {
                tokio::time::sleep(ACK_WAIT / 4).await;
                drop(message.ack_with(AckKind::Progress).await);
            }
        })
    }

    fn tell_presence(&self, seats: Arc<Vec<Seat>>) -> tokio::task::JoinHandle<()> {
        let client = self.broker.client.clone();
        let (worker, kind) = (self.setup.name.to_owned(), self.kind.clone());
        self.broker.runtime.spawn(async move {
            loop {
                let game = |seat: &Seat| {
                    let arena = seat.arena.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    Some((arena?, seat.slot.look()?))
                };
                let presence = Presence {
                    version: VERSION,
                    worker: worker.clone(),
                    kind: kind.clone(),
                    host: env!("CARGO_PKG_VERSION").into(),
                    slots: seats.len(),
                    games: seats.iter().filter_map(game).collect(),
                };
                let bytes = serde_json::to_vec(&presence).unwrap_or_default();
                // While the broker is away nothing is told: it would all come at once later.
                if client.connection_state() == async_nats::connection::State::Connected {
                    drop(client.publish(PRESENCE, bytes.into()).await);
                }
                tokio::time::sleep(PRESENT).await;
            }
        })
    }

    fn hear_dismissal(&self) -> Result<tokio::task::JoinHandle<()>, BrokerError> {
        let heard = self.broker.client.subscribe(dismissal_of(self.setup.name));
        let mut heard = self.broker.wait(heard).map_err(self.broker.failed("listen"))?;
        let (ended, stop) = (self.ended.clone(), self.setup.stop.clone());
        Ok(self.broker.runtime.spawn(async move {
            while let Some(message) = heard.next().await {
                let Ok(Told { version: _, said }) = decoded::<Told>(&message.payload) else {
                    continue;
                };
                let Dismissal { arena, reason } = said;
                let error = ServeError::Dismissed { arena, reason };
                ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                stop.stop();
            }
        }))
    }
}

/// A dismissal as it is sent.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Told {
    pub version: u32,
    #[serde(flatten)]
    pub said: Dismissal,
}

/// The next game; none: there was none for a while.
async fn fetch(consumer: &PullConsumer) -> Result<Option<Message>, String> {
    let batch = consumer.batch().max_messages(1).expires(FETCH).messages().await;
    let mut batch = batch.map_err(|error| error.to_string())?;
    // The broker ends it; where the broker has gone nobody does.
    match tokio::time::timeout(FETCH * 2, batch.next()).await {
        Ok(None) => Ok(None),
        Ok(Some(Ok(message))) => Ok(Some(message)),
        Ok(Some(Err(error))) => Err(error.to_string()),
        Err(_) => Err("the broker is silent".into()),
    }
}
