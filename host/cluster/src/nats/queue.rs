//! The queue of an arena whose games run on remote workers: offers as many games as the active
//! workers can play, and acknowledges a result once it is committed. A share of the games on fuel
//! counts only after another worker, or this host, has played them to the same record.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::object_store::ObjectStoreFiles;
use super::remote_worker::DismissalMessage;
use super::results::replay_locally;
use super::session::Session;
use super::{Broker, BrokerError, PRESENCE, dismissal_of};
use crate::blobs::{BlobError, BlobStore};
use crate::message::{
    Blob, Dismissal, Presence, TaskEngine, TaskPlayer, Terms, VERSION, decoded, host_kind,
};
use sandboard_arena::{Job, JobQueue, JobSource, LiveGame, RunError};
use sandboard_bout::driver::{BoutSetup, EnginePlayer};
use sandboard_packs::catalog::Entry;
use sandboard_packs::loader;
use sandboard_packs::manifest::ModuleKind;

/// A worker without a report for this time counts as gone.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(5);
/// Offered games for each slot of the workers, and the minimum and maximum in all.
const OFFERED: usize = 2;
const OFFERED_RANGE: (usize, usize) = (16, 8192);

/// The settings of a queue.
pub struct NatsSetup {
    /// The arena's id.
    pub arena: String,
    /// Whether the engines are untrusted.
    pub contest: bool,
    /// How many games in ten thousand count only after another worker has written the same record.
    pub replays: u16,
    /// The secret seed of the random selection of these games.
    pub salt: u64,
    /// Excluded workers, with the reasons.
    pub excluded: Vec<(String, String)>,
}

/// Why an engine cannot be played on other machines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvideError {
    /// The engine is a program, not a module.
    #[error("external engine `{0}` runs only on the machine where it is installed: omit --nats")]
    Program(String),
    /// A file of the engine has changed.
    #[error("{0} has changed since it was listed")]
    Changed(String),
    /// A file of the engine cannot be read.
    #[error("cannot read {path}: {error}")]
    Read { path: String, error: std::io::Error },
    /// The broker refused a file.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// The queue of an arena at a broker.
pub struct NatsQueue {
    pub(super) broker: Broker,
    pub(super) files: ObjectStoreFiles,
    pub(super) setup: NatsSetup,
    pub(super) kind: String,
    engines: Mutex<HashMap<(String, String), (Entry, TaskEngine)>>,
    workers: Arc<Mutex<WorkerRegistry>>,
    excluded: Mutex<BTreeMap<String, String>>,
    listener: tokio::task::JoinHandle<()>,
}

/// The workers that have reported.
#[derive(Default)]
struct WorkerRegistry {
    workers: BTreeMap<String, (Instant, Presence)>,
    /// Workers of another kind that were already logged.
    other_kinds: BTreeSet<String>,
}

impl NatsQueue {
    /// Opens the queue of an arena at this broker.
    pub fn open(broker: Broker, setup: NatsSetup) -> Result<Self, BrokerError> {
        let kind = host_kind();
        let workers: Arc<Mutex<WorkerRegistry>> = Arc::default();
        let presence = broker.wait(broker.client.subscribe(PRESENCE));
        let mut presence = presence.map_err(broker.failed("accept a subscription"))?;
        let (registry, own_kind) = (workers.clone(), kind.clone());
        let listener = broker.runtime.spawn(async move {
            while let Some(message) = presence.next().await {
                if let Ok(presence) = decoded::<Presence>(&message.payload) {
                    locked(&registry).add(presence, &own_kind);
                }
            }
        });
        let excluded = Mutex::new(setup.excluded.iter().cloned().collect());
        let (files, engines) = (ObjectStoreFiles::open(&broker)?, Mutex::default());
        Ok(Self { broker, files, setup, kind, engines, workers, excluded, listener })
    }

    /// Uploads an engine's files for the workers.
    pub fn provide(&self, entry: &Entry) -> Result<(), ProvideError> {
        if entry.kind == Some(ModuleKind::External) {
            return Err(ProvideError::Program(entry.id.clone()));
        }
        let put = |path: &std::path::Path, sha256: &str| {
            let read = std::fs::read(path);
            let path = path.display().to_string();
            let bytes = read.map_err(|error| ProvideError::Read { path: path.clone(), error })?;
            let blob = self.files.put(&bytes)?;
            if blob.sha256 == sha256 { Ok(blob) } else { Err(ProvideError::Changed(path)) }
        };
        let assets = entry
            .assets
            .iter()
            .map(|asset| Ok((asset.name.clone(), put(&asset.path, &asset.sha256)?)));
        let caps = loader::requested_caps(entry);
        let engine = TaskEngine {
            id: entry.id.clone(),
            version: String::new(),
            native: entry.kind == Some(ModuleKind::Native),
            module: put(&entry.module, &entry.sha256)?,
            assets: assets.collect::<Result<_, ProvideError>>()?,
            options: Vec::new(),
            threads: 1,
            memory_bytes: caps.memory_bytes,
            start_us: caps.start_us,
            log_bytes: caps.log_bytes,
        };
        let key = (entry.id.clone(), entry.sha256.clone());
        locked(&self.engines).insert(key, (entry.clone(), engine));
        Ok(())
    }

    /// Uploads all engines again, because the broker may have lost them.
    pub(super) fn provide_all_again(&self) {
        let provided: Vec<Entry> = {
            let engines = locked(&self.engines);
            engines.values().map(|(entry, _)| entry.clone()).collect()
        };
        for entry in provided {
            if let Err(error) = self.provide(&entry) {
                let reason = format!("engine `{}`: {error}", entry.id);
                self.broker.warn_once("engines cannot be uploaded", &reason);
            }
        }
    }

    /// Whether a file belongs to an engine. A worker must not cause its removal.
    pub(super) fn is_provided(&self, blob: &Blob) -> bool {
        let engines = locked(&self.engines);
        engines.values().any(|(_, engine)| {
            engine.module == *blob || engine.assets.iter().any(|(_, asset)| asset == blob)
        })
    }

    /// Everything that a game depends on. Fails if an engine was not uploaded.
    pub(super) fn terms(
        &self,
        job_source: &JobSource<'_>,
        job: &Job,
        bout: &BoutSetup,
    ) -> Result<Terms, String> {
        let start = job_source.arena().conditions.start_of(job);
        let player = |index: usize| -> Result<TaskPlayer, String> {
            let player = bout.players.get(index).ok_or("a player is missing")?;
            let Some(engine) = &player.engine else { return Err("a person plays".into()) };
            Ok(TaskPlayer {
                name: player.name.clone(),
                seats: player.seats.clone(),
                budget: player.budget,
                ponders: player.ponders,
                engine: self.engine(engine)?,
                seed: engine.seed,
            })
        };
        Ok(Terms {
            game: start.game.id.into(),
            variant: start.variant.text(),
            start: start.position,
            seed: job.seed,
            settings: bout.settings,
            players: [player(0)?, player(1)?],
        })
    }

    fn engine(&self, engine: &EnginePlayer) -> Result<TaskEngine, String> {
        let sha256 = engine.module_sha256.clone().unwrap_or_default();
        let engines = locked(&self.engines);
        let provided = engines.get(&(engine.id.clone(), sha256));
        let provided = provided
            .ok_or_else(|| format!("engine `{}` was not uploaded to the broker", engine.id))?;
        Ok(TaskEngine {
            version: engine.version.clone(),
            options: engine.options.clone(),
            threads: engine.threads,
            ..provided.1.clone()
        })
    }

    /// How many games may be offered now.
    pub(super) fn window(&self) -> usize {
        (OFFERED * self.concurrency()).clamp(OFFERED_RANGE.0, OFFERED_RANGE.1)
    }

    /// Whether another worker than this one can replay a game.
    pub(super) fn has_other_worker(&self, worker: &str) -> bool {
        let excluded = locked(&self.excluded);
        let workers = locked(&self.workers);
        let mut active = workers.active().filter(|it| it.kind == self.kind);
        active.any(|it| it.worker != worker && !excluded.contains_key(&it.worker))
    }

    /// Whether no worker is available.
    pub(super) fn has_no_worker(&self) -> bool {
        self.concurrency() == 0
    }

    /// The reason why a worker is excluded, if it is. Sends it another dismissal.
    pub(super) fn excluded(&self, worker: &str) -> Option<String> {
        let reason = locked(&self.excluded).get(worker).cloned()?;
        self.dismiss(worker, &reason);
        Some(reason)
    }

    /// Excludes a worker. Returns false if it was already excluded.
    pub(super) fn exclude(&self, worker: &str, reason: &str) -> bool {
        let before = locked(&self.excluded).insert(worker.to_owned(), reason.to_owned());
        self.dismiss(worker, reason);
        before.is_none()
    }

    fn dismiss(&self, worker: &str, reason: &str) {
        let dismissal = Dismissal { arena: self.setup.arena.clone(), reason: reason.to_owned() };
        let message = DismissalMessage { version: VERSION, dismissal };
        self.broker.publish(dismissal_of(worker), serde_json::to_vec(&message).unwrap_or_default());
    }
}

impl JobQueue for NatsQueue {
    fn serve(&self, job_source: &JobSource<'_>) {
        std::thread::scope(|scope| {
            let (to_replay, jobs) = mpsc::channel();
            let (done, replays) = mpsc::channel();
            scope.spawn(move || replay_locally(job_source, &jobs, &done));
            if let Err(error) = Session::new(self, job_source, to_replay).run(&replays) {
                job_source.fail(RunError::Queue(error.to_string()));
            }
        });
    }

    fn concurrency(&self) -> usize {
        let excluded = locked(&self.excluded);
        let workers = locked(&self.workers);
        let active = workers.active().filter(|it| it.kind == self.kind);
        active.filter(|it| !excluded.contains_key(&it.worker)).map(|it| it.slots).sum()
    }

    fn games(&self) -> Vec<LiveGame> {
        let workers = locked(&self.workers);
        let mut games = Vec::new();
        for presence in workers.active() {
            let own = presence.games.iter().filter(|(arena, _)| *arena == self.setup.arena);
            games.extend(own.map(|(_, game)| LiveGame {
                worker: Some(presence.worker.clone()),
                ..game.clone()
            }));
        }
        games
    }
}

impl Drop for NatsQueue {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

impl WorkerRegistry {
    fn add(&mut self, presence: Presence, own_kind: &str) {
        if presence.kind != own_kind && self.other_kinds.insert(presence.worker.clone()) {
            log::warn!(
                "the worker {} runs another build of sandboard ({}) and gets no games of this arena",
                presence.worker,
                presence.host
            );
        }
        self.workers.retain(|_, (at, _)| at.elapsed() < PRESENCE_TIMEOUT);
        self.workers.insert(presence.worker.clone(), (Instant::now(), presence));
    }

    fn active(&self) -> impl Iterator<Item = &Presence> {
        self.workers.values().filter(|(at, _)| at.elapsed() < PRESENCE_TIMEOUT).map(|(_, it)| it)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
