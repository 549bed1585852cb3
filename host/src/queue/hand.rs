//! Plays what tasks say: fetches modules by their hashes, loads them as this machine's operator allows, and plays.
//! Speaks to no broker.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sandboard_abi::Unit;

use super::blobs::{BlobError, BlobStore, Folder};
use super::message::{Task, TaskEngine, TaskPlayer, VERSION, kind_of_host};
use crate::arena::store::Packed;
use crate::arena::{GameResult, Shower, Slot, without_result};
use crate::bout::{BoutError, BoutSetup, EnginePlayer, Mover, Participant, Place};
use crate::catalog::{Asset, Entry};
use crate::engine::wasm::Metering;
use crate::engine::{Caps, Fault};
use crate::exact::{self, ExactError};
use crate::loader::{Loaded, Loader};
use crate::manifest::ModuleKind;
use crate::record::{Record, Start};

/// So many engines are kept ready.
const READY_MAX: usize = 64;

/// Why a task is not played here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandError {
    /// Its record would be another one.
    #[error(
        "it is for hosts of the kind {wanted}, and this one is {here}: use the very same sandboard everywhere"
    )]
    Kind {
        /// Who is to play it.
        wanted: String,
        /// What this is.
        here: String,
    },
    /// It says something that cannot be.
    #[error("{0}")]
    Unsound(String),
    /// A file is not to be had.
    #[error("engine `{engine}`: {error}")]
    Blob {
        /// Whose.
        engine: String,
        /// Why not.
        error: BlobError,
    },
    /// An engine is not loaded.
    #[error("engine `{engine}` {fault}")]
    Load {
        /// Which.
        engine: String,
        /// Why not.
        fault: Box<Fault>,
    },
    /// The loader that it wants is not to be had.
    #[error("{0}")]
    Loader(String),
    /// The game cannot begin.
    #[error(transparent)]
    Bout(#[from] BoutError),
    /// Where it begins has no exact value.
    #[error(transparent)]
    Exact(#[from] ExactError),
    /// It ended without a result.
    #[error("it has no result: {0}")]
    NoResult(String),
}

/// Makes a loader: one for engines that nobody trusts, or one for every day.
pub type MakeLoader = Box<dyn Fn(bool) -> Result<Loader, String> + Send + Sync>;

/// What plays.
pub struct Hand {
    make_loader: MakeLoader,
    /// For every day, and for a contest.
    loaders: [std::sync::OnceLock<Result<Loader, String>>; 2],
    cache: Folder,
    ready: Mutex<HashMap<(bool, Metering, TaskEngine), Loaded>>,
}

impl Hand {
    /// One that keeps what it fetches in this folder.
    pub fn new(cache: Folder, make_loader: MakeLoader) -> Self {
        Self { make_loader, loaders: Default::default(), cache, ready: Mutex::default() }
    }

    /// Plays a task to its result, and shows the game meanwhile.
    pub fn play(
        &self,
        task: &Task,
        blobs: &dyn BlobStore,
        slot: &Slot,
    ) -> Result<Packed, HandError> {
        let setup = self.bout(task, blobs)?;
        let start = setup.start.position.clone();
        let job = task.job();
        let mut shower = Shower { slot, job: &job, start: start.as_deref(), stopped: None };
        let report = crate::bout::run(setup, None, &mut shower)?;
        match GameResult::of(&report.record, &job) {
            Some(_) => Ok(packed(&report.record)),
            None => Err(HandError::NoResult(without_result(&report))),
        }
    }

    fn bout(&self, task: &Task, blobs: &dyn BlobStore) -> Result<BoutSetup, HandError> {
        let here = kind_of_host();
        if task.version != VERSION || task.kind != here {
            return Err(HandError::Kind { wanted: task.kind.clone(), here });
        }
        let terms = &task.terms;
        let unsound = |reason: &dyn std::fmt::Display| HandError::Unsound(reason.to_string());
        let game = sandboard_games::game(&terms.game)
            .ok_or_else(|| unsound(&format!("there is no game `{}`", terms.game)))?;
        let variant = game.variant(&terms.variant).map_err(|error| unsound(&error))?;
        let start = Start { game, variant, position: terms.start.clone() };
        start.set_up().map_err(|error| unsound(&error))?;
        let player = |player: &TaskPlayer| {
            Ok(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                mover: Mover::Engine(self.engine(player, task.contest, blobs)?),
                ponders: player.ponders,
            })
        };
        Ok(BoutSetup {
            start: exact::marked(&start, &|| true)?,
            seed: terms.seed,
            settings: terms.settings,
            players: terms.players.iter().map(player).collect::<Result<_, HandError>>()?,
            hint: None,
            live: None,
            place: Place::Nowhere,
            resumed: None,
        })
    }

    fn engine(
        &self,
        player: &TaskPlayer,
        contest: bool,
        blobs: &dyn BlobStore,
    ) -> Result<EnginePlayer, HandError> {
        let engine = &player.engine;
        let fuel = player.budget.unit() == Unit::Fuel;
        let metering = if fuel { Metering::Fuel } else { Metering::Deadline };
        let loaded = self.loaded(engine, contest, metering, blobs)?;
        let hash =
            |(name, blob): &(String, super::message::Blob)| (name.clone(), blob.sha256.clone());
        Ok(EnginePlayer {
            version: engine.version.clone(),
            module_sha256: Some(engine.module.sha256.clone()),
            options: engine.options.clone(),
            seed: player.seed,
            memory_bytes: loaded.caps.memory_bytes,
            threads: engine.threads,
            start_ms: loaded.caps.start_us / 1000,
            assets: engine.assets.iter().map(hash).collect(),
            can_ponder: loaded.description.abilities.ponders,
            ..EnginePlayer::new(loaded.source, engine.id.clone())
        })
    }

    fn loaded(
        &self,
        engine: &TaskEngine,
        contest: bool,
        metering: Metering,
        blobs: &dyn BlobStore,
    ) -> Result<Loaded, HandError> {
        // One at a time: all slots want the same engines when they begin.
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (contest, metering, TaskEngine { options: Vec::new(), ..engine.clone() });
        if let Some(loaded) = ready.get(&key) {
            return Ok(loaded.clone());
        }
        let failed = |error| HandError::Blob { engine: engine.id.clone(), error };
        let fetched = |blob| self.cache.fetched(blob, blobs).map_err(failed);
        let assets = engine.assets.iter().map(|(name, blob)| {
            let (path, sha256, bytes) = (fetched(blob)?, blob.sha256.clone(), blob.bytes);
            Ok(Asset { name: name.clone(), path, sha256, bytes })
        });
        let entry = Entry {
            id: engine.id.clone(),
            version: engine.version.clone(),
            kind: Some(if engine.native { ModuleKind::Native } else { ModuleKind::Wasm }),
            assets: assets.collect::<Result<_, HandError>>()?,
            module: fetched(&engine.module)?,
            sha256: engine.module.sha256.clone(),
            module_bytes: engine.module.bytes,
            ..Entry::default()
        };
        let caps = Caps {
            memory_bytes: engine.memory_bytes,
            start_us: engine.start_us,
            log_bytes: engine.log_bytes.min(Caps::default().log_bytes),
            ..Caps::default()
        };
        let loader = self.loaders[usize::from(contest)].get_or_init(|| (self.make_loader)(contest));
        let loader = loader.as_ref().map_err(|reason| HandError::Loader(reason.clone()))?;
        let loaded = loader.load_with(&entry, metering, caps).map_err(|fault| HandError::Load {
            engine: engine.id.clone(),
            fault: Box::new(fault),
        })?;
        if ready.len() >= READY_MAX {
            ready.clear();
        }
        ready.insert(key, loaded.clone());
        Ok(loaded)
    }
}

/// A record as it is sent and kept.
pub fn packed(record: &Record) -> Packed {
    Packed::of(&serde_json::to_vec(record).unwrap_or_default())
}
