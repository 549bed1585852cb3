//! The driver of one bout: a [`Referee`] with engines
//! and, if wanted, people, on one thread (and one more for each engine that thinks on its
//! opponent's time, while it may). Engine calls block it; people's input
//! comes over a channel from a thread of theirs, which also stops an engine
//! that thinks. No terminal, no catalog of engines: the command line brings
//! both. No rule of a bout, either: those are the referee's.

mod drive;
mod ears;
mod input;
mod people;
mod ponder;
mod save;
mod time;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use sandboard_abi::limits::{ID_BYTES, LABEL_BYTES};
use sandboard_abi::{Choice, Limits, Line, Unit};

pub(crate) use ears::Ears;
pub use people::{People, PersonEvent, PersonInput, Word, people};
pub use save::{RecordKeeper, Sink};
pub use time::{RealTime, Received, Time};

use crate::budget::Budget;
use crate::clock::Shown;
use crate::engine::EngineSource;
use crate::record::store::{StoreError, data_folder};
use crate::record::{EngineRecord, GameTable, LogRecord, Record, RecordError, Start};
use crate::referee::{BoutResult, Notice, PlayersError, Referee, Settings, tidy};

/// Everything that a bout begins with.
pub struct BoutSetup {
    /// Game, variant and position.
    pub start: Start,
    /// The only source of randomness; engines get seeds drawn from it.
    pub seed: u64,
    /// The rules of the bout that are not the game's.
    pub settings: Settings,
    /// Who plays.
    pub players: Vec<Participant>,
    /// Who answers a person's request for a hint.
    pub hint: Option<Hint>,
    /// Hears what players' engines say, on their threads.
    pub live: Option<Live>,
    /// Where the record goes.
    pub place: Place,
    /// The unfinished bout that this one goes on with; see [`BoutSetup::resume`].
    pub resumed: Option<Box<Record>>,
}

/// Hears engines: the player, and what its engine says. It returns at once.
pub type Live = Arc<dyn Fn(usize, Remark<'_>) + Send + Sync>;

/// Something that an engine says while the bout goes on.
#[derive(Clone, Copy, Debug)]
pub enum Remark<'a> {
    /// A line that it thinks of.
    Line(&'a Line),
    /// A text for the log that the record keeps. What it said on its opponents' time is told when
    /// it has come back: until then it is about what the opponent has yet to play.
    Log(&'a LogRecord),
}

/// One player of a bout.
pub struct Participant {
    /// The name in results and logs.
    pub name: String,
    /// Its seats.
    pub seats: Vec<u8>,
    /// What it may spend.
    pub budget: Budget,
    /// Who makes its moves.
    pub mover: Mover,
    /// Whether it may think on its opponents' time; engines only, and not under fuel.
    pub ponders: bool,
}

/// Who makes a player's moves.
pub enum Mover {
    /// A person, by [`PersonEvent`]s.
    Person,
    /// An engine.
    Engine(EnginePlayer),
}

/// An engine, as a player or as a giver of hints.
#[derive(Clone)]
pub struct EnginePlayer {
    /// Where instances come from.
    pub source: Arc<dyn EngineSource>,
    /// Its id in the catalog.
    pub id: String,
    /// Its version, in its own scheme.
    pub version: String,
    /// The SHA-256 of its module in hexadecimal, where it is known.
    pub module_sha256: Option<String>,
    /// The options that are set.
    pub options: Vec<(String, String)>,
    /// Its seed; none: drawn from the bout's by [`player_seed`].
    pub seed: Option<u64>,
    /// What it may hold, in bytes; 0: not limited.
    pub memory_bytes: u64,
    /// How many threads it may use.
    pub threads: u16,
    /// What starting an instance may take, in milliseconds; 0: not known.
    pub start_ms: u64,
    /// The files that it may read: name and SHA-256 in hexadecimal.
    pub assets: BTreeMap<String, String>,
    /// Whether it says of itself that it thinks on its opponent's time.
    pub can_ponder: bool,
}

/// Who answers a request for a hint: an engine of its own, on its own budget.
/// The clock of the person that asked runs on.
#[derive(Clone)]
pub struct Hint {
    /// The engine; a fresh instance for each hint.
    pub engine: EnginePlayer,
    /// What one hint may spend.
    pub budget: Budget,
}

/// Where the record of a bout goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Into this file, over whatever it holds.
    File(PathBuf),
    /// Into this folder, under a name that nobody has; see [`Place::usual`].
    Folder(PathBuf),
    /// To somebody who keeps records in another way, after every change.
    Sink(Sink),
    /// Nowhere: the caller keeps the report's record itself.
    Nowhere,
}

impl Place {
    /// The folder `bouts` in the user's data folder.
    pub fn usual() -> Result<Self, StoreError> {
        Ok(Self::Folder(data_folder()?.join("bouts")))
    }
}

/// What a bout leaves behind.
#[derive(Debug)]
pub struct BoutReport {
    /// The record as it was saved last.
    pub record: Record,
    /// The result; none: the bout is unfinished.
    pub result: Option<BoutResult>,
    /// Where the record is, or why it is nowhere. `Ok(None)` where that is no file.
    pub saved: Result<Option<PathBuf>, StoreError>,
}

/// Why a bout cannot begin. Whatever happens later is in its report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoutError {
    /// The position, or the variant.
    #[error(transparent)]
    Setup(#[from] sandboard_games::SetupError),
    /// Players and seats do not fit, or moves to go on from do not.
    #[error(transparent)]
    Players(#[from] PlayersError),
    /// A person plays, and nobody listens to it.
    #[error("player {0} is a person, but there is no input")]
    NoInput(usize),
}

/// Why a record cannot be gone on with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// It has a result.
    #[error("the bout is finished ({0}); a new one may start from any of its plies")]
    Finished(String),
    /// It is not sound.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// One of its engines is not to be had.
    #[error("engine `{id}` of player {player}: {reason}")]
    Engine {
        /// Which player.
        player: usize,
        /// The engine's id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl BoutSetup {
    /// The setup that goes on with an unfinished bout: its players, clocks,
    /// seeds and settings. `find` brings the module of an engine (and says
    /// whether another version of it will do).
    pub fn resume(
        record: Record,
        place: Place,
        games: GameTable,
        mut find: impl FnMut(&EngineRecord) -> Result<Arc<dyn EngineSource>, String>,
    ) -> Result<Self, ResumeError> {
        if let Some(result) = &record.result {
            return Err(ResumeError::Finished(result.sentence.clone()));
        }
        let start = record.start(games)?;
        let mut players = Vec::with_capacity(record.players.len());
        for (index, player) in record.players.iter().enumerate() {
            let mover = match &player.engine {
                None => Mover::Person,
                Some(engine) => {
                    let (player, id) = (index, engine.id.clone());
                    let missing = |reason| ResumeError::Engine { player, id, reason };
                    Mover::Engine(EnginePlayer::of(engine, find(engine).map_err(missing)?))
                }
            };
            players.push(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                mover,
                ponders: player.ponders,
            });
        }
        let (seed, settings) = (record.seed, record.settings);
        let resumed = Some(Box::new(record));
        Ok(Self { start, seed, settings, players, hint: None, live: None, place, resumed })
    }
}

impl EnginePlayer {
    /// An engine with nothing set.
    pub fn new(source: Arc<dyn EngineSource>, id: impl Into<String>) -> Self {
        Self {
            source,
            id: id.into(),
            version: String::new(),
            module_sha256: None,
            options: Vec::new(),
            seed: None,
            memory_bytes: 0,
            threads: 1,
            start_ms: 0,
            assets: BTreeMap::new(),
            can_ponder: false,
        }
    }

    /// The engine of a record, with its seed and options.
    pub fn of(record: &EngineRecord, source: Arc<dyn EngineSource>) -> Self {
        Self {
            source,
            id: record.id.clone(),
            version: record.version.clone(),
            module_sha256: record.module_sha256.clone(),
            options: record.options.clone().into_iter().collect(),
            seed: Some(record.seed),
            memory_bytes: record.memory_bytes,
            threads: record.threads,
            start_ms: record.start_ms,
            assets: record.assets.clone(),
            can_ponder: false,
        }
    }

    pub(crate) fn to_record(&self, seed: u64) -> EngineRecord {
        EngineRecord {
            id: tidy(&self.id, ID_BYTES),
            version: tidy(&self.version, LABEL_BYTES),
            module_sha256: self.module_sha256.clone(),
            options: self.options.iter().cloned().collect(),
            seed,
            memory_bytes: self.memory_bytes,
            threads: self.threads,
            start_ms: self.start_ms,
            assets: self.assets.clone(),
            fuel_clock: self.source.fuel_clock(),
            jail: self.source.confinement(),
        }
    }
}

/// The seed of a player's engine in a bout: the `player + 1`-th number of
/// splitmix64 from the bout's seed.
pub fn player_seed(seed: u64, player: usize) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(STEP.wrapping_mul(player as u64 + 1));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What an observer sees: the bout as it stands, and the time.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The bout.
    pub referee: &'a Referee,
    /// Now, on the referee's clock.
    pub now_us: u64,
}

impl Scene<'_> {
    /// What the clock of a player shows now; none where it has no limit.
    pub fn clock(&self, player: usize) -> Option<Shown> {
        let clock = self.referee.clock(player)?;
        clock.shown(match clock.budget().unit() {
            Unit::Unlimited | Unit::Wall => self.referee.thinking_us(player, self.now_us),
            // What a call spends of these is known when it has come back.
            Unit::Cpu | Unit::Fuel => 0,
        })
    }
}

/// Watches a bout, on the driver's thread: what it does with a screen delays
/// the bout, though no clock.
pub trait Observer {
    /// Something happened; [`Notice::Moved`] after every move.
    fn notice(&mut self, _scene: Scene<'_>, _notice: &Notice) {}
    /// An engine begins to think.
    fn thinking(&mut self, _scene: Scene<'_>, _player: usize) {}
    /// A person is to move.
    fn your_turn(&mut self, _scene: Scene<'_>, _player: usize, _limits: &Limits) {}
    /// [`PersonEvent::Show`]: somebody wants to see everything.
    fn show(&mut self, _scene: Scene<'_>) {}
    /// Something that a person wanted is not done.
    fn rejected(&mut self, _scene: Scene<'_>, _reason: &str) {}
    /// A hint was asked for; its move, if it has one, is legal and not played.
    fn hint(&mut self, _scene: Scene<'_>, _hint: Result<&Choice, &str>) {}
    /// What became of a [`PersonEvent::Said`]: it was done and the record has it, or it was not
    /// done, and why.
    fn answered(&mut self, _scene: Scene<'_>, _number: u64, _answer: Result<(), &str>) {}
    /// [`PersonEvent::Save`] was carried out, or was not.
    fn saved(&mut self, _saved: Result<&std::path::Path, &StoreError>) {}
    /// The bout is over.
    fn ended(&mut self, _scene: Scene<'_>, _result: &BoutResult) {}
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {}

/// Plays a bout to its end, or until somebody quits it, and saves its record.
pub fn run(
    setup: BoutSetup,
    people: Option<People>,
    observer: &mut dyn Observer,
) -> Result<BoutReport, BoutError> {
    run_on(&RealTime::new(), setup, people, observer)
}

/// [`run`] on another clock than the system's.
pub fn run_on(
    time: &dyn Time,
    setup: BoutSetup,
    people: Option<People>,
    observer: &mut dyn Observer,
) -> Result<BoutReport, BoutError> {
    Ok(drive::Driver::new(time, setup, people, observer)?.run())
}

#[cfg(test)]
mod tests;
