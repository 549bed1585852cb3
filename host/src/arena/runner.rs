//! Plays a match: threads that take games from the ledger, play them and write
//! their records, and one that counts. The only file of the arena with threads.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sandboard_games::{GameInfo, Seat, SetupError, Side};

use super::folder::MatchFolder;
use super::ledger::Ledger;
use super::outcome::GameResult;
use super::schedule::{Job, Schedule};
use crate::bout::{
    BoutError, BoutReport, BoutSetup, EnginePlayer, Mover, Nobody, Participant, Place,
};
use crate::budget::Budget;
use crate::exact::{self, ExactError};
use crate::record::store::StoreError;
use crate::record::{Record, Start};
use crate::referee::Settings;

/// Games played at once, at most: each holds two instances of engines, of which
/// a process has a limited number.
pub const CONCURRENCY_MAX: usize = 64;
/// How often a game is tried that ends without a result.
const ATTEMPTS: u32 = 3;

/// A match with everything that is needed to play it.
pub struct Match {
    /// Where games begin without an opening; its variant has the size in force.
    pub start: Start,
    /// The seats of each side.
    pub seats: [Vec<u8>; 2],
    /// The openings, by number; empty: none.
    pub openings: Vec<Start>,
    /// How many pairs.
    pub pairs: u32,
    /// The seed.
    pub seed: u64,
    /// The rules of its bouts that are not the game's.
    pub settings: Settings,
    /// Who plays.
    pub rivals: [Rival; 2],
}

/// A player of a match.
#[derive(Clone)]
pub struct Rival {
    /// Its name in records and results.
    pub name: String,
    /// What it may spend.
    pub budget: Budget,
    /// Its engine.
    pub engine: EnginePlayer,
    /// Whether it may think on its opponent's time.
    pub ponders: bool,
}

/// Sees how a match gets on, on the thread that called [`run`].
pub trait Watcher {
    /// A game is done, kept and counted as far as it can be.
    fn done(&mut self, _ledger: &Ledger, _job: &Job, _result: &GameResult) {}
    /// A game ended without a result and is played again.
    fn again(&mut self, _job: &Job, _reason: &str) {}
}

impl Watcher for () {}

/// Why a match was not played to its end. What was finished is kept, and the
/// match can be resumed.
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
    /// A game ended without a result again and again.
    #[error("game {job} has no result after {ATTEMPTS} attempts: {reason}")]
    NoResult {
        /// The game's name.
        job: String,
        /// How it ended the last time.
        reason: String,
    },
    /// A record was not written.
    #[error("game {job} was played, but not kept: {error}")]
    Store {
        /// The game's name.
        job: String,
        /// Why not.
        error: StoreError,
    },
}

/// The seats of each side in the games that begin there.
pub fn seats_by_side(start: &Start) -> Result<[Vec<u8>; 2], SetupError> {
    let game = start.set_up()?;
    let of = |side: u8| {
        (0..game.info().seats).filter(|seat| game.side(Seat(*seat)) == Side(side)).collect()
    };
    Ok([of(0), of(1)])
}

impl Match {
    /// The game.
    pub fn game(&self) -> &'static GameInfo {
        self.start.game
    }

    /// Its games.
    pub fn schedule(&self) -> Schedule {
        Schedule { pairs: self.pairs, openings: self.openings.len() as u32, seed: self.seed }
    }

    /// Where a game begins: with its opening, else with the deal of its pair, where the game
    /// begins by chance.
    pub fn start_of(&self, job: &Job) -> Start {
        let opening = job.opening.and_then(|opening| self.openings.get(opening as usize));
        let start = opening.unwrap_or(&self.start);
        match self.game().deal.filter(|_| opening.is_none()) {
            Some(deal) => {
                let position = Some(deal(&start.variant, self.schedule().deal_seed(job.pair)));
                Start { position, ..start.clone() }
            }
            None => start.clone(),
        }
    }

    fn seats_of(&self, player: usize, job: &Job) -> &[u8] {
        &self.seats[usize::from(job.side_of(player))]
    }

    fn bout(&self, job: &Job) -> Result<BoutSetup, ExactError> {
        let player = |player: usize| {
            let rival = &self.rivals[player];
            Participant {
                name: rival.name.clone(),
                seats: self.seats_of(player, job).to_vec(),
                budget: rival.budget,
                mover: Mover::Engine(rival.engine.clone()),
                ponders: rival.ponders,
            }
        };
        Ok(BoutSetup {
            start: exact::marked(&self.start_of(job), &|| true)?,
            seed: job.seed,
            settings: self.settings,
            players: vec![player(0), player(1)],
            hint: None,
            live: None,
            place: Place::Nowhere,
            resumed: None,
        })
    }

    /// In what a record is not of this job of this match, if it is not.
    pub fn foreign(&self, job: &Job, record: &Record) -> Option<String> {
        let start = self.start_of(job);
        if record.game != self.game().id {
            return Some(format!("its game is {}", record.game));
        }
        if record.variant != start.variant.text() {
            return Some(format!("its variant is {}", record.variant));
        }
        // Whether its mark is right is for `verify` to say.
        let begins = |position: Option<&str>| exact::compared(&record.game, position);
        if begins(record.start.as_deref()) != begins(start.position.as_deref()) {
            return Some("it has another opening".into());
        }
        if record.seed != job.seed {
            return Some("it has another seed".into());
        }
        if record.players.len() != self.rivals.len() {
            return Some(format!("it has {} players", record.players.len()));
        }
        for (index, (player, rival)) in record.players.iter().zip(&self.rivals).enumerate() {
            let engine = player.engine.as_ref();
            let same = engine.is_some_and(|engine| {
                engine.id == rival.engine.id
                    && engine.version == rival.engine.version
                    && engine.module_sha256 == rival.engine.module_sha256
                    && engine.options == rival.engine.options.iter().cloned().collect()
            });
            if !same || player.budget != rival.budget || player.name != rival.name {
                return Some(format!("player {} is another", ["A", "B"][index]));
            }
            if player.ponders != rival.ponders {
                let how = if player.ponders { "thought" } else { "did not think" };
                let player = ["A", "B"][index];
                return Some(format!("player {player} {how} on its opponent's time"));
            }
            if player.seats != self.seats_of(index, job) {
                return Some(format!("player {} has other seats", ["A", "B"][index]));
            }
        }
        None
    }
}

/// Plays all games of a match that are not done yet, so many at once, and keeps
/// each in the folder before it counts. The ledger that comes back holds what is
/// done; with an error, the match is not complete.
pub fn run(
    the_match: &Match,
    folder: &MatchFolder,
    ledger: Ledger,
    concurrency: usize,
    watcher: &mut dyn Watcher,
) -> (Ledger, Result<(), RunError>) {
    let table =
        Table { the_match, folder, ledger: Mutex::new(ledger), stopped: AtomicBool::new(false) };
    let mut ended = Ok(());
    std::thread::scope(|scope| {
        let (sender, news) = mpsc::channel();
        for _ in 0..concurrency.clamp(1, CONCURRENCY_MAX) {
            let (sender, table) = (sender.clone(), &table);
            scope.spawn(move || table.work(&sender));
        }
        drop(sender);
        for news in news {
            match news {
                News::Done(job, result) => watcher.done(&table.ledger(), &job, &result),
                News::Again(job, reason) => watcher.again(&job, &reason),
                // The first reason; the others stopped because of it, or for the like.
                News::Failed(error) if ended.is_ok() => ended = Err(error),
                News::Failed(error) => log::warn!("{error}"),
            }
        }
    });
    (table.ledger.into_inner().unwrap_or_else(PoisonError::into_inner), ended)
}

/// What the threads of a match share.
struct Table<'a> {
    the_match: &'a Match,
    folder: &'a MatchFolder,
    ledger: Mutex<Ledger>,
    /// No further game is begun.
    stopped: AtomicBool,
}

enum News {
    Done(Job, GameResult),
    Again(Job, String),
    Failed(RunError),
}

impl Table<'_> {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, sender: &Sender<News>) {
        let _guard = StopOnPanic(&self.stopped);
        while !self.stopped.load(Ordering::SeqCst) {
            let Some(job) = self.ledger().take() else { return };
            let news = match self.play(&job, sender) {
                Ok(result) => {
                    self.ledger().add(job.index, result.clone());
                    News::Done(job, result)
                }
                Err(error) => {
                    self.ledger().give_back(job.index);
                    self.stopped.store(true, Ordering::SeqCst);
                    News::Failed(error)
                }
            };
            drop(sender.send(news));
        }
    }

    /// Plays a game until it has a result, and keeps its record.
    fn play(&self, job: &Job, sender: &Sender<News>) -> Result<GameResult, RunError> {
        let mut reason = String::new();
        for attempt in 1..=ATTEMPTS {
            let setup = self.the_match.bout(job);
            let setup = setup.map_err(|error| RunError::Exact { job: job.name(), error })?;
            let report = crate::bout::run(setup, None, &mut Nobody)
                .map_err(|error| RunError::Bout { job: job.name(), error })?;
            match GameResult::of(&report.record, job) {
                Some(result) => {
                    self.folder
                        .keep(job, &report.record)
                        .map_err(|error| RunError::Store { job: job.name(), error })?;
                    return Ok(result);
                }
                None => reason = without_result(&report),
            }
            if attempt < ATTEMPTS {
                drop(sender.send(News::Again(*job, reason.clone())));
            }
        }
        Err(RunError::NoResult { job: job.name(), reason })
    }
}

fn without_result(report: &BoutReport) -> String {
    match &report.result {
        Some(result) => result.sentence.clone(),
        None => "it is unfinished".into(),
    }
}

/// A panic of one thread must not leave the others playing for hours.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

/// How many games to play at once where nobody says: one for each core, and no
/// two on the threads of one core, which would share its speed.
pub fn usual_concurrency() -> usize {
    let logical = std::thread::available_parallelism().map_or(1, usize::from);
    logical.min(physical_cores().unwrap_or(logical)).clamp(1, CONCURRENCY_MAX)
}

/// The cores of this machine, where Linux tells which of its threads share one.
fn physical_cores() -> Option<usize> {
    let cpus = std::fs::read_dir("/sys/devices/system/cpu").ok()?;
    let siblings =
        |cpu: PathBuf| std::fs::read_to_string(cpu.join("topology/thread_siblings_list")).ok();
    let cores: std::collections::BTreeSet<String> =
        cpus.flatten().filter_map(|cpu| siblings(cpu.path())).collect();
    (!cores.is_empty()).then_some(cores.len())
}
