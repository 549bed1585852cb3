//! Loads an entry from its bytes, for its test and for its games alike.
//!
//! Invariant: an entry is loaded only by a loader for contests, from bytes with its hash, within
//! the contest's memory limit.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sandboard_abi::GameSpec;

use super::folder::ContestFolder;
use super::log_quota::LogQuota;
use super::roster::Version;
use sandboard_arena_plan::Contestant;
use sandboard_bout::driver::EnginePlayer;
use sandboard_contest_rules::{Contest, engine_id};
use sandboard_engine::{Engine, EngineSource, Fault, FaultCode, Listener};
use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::{Entry, EntryKind};
use sandboard_packs::loader::{LoadedEngine, Loader};
use sandboard_packs::manifest::{ModuleKind, PackLimits};

/// An entry as a catalog entry, from its id, the SHA-256 and length of its bytes, and its file.
pub(super) fn catalog_entry(
    contest: &Contest,
    id: &str,
    (sha256, bytes): (&str, u64),
    module: PathBuf,
) -> Entry {
    Entry {
        entry_kind: EntryKind::BareModule,
        id: id.into(),
        name: id.into(),
        kind: Some(ModuleKind::Wasm),
        games: vec![GameSpec {
            game: contest.game.id.into(),
            variants: vec![contest.variant.text()],
        }],
        source: format!("{id}.wasm").into(),
        module,
        sha256: sha256.into(),
        module_bytes: bytes,
        limits: PackLimits { memory_bytes: Some(contest.memory_bytes), ..PackLimits::default() },
        ..Entry::default()
    }
}

/// A loaded entry as a player, with default options.
pub(super) fn player(loaded: &LoadedEngine, id: &str, sha256: &str) -> EnginePlayer {
    EnginePlayer {
        version: loaded.description.version.clone(),
        module_sha256: Some(sha256.into()),
        limits: loaded.limits,
        ..EnginePlayer::new(loaded.source.clone(), id)
    }
}

/// How often loading is tried, and the pause between attempts.
pub(super) const ATTEMPTS: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(300);

/// Why an entry cannot be loaded.
pub(super) struct LoadFailure {
    /// The reason, as a sentence.
    pub sentence: String,
    /// Whether the machine may be at fault, so that another attempt makes sense.
    pub is_temporary: bool,
}

/// A player whose module cannot be loaded.
fn unavailable(player: &Contestant, reason: &str) -> EnginePlayer {
    let fault = Fault::new(FaultCode::Host, format!("cannot be loaded: {reason}"));
    EnginePlayer {
        version: player.version.clone(),
        module_sha256: Some(player.module_sha256.clone()),
        ..EnginePlayer::new(Arc::new(Unavailable(fault)), &player.engine)
    }
}

/// A source that gives its fault instead of an instance.
struct Unavailable(Fault);

impl EngineSource for Unavailable {
    fn open(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        Err(self.0.clone())
    }
}

/// Loads the entries of a contest and holds its house engines.
pub(super) struct EntryLoader<'a> {
    pub folder: &'a ContestFolder,
    pub loader: &'a Loader,
    pub house: &'a [(Contestant, EnginePlayer)],
    pub log_quota: LogQuota<'a>,
}

impl EntryLoader<'_> {
    /// Loads an entry as a player.
    pub(crate) fn load(
        &self,
        version: &Version,
    ) -> Result<(Contestant, EnginePlayer), LoadFailure> {
        let of = |error: &dyn std::fmt::Display| LoadFailure {
            sentence: format!("{}: {error}", version.name),
            is_temporary: true,
        };
        let path = self.folder.module(&version.sha256).map_err(|error| of(&error))?;
        let path = path.ok_or_else(|| of(&"its module is lost"))?;
        let length = std::fs::metadata(&path).map_err(|error| of(&error))?.len();
        let contest = self.folder.contest();
        let id = engine_id(version.entry);
        let entry = catalog_entry(contest, &id, (&version.sha256, length), path);
        let refused = |fault: Fault| LoadFailure {
            is_temporary: fault.code == FaultCode::Host,
            ..of(&fault)
        };
        let loaded = self.loader.load(&entry, Metering::Fuel).map_err(refused)?;
        let log_allowance = Some(self.log_quota.allowance(version.entry));
        let engine = EnginePlayer { log_allowance, ..player(&loaded, &id, &version.sha256) };
        let contestant = Contestant::for_engine(&engine, BTreeMap::new(), contest.budget);
        Ok((Contestant { name: version.name.clone(), ..contestant }, engine))
    }

    /// Loads a player of a started arena again, with the same module. An entry that cannot be
    /// loaded becomes a player whose games all end without a result, with the reason. Fails if the
    /// player would differ.
    pub(crate) fn reload(&self, started: &Contestant) -> Result<EnginePlayer, String> {
        let house = self.house.iter().find(|(player, _)| player.name == started.name);
        let version = Version {
            name: started.name.clone(),
            entrant: String::new(),
            entry: started.engine.rsplit('-').next().and_then(|it| it.parse().ok()).unwrap_or(0),
            sha256: started.module_sha256.clone(),
        };
        let mut attempts = 0;
        let (now, engine) = loop {
            attempts += 1;
            match house.cloned().map_or_else(|| self.load(&version), Ok) {
                Ok(found) => break found,
                Err(LoadFailure { is_temporary, .. }) if is_temporary && attempts < ATTEMPTS => {
                    std::thread::sleep(RETRY_PAUSE);
                }
                Err(LoadFailure { sentence, .. }) => return Ok(unavailable(started, &sentence)),
            }
        };
        match started.differences(&now) {
            differences if differences.is_empty() => Ok(engine),
            differences => Err(format!("the arena cannot be resumed: {}", differences.join("; "))),
        }
    }
}
