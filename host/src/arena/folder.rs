//! The folder of an arena: its store, and a lock, which sees to it that one process at a time plays the arena
//! and lets everybody look. Decides nothing about what is played.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::Runtime;

use super::home::Home;
use super::job::{GameKey, job_id};
use super::ledger::{Ledger, LedgerError};
use super::outcome::GameResult;
use super::setup::{ArenaSetup, Contestant, FORMAT, VERSION};
use super::store::{Accepted, FILE, Packed, Store, StoreError};
use crate::database::Url;
use crate::lock::{FolderLock, GLANCE, LockError};
use crate::record::{LoadError, Record, RecordError};

/// An arena's folder, held by this process until it is dropped.
pub struct ArenaFolder {
    open: OpenFolder,
    _lock: FolderLock,
}

/// An arena's folder, to look at.
pub struct OpenFolder {
    dir: PathBuf,
    store: Arc<dyn Store>,
    runtime: Arc<Runtime>,
}

/// Everything that is kept of an arena but its games' records.
pub struct Loaded {
    /// As it was begun.
    pub setup: ArenaSetup,
    /// The file of openings.
    pub openings: Option<Vec<u8>>,
    /// Who plays: those of the beginning, then those who joined.
    pub players: Vec<Contestant>,
    /// What is done.
    pub ledger: Ledger,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was tried.
        step: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store refused a step.
    #[error("{}: {error}", dir.display())]
    Store {
        /// The folder.
        dir: PathBuf,
        /// Which step, and why.
        error: StoreError,
    },
    /// A new arena must not end up in the folder of another.
    #[error("{} holds an arena already; go on with it by `sandboard arena --resume {}`", .0.display(), .0.display())]
    Taken(PathBuf),
    /// Nothing to go on with.
    #[error("{} holds no arena: there is no {FILE} with a setup, and no database with one is named", .0.display())]
    NoArena(PathBuf),
    /// Another process is at it.
    #[error("the arena in {} is being played by another process", .0.display())]
    Busy(PathBuf),
    /// What the store holds is not what this host writes.
    #[error("{}: {place}: {reason}", dir.display())]
    Content {
        /// The folder.
        dir: PathBuf,
        /// What.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such game.
    #[error("{} has no finished game `{name}`; `sandboard arena games {}` lists them", dir.display(), dir.display())]
    NoGame {
        /// The folder.
        dir: PathBuf,
        /// What was asked for.
        name: String,
    },
    /// It cannot be written down where its store is.
    #[error(transparent)]
    Name(crate::record::store::StoreError),
    /// A record of its is no record.
    #[error(transparent)]
    Record(#[from] LoadError),
}

impl ArenaFolder {
    /// A new arena's folder, made with all that leads to it. Its store is in this database; none: in a file of the
    /// folder. `openings` is the content of the file of openings.
    pub fn create(
        dir: &Path,
        database: Option<&Url>,
        setup: &ArenaSetup,
        openings: Option<&[u8]>,
    ) -> Result<Self, FolderError> {
        std::fs::create_dir_all(dir).map_err(|source| FolderError::Io {
            step: "make the folder",
            path: dir.to_owned(),
            source,
        })?;
        let lock = locked(dir)?;
        let taken = || FolderError::Taken(dir.to_owned());
        if Home::is_on_server(dir) {
            return Err(taken());
        }
        if database.is_some() && OpenFolder::is_one(dir) {
            let other = OpenFolder::look(dir)?;
            if other.wait(other.store.setup())?.is_some() {
                return Err(taken());
            }
        }
        let home = match database {
            Some(url) => Home::Server(url.clone(), setup.id.clone()),
            None => Home::File(dir.join(FILE)),
        };
        let folder = Self::hold(dir, lock, &home)?;
        if folder.open.wait(folder.open.store.setup())?.is_some() {
            return Err(taken());
        }
        let json = serde_json::to_string(setup)
            .map_err(|error| folder.open.content("the setup", error))?;
        folder.open.wait(folder.open.store.begin(&json, openings))?;
        // Last: what a folder names has begun.
        home.name_in(dir).map_err(FolderError::Name)?;
        Ok(folder)
    }

    /// The folder of an arena that was begun.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        if !OpenFolder::is_one(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        let lock = locked(dir)?;
        let home = home(dir)?;
        Self::hold(dir, lock, &home)
    }

    fn hold(dir: &Path, lock: FolderLock, home: &Home) -> Result<Self, FolderError> {
        let open = OpenFolder::with(dir, home.open())?;
        let until = Instant::now() + GLANCE;
        while !open.wait(open.store.hold())? {
            // As with the file: whoever was killed just now is not gone yet, and whoever looks holds it, too.
            if Instant::now() >= until {
                return Err(FolderError::Busy(dir.to_owned()));
            }
            std::thread::sleep(GLANCE / 20);
        }
        Ok(Self { open, _lock: lock })
    }

    /// The store that this process writes to.
    pub fn store(&self) -> Arc<dyn Store> {
        self.open.store.clone()
    }

    /// Where futures of the store run.
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
    /// Whether there is an arena in a folder.
    pub fn is_one(dir: &Path) -> bool {
        Home::file(dir).is_file()
    }

    /// Looks at an arena, which somebody may be playing.
    pub fn look(dir: &Path) -> Result<Self, FolderError> {
        if !Self::is_one(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        Self::with(dir, home(dir)?.open_to_read())
    }

    /// Asks something of whoever plays an arena: its store is written to, whoever holds it.
    pub fn ask(dir: &Path, what: &str) -> Result<(Self, i64), FolderError> {
        if !Self::is_one(dir) {
            return Err(FolderError::NoArena(dir.to_owned()));
        }
        let open = Self::with(dir, home(dir)?.open())?;
        let number = open.wait(open.store.ask(what))?;
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

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a process plays the arena.
    pub fn is_played(&self) -> bool {
        // A store that cannot be asked this says why when it is asked the next thing.
        is_played(&self.dir) || self.runtime.block_on(self.store.is_held()).unwrap_or(false)
    }

    /// What the store says.
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

    /// Everything but the records.
    pub fn load(&self) -> Result<Loaded, FolderError> {
        self.runtime.block_on(load(&*self.store, &self.dir))
    }

    /// The record of a game that counts, by its name.
    pub fn record(&self, name: &str) -> Result<Vec<u8>, FolderError> {
        let none = || FolderError::NoGame { dir: self.dir.clone(), name: name.to_owned() };
        let key = GameKey::of_name(name).ok_or_else(none)?;
        let packed: Option<Packed> = self.wait(self.store.record(key))?;
        packed
            .ok_or_else(none)?
            .unpack()
            .map_err(|error| self.content(&format!("the record of {name}"), error))
    }

    fn content(&self, place: &str, reason: impl ToString) -> FolderError {
        FolderError::Content {
            dir: self.dir.clone(),
            place: place.into(),
            reason: reason.to_string(),
        }
    }
}

impl Drop for OpenFolder {
    fn drop(&mut self) {
        // It is only looked at from here on.
        let _ = self.runtime.block_on(self.store.close());
    }
}

/// The lock of a folder.
fn locked(dir: &Path) -> Result<FolderLock, FolderError> {
    FolderLock::take(dir).map_err(|error| match error {
        LockError::Busy => FolderError::Busy(dir.to_owned()),
        LockError::Io { path, source } => FolderError::Io { step: "lock", path, source },
    })
}

/// Where the store of a folder is.
fn home(dir: &Path) -> Result<Home, FolderError> {
    Home::of(dir).map_err(|error| FolderError::Store { dir: dir.to_owned(), error })
}

/// Whether a process of this machine plays the arena in a folder.
pub fn is_played(dir: &Path) -> bool {
    FolderLock::is_taken(dir)
}

/// Everything that a store holds of an arena but the records; `dir` is what errors name.
pub async fn load(store: &dyn Store, dir: &Path) -> Result<Loaded, FolderError> {
    let refused = |error| FolderError::Store { dir: dir.to_owned(), error };
    let content = |place: &str, reason: &dyn ToString| FolderError::Content {
        dir: dir.to_owned(),
        place: place.to_owned(),
        reason: reason.to_string(),
    };
    let found = store.setup().await.map_err(refused)?;
    let (json, openings) = found.ok_or_else(|| FolderError::NoArena(dir.to_owned()))?;
    let setup = read_setup(&json).map_err(|reason| content("the setup", &reason))?;
    // Somebody may be playing it: what a result depends on is kept before it, and so is read after it.
    let results = store.accepted().await.map_err(refused)?;
    let events = store.events().await.map_err(refused)?;
    let mut players = setup.players.clone();
    for (number, about) in store.players().await.map_err(refused)?.iter().enumerate() {
        let player = serde_json::from_str(about);
        players.push(
            player.map_err(|error| {
                content(&format!("player {number} of those who joined"), &error)
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
    Ok(Loaded { setup, openings, players, ledger })
}

/// Counts results of a store. The error is the name of the game that cannot be, and why.
pub(super) fn count(
    ledger: &mut Ledger,
    setup: &ArenaSetup,
    results: &[Accepted],
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
        return Err(format!("`format` is not \"{FORMAT}\": this is no arena"));
    }
    if setup.version != VERSION {
        return Err(format!(
            "it is of version {}, and this host reads version {VERSION}",
            setup.version
        ));
    }
    Ok(setup)
}

/// The record at a path: a file's, or, where the path leads into the folder of an arena
/// (`DIR/pair-000001-1`), that of its game.
pub fn load_record(path: &Path, games: crate::record::GameTable) -> Result<Record, FolderError> {
    let inside = path.parent().filter(|dir| !path.exists() && OpenFolder::is_one(dir));
    let Some(dir) = inside else { return Ok(crate::record::load(path, games)?) };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = OpenFolder::look(dir)?.record(&name)?;
    let wrong = |error: RecordError| LoadError::Record { path: path.to_owned(), error };
    Ok(Record::parse(&bytes, games).map_err(wrong)?)
}
