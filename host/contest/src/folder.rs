//! The folder of a contest: its store, its arenas, the loaded modules, and a lock. One process runs
//! the contest; others may read it. Decides nothing about entries or games.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::runtime::Runtime;

use super::store::{AuditEntry, FILE, Founding, Sqlite, Store, StoreError, Write};
use super::token;
use sandboard_arena::database::Url;
use sandboard_common::date::parse_date;
use sandboard_common::file_modes;
use sandboard_common::files::{read_regular, read_regular_text, write_atomically};
use sandboard_common::lock::{FolderLock, LockError};
use sandboard_contest_rules::seed_commitment::SEED_BYTES;
use sandboard_contest_rules::{Contest, ContestError};
use sandboard_games::Games;

/// The file that names the database of a contest.
const URL_FILE: &str = "contest.url";
/// The longest such file, in bytes.
const URL_FILE_BYTES: u64 = 64 * 1024;
/// The folder of modules within a contest's.
const MODULES: &str = "modules";
/// The property with the changed closing date, as RFC 3339.
pub(crate) const CLOSES_PROPERTY: &str = "closes";

/// An open contest folder.
pub struct ContestFolder {
    dir: PathBuf,
    contest: Contest,
    founding: Founding,
    store: Arc<dyn Store>,
    runtime: Arc<Runtime>,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestFolderError {
    /// The system refused an operation.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb with its object.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The store failed.
    #[error("{}: {error}", dir.display())]
    Store {
        dir: PathBuf,
        /// The store's error.
        error: StoreError,
    },
    /// Other users can reach the folder, which existed before.
    #[error(
        "{} exists, and other users can reach it: a contest holds secrets; name a new folder, or \
         take their rights (chmod 700)",
        .0.display()
    )]
    Open(PathBuf),
    /// The folder already holds a contest.
    #[error("{} already holds a contest: see `sandboard contest show {}`", .0.display(), .0.display())]
    Taken(PathBuf),
    /// The folder holds no contest.
    #[error("{} holds no contest; create one with `sandboard contest create FILE --dir {}`", .0.display(), .0.display())]
    NoContest(PathBuf),
    /// Another process runs the contest.
    #[error("another process is running the contest in {}", .0.display())]
    Busy(PathBuf),
    /// This host cannot read the stored contest file.
    #[error("{}: contest file: {error}", dir.display())]
    Content { dir: PathBuf, error: ContestError },
    /// A file of the contest cannot be written.
    #[error(transparent)]
    Write(#[from] sandboard_common::files::FileError),
    /// The system gives no random numbers for seed and token.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Opens the store of the contest in a folder; `None` if there is no contest. Takes the rights of
/// other users from the folder and the store.
pub async fn open_store(dir: &Path) -> Result<Option<Arc<dyn Store>>, StoreError> {
    if !ContestFolder::holds_contest(dir) {
        return Ok(None);
    }
    keep_private(dir)?;
    let named = dir.join(URL_FILE);
    if !named.exists() {
        let file = dir.join(FILE);
        return match file.is_file() {
            true => Ok(Some(Arc::new(Sqlite::open(&file).await?))),
            false => Ok(None),
        };
    }
    let invalid =
        |reason: String| StoreError::Open { location: named.display().to_string(), reason };
    let text =
        read_regular_text(&named, URL_FILE_BYTES).map_err(|error| invalid(error.to_string()))?;
    open_database(&Url::parse_from_folder(text.trim()).map_err(invalid)?).await.map(Some)
}

#[cfg(feature = "postgres")]
async fn open_database(url: &Url) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(super::store::Postgres::open(url).await?))
}

#[cfg(not(feature = "postgres"))]
async fn open_database(url: &Url) -> Result<Arc<dyn Store>, StoreError> {
    Err(StoreError::unsupported(url))
}

/// Loads a contest in one of these games, with its founding data; a changed closing date is
/// applied. `None` if the store is empty.
pub async fn load(
    store: &dyn Store,
    games: &Games,
) -> Result<Option<(Founding, Contest)>, LoadError> {
    let Some(founding) = store.founding().await? else { return Ok(None) };
    let mut contest = Contest::parse(&founding.file, games)?;
    contest.closes = closing_date(store, contest.closes).await?;
    Ok(Some((founding, contest)))
}

/// The closing date of a contest: the one that the organiser set last, or else `in_file`. Fails if
/// the stored date cannot be read, since a contest without a date never closes.
pub async fn closing_date(
    store: &dyn Store,
    in_file: Option<SystemTime>,
) -> Result<Option<SystemTime>, StoreError> {
    let Some(text) = store.property(CLOSES_PROPERTY).await? else { return Ok(in_file) };
    let damaged = || StoreError::Failed {
        step: "read the closing date",
        reason: format!("{} is not a time", sandboard_common::text::quoted(&text)),
    };
    parse_date(&text).ok_or_else(damaged).map(Some)
}

/// Why a contest cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// This host cannot read the stored contest file.
    #[error("contest file: {0}")]
    Content(#[from] ContestError),
}

/// The time, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl ContestFolder {
    /// Creates a contest in one of these games from the text of its file, and the folder with its
    /// parents. Returns the organiser's token too, which is not stored. The store is in `database`,
    /// or else in a file of the folder.
    pub fn create(
        dir: &Path,
        database: Option<&Url>,
        file: &str,
        openings: Option<Vec<u8>>,
        games: &Games,
    ) -> Result<(Self, String), ContestFolderError> {
        let contest = Contest::parse(file, games).map_err(|error| content_error(dir, error))?;
        file_modes::create_folder(dir)
            .map_err(|source| io_error("create the folder", dir, source))?;
        if file_modes::is_open_to_others(dir) {
            return Err(ContestFolderError::Open(dir.to_owned()));
        }
        let _lock = lock_folder(dir)?;
        // A store without a contest is left over from an interrupted creation.
        if dir.join(URL_FILE).is_file() {
            return Err(ContestFolderError::Taken(dir.to_owned()));
        }
        let mut seed = [0; SEED_BYTES];
        getrandom::fill(&mut seed).map_err(ContestFolderError::Random)?;
        let organiser = token::generate().map_err(ContestFolderError::Random)?;
        let founded_ms = now_ms();
        let founding = Founding {
            file: file.to_owned(),
            openings,
            seed,
            organiser: token::hash(&organiser),
            founded_ms,
        };
        let runtime = runtime(dir)?;
        let refused = |error| ContestFolderError::Store { dir: dir.to_owned(), error };
        let store: Arc<dyn Store> = match database {
            None => {
                let file = dir.join(FILE);
                Arc::new(runtime.block_on(Sqlite::open(&file)).map_err(refused)?)
            }
            Some(url) => runtime.block_on(open_database(url)).map_err(refused)?,
        };
        if runtime.block_on(store.founding()).map_err(refused)?.is_some() {
            return Err(ContestFolderError::Taken(dir.to_owned()));
        }
        runtime.block_on(store.found(&founding)).map_err(refused)?;
        let commitment = founding.commitment();
        let text = format!("the contest is created; its commitment is {commitment}");
        let act = Write::Audit(AuditEntry { at_ms: founded_ms, text });
        runtime.block_on(store.commit(&[act])).map_err(refused)?;
        // Written last, when the database is ready.
        if let Some(url) = database {
            write_atomically(&dir.join(URL_FILE), format!("{url}\n").as_bytes())?;
        }
        let folder = Self { dir: dir.to_owned(), contest, founding, store, runtime };
        Ok((folder, organiser))
    }

    /// Whether a folder holds a contest.
    pub fn holds_contest(dir: &Path) -> bool {
        dir.join(FILE).is_file() || dir.join(URL_FILE).is_file()
    }

    /// Opens the contest in a folder, which is in one of these games.
    pub fn open(dir: &Path, games: &Games) -> Result<Self, ContestFolderError> {
        let none = || ContestFolderError::NoContest(dir.to_owned());
        if !Self::holds_contest(dir) {
            return Err(none());
        }
        let runtime = runtime(dir)?;
        let refused = |error| ContestFolderError::Store { dir: dir.to_owned(), error };
        let store = runtime.block_on(open_store(dir)).map_err(refused)?.ok_or_else(none)?;
        let found = runtime.block_on(load(&*store, games)).map_err(|error| match error {
            LoadError::Store(error) => refused(error),
            LoadError::Content(error) => content_error(dir, error),
        });
        let (founding, contest) = found?.ok_or_else(none)?;
        Ok(Self { dir: dir.to_owned(), contest, founding, store, runtime })
    }

    /// Locks the contest for this process until the lock is dropped.
    pub fn lock(&self) -> Result<FolderLock, ContestFolderError> {
        lock_folder(&self.dir)
    }

    /// Whether a process runs the contest.
    pub fn is_running(&self) -> bool {
        FolderLock::is_taken(&self.dir)
    }

    /// The folder's path.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The contest, as it was when the folder was opened.
    pub fn contest(&self) -> &Contest {
        &self.contest
    }

    /// The founding data.
    pub fn founding(&self) -> &Founding {
        &self.founding
    }

    /// The contest's store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Waits for a result of the store.
    pub fn wait<T>(
        &self,
        pending: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, ContestFolderError> {
        let found = self.runtime.block_on(pending);
        found.map_err(|error| ContestFolderError::Store { dir: self.dir.clone(), error })
    }

    /// What the contest stores, in bytes: entries, records of trials, and the files of its arenas.
    pub fn stored_bytes(&self) -> Result<u64, ContestFolderError> {
        let mut bytes = self.wait(self.store.stored_bytes(None))?;
        for arena in super::export::arenas(self) {
            let files = std::fs::read_dir(self.dir.join(arena)).into_iter().flatten().flatten();
            let lengths = files.filter_map(|file| Some(file.metadata().ok()?.len()));
            bytes += lengths.sum::<u64>();
        }
        Ok(bytes)
    }

    /// Waits for a future with its own error type.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// The module with this hash as a file, written from the store if needed. The loader hashes it
    /// again. `None` if the store has no such module.
    pub fn module(&self, sha256: &str) -> Result<Option<PathBuf>, ContestFolderError> {
        let folder = self.dir.join(MODULES);
        let path = folder.join(format!("{sha256}.wasm"));
        // A damaged file is written again.
        if read_regular(&path, u64::MAX)
            .is_ok_and(|bytes| sandboard_common::hex::sha256_hex(&bytes) == sha256)
        {
            return Ok(Some(path));
        }
        let Some(bytes) = self.wait(self.store.module(sha256))? else { return Ok(None) };
        file_modes::create_folder(&folder)
            .map_err(|source| io_error("create the folder", &folder, source))?;
        write_atomically(&path, &bytes)?;
        Ok(Some(path))
    }
}

impl Drop for ContestFolder {
    fn drop(&mut self) {
        // An error is ignored: all writes are already committed.
        let _ = self.runtime.block_on(self.store.close());
    }
}

/// Takes the rights of other users from the folder of a contest: it holds the seed, which is secret
/// until all games are played, and entries.
fn keep_private(dir: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| StoreError::Open {
        location: dir.display().to_string(),
        reason: error.to_string(),
    };
    if let Some(note) = file_modes::make_private(dir).map_err(failed)? {
        log::warn!("{note}");
    }
    Ok(())
}

fn content_error(dir: &Path, error: ContestError) -> ContestFolderError {
    ContestFolderError::Content { dir: dir.to_owned(), error }
}

fn io_error(step: &'static str, path: &Path, source: io::Error) -> ContestFolderError {
    ContestFolderError::Io { step, path: path.to_owned(), source }
}

fn runtime(dir: &Path) -> Result<Arc<Runtime>, ContestFolderError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("contest store")
        .enable_all()
        .build();
    Ok(Arc::new(runtime.map_err(|source| io_error("start a thread for", dir, source))?))
}

fn lock_folder(dir: &Path) -> Result<FolderLock, ContestFolderError> {
    FolderLock::take(dir).map_err(|error| match error {
        LockError::Busy => ContestFolderError::Busy(dir.to_owned()),
        LockError::Io { path, source } => ContestFolderError::Io { step: "lock", path, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_is_complete_although_another_process_reads_it() {
        let games = Games::default();
        let text = "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\n";
        let [temporary, copy] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let dir = temporary.path().join("contest");
        let (folder, _) = ContestFolder::create(&dir, None, text, None, &games).unwrap();
        // Such as the server, which shows the contest.
        let _reader = ContestFolder::open(&dir, &games).unwrap();
        let over = Write::Property { name: "over".into(), text: "2026-12-01T00:00:00Z".into() };
        folder.wait(folder.store().commit(&[over])).unwrap();
        drop(folder);
        std::fs::copy(dir.join(FILE), copy.path().join(FILE)).unwrap();
        let folder = ContestFolder::open(copy.path(), &games).unwrap();
        let found = folder.wait(folder.store().property("over")).unwrap();
        assert_eq!(found.as_deref(), Some("2026-12-01T00:00:00Z"));
    }
}
