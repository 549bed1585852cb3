//! One session of an arena at a broker: which games are on offer, and how it gets on with a broker that comes and goes. What
//! is done with a result is in `results`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::Stream;
use async_nats::jetstream::stream::Stream as Kept;
use futures_util::{FutureExt, StreamExt, TryStreamExt};

use super::arena::NatsQueue;
use super::results::{Held, Verdict};
use super::{Broker, BrokerError, JOBS, RESULTS, jobs_of, results_of};
use crate::arena::{Desk, GameKey, Job, Next, RunError, job_id};
use crate::bout::BoutSetup;
use crate::queue::message::{Purpose, Task, Terms, VERSION};

/// How long one waits for a result before one looks at everything else.
const LOOK: Duration = Duration::from_millis(100);
/// And how long at first for what a session before has left.
const FIRST_LOOK: Duration = Duration::from_millis(500);
/// Results taken in before games are offered again.
const BATCH: usize = 256;
/// A result that was taken in and not acknowledged comes again after so long.
const RESULT_WAIT: Duration = Duration::from_secs(60);
/// How long the broker is asked for results before it is asked anew, and how often it says that it is there.
const LISTEN: Duration = Duration::from_secs(30);
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often it is said that nobody is there to play.
const SAY: Duration = Duration::from_secs(30);
/// How often it is looked whether the broker has lost something, and how often that must look so.
const LOSS_LOOK: Duration = Duration::from_secs(5);
const LOSS_LOOKS: u32 = 3;
/// What the broker says of a stream that it does not have.
const NOT_FOUND: &str = "not found";

/// A game that somebody is to play.
pub(super) struct Offered {
    pub job: Job,
    pub bout: BoutSetup,
    pub terms: Terms,
    pub digest: String,
    /// As it was sent last; 0: it was not.
    pub attempt: u32,
    /// Played, and to be played again.
    pub held: Option<Held>,
    /// How often others were asked to play it again.
    pub asked: u32,
    /// This host plays it.
    pub here: bool,
}

/// A session.
pub(super) struct Session<'a> {
    pub queue: &'a NatsQueue,
    pub desk: &'a Desk<'a>,
    pub cases: Sender<Job>,
    pub offered: BTreeMap<GameKey, Offered>,
    /// Results of an earlier session, whose games have not come up.
    pub parked: BTreeMap<GameKey, Message>,
    /// What the broker has not taken yet: subject, id, message.
    unsent: VecDeque<(String, String, Vec<u8>)>,
    /// Tells offers of this session from all others.
    nonce: String,
    /// How often everything was offered anew.
    pub epoch: u32,
    /// What lay there from before is taken in.
    pub begun: bool,
    /// The broker was away.
    gone: bool,
    said: Option<Instant>,
    /// A message has come since it was looked whether the broker has lost something.
    pub heard: bool,
    looked: Instant,
    silent: u32,
}

/// Where messages come from.
pub(super) struct Inbox {
    jobs: Kept,
    results: Kept,
    messages: Stream,
}

impl<'a> Session<'a> {
    pub fn new(queue: &'a NatsQueue, desk: &'a Desk<'a>, cases: Sender<Job>) -> Self {
        let nonce =
            format!("{:x}", std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0));
        Self {
            queue,
            desk,
            cases,
            offered: BTreeMap::new(),
            parked: BTreeMap::new(),
            unsent: VecDeque::new(),
            nonce,
            epoch: 1,
            begun: false,
            gone: false,
            said: None,
            heard: false,
            looked: Instant::now(),
            silent: 0,
        }
    }

    fn broker(&self) -> &'a Broker {
        &self.queue.broker
    }

    /// Until no game is left, or somebody says stop.
    pub fn run(mut self, verdicts: &Receiver<Verdict>) -> Result<(), BrokerError> {
        let mut inbox = self.open(true)?;
        self.clear_jobs(&inbox);
        while !self.desk.is_stopped() {
            let over = self.begun && self.offer();
            if over && self.needs_nothing() {
                break;
            }
            if self.broker().away().is_some() {
                self.gone = true;
            } else if std::mem::take(&mut self.gone) {
                // Who was asked for results before has forgotten it.
                self.mend(&mut inbox);
            }
            self.flush(&mut inbox);
            self.say_alone();
            self.look_for_loss(&inbox);
            let patience = if self.begun { LOOK } else { FIRST_LOOK };
            match self.broker().wait(some(&mut inbox.messages, patience)) {
                Ok(messages) => {
                    // What lay there from before is taken in before anything is offered.
                    self.begun |= messages.is_empty();
                    for message in messages {
                        self.take(message, &inbox);
                    }
                }
                Err(error) => {
                    log::info!("no result is fetched: {error}");
                    self.mend(&mut inbox);
                }
            }
            while let Ok(verdict) = verdicts.try_recv() {
                self.pronounce(verdict, &inbox);
            }
        }
        self.end(&inbox);
        Ok(())
    }

    /// Whether nothing more is to come: games on offer are wanted no more when a test is decided, unless somebody's word
    /// is to be heard about one.
    fn needs_nothing(&self) -> bool {
        let held = self.offered.values().any(|offered| offered.held.is_some());
        self.offered.is_empty() || (self.desk.is_complete() && !held)
    }

    fn open(&self, anew: bool) -> Result<Inbox, BrokerError> {
        let broker = self.broker();
        let jobs = broker.stream(JOBS, "sandboard.jobs.>")?;
        let results = broker.stream(RESULTS, "sandboard.results.>")?;
        let name = self.consumer_name();
        if anew {
            // What a session before was given and has not acknowledged comes at once, and not when its time is up.
            drop(broker.wait(results.delete_consumer(&name)));
        }
        let subject = results_of(&self.queue.setup.arena);
        let consumer = broker.consumer(&results, &name, subject, RESULT_WAIT)?;
        let messages = broker.wait(listen(&consumer)).map_err(broker.failed("hand out results"))?;
        Ok(Inbox { jobs, results, messages })
    }

    fn consumer_name(&self) -> String {
        format!("arena-{}", self.queue.setup.arena)
    }

    /// After a loss of the broker, or of what it kept.
    fn mend(&mut self, inbox: &mut Inbox) {
        std::thread::sleep(LOOK);
        if self.broker().away().is_some() {
            return;
        }
        let there = self.broker().wait(inbox.jobs.get_info());
        let lost = there.is_err_and(|error| error.to_string().contains(NOT_FOUND));
        match self.open(false) {
            Ok(again) => {
                *inbox = again;
                if lost && self.broker().away().is_none() {
                    self.lost();
                }
            }
            Err(error) => self.broker().complain("results wait", &error.to_string()),
        }
    }

    /// The broker may lose some of what it keeps, or all of it and be given it anew by a worker: games are on offer then of
    /// which it has none, and nothing comes of them.
    fn look_for_loss(&mut self, inbox: &Inbox) {
        if self.looked.elapsed() < LOSS_LOOK || self.broker().away().is_some() {
            return;
        }
        self.looked = Instant::now();
        let waits = self.offered.values().any(|offered| !offered.here);
        let still = waits && self.unsent.is_empty() && !std::mem::take(&mut self.heard);
        if !still || self.kept(inbox) != Some(0) {
            self.silent = 0;
            return;
        }
        self.silent += 1;
        if self.silent >= LOSS_LOOKS {
            self.silent = 0;
            self.lost();
        }
    }

    /// How many games of this arena the broker keeps.
    fn kept(&self, inbox: &Inbox) -> Option<usize> {
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
                log::info!("games at the broker are not counted: {error}")
            })
            .ok()
    }

    /// What the broker kept of this arena is gone.
    fn lost(&mut self) {
        log::warn!("the broker has lost its games: they are offered again");
        self.queue.provide_again();
        self.anew();
    }

    /// All that is on offer is forgotten, and offered again as it comes up.
    pub fn anew(&mut self) {
        self.epoch += 1;
        self.unsent.clear();
        for key in std::mem::take(&mut self.offered).into_keys() {
            self.desk.give_back(key);
        }
    }

    /// Games that nobody has begun are begun by nobody.
    pub fn clear_jobs(&self, inbox: &Inbox) {
        let subject = jobs_of(&self.queue.kind, &self.queue.setup.arena);
        if let Err(error) = self.broker().wait(inbox.jobs.purge().filter(subject).into_future()) {
            log::info!("games that were offered are not taken back: {error}");
        }
    }

    /// Takes games while there is room for them. True: there are none any more.
    fn offer(&mut self) -> bool {
        let window = self.queue.window();
        while self.offered.len() < window {
            match self.desk.look() {
                Next::Over => return true,
                Next::Later => return false,
                Next::Job(job) => self.prepare(job),
            }
        }
        false
    }

    fn prepare(&mut self, job: Job) {
        let key = job.key();
        let bout = match self.desk.arena().bout(&job) {
            Ok(bout) => bout,
            Err(error) => {
                self.desk.give_back(key);
                return self.desk.fail(RunError::Exact { job: job.name(), error });
            }
        };
        let terms = match self.queue.terms(self.desk, &job, &bout) {
            Ok(terms) => terms,
            Err(reason) => {
                self.desk.give_back(key);
                return self.desk.fail(RunError::Unplayable { job: job.name(), reason });
            }
        };
        let digest = terms.digest();
        let (attempt, held, asked, here) = (0, None, 0, false);
        let offered = Offered { job, bout, terms, digest, attempt, held, asked, here };
        self.offered.insert(key, offered);
        match self.parked.remove(&key) {
            Some(message) => {
                if let Some((worker, reason)) = self.came(message) {
                    // It is found out anew by what comes next of this worker.
                    log::warn!("a result of {worker}, which lay there, does not count: {reason}");
                }
                // It was another game, or drawn to be played again.
                if self.offered.get(&key).is_some_and(|it| it.held.is_none()) {
                    self.send(key, Purpose::Play);
                }
            }
            None => self.send(key, Purpose::Play),
        }
    }

    /// A game goes to whoever is free.
    pub fn send(&mut self, key: GameKey, purpose: Purpose) {
        let Some(offered) = self.offered.get_mut(&key) else { return };
        offered.attempt = self.epoch;
        let (arena, job) = (&self.queue.setup.arena, offered.job);
        let task = Task {
            version: VERSION,
            kind: self.queue.kind.clone(),
            arena: arena.clone(),
            id: crate::hex(&job_id(arena, job.pair.number)),
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
        self.unsent.push_back((jobs_of(&self.queue.kind, arena), id, task.encode()));
    }

    /// What is to be sent goes to the broker, if it is there.
    fn flush(&mut self, inbox: &mut Inbox) {
        if self.unsent.is_empty() || self.broker().away().is_some() {
            return;
        }
        match self.broker().send_all(self.unsent.iter().cloned()) {
            Ok(()) => self.unsent.clear(),
            Err(error) => {
                self.broker().complain("games wait", &error.to_string());
                self.mend(inbox);
            }
        }
    }

    fn say_alone(&mut self) {
        let quiet = *self.said.get_or_insert_with(Instant::now);
        if !self.queue.is_alone() || self.broker().away().is_some() {
            self.said = None;
        } else if quiet.elapsed() > SAY {
            let url = &self.broker().url;
            log::warn!(
                "no worker of this build is there: start some by `sandboard worker --nats {url}`"
            );
            self.said = None;
        }
    }

    /// What was offered and not begun is taken back. Of an arena that is over nothing is left at the broker.
    fn end(mut self, inbox: &Inbox) {
        self.clear_jobs(inbox);
        let stopped = self.desk.is_stopped();
        self.anew();
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

/// What has come, after a short while at most.
async fn some(messages: &mut Stream, patience: Duration) -> Result<Vec<Message>, String> {
    let mut some = Vec::new();
    match tokio::time::timeout(patience, messages.next()).await {
        Err(_) => return Ok(some),
        Ok(None) => return Err("the broker hands out no more".into()),
        Ok(Some(first)) => some.push(first.map_err(|error| error.to_string())?),
    }
    while some.len() < BATCH {
        match messages.next().now_or_never() {
            Some(Some(Ok(next))) => some.push(next),
            // It is told the next time.
            Some(Some(Err(_)) | None) | None => break,
        }
    }
    Ok(some)
}
