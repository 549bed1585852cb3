//! The setup of a bout for the driver: start, players with their engines, and the destination of
//! the record.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sandboard_abi::Setup;
use sandboard_abi::limits::{ID_BYTES, LABEL_BYTES};
use sandboard_common::files::{FileError, data_folder};
use sandboard_engine::{Budget, EngineSource, InstanceLimits};
use sandboard_games::Games;
use sha2::{Digest, Sha256};

use super::output::OutputListener;
use super::record_saver::RecordStoreHandle;
use crate::record::{EngineRecord, Record, RecordError};
use crate::referee::{BoutSettings, BoutSetupError};
use crate::start::StartPosition;
use crate::text::sanitize;

/// The setup of a bout.
pub struct BoutSetup {
    /// Game, variant and position.
    pub start: StartPosition,
    /// The only source of randomness: engines without a seed of their own get one from it.
    pub seed: u64,
    /// The rules of the bout that are not rules of its game.
    pub settings: BoutSettings,
    /// The players, by index.
    pub players: Vec<Participant>,
    /// The engine that gives hints to people.
    pub hint: Option<HintEngine>,
    /// Receives the output of players' engines, on their threads.
    pub output_listener: Option<OutputListener>,
    /// Where the record is saved.
    pub destination: RecordDestination,
    /// The unfinished bout that this one continues; see [`BoutSetup::resume`].
    pub resumed_from: Option<Box<Record>>,
}

/// One player of a bout.
pub struct Participant {
    /// The name in results and logs.
    pub name: String,
    pub seats: Vec<u8>,
    /// What it may spend.
    pub budget: Budget,
    /// Its engine; none: a person, who plays by [`InputEvent`](super::InputEvent)s.
    pub engine: Option<EnginePlayer>,
    /// Whether it ponders; engines only, and not under fuel.
    pub ponders: bool,
}

/// An engine that plays or gives hints, with its options and limits.
#[derive(Clone)]
pub struct EnginePlayer {
    /// Opens instances of the engine.
    pub source: Arc<dyn EngineSource>,
    /// Its id in the catalog.
    pub id: String,
    /// Its version, in its own scheme.
    pub version: String,
    /// The SHA-256 of its module in hexadecimal, if it is known.
    pub module_sha256: Option<String>,
    /// The options that are set, name and value.
    pub options: Vec<(String, String)>,
    /// Its seed; none: computed from the bout's by [`player_seed`].
    pub seed: Option<u64>,
    /// The limits of its instances.
    pub limits: InstanceLimits,
    /// The number of threads that it may use.
    pub threads: u16,
    /// The files that it may read: name and SHA-256 in hexadecimal.
    pub assets: BTreeMap<String, String>,
    /// Whether the engine has the ability to ponder.
    pub can_ponder: bool,
    /// What the records of all its bouts together may still keep of its log, in bytes; none: each
    /// record keeps as much as of any engine.
    pub log_allowance: Option<LogAllowance>,
}

/// The bytes of log that several records together may still keep.
pub type LogAllowance = Arc<AtomicU64>;

/// An engine that gives hints, with a budget of its own. The clock of the person that asks runs
/// on.
#[derive(Clone)]
pub struct HintEngine {
    /// The engine; each hint gets a fresh instance.
    pub engine: EnginePlayer,
    /// What one hint may spend.
    pub budget: Budget,
}

/// Where the record of a bout is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordDestination {
    /// In this file, which is replaced.
    File(PathBuf),
    /// In this folder, under a new name; see [`RecordDestination::default_folder`].
    Folder(PathBuf),
    /// In a store, after every change.
    Store(RecordStoreHandle),
    /// Not at all: the caller takes it from the report.
    Unsaved,
}

impl RecordDestination {
    /// The folder `bouts` in the user's data folder.
    pub fn default_folder() -> Result<Self, FileError> {
        Ok(Self::Folder(data_folder()?.join("bouts")))
    }
}

/// Why a bout cannot begin. All later failures are in its report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoutError {
    /// The start position or the variant is invalid.
    #[error(transparent)]
    Start(#[from] sandboard_games::SetupError),
    /// Players and seats do not fit, or moves to continue from are illegal.
    #[error(transparent)]
    Setup(#[from] BoutSetupError),
    /// A person plays, but the driver has no [`InputReceiver`](super::InputReceiver).
    #[error("player {0} is a person, but there is no input")]
    NoInput(usize),
}

/// Why a record cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The bout has a result.
    #[error("the bout is finished ({0}); a new one can start from any of its plies")]
    Finished(String),
    /// The record is invalid.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// An engine of the record is not available.
    #[error("engine `{id}` of player {player}: {reason}")]
    Engine {
        player: usize,
        /// The engine's id.
        id: String,
        reason: String,
    },
}

impl BoutSetup {
    /// The setup that continues an unfinished bout with its players, clocks, seeds and settings.
    /// `find` returns the source of an engine, or why there is none. It also decides whether
    /// another version of the engine will do.
    pub fn resume(
        record: Record,
        destination: RecordDestination,
        games: &Games,
        mut find: impl FnMut(&EngineRecord) -> Result<Arc<dyn EngineSource>, String>,
    ) -> Result<Self, ResumeError> {
        if let Some(result) = &record.result {
            return Err(ResumeError::Finished(result.sentence.clone()));
        }
        let start = record.start_position(games)?;
        let mut players = Vec::with_capacity(record.players.len());
        for (index, player) in record.players.iter().enumerate() {
            let engine = match &player.engine {
                None => None,
                Some(engine) => {
                    let (player, id) = (index, engine.id.clone());
                    let missing = |reason| ResumeError::Engine { player, id, reason };
                    Some(EnginePlayer::from_record(engine, find(engine).map_err(missing)?))
                }
            };
            players.push(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                engine,
                ponders: player.ponders,
            });
        }
        Ok(Self {
            start,
            seed: record.seed,
            settings: record.settings,
            players,
            hint: None,
            output_listener: None,
            destination,
            resumed_from: Some(Box::new(record)),
        })
    }
}

impl EnginePlayer {
    /// An engine without options and limits.
    pub fn new(source: Arc<dyn EngineSource>, id: impl Into<String>) -> Self {
        Self {
            source,
            id: id.into(),
            version: String::new(),
            module_sha256: None,
            options: Vec::new(),
            seed: None,
            limits: InstanceLimits::default(),
            threads: 1,
            assets: BTreeMap::new(),
            can_ponder: false,
            log_allowance: None,
        }
    }

    /// The engine of a record, with its seed and options.
    pub fn from_record(record: &EngineRecord, source: Arc<dyn EngineSource>) -> Self {
        Self {
            source,
            id: record.id.clone(),
            version: record.version.clone(),
            module_sha256: record.module_sha256.clone(),
            options: record.options.clone().into_iter().collect(),
            seed: Some(record.seed),
            limits: record.limits,
            threads: record.threads,
            assets: record.assets.clone(),
            can_ponder: false,
            log_allowance: None,
        }
    }

    pub fn to_record(&self, seed: u64) -> EngineRecord {
        EngineRecord {
            id: sanitize(&self.id, ID_BYTES),
            version: sanitize(&self.version, LABEL_BYTES),
            module_sha256: self.module_sha256.clone(),
            options: self.options.iter().cloned().collect(),
            seed,
            limits: self.limits,
            threads: self.threads,
            assets: self.assets.clone(),
            fuel_meter: self.source.fuel_meter(),
            jail: self.source.confinement(),
        }
    }

    /// The setup of an instance: `setup` with the engine's options and limits, and this seed. The
    /// options are sorted by name, as in the record, so that a replay sends the same setup.
    pub(super) fn instance_setup(&self, setup: Setup, seed: u64) -> Setup {
        let options: BTreeMap<String, String> = self.options.iter().cloned().collect();
        Setup {
            seed,
            options: options.into_iter().collect(),
            memory_bytes: self.limits.memory_bytes,
            threads: self.threads.max(1),
            ..setup
        }
    }
}

/// The seed of a player's engine in a bout: the first 8 bytes, as a little-endian number, of the
/// SHA-256 of the bout's seed and the player's index, both as 8 bytes in that order. An engine
/// cannot compute the bout's seed from its own, and so it does not know what chance will bring.
pub fn player_seed(seed: u64, player: usize) -> u64 {
    let hash =
        Sha256::new_with_prefix(seed.to_le_bytes()).chain_update((player as u64).to_le_bytes());
    let hash: [u8; 32] = hash.finalize().into();
    u64::from_le_bytes(std::array::from_fn(|index| hash[index]))
}
