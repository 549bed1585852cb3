//! A remote worker: takes games from the broker, plays them and sends the results. It acknowledges
//! a game when the broker has its result. Until then it regularly confirms that the game is in
//! progress.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;

use super::dismissals::Dismissals;
use super::object_store::ObjectStoreFiles;
use super::{ACK_WAIT, Broker, BrokerError, JOBS, PRESENCE, dismissal_of, jobs_of, results_of};
use crate::blobs::BlobStore;
use crate::job_executor::{ExecutorError, JobExecutor};
use crate::keys::{SecretKey, SignedKind, open_envelope};
use crate::message::{Dismissal, Outcome, Presence, Purpose, Task, TaskResult, VERSION, host_kind};
use sandboard_arena::store::PackedRecord;
use sandboard_arena::{LiveSlot, Stop};

/// After this number of deliveries, a game is not offered to workers any more.
const DELIVERIES_MAX: i64 = 6;
/// A worker gives up after failures in this number of pairs in a row.
const FAILED_PAIRS_MAX: usize = 3;
/// How long a game that failed waits before it is delivered again.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// How long to wait for a game before testing whether to stop.
const FETCH_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait between attempts while the broker is unreachable.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);
/// How often a worker reports its games.
const PRESENCE_INTERVAL: Duration = Duration::from_millis(500);
/// Room in a message for everything but the record.
const ENVELOPE_BYTES: usize = 4096;

/// The settings of a worker.
pub struct WorkerSetup<'a> {
    /// Its name, for people: letters, digits, `-` and `_`.
    pub name: &'a str,
    /// Its key, by which arenas know it.
    pub key: &'a Arc<SecretKey>,
    /// The number of games played at once.
    pub slots: usize,
    /// Loads engines and plays games.
    pub executor: &'a JobExecutor,
    /// Stops the worker: running games are finished, and none is started.
    pub stop: &'a Stop,
}

/// Why a worker ended by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The broker refused a request.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// An arena has excluded the worker.
    #[error(
        "the arena {arena} has excluded this worker, and its games are played again: {reason}; this worker \
             plays no more of them; check the memory and the processor of this machine, and that it runs the same build of sandboard"
    )]
    Dismissed {
        /// The arena's id.
        arena: String,
        reason: String,
    },
    /// The worker cannot play the games that it gets.
    #[error(
        "this worker could not play games of {FAILED_PAIRS_MAX} pairs in a row and left them to other workers; the last reason: {reason}"
    )]
    Failing {
        /// The reason for the last game.
        reason: String,
    },
}

/// One of the games that the worker plays at once.
#[derive(Default)]
struct GameSlot {
    live: LiveSlot,
    /// The arena of the running game.
    arena: Mutex<Option<String>>,
}

struct Worker<'a> {
    broker: &'a Broker,
    setup: &'a WorkerSetup<'a>,
    kind: String,
    files: ObjectStoreFiles,
    /// Pairs with a failed game since the last success.
    failed_pairs: Mutex<BTreeSet<String>>,
    games: AtomicU64,
    dismissals: Arc<Mutex<Dismissals>>,
    ended: Arc<Mutex<Option<WorkerError>>>,
}

/// Plays games until the worker is stopped. Returns the number of games played.
pub fn run_worker(broker: &Broker, setup: &WorkerSetup<'_>) -> Result<u64, WorkerError> {
    let worker = Worker {
        broker,
        setup,
        kind: host_kind(),
        files: ObjectStoreFiles::open(broker)?,
        failed_pairs: Mutex::default(),
        games: AtomicU64::new(0),
        dismissals: Arc::default(),
        ended: Arc::default(),
    };
    let consumer = worker.consumer()?;
    let slots: Arc<Vec<GameSlot>> =
        Arc::new((0..setup.slots).map(|_| GameSlot::default()).collect());
    // It listens before it reports itself, so that it misses no dismissal.
    let listener = worker.listen_for_dismissal()?;
    let tasks = [worker.report_presence(slots.clone()), listener];
    std::thread::scope(|scope| {
        for slot in slots.iter() {
            let (worker, consumer) = (&worker, consumer.clone());
            scope.spawn(move || worker.work(slot, consumer));
        }
    });
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let ended = worker.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    let dismissed = locked(&worker.dismissals).first().map(WorkerError::from);
    ended.or(dismissed).map_or_else(|| Ok(worker.games.load(Ordering::SeqCst)), Err)
}

impl Worker<'_> {
    fn consumer(&self) -> Result<PullConsumer, BrokerError> {
        let stream = self.broker.stream(JOBS, "sandboard.jobs.>")?;
        let name = format!("workers-{}", self.kind);
        self.broker.consumer(&stream, &name, jobs_of(&self.kind, "*"), ACK_WAIT)
    }

    fn end(&self, error: WorkerError) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.setup.stop.stop();
    }

    /// Fetches and plays games, one after another.
    fn work(&self, slot: &GameSlot, mut consumer: PullConsumer) {
        while !self.setup.stop.is_stopped() {
            match self.broker.wait(fetch(&consumer)) {
                // The worker was stopped meanwhile; another worker gets the game.
                Ok(Some(message)) if self.setup.stop.is_stopped() => {
                    self.answer(&message, AckKind::Nak(None));
                }
                Ok(Some(message)) => self.play(slot, message),
                Ok(None) => {}
                Err(error) => {
                    log::info!("cannot fetch a game: {error}");
                    std::thread::sleep(RECONNECT_PAUSE);
                    // The broker may have lost the consumer.
                    if self.broker.lost_at().is_none()
                        && let Ok(again) = self.consumer()
                    {
                        consumer = again;
                    }
                }
            }
        }
    }

    fn play(&self, slot: &GameSlot, message: Message) {
        let Ok((delivered, sequence)) =
            message.info().map(|info| (info.delivered, info.stream_sequence))
        else {
            return log::warn!("a message outside a stream is ignored");
        };
        let opened = open_envelope(SignedKind::Task, &message.payload);
        let task = opened.and_then(|(arena, body)| Ok((arena, Task::decode(body)?)));
        let (arena, task) = match task {
            Ok(task) => task,
            Err(error) => {
                log::error!("an invalid job is ignored: {error}");
                return self.answer(&message, AckKind::Term);
            }
        };
        let message = Arc::new(message);
        // Its results would not count.
        if locked(&self.dismissals).is_dismissed_by(&arena) {
            return self.answer(&message, AckKind::Nak(Some(RETRY_DELAY)));
        }
        let own = self.setup.key.public();
        if matches!(&task.purpose, Purpose::Replay { not_by } if *not_by == own) {
            if delivered < DELIVERIES_MAX {
                return self.answer(&message, AckKind::Nak(Some(RETRY_DELAY / 2)));
            }
            return self.refuse(&task, &message, sequence, "there is no other worker".into());
        }
        if delivered > DELIVERIES_MAX {
            let reason = format!(
                "{DELIVERIES_MAX} workers received the game and fell silent or could not play it"
            );
            return self.refuse(&task, &message, sequence, reason);
        }
        locked(&self.dismissals).record_game(arena);
        *slot.arena.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.arena.clone());
        let keep_alive = self.keep_alive(message.clone());
        let played = self.setup.executor.play(&task, &self.files, &slot.live);
        match played {
            Ok(record) => {
                self.failed_pairs.lock().unwrap_or_else(PoisonError::into_inner).clear();
                self.games.fetch_add(1, Ordering::SeqCst);
                self.send(&task, &message, sequence, Ok(&record));
            }
            Err(error) => self.handle_failure(&task, &message, (delivered, sequence), &error),
        }
        keep_alive.abort();
        slot.live.clear();
    }

    /// Handles a failed game: another worker may be able to play it.
    fn handle_failure(
        &self,
        task: &Task,
        message: &Message,
        (delivered, sequence): (i64, u64),
        error: &ExecutorError,
    ) {
        let (name, reason) = (task.job().name(), error.to_string());
        log::warn!("cannot play {name} of the arena {} here: {reason}", task.arena);
        if delivered >= DELIVERIES_MAX {
            self.refuse(task, message, sequence, reason.clone());
        } else {
            self.answer(message, AckKind::Nak(Some(RETRY_DELAY)));
        }
        // Repeated failures of one pair are counted once: the cause may be the pair.
        let mut failed_pairs = self.failed_pairs.lock().unwrap_or_else(PoisonError::into_inner);
        failed_pairs.insert(task.id.clone());
        if failed_pairs.len() >= FAILED_PAIRS_MAX {
            self.end(WorkerError::Failing { reason });
        }
    }

    fn refuse(&self, task: &Task, message: &Message, sequence: u64, reason: String) {
        self.send(task, message, sequence, Err(reason));
    }

    /// Sends the result of a task until the broker has it, then acknowledges the task.
    fn send(
        &self,
        task: &Task,
        message: &Message,
        sequence: u64,
        outcome: Result<&PackedRecord, String>,
    ) {
        let worker = self.setup.key.public();
        let (id, game, attempt) = (&task.id, task.game, task.attempt);
        let purpose = if task.purpose == Purpose::Play { "play" } else { "replay" };
        let id = format!("{id}-{game}-{attempt}-{purpose}-{worker}-{sequence}");
        loop {
            let error = match self.encode_result(task, &outcome) {
                Ok(bytes) => match self.broker.send(results_of(&task.arena), &id, bytes) {
                    Ok(()) => return self.answer(message, AckKind::Ack),
                    Err(error) => error.to_string(),
                },
                Err(error) => error,
            };
            // A result is worth waiting for. A second interrupt ends the process.
            self.broker.warn_once("a result waits", &error);
            std::thread::sleep(RECONNECT_PAUSE);
        }
    }

    fn encode_result(
        &self,
        task: &Task,
        played: &Result<&PackedRecord, String>,
    ) -> Result<Vec<u8>, String> {
        let most = self.broker.client.server_info().max_payload;
        let stored = |record: &PackedRecord| {
            self.files.put(&record.0).map(Outcome::Stored).map_err(|error| error.to_string())
        };
        let (outcome, record) = match played {
            Ok(record) if record.0.len() + ENVELOPE_BYTES > most => (stored(record)?, None),
            Ok(record) => (Outcome::Played, Some(*record)),
            Err(reason) => (Outcome::Refused { reason: reason.clone() }, None),
        };
        let result = TaskResult {
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
        Ok(self.setup.key.seal(SignedKind::Result, &result.encode(record)))
    }

    fn answer(&self, message: &Message, kind: AckKind) {
        // If the acknowledgement is lost, the message is delivered again.
        drop(self.broker.wait(message.ack_with(kind)));
    }

    /// Confirms that a game is in progress, until the task is aborted.
    fn keep_alive(&self, message: Arc<Message>) -> tokio::task::JoinHandle<()> {
        self.broker.runtime.spawn(async move {
            loop {
                tokio::time::sleep(ACK_WAIT / 4).await;
                drop(message.ack_with(AckKind::Progress).await);
            }
        })
    }

    fn report_presence(&self, slots: Arc<Vec<GameSlot>>) -> tokio::task::JoinHandle<()> {
        let client = self.broker.client.clone();
        let (worker, kind) = (self.setup.name.to_owned(), self.kind.clone());
        let key = self.setup.key.clone();
        self.broker.runtime.spawn(async move {
            let mut number = 0;
            loop {
                // Larger than before, also after a restart.
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let now_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
                number = now_ms.max(number + 1);
                let game = |slot: &GameSlot| {
                    let arena = slot.arena.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    Some((arena?, slot.live.latest_game()?))
                };
                let presence = Presence {
                    version: VERSION,
                    number,
                    worker: worker.clone(),
                    kind: kind.clone(),
                    host: env!("CARGO_PKG_VERSION").into(),
                    slots: slots.len(),
                    games: slots.iter().filter_map(game).collect(),
                };
                let body = serde_json::to_vec(&presence).unwrap_or_default();
                let bytes = key.seal(SignedKind::Presence, &body);
                // While the connection is down, reports would pile up and arrive all at once.
                if client.connection_state() == async_nats::connection::State::Connected {
                    drop(client.publish(PRESENCE, bytes.into()).await);
                }
                tokio::time::sleep(PRESENCE_INTERVAL).await;
            }
        })
    }

    fn listen_for_dismissal(&self) -> Result<tokio::task::JoinHandle<()>, BrokerError> {
        let own = self.setup.key.public();
        let messages = self.broker.client.subscribe(dismissal_of(&own));
        let mut messages =
            self.broker.wait(messages).map_err(self.broker.failed("accept a subscription"))?;
        let dismissals = self.dismissals.clone();
        Ok(self.broker.runtime.spawn(async move {
            while let Some(message) = messages.next().await {
                let opened = open_envelope(SignedKind::Dismissal, &message.payload);
                let dismissal =
                    opened.and_then(|(arena, body)| Ok((arena, Dismissal::decode(body)?)));
                let Ok((arena, dismissal)) = dismissal else { continue };
                if dismissal.worker == own && locked(&dismissals).add(arena, &dismissal) {
                    log::error!("{}", WorkerError::from(&dismissal));
                }
            }
        }))
    }
}

impl From<&Dismissal> for WorkerError {
    fn from(Dismissal { arena, reason, .. }: &Dismissal) -> Self {
        Self::Dismissed { arena: arena.clone(), reason: reason.clone() }
    }
}

fn locked(dismissals: &Mutex<Dismissals>) -> MutexGuard<'_, Dismissals> {
    dismissals.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next game; `None` if none arrives in time.
async fn fetch(consumer: &PullConsumer) -> Result<Option<Message>, String> {
    let batch = consumer.batch().max_messages(1).expires(FETCH_TIMEOUT).messages().await;
    let mut batch = batch.map_err(|error| error.to_string())?;
    // The broker ends the batch; if the broker is gone, only the timeout does.
    match tokio::time::timeout(FETCH_TIMEOUT * 2, batch.next()).await {
        Ok(None) => Ok(None),
        Ok(Some(Ok(message))) => Ok(Some(message)),
        Ok(Some(Err(error))) => Err(error.to_string()),
        Err(_) => Err("the broker does not answer".into()),
    }
}
