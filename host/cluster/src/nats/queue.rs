//! The queue of an arena whose games run on remote workers: offers as many games as the active
//! workers can play, and acknowledges a result once it is committed. A share of the games on fuel
//! counts only after another worker, or this host, has played them to the same record.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::object_store::ObjectStoreFiles;
use super::results::replay_locally;
use super::session::Session;
use super::{Broker, BrokerError, PRESENCE, dismissal_of};
use crate::blobs::{BlobError, BlobStore};
use crate::keys::{PublicKey, SecretKey, SignedKind, open_envelope};
use crate::message::{
    Blob, Dismissal, Presence, TaskEngine, TaskPlayer, Terms, VERSION, host_kind,
};
use sandboard_arena::{JobQueue, JobSource, RunError};
use sandboard_arena_plan::{Job, LiveGame};
use sandboard_bout::driver::{BoutSetup, EnginePlayer, Participant};
use sandboard_bout::record::RulesRecord;
use sandboard_common::files::read_regular;
use sandboard_games::Games;
use sandboard_packs::catalog::Entry;
use sandboard_packs::loader;
use sandboard_packs::manifest::ModuleKind;

/// A worker without a report for this time counts as gone.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(5);
/// The most workers that are kept, so that invented ones cannot fill the memory.
const WORKERS_MAX: usize = 10_000;
/// Offered games for each slot of the workers, and the minimum and maximum in all.
const OFFERED: usize = 2;
const OFFERED_RANGE: (usize, usize) = (16, 8192);

/// The settings of a queue.
pub struct NatsSetup {
    /// The arena's id.
    pub arena: String,
    /// Whether the engines are untrusted.
    pub contest: bool,
    /// The games that this host knows.
    pub games: Games,
    /// How many games in ten thousand count only after another worker has written the same record.
    pub replays: u16,
    /// The secret seed of the random selection of these games.
    pub salt: [u8; 32],
    /// The keys of the workers that may play; none: every worker may.
    pub workers: Option<BTreeSet<PublicKey>>,
    /// How long a worker may hold a game before it is offered again.
    pub lease: Duration,
    /// The keys of excluded workers, with the reasons.
    pub excluded: Vec<(String, String)>,
    /// The key of this session of the arena.
    pub key: SecretKey,
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
    excluded: Mutex<BTreeMap<PublicKey, String>>,
    listener: tokio::task::JoinHandle<()>,
}

/// The workers that have reported.
#[derive(Default)]
struct WorkerRegistry {
    workers: BTreeMap<PublicKey, (Instant, Presence)>,
    /// The keys that may report; none: all.
    allowed: Option<BTreeSet<PublicKey>>,
    /// Workers of another kind, or that may not play, that were already logged.
    logged: BTreeSet<PublicKey>,
}

impl NatsQueue {
    /// Opens the queue of an arena at this broker.
    pub fn open(broker: Broker, setup: NatsSetup) -> Result<Self, BrokerError> {
        let kind = host_kind();
        let allowed = setup.workers.clone();
        let workers = WorkerRegistry { allowed, ..WorkerRegistry::default() };
        let workers = Arc::new(Mutex::new(workers));
        let presence = broker.wait(broker.client.subscribe(PRESENCE));
        let mut presence = presence.map_err(broker.failed("accept a subscription"))?;
        let (registry, own_kind) = (workers.clone(), kind.clone());
        let listener = broker.runtime.spawn(async move {
            while let Some(message) = presence.next().await {
                let opened = open_envelope(SignedKind::Presence, &message.payload);
                let Ok((key, body)) = opened else { continue };
                if let Ok(presence) = Presence::decode(body) {
                    locked(&registry).add(key, presence, &own_kind);
                }
            }
        });
        let known = setup.excluded.iter();
        let known = known.filter_map(|(key, reason)| Some((key.parse().ok()?, reason.clone())));
        let excluded = Mutex::new(known.collect());
        let (files, engines) = (ObjectStoreFiles::open(&broker)?, Mutex::default());
        Ok(Self { broker, files, setup, kind, engines, workers, excluded, listener })
    }

    /// Uploads an engine's files for the workers.
    pub fn provide(&self, entry: &Entry) -> Result<(), ProvideError> {
        if entry.kind == Some(ModuleKind::External) {
            return Err(ProvideError::Program(entry.id.clone()));
        }
        let put = |path: &std::path::Path, sha256: &str| {
            let read = read_regular(path, u64::MAX);
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
        let player = |player: &Participant| -> Result<TaskPlayer, String> {
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
            rules: RulesRecord::of(start.game),
            variant: start.variant.text(),
            start: start.position,
            seed: job.seed,
            settings: bout.settings,
            players: bout.players.iter().map(player).collect::<Result<_, _>>()?,
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
        let games = self.concurrency().saturating_mul(OFFERED);
        games.clamp(OFFERED_RANGE.0, OFFERED_RANGE.1)
    }

    /// Whether another worker than this one can replay a game.
    pub(super) fn has_other_worker(&self, worker: &PublicKey) -> bool {
        let excluded = locked(&self.excluded);
        let workers = locked(&self.workers);
        let mut active = workers.active().filter(|(_, it)| it.kind == self.kind && it.slots > 0);
        active.any(|(key, _)| key != worker && !excluded.contains_key(key))
    }

    /// A worker in messages: its name, if it has reported one, and the first digits of its key.
    pub(super) fn name_of(&self, worker: &PublicKey) -> String {
        let workers = locked(&self.workers);
        let name = workers.workers.get(worker).map(|(_, presence)| presence.worker.as_str());
        format!("{} (key {}…)", name.unwrap_or("without a name"), worker.short())
    }

    /// Whether no worker is available.
    pub(super) fn has_no_worker(&self) -> bool {
        self.concurrency() == 0
    }

    /// The reason why results of a worker do not count, if they do not. Sends it a dismissal.
    pub(super) fn excluded(&self, worker: &PublicKey) -> Option<String> {
        let is_allowed = self.setup.workers.as_ref().is_none_or(|all| all.contains(worker));
        let reason = match is_allowed {
            true => locked(&self.excluded).get(worker).cloned()?,
            false => "its key is not among those of the arena's workers (--worker-key)".into(),
        };
        self.dismiss(worker, &reason);
        Some(reason)
    }

    /// Excludes a worker. Returns false if it was already excluded.
    pub(super) fn exclude(&self, worker: &PublicKey, reason: &str) -> bool {
        let before = locked(&self.excluded).insert(*worker, reason.to_owned());
        self.dismiss(worker, reason);
        before.is_none()
    }

    fn dismiss(&self, worker: &PublicKey, reason: &str) {
        let dismissal = Dismissal {
            version: VERSION,
            worker: *worker,
            arena: self.setup.arena.clone(),
            reason: reason.to_owned(),
        };
        let body = serde_json::to_vec(&dismissal).unwrap_or_default();
        let sealed = self.setup.key.seal(SignedKind::Dismissal, &body);
        self.broker.publish(dismissal_of(worker), sealed);
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
        let active = workers.active().filter(|(_, it)| it.kind == self.kind);
        let active = active.filter(|(key, _)| !excluded.contains_key(key));
        active.fold(0, |sum, (_, it)| it.slots.saturating_add(sum))
    }

    fn games(&self) -> Vec<LiveGame> {
        let workers = locked(&self.workers);
        let mut games = Vec::new();
        for (_, presence) in workers.active() {
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
    /// Adds the report of the worker with this key.
    fn add(&mut self, key: PublicKey, presence: Presence, own_kind: &str) {
        let Presence { worker, kind, host, .. } = &presence;
        let is_allowed = self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&key));
        if (!is_allowed || kind != own_kind)
            && self.logged.len() < WORKERS_MAX
            && self.logged.insert(key)
        {
            match is_allowed {
                false => log::warn!(
                    "the worker {worker} gets no games that count: its key {key} is not among those \
                     of --worker-key"
                ),
                true => log::warn!(
                    "the worker {worker} runs another build of sandboard ({host}) and gets no games \
                     of this arena"
                ),
            }
        }
        let latest = self.workers.get(&key).map_or(0, |(_, presence)| presence.number);
        if !is_allowed || (latest > 0 && presence.number <= latest) {
            return;
        }
        // The numbers of workers that are gone are kept while there is room.
        if self.workers.len() >= WORKERS_MAX {
            self.workers.retain(|_, (at, _)| at.elapsed() < PRESENCE_TIMEOUT);
        }
        if self.workers.len() < WORKERS_MAX || self.workers.contains_key(&key) {
            self.workers.insert(key, (Instant::now(), presence));
        }
    }

    fn active(&self) -> impl Iterator<Item = (&PublicKey, &Presence)> {
        let active = self.workers.iter().filter(|(_, (at, _))| at.elapsed() < PRESENCE_TIMEOUT);
        active.map(|(key, (_, presence))| (key, presence))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds reports, each the letter of a key, a number and the slots. Expected: the keys of active
    /// workers with their slots.
    fn check(allowed: Option<&str>, reports: &[(char, u64, usize)], expected: &[(char, usize)]) {
        let key = |letter: char| format!("{:02x}", letter as u8).repeat(32).parse().unwrap();
        let allowed = allowed.map(|letters| letters.chars().map(key).collect());
        let mut registry = WorkerRegistry { allowed, ..WorkerRegistry::default() };
        for (letter, number, slots) in reports {
            let (worker, kind, host) = ("same-name".into(), "k".into(), "0".into());
            let (number, slots, games) = (*number, *slots, Vec::new());
            let presence = Presence { version: VERSION, number, worker, kind, host, slots, games };
            registry.add(key(*letter), presence, "k");
        }
        let found: Vec<_> = registry.active().map(|(key, it)| (*key, it.slots)).collect();
        let expected: Vec<_> =
            expected.iter().map(|(letter, slots)| (key(*letter), *slots)).collect();
        assert_eq!(found, expected, "{reports:?}");
    }

    #[test]
    fn a_worker_is_its_key() {
        check(None, &[], &[]);
        // The name is the same; no worker replaces another.
        check(None, &[('a', 1, 1), ('b', 1, 2)], &[('a', 1), ('b', 2)]);
        check(None, &[('a', 1, 1), ('a', 2, 3)], &[('a', 3)]);
        // An old report is repeated.
        check(None, &[('a', 2, 1), ('a', 1, 3), ('a', 2, 4)], &[('a', 1)]);
        check(Some("a"), &[('a', 1, 1), ('b', 1, 2)], &[('a', 1)]);
        check(Some(""), &[('a', 1, 1)], &[]);
    }
}
