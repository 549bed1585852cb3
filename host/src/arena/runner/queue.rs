//! How games reach whoever plays them and come back: the trait, and what stands on the arena's side of it.
//!
//! Invariant: whatever way a game went, it is handed in here, stored by the one writer and counted by the one ledger.

use std::sync::mpsc::Sender;
use std::time::{SystemTime, UNIX_EPOCH};

use super::table::{Falls, News, Next, Parcel, Table};
use super::threads::{Blame, play_once, without_result};
use super::{ATTEMPTS, Arena, Hopeless, RunError};
use crate::arena::job::{GameKey, Job, job_id};
use crate::arena::live::Slot;
use crate::arena::outcome::GameResult;
use crate::arena::store::{Attempt, Packed, Summary, Write};
use crate::arena::view::LiveGame;
use crate::record::Record;

/// Brings games to whoever plays them.
pub trait JobQueue: Sync {
    /// Takes games from the desk and hands them in when they were played, until the desk has none any more or says
    /// stop. What is taken and not handed in is given back.
    fn serve(&self, desk: &Desk<'_>);

    /// How many games are played at once, as far as it is known now.
    fn concurrency(&self) -> usize;

    /// The games in play; some may be missing, none is older than a few seconds.
    fn games(&self) -> Vec<LiveGame>;
}

/// Called once what was handed in is committed.
pub type Receipt = Box<dyn FnOnce() + Send>;

/// A game that was played.
pub struct Played {
    /// Which.
    pub job: Job,
    /// What it is worth; none: it has no result and is played again.
    pub result: Option<Box<GameResult>>,
    /// How it ended, for people.
    pub sentence: String,
    /// Its record.
    pub record: Packed,
    /// Who played it elsewhere; none: it was played by this process.
    pub worker: Option<String>,
    /// Told when it is committed.
    pub receipt: Option<Receipt>,
}

/// Where a queue takes games and hands in what was played.
pub struct Desk<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) parcels: Sender<Parcel>,
    pub(super) news: Sender<News>,
}

impl Desk<'_> {
    /// The arena that is played.
    pub fn arena(&self) -> &Arena {
        self.table.arena
    }

    /// Whether no game is to be begun any more.
    pub fn is_stopped(&self) -> bool {
        self.table.is_stopped()
    }

    /// Whether all is played that is to be, as far as it is stored.
    pub fn is_complete(&self) -> bool {
        self.table.ledger().is_complete()
    }

    /// The next game; none: there is none any more. Waits while there may be one later.
    pub fn next(&self) -> Option<Job> {
        self.table.next()
    }

    /// The next game, without waiting for one.
    pub fn look(&self) -> Next {
        self.table.look(&mut self.table.ledger())
    }

    /// Plays a game here until it has a result, and hands nothing in. The inner error: it has none.
    pub fn play_here(&self, job: &Job) -> Result<Result<Record, Hopeless>, RunError> {
        let (slot, mut reason, mut blame) = (Slot::default(), String::new(), Blame::default());
        for _ in 0..ATTEMPTS {
            let (report, stopped) = play_once(self.arena(), job, &slot)?;
            if GameResult::of(&report.record, job).is_some() {
                return Ok(Ok(report.record));
            }
            reason = without_result(&report);
            blame.add(stopped);
        }
        let (blamed, shown) = blame.told(self.arena(), job);
        Ok(Err(Hopeless { job: *job, reason, blamed, shown }))
    }

    /// Nothing of a worker counts any more, nor what depends on it: the ledger is read anew from the store. Comes back when
    /// that is done, or when the arena ends for another reason.
    pub fn exclude(&self, worker: &str, reason: &str) {
        let (done, waits) = std::sync::mpsc::channel();
        let (worker, reason) = (worker.to_owned(), reason.to_owned());
        if self.parcels.send(Parcel::Exclude { worker, reason, done }).is_ok() {
            // The sender goes with the writer.
            let _ = waits.recv();
        }
    }

    /// A game that was taken is not played: whoever takes the next gets it.
    pub fn give_back(&self, game: GameKey) {
        self.table.ledger().give_back(game);
        self.table.wake();
    }

    /// Hands in a game. Waits while the store is far behind.
    pub fn hand_in(&self, played: Played) {
        let Played { job, result, sentence, record, worker, receipt } = played;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let write = Write::Attempt(Box::new(Attempt {
            game: job.key(),
            job: job_id(&self.table.arena.id, job.pair.number),
            round: job.pair.round,
            opening: job.opening,
            players: job.pair.players,
            result: result.as_deref().map(|result| Summary {
                half_points: result.half_points,
                plies: result.plies,
                fault: result.fault.as_ref().map(|fault| fault.code.clone()),
                // No value of it can fail, and keys are texts.
                result: serde_json::to_string(result).unwrap_or_default(),
            }),
            sentence,
            record,
            worker,
            stored_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        }));
        self.table.expect();
        // The writer is gone where it failed, which everybody has been told.
        if self.parcels.send(Parcel::Game(job, result, write, receipt)).is_ok() {
            self.table.wait_for_store();
        }
    }

    /// A game had no result, for this reason, and is played again.
    pub fn again(&self, job: &Job, reason: &str) {
        let _ = self.news.send(News::Again(*job, reason.to_owned()));
    }

    /// A game has no result, however often it was tried. Its pair is void, or the session ends, where that is not the game's doing.
    pub fn hopeless(&self, game: Hopeless) {
        let _ = self.news.send(News::Hopeless(Box::new(game)));
    }

    /// No game is begun any more, for this reason.
    pub fn fail(&self, error: RunError) {
        self.table.fail(error, &self.news);
    }

    /// Held by a thread that plays: should it panic, no game is begun any more.
    pub fn guard(&self) -> impl Drop + '_ {
        Falls(self.table)
    }
}
