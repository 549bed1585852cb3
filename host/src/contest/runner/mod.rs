//! Runs a contest: entries that came are tried, unrated bouts are played, a ladder goes on while it is open, and a final is played
//! when it is closed. A thread each for entries and for unrated bouts, so that neither waits for a long game; the games
//! of ladder and final are an arena's, on the thread that called. The only part of contests with threads.
//!
//! Invariant: what is to be done is found in the store, and what came of it is kept there, so that a runner that was killed goes on
//! where it was; nothing is decided here that depends on when that was.

mod games;
mod judge;
mod suspend;
mod usher;

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::file::{Contest, Phase};
use super::folder::{CLOSES_PAPER, ContestFolder, ContestFolderError};
use super::likeness::Baseline;
use super::pipeline::{Bounds, Report};
use super::squad::Squad;
use super::store::{Submission, Trial};
use crate::arena::{Contestant, FolderError, Ledger, RunError};
use crate::bout::EnginePlayer;
use crate::loader::Loader;
use crate::ordered::Stop;
use crate::record::{Start, of_date};

pub use games::{FINAL_PAPER, LADDER, OVER_PAPER};

/// How often it is looked whether there is something to do.
const TICK: Duration = Duration::from_millis(300);
/// So often an entry is tried that ends undecided, in one session.
const ATTEMPTS: u32 = 3;

/// A contest with everything that is needed to run it.
pub struct Runner<'a> {
    /// Its folder, which this process holds.
    pub folder: &'a ContestFolder,
    /// What loads its entries: one [for contests](Loader::for_contest).
    pub loader: &'a Loader,
    /// The engines of its house, loaded by the same.
    pub house: &'a [(Contestant, EnginePlayer)],
    /// What everybody's entry may have in common with others': the code of the house.
    pub baseline: &'a Baseline,
    /// Where games begin; empty: at the start, or with a deal.
    pub openings: Vec<Start>,
    /// Games of ladder and final that are played at once.
    pub concurrency: usize,
    /// Within what entries are tried.
    pub bounds: Bounds,
    /// Says that what is begun is finished, and nothing further begun.
    pub stop: &'a Stop,
    /// Hears how it gets on.
    pub teller: &'a dyn Teller,
}

/// Hears how a contest gets on, on several threads.
pub trait Teller: Sync {
    /// An entry was tried.
    fn judged(&self, _entry: &Submission, _report: &Report) {}
    /// An unrated bout was played.
    fn tried(&self, _trial: &Trial, _sentence: &str) {}
    /// Something is worth a line.
    fn note(&self, _line: &str) {}
    /// So far an arena of the contest is.
    fn games(&self, _arena: &str, _ledger: &Ledger) {}
}

impl Teller for () {}

/// How a session ended that nothing went wrong in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything is played.
    Over,
    /// Somebody said stop.
    Stopped,
}

/// Why a contest cannot be run any further. What is kept is kept, and it can be gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// Its folder.
    #[error(transparent)]
    Folder(#[from] ContestFolderError),
    /// The folder of an arena of it.
    #[error(transparent)]
    Arena(#[from] FolderError),
    /// An arena of it.
    #[error("the {arena} stands still: {error}")]
    Games {
        /// Which.
        arena: String,
        /// Why.
        error: Box<RunError>,
    },
    /// A player is not to be had, or nothing can begin; a sentence.
    #[error("the {arena} cannot be played: {reason}")]
    Players {
        /// Which arena.
        arena: String,
        /// Why.
        reason: String,
    },
    /// A temporary file.
    #[error("an entry cannot be tried: {0}")]
    Temporary(std::io::Error),
}

/// What the threads of a session share.
struct Floor<'a> {
    runner: &'a Runner<'a>,
    squad: Squad<'a>,
    /// Everything is played, or something went wrong.
    is_over: AtomicBool,
    failed: Mutex<Option<RunnerError>>,
}

impl Floor<'_> {
    fn is_done(&self) -> bool {
        self.is_over.load(Ordering::SeqCst) || self.runner.stop.is_stopped()
    }

    /// The first reason is told; the others followed from it.
    fn fail(&self, error: RunnerError) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Works until everything is done; how long nothing was found to do, it rests.
    fn work(&self, mut step: impl FnMut() -> Result<bool, RunnerError>) {
        while !self.is_done() {
            match step() {
                Ok(true) => {}
                Ok(false) => std::thread::sleep(TICK),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Whether an entry waits for its test, be it another one.
    fn waits(&self) -> Result<bool, RunnerError> {
        let folder = self.runner.folder;
        let entries = folder.wait(folder.store().entries(None))?;
        Ok(entries.iter().any(Submission::waits))
    }

    /// Where the contest is in its time; its organiser may have changed the date since it was begun.
    fn phase(&self) -> Result<Phase, RunnerError> {
        let folder = self.runner.folder;
        let closes = folder.wait(folder.store().paper(CLOSES_PAPER))?;
        let closes = closes.map_or(folder.contest().closes, |text| of_date(&text));
        Ok(Contest { closes, ..folder.contest().clone() }.phase(SystemTime::now()))
    }
}

/// Runs a contest until everything is played, or somebody says stop.
pub fn run(runner: &Runner<'_>) -> Result<Ended, RunnerError> {
    let Runner { folder, loader, house, .. } = *runner;
    let squad = Squad { folder, loader, house };
    let (is_over, failed) = (AtomicBool::new(false), Mutex::new(None));
    let floor = Floor { runner, squad, is_over, failed };
    std::thread::scope(|scope| {
        let floor = &floor;
        scope.spawn(move || judge::Judge::new(floor).work());
        scope.spawn(move || judge::tries(floor));
        let mut hall = games::Hall::new(floor);
        floor.work(|| hall.step());
        floor.is_over.store(true, Ordering::SeqCst);
    });
    match floor.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None if runner.stop.is_stopped() => Ok(Ended::Stopped),
        None => Ok(Ended::Over),
    }
}
