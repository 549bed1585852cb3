//! How games reach the players of an arena and come back: the trait [`JobQueue`], and
//! [`JobSource`], the arena's side of it.
//!
//! Invariant: every game, wherever it was played, is submitted here, stored by the one writer and
//! counted by the one ledger.

use std::sync::mpsc::Sender;
use std::time::{SystemTime, UNIX_EPOCH};

use super::shared_ledger::{NextJob, PanicGuard, RunnerEvent, SharedLedger, StoreRequest};
use super::threads::{FaultAttribution, no_result_reason, play_once};
use super::{ATTEMPTS, Arena, RunError, UnresolvedGame};
use crate::live::LiveSlot;
use crate::store::{Attempt, PackedRecord, ResultSummary, Write};
use sandboard_arena_plan::{GameKey, GameResult, Job, LiveGame, job_id};
use sandboard_bout::record::Record;

/// Plays the games of an arena, here or on other machines.
pub trait JobQueue: Sync {
    /// Takes games from the source and submits them once they are played, until the source has no
    /// more or is stopped. A game that is taken and not submitted must be released.
    fn serve(&self, source: &JobSource<'_>);

    /// The number of games played at once, as far as it is known now.
    fn concurrency(&self) -> usize;

    /// The games in play. The list may be incomplete; no game in it is older than a few seconds.
    fn games(&self) -> Vec<LiveGame>;
}

/// Called once the submitted game is committed.
pub type CommitCallback = Box<dyn FnOnce() + Send>;

/// A game that was played.
pub struct PlayedGame {
    /// The game that was played.
    pub job: Job,
    /// Its result. None: it has no result and is played again.
    pub result: Option<Box<GameResult>>,
    /// How it ended, as a sentence.
    pub sentence: String,
    /// The record of its bout.
    pub record: PackedRecord,
    /// The remote worker that played it. None: this process did.
    pub worker: Option<String>,
    /// Called when the game is committed.
    pub on_commit: Option<CommitCallback>,
}

/// Hands out the games of an arena and accepts them once they are played.
pub struct JobSource<'a> {
    pub(super) shared: &'a SharedLedger<'a>,
    pub(super) requests: Sender<StoreRequest>,
    pub(super) events: Sender<RunnerEvent>,
}

impl JobSource<'_> {
    /// The arena that is played.
    pub fn arena(&self) -> &Arena {
        self.shared.arena
    }

    /// Whether no further game may begin.
    pub fn is_stopped(&self) -> bool {
        self.shared.is_stopped()
    }

    /// Whether all games are played, as far as they are stored.
    pub fn is_complete(&self) -> bool {
        self.shared.ledger().is_complete()
    }

    /// The next game. None: there are no more. Waits while there may be one later.
    pub fn next(&self) -> Option<Job> {
        self.shared.next()
    }

    /// The next game, without waiting for one.
    pub fn try_next(&self) -> NextJob {
        self.shared.try_next(&mut self.shared.ledger())
    }

    /// Plays a game in this process until it has a result, and submits nothing. The inner error:
    /// it has no result after all attempts.
    pub fn play_locally(&self, job: &Job) -> Result<Result<Record, UnresolvedGame>, RunError> {
        let (slot, mut reason) = (LiveSlot::default(), String::new());
        let mut attribution = FaultAttribution::default();
        for _ in 0..ATTEMPTS {
            let (report, stopped_player) = play_once(self.arena(), job, &slot, None)?;
            if GameResult::from_record(&report.record, job).is_some() {
                return Ok(Ok(report.record));
            }
            reason = no_result_reason(&report);
            attribution.add(stopped_player);
        }
        let (at_fault, opponent_played) = attribution.attribute(self.arena(), job);
        Ok(Err(UnresolvedGame { job: *job, reason, at_fault, opponent_played }))
    }

    /// Excludes a worker: its games, and what depends on them, no longer count. Returns when the
    /// ledger is read again from the store, or when the session ends for another reason.
    pub fn exclude_worker(&self, worker: &str, reason: &str) {
        let (done, is_done) = std::sync::mpsc::channel();
        let (worker, reason) = (worker.to_owned(), reason.to_owned());
        if self.requests.send(StoreRequest::Exclude { worker, reason, done }).is_ok() {
            // If the writer ends, it drops the sender, and this returns, too.
            let _ = is_done.recv();
        }
    }

    /// Returns a game that was taken and is not played. The next caller gets it.
    pub fn release(&self, game: GameKey) {
        self.shared.ledger().release(game);
        self.shared.wake();
    }

    /// Submits a game to be stored and counted. Waits while the store is far behind.
    pub fn submit(&self, played: PlayedGame) {
        let PlayedGame { job, result, sentence, record, worker, on_commit } = played;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let write = Write::Attempt(Box::new(Attempt {
            game: job.key(),
            job: job_id(&self.shared.arena.id, job.pair.number),
            round: job.pair.round,
            opening: job.opening,
            players: job.pair.players,
            result: result.as_deref().map(|result| ResultSummary {
                half_points: result.half_points,
                plies: result.plies,
                fault: result.fault.as_ref().map(|fault| fault.code.clone()),
                // Cannot fail: the keys are strings, and no value has a serializer that fails.
                result: serde_json::to_string(result).unwrap_or_default(),
            }),
            sentence,
            record,
            worker,
            stored_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        }));
        self.shared.add_unstored();
        // Sending fails only after the writer has failed and reported it.
        if self.requests.send(StoreRequest::Game(job, result, write, on_commit)).is_ok() {
            self.shared.wait_for_store();
        }
    }

    /// Reports that a game had no result, for this reason, and is played again.
    pub fn report_replay(&self, job: &Job, reason: &str) {
        let _ = self.events.send(RunnerEvent::Replayed(*job, reason.to_owned()));
    }

    /// Reports that a game has no result after all attempts. Its pair becomes void, or, if the
    /// machine is at fault, the session ends.
    pub fn report_unresolved(&self, game: UnresolvedGame) {
        let _ = self.events.send(RunnerEvent::Unresolved(Box::new(game)));
    }

    /// Ends the session with this error: no further game begins.
    pub fn fail(&self, error: RunError) {
        self.shared.fail(error, &self.events);
    }

    /// A guard for a thread that plays: if the thread panics, no further game begins.
    pub fn guard(&self) -> impl Drop + '_ {
        PanicGuard(self.shared)
    }
}
