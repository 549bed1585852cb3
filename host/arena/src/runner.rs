//! Plays an arena. A queue takes games from the ledger to its players (`queue`; `threads` is the
//! queue of this machine alone), one thread stores what was played (`shared_ledger`), and the
//! calling thread reports progress and handles requests (`run_controller`). The only module of the
//! arena with threads.
//!
//! Invariant: what is not stored is not counted. A game enters the ledger when its attempt is
//! committed.

mod cores;
mod failed_starts;
mod pace;
mod queue;
mod run_controller;
mod shared_ledger;
mod threads;
mod void_tracker;

#[cfg(test)]
mod tests;

use std::sync::{PoisonError, RwLock, mpsc};
use std::time::Duration;

use sandboard_tournament::schedule::{EventError, FinishError};

pub use cores::default_concurrency;
use failed_starts::FAILED_STARTS_MAX;
pub use queue::{CommitCallback, JobQueue, JobSource, PlayedGame};
use run_controller::RunController;
pub use shared_ledger::NextJob;
use shared_ledger::{RunnerEvent, SharedLedger};
pub use threads::{Threads, no_result_reason};
pub use void_tracker::UnresolvedGame;

use super::folder::{ArenaFolder, FolderError};
use super::run_request::PlayerSource;
use super::store::{StoreError, Write};
use sandboard_arena_plan::{ArenaPlayer, Conditions, Contestant, GameResult, Job, Ledger, Status};
use sandboard_bout::driver::{BoutError, BoutSetup};
use sandboard_bout::solver::SolverError;
use sandboard_common::ordered_work::Stop;

/// The most games played at once. Each holds two engine instances, of which a process has a
/// limited number.
pub const CONCURRENCY_MAX: usize = 64;
/// How often a game without a result is tried.
const ATTEMPTS: u32 = 3;
/// How often requests are read and progress is reported.
const TICK: Duration = Duration::from_millis(500);

/// An arena with everything needed to play it.
pub struct Arena {
    /// The id in its setup.
    pub id: String,
    /// What its games have in common.
    pub conditions: Conditions,
    /// The players, by number; others may join.
    pub players: RwLock<Vec<ArenaPlayer>>,
}

/// How an arena is played.
pub struct Session<'a> {
    /// Plays the games, here or on other machines.
    pub queue: &'a dyn JobQueue,
    /// Stops the session: games in play are finished, none begins.
    pub stop: &'a Stop,
    /// Whether the session ends when the engine of a player fails to start several times in a row.
    /// Otherwise the player only loses these games.
    pub ends_at_failed_starts: bool,
    /// Loads the engines of players that join.
    pub player_source: &'a mut dyn PlayerSource,
    /// Receives progress events.
    pub observer: &'a mut dyn RunObserver,
}

/// Receives the progress of an arena, on the thread that called [`run`].
pub trait RunObserver {
    /// A game is stored, and counted as far as it can be.
    fn game_counted(&mut self, _ledger: &Ledger, _job: &Job, _result: &GameResult) {}
    /// A game ended without a result and is played again.
    fn game_replayed(&mut self, _job: &Job, _reason: &str) {}
    /// A game has no result after all attempts: its pair is void.
    fn pair_voided(&mut self, _game: &UnresolvedGame) {}
    /// A player has joined, with the next number.
    fn player_joined(&mut self, _player: &Contestant) {}
    /// A request was answered with this sentence.
    fn request_answered(&mut self, _sentence: &str) {}
    /// The current status; every half second.
    fn status_updated(&mut self, _ledger: &Ledger, _status: &Status) {}
}

impl RunObserver for () {}

/// Why a session ended before its arena was complete. Finished games are stored, and the arena
/// can be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A game cannot begin.
    #[error("game {job} cannot be played: {error}")]
    Bout {
        /// The game's name.
        job: String,
        /// Why it cannot begin.
        error: BoutError,
    },
    /// The start position of a game cannot be solved.
    #[error("game {job} cannot be played: {error}")]
    Exact {
        /// The game's name.
        job: String,
        /// Why it cannot be solved.
        error: SolverError,
    },
    /// A game had no result in all attempts, and neither had any other game since.
    #[error("game {job} has no result after {ATTEMPTS} attempts{}: {reason}", others(*in_a_row))]
    NoResult {
        /// The game's name.
        job: String,
        /// The number of consecutive pairs with such a game.
        in_a_row: usize,
        /// How the last attempt ended.
        reason: String,
    },
    /// The engine of a player failed to start several times in a row.
    #[error("{player} failed to start in {FAILED_STARTS_MAX} games in a row: game {job}: {reason}")]
    FailedStarts {
        /// The player's name.
        player: String,
        /// The name of the last of these games.
        job: String,
        /// How that game ended.
        reason: String,
    },
    /// No remote worker can play a game.
    #[error("game {job} cannot be played by any worker: {reason}")]
    Unplayable {
        /// The game's name.
        job: String,
        /// Why no worker can play it.
        reason: String,
    },
    /// The queue of remote workers failed.
    #[error("{0}")]
    Queue(String),
    /// The latest games could not be stored.
    #[error("the latest games are not stored: {0}")]
    Store(StoreError),
    /// The schedule does not know a game that it handed out.
    #[error(transparent)]
    Schedule(#[from] FinishError),
    /// An accepted change can no longer be applied.
    #[error(transparent)]
    Change(#[from] EventError),
    /// The store cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// The part of a message about other pairs without a result.
fn others(in_a_row: usize) -> String {
    match in_a_row {
        ..=1 => String::new(),
        _ => format!(
            ", and neither have games of the {} before it",
            sandboard_common::text::counted(in_a_row - 1, "other pair")
        ),
    }
}

impl Arena {
    /// The bout of a game between its players. Err: its start position cannot be solved.
    pub fn bout(&self, job: &Job) -> Result<BoutSetup, SolverError> {
        let players = self.players.read().unwrap_or_else(PoisonError::into_inner);
        self.conditions.bout(job, &players)
    }
}

/// Plays the remaining games of an arena until it is complete or stopped. The returned ledger
/// holds what is stored, also if the result is an error.
pub fn run(
    arena: &Arena,
    folder: &ArenaFolder,
    ledger: Ledger,
    session: Session<'_>,
) -> (Ledger, Result<(), RunError>) {
    let Session { queue, stop, ends_at_failed_starts, player_source, observer } = session;
    let shared = SharedLedger::new(arena, ledger, stop);
    let (store, runtime) = (folder.store(), folder.runtime());
    let mut ended = Ok(());
    std::thread::scope(|scope| {
        let (requests, inbox) = mpsc::channel();
        let (sender, events) = mpsc::channel();
        let shared = &shared;
        let job_source = JobSource { shared, requests: requests.clone(), events: sender.clone() };
        scope.spawn(move || {
            let _finished = FinishedSignal(job_source.events.clone());
            let _guard = job_source.guard();
            queue.serve(&job_source);
        });
        scope.spawn(move || {
            let commit = |writes: &[Write]| runtime.block_on(store.commit(writes));
            shared.write(&inbox, &sender, commit, || Ok(folder.load()?.ledger));
        });
        let mut controller = RunController::new(shared, queue, folder, player_source, observer);
        controller.ends_at_failed_starts = ends_at_failed_starts;
        ended = controller.run(&events, requests);
    });
    (shared.into_ledger(), ended)
}

/// Signals the end of the queue when dropped, also after a panic.
struct FinishedSignal(mpsc::Sender<RunnerEvent>);

impl Drop for FinishedSignal {
    fn drop(&mut self) {
        let _ = self.0.send(RunnerEvent::Finished);
    }
}

/// An unused name: this one, or this one with a number after it.
pub fn unused_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u64..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
