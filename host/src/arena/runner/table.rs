//! The threads that play and the one that stores: games go from the ledger over a bout to the store, and back to the
//! ledger once they are committed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{ATTEMPTS, Arena, RunError, TICK};
use crate::arena::job::{Job, job_id};
use crate::arena::ledger::Ledger;
use crate::arena::live::{Shower, Slot};
use crate::arena::outcome::GameResult;
use crate::arena::store::{Attempt, Packed, StoreError, Summary, Write};
use crate::bout::BoutReport;
use crate::ordered::Stop;

/// How long a game that was played waits for others to be stored with it.
const GROUP: Duration = Duration::from_millis(40);
/// How often the writer looks for more meanwhile. To be woken by each game would cost more than to store it.
const LOOK: Duration = Duration::from_millis(10);
/// How many are stored at once.
const GROUP_MAX: usize = 512;
/// How many games may wait for the store before nobody begins another.
const UNSTORED_MAX: usize = 1024;

/// What the threads of an arena share.
pub(super) struct Table<'a> {
    pub(super) arena: &'a Arena,
    ledger: Mutex<Ledger>,
    /// The ledger has changed, or somebody says stop.
    changed: Condvar,
    pub(super) stop: &'a Stop,
    /// Something went wrong: nothing is begun any more.
    failed: AtomicBool,
    pub(super) slots: Vec<Slot>,
    /// Attempts that the writer has not stored yet.
    unstored: AtomicUsize,
}

/// What goes to the writer.
pub(super) enum Parcel {
    /// A game was played; with a result it counts once it is stored.
    Game(Job, Option<Box<GameResult>>, Write),
    /// Something else is to be kept, all of it or nothing.
    Other(Vec<Write>),
}

/// What whoever called hears.
pub(super) enum News {
    /// These games are stored and counted.
    Done(Vec<(Job, Box<GameResult>)>),
    /// A game had no result, and is played again.
    Again(Job, String),
    /// Nothing is begun any more, for this reason.
    Failed(RunError),
    /// A thread that played has come to its end.
    Left,
}

impl<'a> Table<'a> {
    pub fn new(arena: &'a Arena, ledger: Ledger, stop: &'a Stop, concurrency: usize) -> Self {
        Self {
            arena,
            ledger: Mutex::new(ledger),
            changed: Condvar::new(),
            stop,
            failed: AtomicBool::new(false),
            slots: (0..concurrency).map(|_| Slot::default()).collect(),
            unstored: AtomicUsize::new(0),
        }
    }

    pub fn into_ledger(self) -> Ledger {
        self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is begun any more.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped() || self.failed.load(Ordering::SeqCst)
    }

    /// Nothing is begun any more.
    pub fn give_up(&self) {
        self.failed.store(true, Ordering::SeqCst);
        self.changed.notify_all();
    }

    /// Whoever waits for something looks again.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    fn fail(&self, error: RunError, sender: &Sender<News>) {
        self.give_up();
        // Whoever called waits for this until the last sender is gone.
        let _ = sender.send(News::Failed(error));
    }

    /// The next game to play; none: there is none any more.
    fn next(&self) -> Option<Job> {
        let mut ledger = self.ledger();
        loop {
            if self.is_stopped() || ledger.is_complete() {
                return None;
            }
            if let Some(job) = ledger.take() {
                return Some(job);
            }
            ledger.playing().next()?;
            // A round waits for the results of another.
            let waited = self.changed.wait_timeout(ledger, TICK);
            ledger = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Plays games until there are none.
    pub fn work(&self, index: usize, parcels: &Sender<Parcel>, sender: &Sender<News>) {
        let _leaves = Leaves(self, sender);
        while let Some(job) = self.next() {
            if let Err(error) = self.play(index, &job, parcels, sender) {
                self.ledger().give_back(job.key());
                self.fail(error, sender);
            }
            self.wait_for_store();
        }
        self.slots[index].clear();
    }

    /// Plays a game until it has a result, and hands it in to be stored.
    fn play(
        &self,
        index: usize,
        job: &Job,
        parcels: &Sender<Parcel>,
        sender: &Sender<News>,
    ) -> Result<(), RunError> {
        let mut reason = String::new();
        for attempt in 1..=ATTEMPTS {
            let setup = self.arena.bout(job);
            let setup = setup.map_err(|error| RunError::Exact { job: job.name(), error })?;
            let start = setup.start.position.clone();
            let mut shower = Shower { slot: &self.slots[index], job, start: start.as_deref() };
            let report = crate::bout::run(setup, None, &mut shower)
                .map_err(|error| RunError::Bout { job: job.name(), error })?;
            let result = GameResult::of(&report.record, job).map(Box::new);
            if result.is_none() {
                reason = without_result(&report);
            }
            let write = self.attempt(job, &report, result.as_deref());
            self.unstored.fetch_add(1, Ordering::SeqCst);
            let done = result.is_some();
            // The writer is gone where it failed, which everybody has been told.
            if parcels.send(Parcel::Game(*job, result, write)).is_err() || done {
                return Ok(());
            }
            if attempt < ATTEMPTS {
                let _ = sender.send(News::Again(*job, reason.clone()));
            }
        }
        Err(RunError::NoResult { job: job.name(), reason })
    }

    fn attempt(&self, job: &Job, report: &BoutReport, result: Option<&GameResult>) -> Write {
        let sentence = match result {
            Some(result) => result.sentence.clone(),
            None => without_result(report),
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Write::Attempt(Box::new(Attempt {
            game: job.key(),
            job: job_id(&self.arena.id, job.pair.number),
            round: job.pair.round,
            opening: job.opening,
            players: job.pair.players,
            result: result.map(|result| Summary {
                half_points: result.half_points,
                plies: result.plies,
                fault: result.fault.as_ref().map(|fault| fault.code.clone()),
                // No value of it can fail, and keys are texts.
                result: serde_json::to_string(result).unwrap_or_default(),
            }),
            sentence,
            record: Packed::of(&serde_json::to_vec(&report.record).unwrap_or_default()),
            stored_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        }))
    }

    /// Waits while the store is far behind.
    fn wait_for_store(&self) {
        if self.unstored.load(Ordering::SeqCst) < UNSTORED_MAX {
            return;
        }
        let mut ledger = self.ledger();
        while self.unstored.load(Ordering::SeqCst) >= UNSTORED_MAX
            && !self.failed.load(Ordering::SeqCst)
        {
            let waited = self.changed.wait_timeout(ledger, TICK);
            ledger = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Stores what is handed in, in groups, and counts it then.
    pub fn write(
        &self,
        inbox: &Receiver<Parcel>,
        sender: &Sender<News>,
        commit: impl Fn(&[Write]) -> Result<(), StoreError>,
    ) {
        let _leaves = Leaves(self, sender);
        let (mut writes, mut games) = (Vec::new(), Vec::new());
        while self.gather(inbox, &mut writes, &mut games) {
            if let Err(error) = commit(&writes) {
                // What was not kept is to be played again.
                let mut ledger = self.ledger();
                games.iter().for_each(|(job, _): &(Job, _)| ledger.give_back(job.key()));
                drop(ledger);
                return self.fail(RunError::Store(error), sender);
            }
            self.unstored.fetch_sub(games.len(), Ordering::SeqCst);
            writes.clear();
            let mut done = Vec::with_capacity(games.len());
            let mut ledger = self.ledger();
            for (job, result) in games.drain(..) {
                let Some(result) = result else { continue };
                match ledger.add(job.key(), (*result).clone()) {
                    Ok(_) => done.push((job, result)),
                    Err(error) => self.fail(error.into(), sender),
                }
            }
            let _ = sender.send(News::Done(done));
            drop(ledger);
            self.changed.notify_all();
        }
    }

    /// Waits for something to store, and a little longer for more. False: nothing comes any more.
    fn gather(
        &self,
        inbox: &Receiver<Parcel>,
        writes: &mut Vec<Write>,
        games: &mut Vec<(Job, Option<Box<GameResult>>)>,
    ) -> bool {
        let mut take = |parcel| match parcel {
            Parcel::Other(more) => writes.extend(more),
            Parcel::Game(job, result, write) => {
                writes.push(write);
                games.push((job, result));
            }
        };
        let Ok(first) = inbox.recv() else { return false };
        take(first);
        let until = Instant::now() + GROUP;
        for _ in 1..GROUP_MAX {
            let next = loop {
                match inbox.try_recv() {
                    Err(TryRecvError::Empty) if Instant::now() < until => std::thread::sleep(LOOK),
                    next => break next,
                }
            };
            match next {
                Ok(parcel) => take(parcel),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        true
    }
}

fn without_result(report: &BoutReport) -> String {
    match &report.result {
        Some(result) => result.sentence.clone(),
        None => "it is unfinished".into(),
    }
}

/// Tells that a thread is at its end, however it ends: a panic of one must not leave the others playing for hours.
struct Leaves<'a>(&'a Table<'a>, &'a Sender<News>);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
        let _ = self.1.send(News::Left);
    }
}
