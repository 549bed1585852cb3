//! From an entry's bytes to an engine that plays: for its test and for its games alike.
//!
//! Invariant: an entry is loaded by a loader for contests alone, from bytes that have its hash, within the contest's memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sandboard_abi::GameSpec;

use super::file::Contest;
use super::folder::ContestFolder;
use super::roster::Version;
use crate::arena::Contestant;
use crate::bout::EnginePlayer;
use crate::catalog::{Entry, Subject};
use crate::engine::wasm::Metering;
use crate::engine::{Engine, EngineSource, Fault, FaultCode, Listener};
use crate::loader::{Loaded, Loader};
use crate::manifest::{ModuleKind, PackLimits};

/// An entry as one of the catalog, by its id, the SHA-256 and length of its bytes, and the file that they are in.
pub(super) fn catalog_entry(
    contest: &Contest,
    id: &str,
    (sha256, bytes): (&str, u64),
    module: PathBuf,
) -> Entry {
    Entry {
        subject: Subject::Bare,
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

/// A loaded entry as a player, with all its options as they are from the beginning.
pub(super) fn player(loaded: &Loaded, id: &str, sha256: &str) -> EnginePlayer {
    EnginePlayer {
        version: loaded.description.version.clone(),
        module_sha256: Some(sha256.into()),
        memory_bytes: loaded.caps.memory_bytes,
        start_ms: loaded.caps.start_us / 1000,
        ..EnginePlayer::new(loaded.source.clone(), id)
    }
}

/// So often an entry is loaded that cannot be, and after so long.
pub(super) const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(300);

/// Why an entry does not play.
pub(super) struct NotLoaded {
    /// A sentence.
    pub sentence: String,
    /// It may be the machine's doing, and over by the next time.
    pub may_pass: bool,
}

/// A player whose module is not to be had.
fn absent(begun: &Contestant, reason: &str) -> EnginePlayer {
    let fault = Fault::new(FaultCode::Host, format!("cannot be loaded: {reason}"));
    EnginePlayer {
        version: begun.version.clone(),
        module_sha256: Some(begun.module_sha256.clone()),
        ..EnginePlayer::new(Arc::new(Absent(fault)), &begun.engine)
    }
}

/// Where no instance comes from.
struct Absent(Fault);

impl EngineSource for Absent {
    fn open_for(&self, _: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        Err(self.0.clone())
    }
}

/// What loads the entries of a contest, and has the engines of its house.
pub(super) struct Squad<'a> {
    pub folder: &'a ContestFolder,
    pub loader: &'a Loader,
    pub house: &'a [(Contestant, EnginePlayer)],
}

/// The id that an entry has as an engine in records: no text of its author's.
pub(super) fn engine_id(entry: i64) -> String {
    format!("entry-{entry}")
}

impl Squad<'_> {
    /// An entry, ready to play.
    pub fn load(&self, version: &Version) -> Result<(Contestant, EnginePlayer), NotLoaded> {
        let of = |error: &dyn std::fmt::Display| NotLoaded {
            sentence: format!("{}: {error}", version.name),
            may_pass: true,
        };
        let path = self.folder.module(&version.sha256).map_err(|error| of(&error))?;
        let path = path.ok_or_else(|| of(&"its bytes are lost"))?;
        let length = std::fs::metadata(&path).map_err(|error| of(&error))?.len();
        let contest = self.folder.contest();
        let id = engine_id(version.entry);
        let entry = catalog_entry(contest, &id, (&version.sha256, length), path);
        let refused =
            |fault: Fault| NotLoaded { may_pass: fault.code == FaultCode::Host, ..of(&fault) };
        let loaded = self.loader.load(&entry, Metering::Fuel).map_err(refused)?;
        let engine = player(&loaded, &id, &version.sha256);
        let contestant = Contestant::of(&engine, BTreeMap::new(), contest.budget);
        Ok((Contestant { name: version.name.clone(), ..contestant }, engine))
    }

    /// The engine of a player of an arena that was begun: the very module. An entry that is not to be had now has no game with a
    /// result: each begins with why. The error is a sentence: the player would be another one.
    pub fn again(&self, begun: &Contestant) -> Result<EnginePlayer, String> {
        let house = self.house.iter().find(|(player, _)| player.name == begun.name);
        let version = Version {
            name: begun.name.clone(),
            entrant: String::new(),
            entry: begun.engine.rsplit('-').next().and_then(|it| it.parse().ok()).unwrap_or(0),
            sha256: begun.module_sha256.clone(),
        };
        let mut attempts = 0;
        let (now, engine) = loop {
            attempts += 1;
            match house.cloned().map_or_else(|| self.load(&version), Ok) {
                Ok(found) => break found,
                Err(NotLoaded { may_pass, .. }) if may_pass && attempts < ATTEMPTS => {
                    std::thread::sleep(PAUSE);
                }
                Err(NotLoaded { sentence, .. }) => return Ok(absent(begun, &sentence)),
            }
        };
        match begun.differences(&now) {
            differences if differences.is_empty() => Ok(engine),
            differences => {
                Err(format!("what was begun cannot be gone on with: {}", differences.join("; ")))
            }
        }
    }
}
