//! A session of an arena at a broker: the offered games, and recovery when the broker is lost.
//! `results` processes the results.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::Stream;
use async_nats::jetstream::stream::Stream as StoredStream;
use futures_util::{FutureExt, StreamExt, TryStreamExt};

use super::leases::Leases;
use super::queue::NatsQueue;
use super::results::{LocalReplay, PendingResult};
use super::{Broker, BrokerError, JOBS, RESULTS, jobs_of, results_of};
use crate::keys::SignedKind;
use crate::message::{Purpose, Task, Terms, VERSION};
use sandboard_arena::{JobQueue, JobSource, NextJob, RunError};
use sandboard_arena_plan::{GameKey, Job, job_id};
use sandboard_bout::driver::BoutSetup;

/// How long to wait for a result before other work.
const POLL: Duration = Duration::from_millis(100);
/// How long to wait at first for results that an earlier session left.
const FIRST_POLL: Duration = Duration::from_millis(500);
/// How many results are processed before games are offered again.
const BATCH: usize = 256;
/// An unacknowledged result is delivered again after this time.
const RESULT_ACK_WAIT: Duration = Duration::from_secs(60);
/// How long one request for results lasts, and how often the broker confirms it.
const LISTEN: Duration = Duration::from_secs(30);
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often a missing worker is reported.
const IDLE_WARNING_INTERVAL: Duration = Duration::from_secs(30);
/// How often to check whether the broker has lost games, and how many checks must agree.
const LOSS_CHECK_INTERVAL: Duration = Duration::from_secs(5);
const LOSS_CHECKS: u32 = 3;
/// The broker's error for a missing stream.
const NOT_FOUND: &str = "not found";

/// A game that is offered or in play.
pub(super) struct OfferedGame {
    pub job: Job,
    pub bout: BoutSetup,
    pub terms: Terms,
    pub digest: String,
    /// The number of the last offer; 0: not offered yet.
    pub attempt: u32,
    /// Its result, if the game must be replayed before it counts.
    pub pending: Option<PendingResult>,
    /// How often a replay was requested.
    pub replay_requests: u32,
    /// How often it was offered again because its lease ended or its record was lost.
    pub repeats: u32,
    /// Whether this host plays the game itself.
    pub is_local: bool,
}

/// The state of a session.
pub(super) struct Session<'a> {
    pub queue: &'a NatsQueue,
    pub job_source: &'a JobSource<'a>,
    pub to_replay: Sender<Job>,
    pub offered: BTreeMap<GameKey, OfferedGame>,
    /// Results of an earlier session whose games are not scheduled yet.
    pub parked: BTreeMap<GameKey, Message>,
    /// How long workers may hold the games.
    pub leases: Leases,
    /// Messages that the broker has not accepted yet: subject, id, payload.
    unsent: VecDeque<(String, String, Vec<u8>)>,
    /// Distinguishes the offers of this session from others.
    nonce: String,
    /// How often all games were offered again.
    pub epoch: u32,
    /// Whether the results of earlier sessions are processed.
    pub is_ready: bool,
    /// Whether the broker was unreachable.
    was_lost: bool,
    no_worker_since: Option<Instant>,
    /// Whether a result arrived since the last check for losses.
    pub has_result: bool,
    checked_at: Instant,
    silent_checks: u32,
}

/// The streams of the broker.
pub(super) struct Inbox {
    jobs: StoredStream,
    results: StoredStream,
    messages: Stream,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        queue: &'a NatsQueue,
        job_source: &'a JobSource<'a>,
        to_replay: Sender<Job>,
    ) -> Self {
        let nonce =
            format!("{:x}", std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0));
        Self {
            queue,
            job_source,
            to_replay,
            offered: BTreeMap::new(),
            parked: BTreeMap::new(),
            leases: Leases::new(queue.setup.lease),
            unsent: VecDeque::new(),
            nonce,
            epoch: 1,
            is_ready: false,
            was_lost: false,
            no_worker_since: None,
            has_result: false,
            checked_at: Instant::now(),
            silent_checks: 0,
        }
    }

    fn broker(&self) -> &'a Broker {
        &self.queue.broker
    }

    /// Runs until no game is left or the arena is stopped.
    pub(super) fn run(mut self, replays: &Receiver<LocalReplay>) -> Result<(), BrokerError> {
        let mut inbox = self.open(true)?;
        self.clear_jobs(&inbox);
        while !self.job_source.is_stopped() {
            let over = self.is_ready && self.offer();
            if over && self.is_finished() {
                break;
            }
            if self.broker().lost_at().is_some() {
                self.was_lost = true;
            } else if std::mem::take(&mut self.was_lost) {
                // The broker has forgotten the request for results.
                self.recover(&mut inbox);
            }
            self.flush(&mut inbox);
            self.warn_if_no_worker();
            self.check_for_loss(&inbox);
            self.end_leases();
            let wait = if self.is_ready { POLL } else { FIRST_POLL };
            match self.broker().wait(next_messages(&mut inbox.messages, wait)) {
                Ok(messages) => {
                    // Earlier results are processed before any game is offered.
                    self.is_ready |= messages.is_empty();
                    for message in messages {
                        self.take(message, &inbox);
                    }
                }
                Err(error) => {
                    log::info!("cannot fetch results: {error}");
                    self.recover(&mut inbox);
                }
            }
            while let Ok(replay) = replays.try_recv() {
                self.apply_local_replay(replay, &inbox);
            }
        }
        self.end(&inbox);
        Ok(())
    }

    /// Whether the session is finished. When a test is decided, offered games are no longer needed,
    /// except those with a pending result.
    fn is_finished(&self) -> bool {
        let pending = self.offered.values().any(|offered| offered.pending.is_some());
        self.offered.is_empty() || (self.job_source.is_complete() && !pending)
    }

    fn open(&self, is_new: bool) -> Result<Inbox, BrokerError> {
        let broker = self.broker();
        let jobs = broker.stream(JOBS, "sandboard.jobs.>")?;
        let results = broker.stream(RESULTS, "sandboard.results.>")?;
        let name = self.consumer_name();
        if is_new {
            // Results that an earlier session did not acknowledge are then delivered at once.
            drop(broker.wait(results.delete_consumer(&name)));
        }
        let subject = results_of(&self.queue.setup.arena);
        let consumer = broker.consumer(&results, &name, subject, RESULT_ACK_WAIT)?;
        let messages = broker.wait(listen(&consumer)).map_err(broker.failed("deliver results"))?;
        Ok(Inbox { jobs, results, messages })
    }

    fn consumer_name(&self) -> String {
        format!("arena-{}", self.queue.setup.arena)
    }

    /// Reconnects after a loss of the broker or of its data.
    fn recover(&mut self, inbox: &mut Inbox) {
        std::thread::sleep(POLL);
        if self.broker().lost_at().is_some() {
            return;
        }
        let info = self.broker().wait(inbox.jobs.get_info());
        let lost = info.is_err_and(|error| error.to_string().contains(NOT_FOUND));
        match self.open(false) {
            Ok(again) => {
                *inbox = again;
                if lost && self.broker().lost_at().is_none() {
                    self.handle_loss();
                }
            }
            Err(error) => self.broker().warn_once("results wait", &error.to_string()),
        }
    }

    /// Detects that the broker has lost offered games: none of this arena is stored there, and no
    /// result arrives. The stream may exist again, created by a worker.
    fn check_for_loss(&mut self, inbox: &Inbox) {
        if self.checked_at.elapsed() < LOSS_CHECK_INTERVAL || self.broker().lost_at().is_some() {
            return;
        }
        self.checked_at = Instant::now();
        let waits = self.offered.values().any(|offered| !offered.is_local);
        let quiet = waits && self.unsent.is_empty() && !std::mem::take(&mut self.has_result);
        if !quiet || self.stored_games(inbox) != Some(0) {
            self.silent_checks = 0;
            return;
        }
        self.silent_checks += 1;
        if self.silent_checks >= LOSS_CHECKS {
            self.silent_checks = 0;
            self.handle_loss();
        }
    }

    /// The number of this arena's games at the broker.
    fn stored_games(&self, inbox: &Inbox) -> Option<usize> {
        let subject = jobs_of(&self.queue.kind, &self.queue.setup.arena);
        let found = self.broker().wait(async {
            let found =
                inbox.jobs.info_with_subjects(&subject).await.map_err(|it| it.to_string())?;
            found
                .map_ok(|(_, count)| count)
                .try_fold(0, async |a, b| Ok(a + b))
                .await
                .map_err(|it| it.to_string())
        });
        found
            .inspect_err(|error: &String| {
                log::info!("cannot count the games at the broker: {error}")
            })
            .ok()
    }

    /// Offers everything again after the broker has lost this arena's games.
    fn handle_loss(&mut self) {
        log::warn!("the broker has lost this arena's games; they are offered again");
        self.queue.provide_all_again();
        self.withdraw_all();
    }

    /// Offers the games again that workers have held for too long.
    fn end_leases(&mut self) {
        // While the broker is lost, no worker can answer.
        let is_lost = self.broker().lost_at().is_some();
        let slots = if is_lost { 0 } else { self.queue.concurrency() };
        for key in self.leases.take_ended(slots, Instant::now()) {
            let (name, lease) = (key.name(), self.queue.setup.lease);
            log::warn!("no worker has returned {name} within {lease:?}; the game is offered again");
            self.offer_again(key);
        }
    }

    /// Withdraws all offers and returns the games to the arena, which hands them out again.
    pub(super) fn withdraw_all(&mut self) {
        self.epoch += 1;
        self.unsent.clear();
        self.leases.clear();
        for key in std::mem::take(&mut self.offered).into_keys() {
            self.job_source.release(key);
        }
    }

    /// Removes the games that no worker has started from the broker.
    pub(super) fn clear_jobs(&self, inbox: &Inbox) {
        let subject = jobs_of(&self.queue.kind, &self.queue.setup.arena);
        if let Err(error) = self.broker().wait(inbox.jobs.purge().filter(subject).into_future()) {
            log::info!("cannot remove offered games: {error}");
        }
    }

    /// Offers games up to the window. Returns true if the arena has no more games.
    fn offer(&mut self) -> bool {
        let window = self.queue.window();
        while self.offered.len() < window {
            match self.job_source.try_next() {
                NextJob::Finished => return true,
                NextJob::Later => return false,
                NextJob::Job(job) => self.prepare(job),
            }
        }
        false
    }

    fn prepare(&mut self, job: Job) {
        let key = job.key();
        let bout = match self.job_source.arena().bout(&job) {
            Ok(bout) => bout,
            Err(error) => {
                self.job_source.release(key);
                return self.job_source.fail(RunError::Exact { job: job.name(), error });
            }
        };
        let terms = match self.queue.terms(self.job_source, &job, &bout) {
            Ok(terms) => terms,
            Err(reason) => {
                self.job_source.release(key);
                return self.job_source.fail(RunError::Unplayable { job: job.name(), reason });
            }
        };
        let digest = terms.digest();
        let offered = OfferedGame {
            job,
            bout,
            terms,
            digest,
            attempt: 0,
            pending: None,
            replay_requests: 0,
            repeats: 0,
            is_local: false,
        };
        self.offered.insert(key, offered);
        match self.parked.remove(&key) {
            Some(message) => {
                if let Some((worker, reason)) = self.process_result(message) {
                    let worker = self.queue.name_of(&worker);
                    // The worker's next result will show it again.
                    log::warn!("a stored result of {worker} does not count: {reason}");
                }
                // The result was of another game, or the game was selected for a replay.
                if self.offered.get(&key).is_some_and(|it| it.pending.is_none()) {
                    self.send(key, Purpose::Play);
                }
            }
            None => self.send(key, Purpose::Play),
        }
    }

    /// Queues a game for any free worker.
    pub(super) fn send(&mut self, key: GameKey, purpose: Purpose) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        offered.attempt = self.epoch;
        let (arena, job) = (&self.queue.setup.arena, offered.job);
        let task = Task {
            version: VERSION,
            kind: self.queue.kind.clone(),
            arena: arena.clone(),
            id: sandboard_common::hex::hex(&job_id(arena, job.pair.number)),
            pair: job.pair,
            game: job.game,
            opening: job.opening,
            attempt: self.epoch,
            contest: self.queue.setup.contest,
            terms: offered.terms.clone(),
            purpose,
        };
        let purpose = if task.purpose == Purpose::Play { "play" } else { "replay" };
        let id = format!("{}-{}-{}-{}-{purpose}", self.nonce, task.id, task.game, task.attempt);
        let sealed = self.queue.setup.key.seal(SignedKind::Task, &task.encode());
        self.unsent.push_back((jobs_of(&self.queue.kind, arena), id, sealed));
        self.leases.offered(key);
    }

    /// Sends the queued messages if the broker is reachable.
    fn flush(&mut self, inbox: &mut Inbox) {
        if self.unsent.is_empty() || self.broker().lost_at().is_some() {
            return;
        }
        match self.broker().send_all(self.unsent.iter().cloned()) {
            Ok(()) => self.unsent.clear(),
            Err(error) => {
                self.broker().warn_once("games wait", &error.to_string());
                self.recover(inbox);
            }
        }
    }

    fn warn_if_no_worker(&mut self) {
        let since = *self.no_worker_since.get_or_insert_with(Instant::now);
        if !self.queue.has_no_worker() || self.broker().lost_at().is_some() {
            self.no_worker_since = None;
        } else if since.elapsed() > IDLE_WARNING_INTERVAL {
            let url = &self.broker().url;
            log::warn!(
                "no worker of this build is connected; start some with `sandboard worker --nats {url}`"
            );
            self.no_worker_since = None;
        }
    }

    /// Removes offers that no worker has started. A finished arena leaves nothing at the broker.
    fn end(mut self, inbox: &Inbox) {
        self.clear_jobs(inbox);
        let stopped = self.job_source.is_stopped();
        self.withdraw_all();
        if stopped {
            return;
        }
        let subject = results_of(&self.queue.setup.arena);
        let broker = self.broker();
        drop(broker.wait(inbox.results.purge().filter(subject).into_future()));
        drop(broker.wait(inbox.results.delete_consumer(&self.consumer_name())));
    }
}

async fn listen(consumer: &PullConsumer) -> Result<Stream, String> {
    let stream =
        consumer.stream().max_messages_per_batch(BATCH).expires(LISTEN).heartbeat(HEARTBEAT);
    stream.messages().await.map_err(|error| error.to_string())
}

/// The messages that arrive within `wait`; empty if none does.
async fn next_messages(messages: &mut Stream, wait: Duration) -> Result<Vec<Message>, String> {
    let mut received = Vec::new();
    match tokio::time::timeout(wait, messages.next()).await {
        Err(_) => return Ok(received),
        Ok(None) => return Err("the broker ended the delivery".into()),
        Ok(Some(first)) => received.push(first.map_err(|error| error.to_string())?),
    }
    while received.len() < BATCH {
        match messages.next().now_or_never() {
            Some(Some(Ok(next))) => received.push(next),
            // An error is reported at the next call.
            Some(Some(Err(_)) | None) | None => break,
        }
    }
    Ok(received)
}
