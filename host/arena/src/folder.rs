//! The folder of an arena: its store, and a lock that lets one process play the arena while others
//! read it. Decides nothing about what is played.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Runtime;

use super::store::{AcceptedResult, FILE, PackedRecord, Store, StoreError};
use super::store_location::StoreLocation;
use crate::database::Url;
use sandboard_arena_plan::{
    ArenaSetup, Contestant, FORMAT, GameKey, GameResult, Ledger, LedgerError, VERSION, job_id,
};
use sandboard_bout::record::{LoadError, Record, RecordError};
use sandboard_common::file_modes;
use sandboard_common::lock::{FolderLock, LOCK_RETRY, LockError};
use sandboard_games::Games;

/// An arena's folder, locked by this process until it is dropped.
pub struct ArenaFolder {
    open: OpenFolder,
    _lock: FolderLock,
}

/// An arena's folder, opened for reading.
pub struct OpenFolder {
    dir: PathBuf,
    store: Arc<dyn Store>,
    runtime: Arc<Runtime>,
}

/// The stored state of an arena, except the games' records.
pub struct LoadedArena {
    /// The setup of the arena.
    pub setup: ArenaSetup,
    /// The file of openings.
    pub openings: Option<Vec<u8>>,
    /// The players: the first ones, then those that joined.
    pub players: Vec<Contestant>,
    /// The games that are done.
    pub ledger: Ledger,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A file operation failed.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// The operation that failed.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An operation of the store failed.
    #[error("{}: {error}", dir.display())]
    Store {
        /// The folder of the arena.
        dir: PathBuf,
        /// The operation and the cause.
        error: StoreError,
    },
    /// The folder of a new arena already holds an arena.
    #[error("{} holds an arena already; resume it with `sandboard arena --resume {}`",
        .0.display(), .0.display())]
    Taken(PathBuf),
    /// There is no arena to resume.
    #[error("{} is not the folder of an arena: it has no {FILE} with a setup, and names no database \
             with one", .0.display())]
    NoArena(PathBuf),
    /// Another process plays the arena.
    #[error("the arena in {} is being played by another process", .0.display())]
    Busy(PathBuf),
    /// The store has invalid content.
    #[error("{}: {part}: {reason}", dir.display())]
    Content {
        /// The folder of the arena.
        dir: PathBuf,
        /// The part of the content.
        part: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such game.
    #[error("{} has no finished game `{name}`; `sandboard arena games {}` lists them",
        dir.display(), dir.display())]
    NoGame {
        /// The folder of the arena.
        dir: PathBuf,
        /// The name that was requested.
        name: String,
    },
    /// The location of the store cannot be written into the folder.
    #[error(transparent)]
    Location(sandboard_common::files::FileError),
    /// A record is invalid.
    #[error(transparent)]
    Record(#[from] LoadError),
}

impl ArenaFolder {
    /// Creates the folder of a new arena, with its parent folders. The store is in this database,
    /// or, without one, in a file of the folder. `openings` is the content of the file of openings.
    pub fn create(
        dir: &Path,
        database: Option<&Url>,
        setup: &ArenaSetup,
        openings: Option<&[u8]>,
    ) -> Result<Self, FolderError> {
        file_modes::create_folder(dir).map_err(|source| FolderError::Io {
            step: "create the folder",
            path: dir.to_owned(),
            source,
        })?;
        let lock = lock(dir)?;
        let taken = || FolderError::Taken(dir.to_owned());
        if StoreLocation::is_in_database(dir) {
            return Err(taken());
        }
        if database.is_some() && OpenFolder::holds_arena(dir) {
            let other = OpenFolder::open_to_read(dir)?;
            if other.wait(other.store.setup())?.is_some() {
                return Err(taken());
            }
        }
        let location = match database {
            Some(url) => StoreLocation::Database(url.clone(), setup.id.clone()),
            None => StoreLocation::File(dir.join(FILE)),
        };
        let folder = Self::open_to_play(dir, lock, &location)?;
        if folder.open.wait(folder.open.store.setup())?.is_some() {
            return Err(taken());
        }
        let json = serde_json::to_string(setup)
            .map_err(|error| folder.open.content("the setup", error))?;
        folder.open.wait(folder.open.store.create(&json, openings))?;
        // Last, so that a folder that names a database has an arena there.
        location.write_to(dir).map_err(FolderError::Location)?;
        Ok(folder)
    }

    /// Opens the folder of an existing arena to play it.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        if !OpenFolder::holds_arena(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        let lock = lock(dir)?;
        let location = location(dir)?;
        Self::open_to_play(dir, lock, &location)
    }

    fn open_to_play(
        dir: &Path,
        lock: FolderLock,
        location: &StoreLocation,
    ) -> Result<Self, FolderError> {
        let open = OpenFolder::with(dir, location.open())?;
        let until = Instant::now() + LOCK_RETRY;
        while !open.wait(open.store.lock())? {
            // A killed process may take a moment to end, and readers share the lock for a moment.
            if Instant::now() >= until {
                return Err(FolderError::Busy(dir.to_owned()));
            }
            std::thread::sleep(LOCK_RETRY / 20);
        }
        Ok(Self { open, _lock: lock })
    }

    /// The store that this process writes to.
    pub fn store(&self) -> Arc<dyn Store> {
        self.open.store.clone()
    }

    /// The runtime for futures of the store.
    pub fn runtime(&self) -> Arc<Runtime> {
        self.open.runtime.clone()
    }
}

impl std::ops::Deref for ArenaFolder {
    type Target = OpenFolder;

    fn deref(&self) -> &OpenFolder {
        &self.open
    }
}

impl OpenFolder {
    /// Whether a folder holds an arena.
    pub fn holds_arena(dir: &Path) -> bool {
        StoreLocation::marker_file(dir).is_file()
    }

    /// Opens an arena for reading; another process may be playing it.
    pub fn open_to_read(dir: &Path) -> Result<Self, FolderError> {
        if !Self::holds_arena(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        Self::with(dir, location(dir)?.open_to_read())
    }

    /// Sends a request to the process that plays an arena. Writes to the store without its lock.
    pub fn send_request(dir: &Path, json: &str) -> Result<(Self, i64), FolderError> {
        if !Self::holds_arena(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        let open = Self::with(dir, location(dir)?.open())?;
        let number = open.wait(open.store.add_request(json))?;
        Ok((open, number))
    }

    fn with(
        dir: &Path,
        open: impl Future<Output = Result<Arc<dyn Store>, StoreError>>,
    ) -> Result<Self, FolderError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("arena store")
            .enable_all()
            .build()
            .map_err(|source| FolderError::Io {
                step: "start a thread for",
                path: dir.to_owned(),
                source,
            })?;
        let store = runtime.block_on(open);
        let store = store.map_err(|error| FolderError::Store { dir: dir.to_owned(), error })?;
        Ok(Self { dir: dir.to_owned(), store, runtime: Arc::new(runtime) })
    }

    /// The path of the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a process plays the arena.
    pub fn is_running(&self) -> bool {
        // If the store fails here, its next operation reports the error.
        is_running(&self.dir) || self.runtime.block_on(self.store.is_locked()).unwrap_or(false)
    }

    /// Runs a future of the store.
    pub fn wait<T>(
        &self,
        pending: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, FolderError> {
        let found = self.runtime.block_on(pending);
        found.map_err(|error| FolderError::Store { dir: self.dir.clone(), error })
    }

    /// The store, to read from.
    pub fn reader(&self) -> &dyn Store {
        &*self.store
    }

    /// Loads everything except the records.
    pub fn load(&self) -> Result<LoadedArena, FolderError> {
        self.runtime.block_on(load(&*self.store, &self.dir))
    }

    /// The record of a game that counts, by its name.
    pub fn record(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        let none = || FolderError::NoGame { dir: self.dir.clone(), name: name.to_owned() };
        let key = GameKey::from_name(name).ok_or_else(none)?;
        let packed: Option<PackedRecord> = self.wait(self.store.record(key))?;
        packed
            .ok_or_else(none)?
            .unpack()
            .map_err(|error| self.content(&format!("the record of {name}"), error))
    }

    fn content(&self, part: &str, reason: impl ToString) -> FolderError {
        FolderError::Content {
            dir: self.dir.clone(),
            part: part.into(),
            reason: reason.to_string(),
        }
    }
}

impl Drop for OpenFolder {
    fn drop(&mut self) {
        // All writes are committed already, so an error loses nothing.
        let _ = self.runtime.block_on(self.store.close());
    }
}

/// Locks a folder.
fn lock(dir: &Path) -> Result<FolderLock, FolderError> {
    FolderLock::take(dir).map_err(|error| match error {
        LockError::Busy => FolderError::Busy(dir.to_owned()),
        LockError::Io { path, source } => FolderError::Io { step: "lock", path, source },
    })
}

/// The location of a folder's store.
fn location(dir: &Path) -> Result<StoreLocation, FolderError> {
    StoreLocation::of_folder(dir).map_err(|error| FolderError::Store { dir: dir.to_owned(), error })
}

/// Whether a process on this machine plays the arena in a folder.
pub fn is_running(dir: &Path) -> bool {
    FolderLock::is_taken(dir)
}

/// Loads everything except the records from a store. Errors name `dir`.
pub async fn load(store: &dyn Store, dir: &Path) -> Result<LoadedArena, FolderError> {
    let refused = |error| FolderError::Store { dir: dir.to_owned(), error };
    let content = |part: &str, reason: &dyn ToString| FolderError::Content {
        dir: dir.to_owned(),
        part: part.to_owned(),
        reason: reason.to_string(),
    };
    let found = store.setup().await.map_err(refused)?;
    let (json, openings) = found.ok_or_else(|| FolderError::NoArena(dir.to_owned()))?;
    let setup = read_setup(&json).map_err(|reason| content("the setup", &reason))?;
    // Another process may be playing: a schedule change is stored before the results that depend on
    // it, so it is read after them.
    let results = store.accepted().await.map_err(refused)?;
    let events = store.events().await.map_err(refused)?;
    let mut players = setup.players.clone();
    for (number, about) in store.players().await.map_err(refused)?.iter().enumerate() {
        let player = serde_json::from_str(about);
        players.push(
            player.map_err(|error| {
                content(&format!("player {number} of those that joined"), &error)
            })?,
        );
    }
    let mut ledger =
        Ledger::new(&setup).map_err(|error: LedgerError| content("the setup", &error))?;
    for (number, event) in events.iter().enumerate() {
        let wrong = |error: &dyn ToString| content(&format!("change {number}"), error);
        let event = serde_json::from_str(event).map_err(|error| wrong(&error))?;
        ledger.apply(event).map_err(|error| wrong(&error))?;
    }
    count(&mut ledger, &setup, &results).map_err(|(name, reason)| content(&name, &reason))?;
    Ok(LoadedArena { setup, openings, players, ledger })
}

/// Counts stored results. The error is the name of the game that cannot be counted, and the cause.
pub(super) fn count(
    ledger: &mut Ledger,
    setup: &ArenaSetup,
    results: &[AcceptedResult],
) -> Result<(), (String, String)> {
    for accepted in results {
        let wrong = |reason: &dyn ToString| (accepted.game.name(), reason.to_string());
        if accepted.job != job_id(&setup.id, accepted.game.pair) {
            return Err(wrong(&"it is a game of another arena"));
        }
        let result: GameResult =
            serde_json::from_str(&accepted.result).map_err(|error| wrong(&error))?;
        ledger.add(accepted.game, result).map_err(|error| wrong(&error))?;
    }
    Ok(())
}

fn read_setup(json: &str) -> Result<ArenaSetup, String> {
    let setup: ArenaSetup = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if setup.format != FORMAT {
        return Err(format!("`format` is not \"{FORMAT}\": this is not an arena"));
    }
    if setup.version != VERSION {
        return Err(format!(
            "it is of version {}, and this host reads version {VERSION}",
            setup.version
        ));
    }
    Ok(setup)
}

/// The record at a path: of a file or, if the path leads into an arena's folder
/// (`DIR/pair-000001-1`), of that game.
pub fn load_record(path: &Path, games: &Games) -> Result<Record, FolderError> {
    let inside = path.parent().filter(|dir| !path.exists() && OpenFolder::holds_arena(dir));
    let Some(dir) = inside else { return Ok(sandboard_bout::record::load(path, games)?) };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = OpenFolder::open_to_read(dir)?.record(&name)?;
    let wrong = |error: RecordError| LoadError::Record { path: path.to_owned(), error };
    Ok(Record::parse(&bytes, games).map_err(wrong)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::attempt;
    use sandboard_arena_plan::fixture::setup;
    use sandboard_tournament::schedule::Format;

    #[test]
    fn a_copy_of_the_file_is_complete_although_another_process_reads_it() {
        let setup = setup(Format::Match { pairs: 2 }, &["a", "b"]);
        let [temporary, copy] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let folder = ArenaFolder::create(temporary.path(), None, &setup, None).unwrap();
        let _reader = OpenFolder::open_to_read(temporary.path()).unwrap();
        let games = [0, 1].map(|game| attempt(&setup, 0, game, Some(2)));
        folder.wait(folder.store().commit(&games)).unwrap();
        drop(folder);
        std::fs::copy(temporary.path().join(FILE), copy.path().join(FILE)).unwrap();
        let loaded = OpenFolder::open_to_read(copy.path()).unwrap().load().unwrap();
        assert_eq!(loaded.ledger.counted_results().pairs.len(), 1);
    }
}
