//! The folder of a contest: its store, its arenas, the modules that are loaded from it, and a lock, which sees to it that
//! one process runs it and lets everybody look. Decides nothing about entries or games.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::runtime::Runtime;

use super::file::{Contest, ContestError};
use super::lot::SEED_BYTES;
use super::store::{Act, FILE, Founding, Sqlite, Store, StoreError, Write};
use super::token;
use crate::database::Url;
use crate::lock::{FolderLock, LockError};
use crate::record::of_date;
use crate::record::store::write_atomically;

/// The file that names the database of a contest.
const URL_FILE: &str = "contest.url";
/// The longest such file, in bytes.
const URL_FILE_BYTES: u64 = 64 * 1024;
/// The folder of modules within a contest's.
const MODULES: &str = "modules";
/// The paper that says until when entries are taken, where that is not what the file says, as RFC 3339.
pub const CLOSES_PAPER: &str = "closes";

/// The folder of a contest.
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
    /// There is one already.
    #[error("{} holds a contest already: `sandboard contest show {}`", .0.display(), .0.display())]
    Taken(PathBuf),
    /// There is none.
    #[error("{} holds no contest; `sandboard contest create FILE --dir {}` makes one", .0.display(), .0.display())]
    NoContest(PathBuf),
    /// Another process is at it.
    #[error("the contest in {} is run by another process", .0.display())]
    Busy(PathBuf),
    /// What it was made with is not understood by this host.
    #[error("{}: its file: {error}", dir.display())]
    Content {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with it.
        error: ContestError,
    },
    /// A file of it cannot be written.
    #[error(transparent)]
    Write(#[from] crate::record::store::StoreError),
    /// No seed and no token without them.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Opens the store of the contest in a folder; none: there is no contest.
pub async fn open_store(dir: &Path) -> Result<Option<Arc<dyn Store>>, StoreError> {
    let named = dir.join(URL_FILE);
    if !named.is_file() {
        let file = dir.join(FILE);
        return match file.is_file() {
            true => Ok(Some(Arc::new(Sqlite::open(&file).await?))),
            false => Ok(None),
        };
    }
    let wrong = |reason: String| StoreError::Open { place: named.display().to_string(), reason };
    let bytes = std::fs::metadata(&named).map_err(|error| wrong(error.to_string()))?.len();
    if bytes > URL_FILE_BYTES {
        return Err(wrong(format!("it has {bytes} bytes, and a URL is shorter")));
    }
    let text = std::fs::read_to_string(&named).map_err(|error| wrong(error.to_string()))?;
    open_database(&Url::parse(text.trim()).map_err(wrong)?).await.map(Some)
}

#[cfg(feature = "postgres")]
async fn open_database(url: &Url) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(super::store::Postgres::open(url).await?))
}

#[cfg(not(feature = "postgres"))]
async fn open_database(url: &Url) -> Result<Arc<dyn Store>, StoreError> {
    Err(StoreError::unsupported(url))
}

/// How a contest was made, and what it asks now: a date that was changed since is in it. None: nothing was made yet.
pub async fn load(store: &dyn Store) -> Result<Option<(Founding, Contest)>, LoadError> {
    let Some(founding) = store.founding().await? else { return Ok(None) };
    let mut contest = Contest::parse(&founding.file)?;
    if let Some(changed) = store.paper(CLOSES_PAPER).await? {
        contest.closes = of_date(&changed);
    }
    Ok(Some((founding, contest)))
}

/// Why a contest is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What it was made with is not understood by this host.
    #[error("its file: {0}")]
    Content(#[from] ContestError),
}

/// The time, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl ContestFolder {
    /// Makes a contest of the text of its file, in a folder that is made with all that leads to it; with it comes its
    /// organiser's token, which is kept nowhere. Its store is in this database; none: in a file of the folder.
    pub fn create(
        dir: &Path,
        database: Option<&Url>,
        file: &str,
        openings: Option<Vec<u8>>,
    ) -> Result<(Self, String), ContestFolderError> {
        let contest = read(dir, file)?;
        std::fs::create_dir_all(dir).map_err(|source| io_error("make the folder", dir, source))?;
        let _lock = locked(dir)?;
        // A file without a contest in it was broken off when it was made.
        if dir.join(URL_FILE).is_file() {
            return Err(ContestFolderError::Taken(dir.to_owned()));
        }
        let mut seed = [0; SEED_BYTES];
        getrandom::fill(&mut seed).map_err(ContestFolderError::Random)?;
        let organiser = token::draw().map_err(ContestFolderError::Random)?;
        let founded_ms = now_ms();
        let founding = Founding {
            file: file.to_owned(),
            openings,
            seed,
            organiser: token::kept(&organiser),
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
        let text = format!("the contest is made; the hash of its seed is {}", {
            super::lot::commitment(&seed)
        });
        let act = Write::Act(Act { at_ms: founded_ms, text });
        runtime.block_on(store.commit(&[act])).map_err(refused)?;
        // Last: what a folder names is there.
        if let Some(url) = database {
            write_atomically(&dir.join(URL_FILE), format!("{url}\n").as_bytes())?;
        }
        let folder = Self { dir: dir.to_owned(), contest, founding, store, runtime };
        Ok((folder, organiser))
    }

    /// Whether there is a contest in a folder.
    pub fn is_one(dir: &Path) -> bool {
        dir.join(FILE).is_file() || dir.join(URL_FILE).is_file()
    }

    /// The contest of a folder.
    pub fn open(dir: &Path) -> Result<Self, ContestFolderError> {
        let none = || ContestFolderError::NoContest(dir.to_owned());
        if !Self::is_one(dir) {
            return Err(none());
        }
        let runtime = runtime(dir)?;
        let refused = |error| ContestFolderError::Store { dir: dir.to_owned(), error };
        let store = runtime.block_on(open_store(dir)).map_err(refused)?.ok_or_else(none)?;
        let found = runtime.block_on(load(&*store)).map_err(|error| match error {
            LoadError::Store(error) => refused(error),
            LoadError::Content(error) => ContestFolderError::Content { dir: dir.to_owned(), error },
        });
        let (founding, contest) = found?.ok_or_else(none)?;
        Ok(Self { dir: dir.to_owned(), contest, founding, store, runtime })
    }

    /// Takes the contest for this process, until the lock is dropped.
    pub fn hold(&self) -> Result<FolderLock, ContestFolderError> {
        locked(&self.dir)
    }

    /// Whether a process runs the contest.
    pub fn is_run(&self) -> bool {
        FolderLock::is_taken(&self.dir)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it asks of entries, as it was when this was opened.
    pub fn contest(&self) -> &Contest {
        &self.contest
    }

    /// How it was made.
    pub fn founding(&self) -> &Founding {
        &self.founding
    }

    /// What it keeps.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What the store says.
    pub fn wait<T>(
        &self,
        pending: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, ContestFolderError> {
        let found = self.runtime.block_on(pending);
        found.map_err(|error| ContestFolderError::Store { dir: self.dir.clone(), error })
    }

    /// The same for what has errors of its own.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// An entry as a file, which is made where it is not there: whoever loads it hashes it again. None: there is none.
    pub fn module(&self, sha256: &str) -> Result<Option<PathBuf>, ContestFolderError> {
        let folder = self.dir.join(MODULES);
        let path = folder.join(format!("{sha256}.wasm"));
        // One that was damaged since is written again.
        if std::fs::read(&path).is_ok_and(|bytes| crate::sha256_hex(&bytes) == sha256) {
            return Ok(Some(path));
        }
        let Some(bytes) = self.wait(self.store.module(sha256))? else { return Ok(None) };
        std::fs::create_dir_all(&folder)
            .map_err(|source| io_error("make the folder", &folder, source))?;
        write_atomically(&path, &bytes)?;
        Ok(Some(path))
    }
}

impl Drop for ContestFolder {
    fn drop(&mut self) {
        // It is only looked at from here on.
        let _ = self.runtime.block_on(self.store.close());
    }
}

fn read(dir: &Path, file: &str) -> Result<Contest, ContestFolderError> {
    Contest::parse(file).map_err(|error| ContestFolderError::Content { dir: dir.to_owned(), error })
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

fn locked(dir: &Path) -> Result<FolderLock, ContestFolderError> {
    FolderLock::take(dir).map_err(|error| match error {
        LockError::Busy => ContestFolderError::Busy(dir.to_owned()),
        LockError::Io { path, source } => ContestFolderError::Io { step: "lock", path, source },
    })
}
