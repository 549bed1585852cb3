//! What the threads of a session share: the ledger, and the writer, which stores games and counts
//! them in the ledger once they are committed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sandboard_tournament::schedule::EventError;

use super::queue::CommitCallback;
use super::{Arena, RunError, TICK, UnresolvedGame};
use crate::folder::FolderError;
use crate::store::{Exclusion, StoreError, Write};
use sandboard_arena_plan::{GameResult, Job, Ledger};
use sandboard_common::ordered_work::Stop;

/// How long the writer waits for more games to store in the same commit.
const GROUP_WAIT: Duration = Duration::from_millis(40);
/// How often the writer looks for more games meanwhile. Being woken by each game would cost more
/// than storing it.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The most requests in one commit.
const GROUP_MAX: usize = 512;
/// With this many games waiting for the store, no further game begins.
const UNSTORED_MAX: usize = 1024;

/// The state that the threads of a session share.
pub(super) struct SharedLedger<'a> {
    pub(super) arena: &'a Arena,
    ledger: Mutex<Ledger>,
    /// Notified when the ledger changes or the session is stopped.
    changed: Condvar,
    pub(super) stop: &'a Stop,
    /// Set after an error: no further game begins.
    failed: AtomicBool,
    /// Attempts that the writer has not stored yet.
    unstored: AtomicUsize,
}

/// A request to the writer.
pub(super) enum StoreRequest {
    /// Store a game. A result counts once it is stored; then the callback is called.
    Game(Job, Option<Box<GameResult>>, Write, Option<CommitCallback>),
    /// Store all of these, or none.
    Writes(Vec<Write>),
    /// Exclude a worker: its games no longer count.
    Exclude {
        /// The worker's name.
        worker: String,
        /// The reason, as a sentence.
        reason: String,
        /// Notified when the ledger is read again.
        done: Sender<()>,
    },
}

/// The answer to a request for the next game.
pub enum NextJob {
    /// Play this game.
    Job(Job),
    /// There is none now; the next depends on games in play.
    Later,
    /// There are no more games.
    Finished,
}

/// The requests of one commit.
#[derive(Default)]
struct Group {
    writes: Vec<Write>,
    games: Vec<(Job, Option<Box<GameResult>>, Option<CommitCallback>)>,
    /// Notified once the exclusions of this group are in the ledger.
    exclusions: Vec<Sender<()>>,
}

/// What the threads of a session report to the controller.
pub(super) enum RunnerEvent {
    /// These games are stored and counted.
    Counted(Vec<(Job, Box<GameResult>)>),
    /// A game had no result, for this reason, and is played again.
    Replayed(Job, String),
    /// A game has no result after all attempts.
    Unresolved(Box<UnresolvedGame>),
    /// An error ended the session: no further game begins.
    Failed(RunError),
    /// The queue has ended: no more games are played.
    Finished,
}

impl<'a> SharedLedger<'a> {
    pub(super) fn new(arena: &'a Arena, ledger: Ledger, stop: &'a Stop) -> Self {
        Self {
            arena,
            ledger: Mutex::new(ledger),
            changed: Condvar::new(),
            stop,
            failed: AtomicBool::new(false),
            unstored: AtomicUsize::new(0),
        }
    }

    pub(super) fn into_ledger(self) -> Ledger {
        self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no further game may begin.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_stopped() || self.failed.load(Ordering::SeqCst)
    }

    /// Lets no further game begin.
    pub(super) fn abort(&self) {
        self.failed.store(true, Ordering::SeqCst);
        self.changed.notify_all();
    }

    /// Wakes the threads that wait for a change of the ledger.
    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Lets no further game begin and reports the error.
    pub(super) fn fail(&self, error: RunError, sender: &Sender<RunnerEvent>) {
        self.abort();
        // The controller receives until the last sender is dropped.
        let _ = sender.send(RunnerEvent::Failed(error));
    }

    /// The next game to play. None: there are no more. Waits while there may be one later.
    pub(super) fn next(&self) -> Option<Job> {
        let mut ledger = self.ledger();
        loop {
            match self.try_next(&mut ledger) {
                NextJob::Job(job) => return Some(job),
                NextJob::Finished => return None,
                NextJob::Later => {}
            }
            // The next round depends on the results of this one.
            let waited = self.changed.wait_timeout(ledger, TICK);
            ledger = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next game to play, without waiting.
    pub(super) fn try_next(&self, ledger: &mut Ledger) -> NextJob {
        if self.is_stopped() || ledger.is_complete() {
            return NextJob::Finished;
        }
        match ledger.take() {
            Some(job) => NextJob::Job(job),
            None if ledger.playing().next().is_some() => NextJob::Later,
            None => NextJob::Finished,
        }
    }

    /// Counts one more attempt that waits for the store.
    pub(super) fn add_unstored(&self) {
        self.unstored.fetch_add(1, Ordering::SeqCst);
    }

    /// Waits while the store is far behind.
    pub(super) fn wait_for_store(&self) {
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

    /// Stores requests in groups and counts the results. After an exclusion, replaces the ledger
    /// by the one that `load` returns. Ends when all senders are dropped, or after an error.
    pub(super) fn write(
        &self,
        inbox: &Receiver<StoreRequest>,
        sender: &Sender<RunnerEvent>,
        commit: impl Fn(&[Write]) -> Result<(), StoreError>,
        load: impl Fn() -> Result<Ledger, FolderError>,
    ) {
        let _guard = PanicGuard(self);
        let mut group = Group::default();
        while self.gather(inbox, &mut group) {
            if let Err(error) = commit(&group.writes) {
                // Games that were not stored are played again.
                let mut ledger = self.ledger();
                group.games.iter().for_each(|(job, ..)| ledger.release(job.key()));
                drop(ledger);
                return self.fail(RunError::Store(error), sender);
            }
            self.unstored.fetch_sub(group.games.len(), Ordering::SeqCst);
            group.writes.clear();
            let mut done = Vec::with_capacity(group.games.len());
            let mut ledger = self.ledger();
            let is_reloaded = !group.exclusions.is_empty();
            if is_reloaded {
                match load() {
                    Ok(mut found) => match carry_over(&ledger, &mut found) {
                        Ok(()) => *ledger = found,
                        Err(error) => return self.fail(error.into(), sender),
                    },
                    Err(error) => return self.fail(error.into(), sender),
                }
            }
            for (job, result, on_commit) in group.games.drain(..) {
                on_commit.into_iter().for_each(|callback: CommitCallback| callback());
                let Some(result) = result else { continue };
                if is_reloaded {
                    done.push((job, result));
                    continue;
                }
                match ledger.add(job.key(), (*result).clone()) {
                    Ok(_) => done.push((job, result)),
                    Err(error) => self.fail(error.into(), sender),
                }
            }
            let _ = sender.send(RunnerEvent::Counted(done));
            drop(ledger);
            group.exclusions.clear();
            self.changed.notify_all();
        }
    }

    /// Waits for a request, and up to [`GROUP_WAIT`] for more. False: all senders are dropped.
    fn gather(&self, inbox: &Receiver<StoreRequest>, group: &mut Group) -> bool {
        let depends_on_results = || self.ledger().schedule().setup().format.depends_on_results();
        let mut take = |request| match request {
            StoreRequest::Writes(more) => group.writes.extend(more),
            StoreRequest::Game(job, mut result, mut write, on_commit) => {
                // The pair became void while this game was in play.
                if self.ledger().schedule().is_void(job.pair.number) {
                    result = None;
                    if let Write::Attempt(attempt) = &mut write {
                        attempt.result = None;
                    }
                }
                group.writes.push(write);
                group.games.push((job, result, on_commit));
            }
            StoreRequest::Exclude { worker, reason, done } => {
                let exclusion = Exclusion { worker, reason, later_pairs: depends_on_results() };
                group.writes.push(Write::Exclude(exclusion));
                group.exclusions.push(done);
            }
        };
        let Ok(first) = inbox.recv() else { return false };
        take(first);
        let until = Instant::now() + GROUP_WAIT;
        for _ in 1..GROUP_MAX {
            let next = loop {
                match inbox.try_recv() {
                    Err(TryRecvError::Empty) if Instant::now() < until => {
                        std::thread::sleep(POLL_INTERVAL)
                    }
                    next => break next,
                }
            };
            match next {
                Ok(request) => take(request),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        true
    }
}

/// Applies to a ledger that was read from the store the changes that were accepted and are not
/// stored yet.
fn carry_over(old: &Ledger, found: &mut Ledger) -> Result<(), EventError> {
    let stored = found.schedule().events().len();
    for event in old.schedule().events().iter().skip(stored) {
        found.apply(*event)?;
    }
    Ok(())
}

/// Aborts the session if a thread panics, so that the others do not go on playing for hours.
pub(super) struct PanicGuard<'a>(pub &'a SharedLedger<'a>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use sandboard_tournament::schedule::{Change, Entrant, Event, Format};

    use super::*;
    use sandboard_arena_plan::fixture::setup;

    /// Checks that a ledger read from a store with the first `stored` changes gets all of them.
    fn check(changes: &[Change], stored: usize) {
        let setup = setup(Format::RoundRobin { cycles: 1 }, &["a", "b", "c"]);
        let [mut old, mut found] = [(); 2].map(|()| Ledger::new(&setup).unwrap());
        for (number, change) in changes.iter().enumerate() {
            // One more game begins before each change.
            old.take();
            let event = Event { from_pair: old.schedule().first_unstarted(), change: *change };
            old.apply(event).unwrap();
            if number < stored {
                found.apply(event).unwrap();
            }
        }
        carry_over(&old, &mut found).unwrap();
        assert_eq!(found.schedule().events(), old.schedule().events(), "{stored}");
        assert_eq!(found.schedule().player_count(), old.schedule().player_count(), "{stored}");
    }

    #[test]
    fn unstored_changes_survive_an_exclusion() {
        let changes = [Change::Join(Entrant::default()), Change::Withdraw(0), Change::Stop];
        for stored in 0..=changes.len() {
            check(&changes, stored);
        }
    }
}
