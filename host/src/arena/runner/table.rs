//! What the parts of an arena that is played share: the ledger, and the one that stores: what was played goes to the
//! store, and to the ledger once it is committed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sandboard_tournament::schedule::EventError;

use super::queue::Receipt;
use super::{Arena, Hopeless, RunError, TICK};
use crate::arena::folder::FolderError;
use crate::arena::job::Job;
use crate::arena::ledger::Ledger;
use crate::arena::outcome::GameResult;
use crate::arena::store::{Exclusion, StoreError, Write};
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
    /// Attempts that the writer has not stored yet.
    unstored: AtomicUsize,
}

/// What goes to the writer.
pub(super) enum Parcel {
    /// A game was played; with a result it counts once it is stored, and then its receipt is given.
    Game(Job, Option<Box<GameResult>>, Write, Option<Receipt>),
    /// Something else is to be kept, all of it or nothing.
    Other(Vec<Write>),
    /// Nothing of a worker counts any more.
    Exclude {
        /// Who.
        worker: String,
        /// Why.
        reason: String,
        /// Told when it is so.
        done: Sender<()>,
    },
}

/// What is to be played next.
pub enum Next {
    /// This game.
    Job(Job),
    /// None now: what comes next depends on games in play.
    Later,
    /// None any more.
    Over,
}

/// What is stored at once.
#[derive(Default)]
struct Group {
    writes: Vec<Write>,
    games: Vec<(Job, Option<Box<GameResult>>, Option<Receipt>)>,
    /// Somebody is excluded: these wait for it.
    excludes: Vec<Sender<()>>,
}

/// What whoever called hears.
pub(super) enum News {
    /// These games are stored and counted.
    Done(Vec<(Job, Box<GameResult>)>),
    /// A game had no result, and is played again.
    Again(Job, String),
    /// A game has no result, however often it was tried.
    Hopeless(Box<Hopeless>),
    /// Nothing is begun any more, for this reason.
    Failed(RunError),
    /// Nothing more is played.
    Left,
}

impl<'a> Table<'a> {
    pub fn new(arena: &'a Arena, ledger: Ledger, stop: &'a Stop) -> Self {
        Self {
            arena,
            ledger: Mutex::new(ledger),
            changed: Condvar::new(),
            stop,
            failed: AtomicBool::new(false),
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

    /// Nothing is begun any more, for this reason.
    pub fn fail(&self, error: RunError, sender: &Sender<News>) {
        self.give_up();
        // Whoever called waits for this until the last sender is gone.
        let _ = sender.send(News::Failed(error));
    }

    /// The next game to play; none: there is none any more. Waits where there will be one.
    pub fn next(&self) -> Option<Job> {
        let mut ledger = self.ledger();
        loop {
            match self.look(&mut ledger) {
                Next::Job(job) => return Some(job),
                Next::Over => return None,
                Next::Later => {}
            }
            // A round waits for the results of another.
            let waited = self.changed.wait_timeout(ledger, TICK);
            ledger = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The same without waiting.
    pub fn look(&self, ledger: &mut Ledger) -> Next {
        if self.is_stopped() || ledger.is_complete() {
            return Next::Over;
        }
        match ledger.take() {
            Some(job) => Next::Job(job),
            None if ledger.playing().next().is_some() => Next::Later,
            None => Next::Over,
        }
    }

    /// One more attempt waits for the store.
    pub fn expect(&self) {
        self.unstored.fetch_add(1, Ordering::SeqCst);
    }

    /// Waits while the store is far behind.
    pub fn wait_for_store(&self) {
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

    /// Stores what is handed in, in groups, and counts it then. After an exclusion the ledger is what `load` finds.
    pub fn write(
        &self,
        inbox: &Receiver<Parcel>,
        sender: &Sender<News>,
        commit: impl Fn(&[Write]) -> Result<(), StoreError>,
        load: impl Fn() -> Result<Ledger, FolderError>,
    ) {
        let _falls = Falls(self);
        let mut group = Group::default();
        while self.gather(inbox, &mut group) {
            if let Err(error) = commit(&group.writes) {
                // What was not kept is to be played again.
                let mut ledger = self.ledger();
                group.games.iter().for_each(|(job, ..)| ledger.give_back(job.key()));
                drop(ledger);
                return self.fail(RunError::Store(error), sender);
            }
            self.unstored.fetch_sub(group.games.len(), Ordering::SeqCst);
            group.writes.clear();
            let mut done = Vec::with_capacity(group.games.len());
            let mut ledger = self.ledger();
            let anew = !group.excludes.is_empty();
            if anew {
                match load() {
                    Ok(mut found) => match carry_over(&ledger, &mut found) {
                        Ok(()) => *ledger = found,
                        Err(error) => return self.fail(error.into(), sender),
                    },
                    Err(error) => return self.fail(error.into(), sender),
                }
            }
            for (job, result, receipt) in group.games.drain(..) {
                receipt.into_iter().for_each(|receipt: Receipt| receipt());
                let Some(result) = result else { continue };
                if anew {
                    done.push((job, result));
                    continue;
                }
                match ledger.add(job.key(), (*result).clone()) {
                    Ok(_) => done.push((job, result)),
                    Err(error) => self.fail(error.into(), sender),
                }
            }
            let _ = sender.send(News::Done(done));
            drop(ledger);
            group.excludes.clear();
            self.changed.notify_all();
        }
    }

    /// Waits for something to store, and a little longer for more. False: nothing comes any more.
    fn gather(&self, inbox: &Receiver<Parcel>, group: &mut Group) -> bool {
        let depends = || self.ledger().schedule().setup().format.depends_on_results();
        let mut take = |parcel| match parcel {
            Parcel::Other(more) => group.writes.extend(more),
            Parcel::Game(job, mut result, mut write, receipt) => {
                // It was in play when its pair became void.
                if self.ledger().schedule().is_void(job.pair.number) {
                    result = None;
                    if let Write::Attempt(attempt) = &mut write {
                        attempt.result = None;
                    }
                }
                group.writes.push(write);
                group.games.push((job, result, receipt));
            }
            Parcel::Exclude { worker, reason, done } => {
                let exclusion = Exclusion { worker, reason, later_rounds: depends() };
                group.writes.push(Write::Exclude(exclusion));
                group.excludes.push(done);
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

/// Changes that were granted and are on their way to the store: a ledger that was read from it has them, too.
fn carry_over(old: &Ledger, found: &mut Ledger) -> Result<(), EventError> {
    let stored = found.schedule().events().len();
    for event in old.schedule().events().iter().skip(stored) {
        found.apply(*event)?;
    }
    Ok(())
}

/// However a thread ends: a panic of one must not leave the others playing for hours.
pub(super) struct Falls<'a>(pub &'a Table<'a>);

impl Drop for Falls<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use sandboard_tournament::schedule::{Change, Entrant, Event, Format};

    use super::*;
    use crate::arena::fixture::setup;

    /// So many changes of an arena, of which the store has the first: a ledger that was read from it has them all.
    fn check(changes: &[Change], stored: usize) {
        let setup = setup(Format::RoundRobin { folds: 1 }, &["a", "b", "c"]);
        let [mut old, mut found] = [(); 2].map(|()| Ledger::new(&setup).unwrap());
        for (number, change) in changes.iter().enumerate() {
            // Each comes after one more game is begun.
            old.take();
            let event = Event { at: old.schedule().place(), change: *change };
            old.apply(event).unwrap();
            if number < stored {
                found.apply(event).unwrap();
            }
        }
        carry_over(&old, &mut found).unwrap();
        assert_eq!(found.schedule().events(), old.schedule().events(), "{stored}");
        assert_eq!(found.schedule().players(), old.schedule().players(), "{stored}");
    }

    #[test]
    fn changes_that_are_not_stored_yet_outlive_an_exclusion() {
        let changes = [Change::Join(Entrant::default()), Change::Withdraw(0), Change::Stop];
        for stored in 0..=changes.len() {
            check(&changes, stored);
        }
    }
}
