//! Plays an arena: a queue that takes games from the ledger to whoever plays them (`queue`; `threads` is the one of this
//! machine alone), a thread that writes what was played (`table`), and the one that called, which tells how it gets on
//! and deals with requests (`office`). The only folder of the arena with threads.
//!
//! Invariant: what is not stored is not counted; the ledger hears of a game when its attempt is committed.

mod cores;
mod doubts;
mod office;
mod queue;
mod table;
mod threads;

#[cfg(test)]
mod tests;

use std::sync::{PoisonError, RwLock, mpsc};
use std::time::Duration;

use sandboard_tournament::schedule::{EventError, FinishError};

pub use cores::usual_concurrency;
pub use doubts::Hopeless;
use office::Office;
pub use queue::{Desk, JobQueue, Played, Receipt};
pub use table::Next;
use table::{News, Table};
pub use threads::{Threads, without_result};

use super::conditions::{Conditions, Rival};
use super::folder::{ArenaFolder, FolderError};
use super::job::Job;
use super::ledger::Ledger;
use super::live::Status;
use super::outcome::GameResult;
use super::request::Recruiter;
use super::setup::Contestant;
use super::store::{StoreError, Write};
use crate::bout::{BoutError, BoutSetup};
use crate::exact::ExactError;
use crate::ordered::Stop;

/// Games played at once, at most: each holds two instances of engines, of which
/// a process has a limited number.
pub const CONCURRENCY_MAX: usize = 64;
/// How often a game is tried that ends without a result.
const ATTEMPTS: u32 = 3;
/// How often requests are looked for, and what goes on is told.
const TICK: Duration = Duration::from_millis(500);

/// An arena with everything that is needed to play it.
pub struct Arena {
    /// Its id.
    pub id: String,
    /// What its games have in common.
    pub conditions: Conditions,
    /// Who plays, by number; others may join.
    pub players: RwLock<Vec<Rival>>,
}

/// How an arena is played.
pub struct Session<'a> {
    /// Brings games to whoever plays them.
    pub queue: &'a dyn JobQueue,
    /// Says that games are to be finished and none begun.
    pub stop: &'a Stop,
    /// Finds engines that join.
    pub recruiter: &'a mut dyn Recruiter,
    /// Sees how it gets on.
    pub watcher: &'a mut dyn Watcher,
}

/// Sees how an arena gets on, on the thread that called [`run`].
pub trait Watcher {
    /// A game is done, kept and counted as far as it can be.
    fn done(&mut self, _ledger: &Ledger, _job: &Job, _result: &GameResult) {}
    /// A game ended without a result and is played again.
    fn again(&mut self, _job: &Job, _reason: &str) {}
    /// A game has no result, however often it was tried: its pair is void.
    fn void(&mut self, _game: &Hopeless) {}
    /// Somebody has joined, with the next number.
    fn joined(&mut self, _player: &Contestant) {}
    /// A request was dealt with: the sentence that it was answered with.
    fn asked(&mut self, _sentence: &str) {}
    /// So much is going on; every half a second.
    fn tick(&mut self, _ledger: &Ledger, _status: &Status) {}
}

impl Watcher for () {}

/// Why an arena was not played to its end. What was finished is kept, and it can be gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A game cannot begin.
    #[error("game {job} cannot be played: {error}")]
    Bout {
        /// The game's name.
        job: String,
        /// Why not.
        error: BoutError,
    },
    /// Where a game begins has no exact value.
    #[error("game {job} cannot be played: {error}")]
    Exact {
        /// The game's name.
        job: String,
        /// Why not.
        error: ExactError,
    },
    /// A game ended without a result again and again, and no other one had any since.
    #[error("game {job} has no result after {ATTEMPTS} attempts{}: {reason}", others(*in_a_row))]
    NoResult {
        /// The game's name.
        job: String,
        /// How many pairs there were of which it is so.
        in_a_row: usize,
        /// How it ended the last time.
        reason: String,
    },
    /// Nobody else can play a game.
    #[error("game {job} cannot be played by any worker: {reason}")]
    Unplayable {
        /// The game's name.
        job: String,
        /// Why not.
        reason: String,
    },
    /// What brings games to workers does not.
    #[error("{0}")]
    Queue(String),
    /// What was played was not kept.
    #[error("what was played last is not kept: {0}")]
    Store(StoreError),
    /// The schedule does not know a game that it handed out.
    #[error(transparent)]
    Schedule(#[from] FinishError),
    /// A change that was granted cannot be made any more.
    #[error(transparent)]
    Change(#[from] EventError),
    /// The store cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// That it was not the only one.
fn others(in_a_row: usize) -> String {
    match in_a_row {
        ..=1 => String::new(),
        _ => format!(
            ", nor has a game of {} just before",
            crate::counted(in_a_row - 1, "other pair")
        ),
    }
}

impl Arena {
    /// The bout of a game between its players. Err: where it begins has no exact value.
    pub fn bout(&self, job: &Job) -> Result<BoutSetup, ExactError> {
        let rivals = self.players.read().unwrap_or_else(PoisonError::into_inner);
        self.conditions.bout(job, &rivals)
    }
}

/// Plays all games of an arena that are not done yet, until nothing is left or somebody says stop.
/// The ledger that comes back holds what is kept; with an error, something went wrong on the way.
pub fn run(
    arena: &Arena,
    folder: &ArenaFolder,
    ledger: Ledger,
    session: Session<'_>,
) -> (Ledger, Result<(), RunError>) {
    let Session { queue, stop, recruiter, watcher } = session;
    let table = Table::new(arena, ledger, stop);
    let (store, runtime) = (folder.store(), folder.runtime());
    let mut ended = Ok(());
    std::thread::scope(|scope| {
        let (parcels, inbox) = mpsc::channel();
        let (sender, news) = mpsc::channel();
        let table = &table;
        let desk = Desk { table, parcels: parcels.clone(), news: sender.clone() };
        scope.spawn(move || {
            let _leaves = Leaves(desk.news.clone());
            let _guard = desk.guard();
            queue.serve(&desk);
        });
        scope.spawn(move || {
            let commit = |writes: &[Write]| runtime.block_on(store.commit(writes));
            table.write(&inbox, &sender, commit, || Ok(folder.load()?.ledger));
        });
        ended = Office::new(table, queue, folder, recruiter, watcher).sit(&news, parcels);
    });
    (table.into_ledger(), ended)
}

/// Tells that nothing more is played, however that came.
struct Leaves(mpsc::Sender<News>);

impl Drop for Leaves {
    fn drop(&mut self) {
        let _ = self.0.send(News::Left);
    }
}

/// A name that nobody has: this one, else with a number behind it.
pub fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u64..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
