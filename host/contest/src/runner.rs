//! Runs a contest: tests entries, plays trials, continues the ladder while the contest is open, and
//! plays the final when it is closed. One thread tests entries and one plays trials, so that
//! neither waits for a long game; ladder and final run on the calling thread as arenas. The only
//! part of contests with threads.
//!
//! Invariant: the work is found in the store and its results are written there, so a killed runner
//! resumes where it was. No decision depends on when it was killed.

mod entry_tester;
mod game_scheduler;
mod roster_sync;
mod suspend;

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::entry_loader::EntryLoader;
use super::folder::{ContestFolder, ContestFolderError, closing_date};
use super::log_quota::LogQuota;
use super::pipeline::{Bounds, Report};
use super::similarity::Fingerprint;
use super::store::{Submission, Trial};
use sandboard_arena::{FolderError, RunError};
use sandboard_arena_plan::{Contestant, Ledger};
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::start::StartPosition;
use sandboard_common::ordered_work::Stop;
use sandboard_contest_rules::{Contest, Phase};
use sandboard_packs::loader::Loader;

/// How often the runner looks for work.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// How often an undecided entry is tested in one session.
const ATTEMPTS: u32 = 3;

/// A contest with everything needed to run it.
pub struct Runner<'a> {
    /// The folder, locked by this process.
    pub folder: &'a ContestFolder,
    /// Loads the entries; must be [for contests](Loader::for_contest).
    pub loader: &'a Loader,
    /// The house engines, loaded by the same loader.
    pub house: &'a [(Contestant, EnginePlayer)],
    /// The code of the house engines, which entries may share, by their ids.
    pub house_fingerprints: &'a [(String, Fingerprint)],
    /// The openings; empty: games begin at the start position, or with a deal.
    pub openings: Vec<StartPosition>,
    /// The number of ladder and final games played at once.
    pub concurrency: usize,
    /// The limits of entry tests.
    pub bounds: Bounds,
    /// Stops the runner: started work is finished, and none is started.
    pub stop: &'a Stop,
    /// Follows the progress.
    pub observer: &'a dyn RunnerObserver,
}

/// Follows the progress of a contest. Called on several threads.
pub trait RunnerObserver: Sync {
    /// An entry was tested.
    fn entry_tested(&self, _entry: &Submission, _report: &Report) {}
    /// A trial was played.
    fn trial_played(&self, _trial: &Trial, _sentence: &str) {}
    /// Reports an event in one line.
    fn note(&self, _line: &str) {}
    /// An arena of the contest counted a game.
    fn game_counted(&self, _arena: &str, _ledger: &Ledger) {}
}

impl RunnerObserver for () {}

/// How a session ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Everything is played.
    Finished,
    /// The runner was stopped.
    Stopped,
}

/// Why a contest cannot continue. Stored results stay, and it can be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The contest's folder failed.
    #[error(transparent)]
    Folder(#[from] ContestFolderError),
    /// The folder of an arena failed.
    #[error(transparent)]
    Arena(#[from] FolderError),
    /// An arena failed.
    #[error("the {arena} cannot continue: {error}")]
    Games {
        /// The arena's name.
        arena: String,
        error: Box<RunError>,
    },
    /// A player cannot be loaded, or the arena cannot start.
    #[error("the {arena} cannot be played: {reason}")]
    Players {
        /// The arena's name.
        arena: String,
        reason: String,
    },
    /// The system refused a temporary file.
    #[error("an entry cannot be tested: {0}")]
    Temporary(std::io::Error),
}

/// The state that the threads of a session share.
struct RunnerContext<'a> {
    runner: &'a Runner<'a>,
    entry_loader: EntryLoader<'a>,
    /// Whether everything is played or an error occurred.
    is_over: AtomicBool,
    failed: Mutex<Option<RunnerError>>,
}

impl RunnerContext<'_> {
    fn is_done(&self) -> bool {
        self.is_over.load(Ordering::SeqCst) || self.runner.stop.is_stopped()
    }

    /// Records the first error; later ones follow from it.
    fn fail(&self, error: RunnerError) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Repeats `step` until everything is done, with a pause while there is no work.
    fn work(&self, mut step: impl FnMut() -> Result<bool, RunnerError>) {
        while !self.is_done() {
            match step() {
                Ok(true) => {}
                Ok(false) => std::thread::sleep(POLL_INTERVAL),
                Err(error) => self.fail(error),
            }
        }
    }

    /// Whether any entry waits for a test.
    fn waits(&self) -> Result<bool, RunnerError> {
        let folder = self.runner.folder;
        let entries = folder.wait(folder.store().entries(None))?;
        Ok(entries.iter().any(Submission::waits))
    }

    /// The phase of the contest. The organiser may have changed the closing date.
    fn phase(&self) -> Result<Phase, RunnerError> {
        let folder = self.runner.folder;
        let closes = folder.wait(closing_date(&**folder.store(), folder.contest().closes))?;
        Ok(Contest { closes, ..folder.contest().clone() }.phase(SystemTime::now()))
    }
}

/// Runs a contest until everything is played or it is stopped.
pub fn run(runner: &Runner<'_>) -> Result<Completion, RunnerError> {
    let Runner { folder, loader, house, .. } = *runner;
    let log_quota = LogQuota::open(folder)?;
    let entry_loader = EntryLoader { folder, loader, house, log_quota };
    let (is_over, failed) = (AtomicBool::new(false), Mutex::new(None));
    let context = RunnerContext { runner, entry_loader, is_over, failed };
    std::thread::scope(|scope| {
        let context = &context;
        scope.spawn(move || entry_tester::EntryTester::new(context).work());
        scope.spawn(move || entry_tester::play_trials(context));
        let mut scheduler = game_scheduler::GameScheduler::new(context);
        context.work(|| scheduler.step());
        context.is_over.store(true, Ordering::SeqCst);
    });
    let logs_stored = context.entry_loader.log_quota.store();
    if let Some(error) = context.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    logs_stored?;
    match runner.stop.is_stopped() {
        true => Ok(Completion::Stopped),
        false => Ok(Completion::Finished),
    }
}
