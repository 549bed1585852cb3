//! The queue of an arena whose games others play: offers games to the broker, as many as workers are there to play them,
//! and takes in what comes back, which is acknowledged once it is committed. A share of the games on fuel counts only when
//! another worker, or this host, has played them to the same record.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::blobs::Files;
use super::results::judge;
use super::serve::Told;
use super::session::Session;
use super::{Broker, BrokerError, PRESENCE, dismissal_of};
use crate::arena::{Desk, Job, JobQueue, LiveGame, RunError};
use crate::bout::{BoutSetup, EnginePlayer, Mover};
use crate::catalog::Entry;
use crate::loader;
use crate::manifest::ModuleKind;
use crate::queue::blobs::{BlobError, BlobStore};
use crate::queue::message::{
    Blob, Dismissal, Presence, TaskEngine, TaskPlayer, Terms, VERSION, decoded, kind_of_host,
};

/// Who was not heard for so long is taken for gone.
const SILENT: Duration = Duration::from_secs(5);
/// So many games may be offered for each that can be played at once, and at least and at most so many in all.
const OFFERED: usize = 2;
const OFFERED_RANGE: (usize, usize) = (16, 8192);

/// What an arena is played by over a broker.
pub struct NatsSetup {
    /// The arena's id.
    pub arena: String,
    /// Whether its engines are trusted by nobody.
    pub contest: bool,
    /// Of so many games in ten thousand another worker must write the same record before they count.
    pub replays: u16,
    /// What these are drawn by; workers do not know it.
    pub salt: u64,
    /// Whose games do not count any more, and why.
    pub excluded: Vec<(String, String)>,
}

/// Why an engine cannot be played elsewhere.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvideError {
    /// It is not a module alone.
    #[error("engine `{0}` is a program, which is played where it is installed: leave --nats out")]
    Program(String),
    /// A file of it is another one.
    #[error("{0} has changed since it was listed")]
    Changed(String),
    /// A file of it cannot be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// Which.
        path: String,
        /// Why not.
        error: std::io::Error,
    },
    /// The broker does not take it.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// Games are played by whoever listens to a broker.
pub struct NatsQueue {
    pub(super) broker: Broker,
    pub(super) files: Files,
    pub(super) setup: NatsSetup,
    pub(super) kind: String,
    engines: Mutex<HashMap<(String, String), (Entry, TaskEngine)>>,
    heard: Arc<Mutex<Heard>>,
    excluded: Mutex<BTreeMap<String, String>>,
    listens: tokio::task::JoinHandle<()>,
}

/// Who was heard.
#[derive(Default)]
struct Heard {
    workers: BTreeMap<String, (Instant, Presence)>,
    /// Those of another kind, of whom it was said.
    others: BTreeSet<String>,
}

impl NatsQueue {
    /// The queue of an arena at this broker.
    pub fn open(broker: Broker, setup: NatsSetup) -> Result<Self, BrokerError> {
        let kind = kind_of_host();
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let presence = broker.wait(broker.client.subscribe(PRESENCE));
        let mut presence = presence.map_err(broker.failed("listen"))?;
        let (ears, own) = (heard.clone(), kind.clone());
        let listens = broker.runtime.spawn(async move {
            while let Some(message) = presence.next().await {
                if let Ok(presence) = decoded::<Presence>(&message.payload) {
                    locked(&ears).hear(presence, &own);
                }
            }
        });
        let excluded = Mutex::new(setup.excluded.iter().cloned().collect());
        let (files, engines) = (Files::open(&broker)?, Mutex::default());
        Ok(Self { broker, files, setup, kind, engines, heard, excluded, listens })
    }

    /// Puts an engine where workers find it.
    pub fn provide(&self, entry: &Entry) -> Result<(), ProvideError> {
        if entry.kind == Some(ModuleKind::Process) {
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
        let caps = loader::caps(entry);
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

    /// Puts all engines there again: the broker may have lost them.
    pub(super) fn provide_again(&self) {
        let provided: Vec<Entry> = {
            let engines = locked(&self.engines);
            engines.values().map(|(entry, _)| entry.clone()).collect()
        };
        for entry in provided {
            if let Err(error) = self.provide(&entry) {
                let complaint = format!("engine `{}`: {error}", entry.id);
                self.broker.complain("engines are not at the broker", &complaint);
            }
        }
    }

    /// Whether a file is an engine's, which no worker has removed by naming it.
    pub(super) fn is_provided(&self, blob: &Blob) -> bool {
        let engines = locked(&self.engines);
        engines.values().any(|(_, engine)| {
            engine.module == *blob || engine.assets.iter().any(|(_, asset)| asset == blob)
        })
    }

    /// What a game depends on, for whoever plays it. Err: an engine was not provided.
    pub(super) fn terms(
        &self,
        desk: &Desk<'_>,
        job: &Job,
        bout: &BoutSetup,
    ) -> Result<Terms, String> {
        let start = desk.arena().conditions.start_of(job);
        let player = |index: usize| -> Result<TaskPlayer, String> {
            let player = bout.players.get(index).ok_or("a player of it is not there")?;
            let Mover::Engine(engine) = &player.mover else { return Err("a person plays".into()) };
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
        let provided =
            provided.ok_or_else(|| format!("engine `{}` is not at the broker", engine.id))?;
        Ok(TaskEngine {
            version: engine.version.clone(),
            options: engine.options.clone(),
            threads: engine.threads,
            ..provided.1.clone()
        })
    }

    /// How many games may be on offer now.
    pub(super) fn window(&self) -> usize {
        (OFFERED * self.concurrency()).clamp(OFFERED_RANGE.0, OFFERED_RANGE.1)
    }

    /// Whether somebody else than this worker is there to play a game again.
    pub(super) fn has_others(&self, than: &str) -> bool {
        let excluded = locked(&self.excluded);
        let heard = locked(&self.heard);
        let mut there = heard.there().filter(|it| it.kind == self.kind);
        there.any(|it| it.worker != than && !excluded.contains_key(&it.worker))
    }

    /// Whether nobody is there to play.
    pub(super) fn is_alone(&self) -> bool {
        self.concurrency() == 0
    }

    /// Why a worker was excluded, if it was; it is told so again.
    pub(super) fn excluded(&self, worker: &str) -> Option<String> {
        let reason = locked(&self.excluded).get(worker).cloned()?;
        self.dismiss(worker, &reason);
        Some(reason)
    }

    /// Believes nothing of a worker from here on. False: it was so before.
    pub(super) fn exclude(&self, worker: &str, reason: &str) -> bool {
        let before = locked(&self.excluded).insert(worker.to_owned(), reason.to_owned());
        self.dismiss(worker, reason);
        before.is_none()
    }

    fn dismiss(&self, worker: &str, reason: &str) {
        let said = Dismissal { arena: self.setup.arena.clone(), reason: reason.to_owned() };
        let told = Told { version: VERSION, said };
        self.broker.tell(dismissal_of(worker), serde_json::to_vec(&told).unwrap_or_default());
    }
}

impl JobQueue for NatsQueue {
    fn serve(&self, desk: &Desk<'_>) {
        std::thread::scope(|scope| {
            let (cases, docket) = mpsc::channel();
            let (pronounced, verdicts) = mpsc::channel();
            scope.spawn(move || judge(desk, &docket, &pronounced));
            if let Err(error) = Session::new(self, desk, cases).run(&verdicts) {
                desk.fail(RunError::Queue(error.to_string()));
            }
        });
    }

    fn concurrency(&self) -> usize {
        let excluded = locked(&self.excluded);
        let heard = locked(&self.heard);
        let there = heard.there().filter(|it| it.kind == self.kind);
        there.filter(|it| !excluded.contains_key(&it.worker)).map(|it| it.slots).sum()
    }

    fn games(&self) -> Vec<LiveGame> {
        let heard = locked(&self.heard);
        let mut games = Vec::new();
        for presence in heard.there() {
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
        self.listens.abort();
    }
}

impl Heard {
    fn hear(&mut self, presence: Presence, own: &str) {
        if presence.kind != own && self.others.insert(presence.worker.clone()) {
            log::warn!(
                "the worker {} is another build of sandboard ({}): it gets no games of this arena",
                presence.worker,
                presence.host
            );
        }
        self.workers.retain(|_, (at, _)| at.elapsed() < SILENT);
        self.workers.insert(presence.worker.clone(), (Instant::now(), presence));
    }

    fn there(&self) -> impl Iterator<Item = &Presence> {
        self.workers.values().filter(|(at, _)| at.elapsed() < SILENT).map(|(_, it)| it)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
