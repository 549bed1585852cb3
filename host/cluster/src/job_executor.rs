//! Executes a task: fetches modules by their hashes, loads them as this machine's operator allows,
//! and plays the game. Does not talk to a broker.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sandboard_abi::Unit;

use super::blobs::{BlobError, BlobFolder, BlobStore};
use super::message::{Task, TaskEngine, TaskPlayer, VERSION, host_kind};
use sandboard_arena::store::PackedRecord;
use sandboard_arena::{LiveObserver, LiveSlot, no_result_reason};
use sandboard_arena_plan::GameResult;
use sandboard_bout::driver::{BoutError, BoutSetup, EnginePlayer, Participant, RecordDestination};
use sandboard_bout::record::{Record, RulesRecord};
use sandboard_bout::solver;
use sandboard_bout::solver::SolverError;
use sandboard_bout::start::StartPosition;
use sandboard_engine::{Caps, Fault};
use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::{Asset, Entry};
use sandboard_packs::loader::{LoadOptions, LoadedEngine, Loader};
use sandboard_packs::manifest::ModuleKind;

/// How many loaded engines are kept.
const LOADED_ENGINES_MAX: usize = 64;

/// Why a task cannot be executed here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutorError {
    /// The task is for another kind of host, which would write another record.
    #[error(
        "the task is for hosts of the kind {wanted}; this host is {here}: use the same build of sandboard everywhere"
    )]
    Kind {
        /// The kind of the task.
        wanted: String,
        /// The kind of this host.
        here: String,
    },
    /// The task is invalid.
    #[error("{0}")]
    Invalid(String),
    /// A file cannot be fetched.
    #[error("engine `{engine}`: {error}")]
    Blob {
        /// The engine's id.
        engine: String,
        error: BlobError,
    },
    /// An engine cannot be loaded.
    #[error("engine `{engine}` {fault}")]
    Load {
        /// The engine's id.
        engine: String,
        fault: Box<Fault>,
    },
    /// No loader is available for the task.
    #[error("{0}")]
    Loader(String),
    /// The game cannot start.
    #[error(transparent)]
    Bout(#[from] BoutError),
    /// The start position has no exact value.
    #[error(transparent)]
    Exact(#[from] SolverError),
    /// The game ended without a result.
    #[error("the game has no result: {0}")]
    NoResult(String),
}

/// Makes a loader; true: for untrusted engines in a contest.
pub type MakeLoader = Box<dyn Fn(bool) -> Result<Loader, String> + Send + Sync>;

/// Executes tasks. Shared by all slots of a worker.
pub struct JobExecutor {
    make_loader: MakeLoader,
    /// The loader for trusted engines and the one for contests.
    loaders: [std::sync::OnceLock<Result<Loader, String>>; 2],
    cache: BlobFolder,
    loaded: Mutex<HashMap<(bool, Metering, TaskEngine), LoadedEngine>>,
}

impl JobExecutor {
    /// An executor that keeps fetched files in this folder.
    pub fn new(cache: BlobFolder, make_loader: MakeLoader) -> Self {
        Self { make_loader, loaders: Default::default(), cache, loaded: Mutex::default() }
    }

    /// Plays a task and returns its record. Publishes the running game in `slot`.
    pub fn play(
        &self,
        task: &Task,
        blobs: &dyn BlobStore,
        slot: &LiveSlot,
    ) -> Result<PackedRecord, ExecutorError> {
        let setup = self.bout_setup(task, blobs)?;
        let start = setup.start.position.clone();
        let job = task.job();
        let mut observer =
            LiveObserver { slot, job: &job, start: start.as_deref(), stopped_player: None };
        let report = sandboard_bout::driver::run(setup, None, &mut observer)?;
        match GameResult::from_record(&report.record, &job) {
            Some(_) => Ok(packed(&report.record)),
            None => Err(ExecutorError::NoResult(no_result_reason(&report))),
        }
    }

    fn bout_setup(&self, task: &Task, blobs: &dyn BlobStore) -> Result<BoutSetup, ExecutorError> {
        let here = host_kind();
        if task.version != VERSION || task.kind != here {
            return Err(ExecutorError::Kind { wanted: task.kind.clone(), here });
        }
        let terms = &task.terms;
        let invalid = |reason: &dyn std::fmt::Display| ExecutorError::Invalid(reason.to_string());
        let games = self.loader(task.contest)?.games();
        let game = games
            .find(&terms.game)
            .ok_or_else(|| invalid(&format!("there is no game `{}`", terms.game)))?;
        if let Some(difference) = RulesRecord::difference(&terms.rules, game) {
            return Err(invalid(&format!("the game {difference}")));
        }
        let variant = game.variant(&terms.variant).map_err(|error| invalid(&error))?;
        let start = StartPosition::new(game, variant, terms.start.clone());
        start.set_up().map_err(|error| invalid(&error))?;
        let player = |player: &TaskPlayer| {
            Ok(Participant {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                engine: Some(self.engine(player, task.contest, blobs)?),
                ponders: player.ponders,
            })
        };
        Ok(BoutSetup {
            start: solver::with_mark(&start, &|| true)?,
            seed: terms.seed,
            settings: terms.settings,
            players: terms.players.iter().map(player).collect::<Result<_, ExecutorError>>()?,
            hint: None,
            output_listener: None,
            destination: RecordDestination::Unsaved,
            resumed_from: None,
        })
    }

    fn engine(
        &self,
        player: &TaskPlayer,
        contest: bool,
        blobs: &dyn BlobStore,
    ) -> Result<EnginePlayer, ExecutorError> {
        let engine = &player.engine;
        let fuel = player.budget.unit() == Unit::Fuel;
        let metering = if fuel { Metering::Fuel } else { Metering::Deadline };
        let loaded = self.load(engine, contest, metering, blobs)?;
        let hash =
            |(name, blob): &(String, super::message::Blob)| (name.clone(), blob.sha256.clone());
        Ok(EnginePlayer {
            version: engine.version.clone(),
            module_sha256: Some(engine.module.sha256.clone()),
            options: engine.options.clone(),
            seed: player.seed,
            limits: loaded.limits,
            threads: engine.threads,
            assets: engine.assets.iter().map(hash).collect(),
            can_ponder: loaded.description.abilities.ponders,
            ..EnginePlayer::new(loaded.source, engine.id.clone())
        })
    }

    fn loader(&self, contest: bool) -> Result<&Loader, ExecutorError> {
        let loader = self.loaders[usize::from(contest)].get_or_init(|| (self.make_loader)(contest));
        loader.as_ref().map_err(|reason| ExecutorError::Loader(reason.clone()))
    }

    fn load(
        &self,
        engine: &TaskEngine,
        contest: bool,
        metering: Metering,
        blobs: &dyn BlobStore,
    ) -> Result<LoadedEngine, ExecutorError> {
        // One at a time: at the start all slots need the same engines.
        let mut cache = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (contest, metering, TaskEngine { options: Vec::new(), ..engine.clone() });
        if let Some(loaded) = cache.get(&key) {
            return Ok(loaded.clone());
        }
        let failed = |error| ExecutorError::Blob { engine: engine.id.clone(), error };
        let fetched = |blob| self.cache.fetch(blob, blobs).map_err(failed);
        let assets = engine.assets.iter().map(|(name, blob)| {
            let (path, sha256, bytes) = (fetched(blob)?, blob.sha256.clone(), blob.bytes);
            Ok(Asset { name: name.clone(), path, sha256, bytes })
        });
        let entry = Entry {
            id: engine.id.clone(),
            version: engine.version.clone(),
            kind: Some(if engine.native { ModuleKind::Native } else { ModuleKind::Wasm }),
            assets: assets.collect::<Result<_, ExecutorError>>()?,
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
        let loaded =
            self.loader(contest)?.load_with(&entry, &LoadOptions::new(metering, caps)).map_err(
                |fault| ExecutorError::Load { engine: engine.id.clone(), fault: Box::new(fault) },
            )?;
        if cache.len() >= LOADED_ENGINES_MAX {
            cache.clear();
        }
        cache.insert(key, loaded.clone());
        Ok(loaded)
    }
}

/// A record in the form in which it is sent and stored.
pub fn packed(record: &Record) -> PackedRecord {
    PackedRecord::pack(&serde_json::to_vec(record).unwrap_or_default())
}
