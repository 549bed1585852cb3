//! One contest with its open store and its tables, which are computed once for all readers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::contest_table::ContestTable;
use super::lock;
use crate::arenas::Arenas;
use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena::{Filter, FolderError, OpenFolder};
use sandboard_common::lock::FolderLock;
use sandboard_contest::arena_rules::LADDER;
use sandboard_contest::service::{Caller, ContestService};
use sandboard_contest::store::{
    Entrant, FILE, Founding, OVER_PROPERTY, Store, StoreError, Submission, final_arena,
};
use sandboard_contest::{Contest, closing_date, now_ms};

/// How long tables are reused at least. Computing them takes at most a tenth of the time.
const TABLES_INTERVAL: Duration = Duration::from_secs(2);
const TABLES_SHARE: u32 = 10;
/// How long a request waits for the tables that another one computes.
const TURN_TIMEOUT: Duration = Duration::from_secs(20);

/// Which file a contest's store is. A folder that was replaced has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    /// When the file was created, if the file system knows it: a number may be used again.
    created: Option<SystemTime>,
}

impl StoreIdentity {
    /// Returns the identity of the store in a contest's folder. None: it is in a database
    /// elsewhere, or unreadable.
    pub(crate) fn of(dir: &Path) -> Option<Self> {
        let found = std::fs::metadata(dir.join(FILE)).ok()?;
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            #[cfg(unix)]
            device_and_inode: (found.dev(), found.ino()),
            created: found.created().ok(),
        })
    }
}

/// An open contest; see the [module](self).
pub(crate) struct OpenContest {
    /// The id: the name of the contest's folder.
    pub id: String,
    dir: PathBuf,
    /// Which file the store is; none: it is in a database elsewhere.
    pub identity: Option<StoreIdentity>,
    /// The contest's store.
    pub store: Arc<dyn Store>,
    /// How the contest was created.
    pub founding: Founding,
    /// The contest's rules.
    pub rules: Contest,
    tables: Mutex<Option<(Instant, Arc<Vec<ContestTable>>)>>,
    /// Held by the request that computes the tables.
    table_turn: Semaphore,
}

impl OpenContest {
    /// Creates an open contest from what was read from its folder.
    pub(crate) fn new(
        id: &str,
        dir: &Path,
        identity: Option<StoreIdentity>,
        store: Arc<dyn Store>,
        founding: Founding,
        rules: Contest,
    ) -> Self {
        let (tables, table_turn) = (Mutex::default(), Semaphore::new(1));
        let (id, dir) = (id.to_owned(), dir.to_owned());
        Self { id, dir, identity, store, founding, rules, tables, table_turn }
    }

    /// Returns the current closing time.
    pub(crate) async fn closing_time(&self) -> Result<Option<SystemTime>, StoreError> {
        closing_date(&*self.store, self.rules.closes).await
    }

    /// Returns the same contest with another closing time.
    pub(crate) fn with_closing_time(&self, closes: Option<SystemTime>) -> Self {
        let rules = Contest { closes, ..self.rules.clone() };
        let (store, founding) = (self.store.clone(), self.founding.clone());
        Self::new(&self.id, &self.dir, self.identity, store, founding, rules)
    }

    /// Returns the service that carries out requests, at the current time.
    pub(crate) fn service(&self) -> ContestService<'_> {
        ContestService { store: self.store.as_ref(), contest: &self.rules, now_ms: now_ms() }
    }

    /// Returns the role of a token; none: the token is invalid.
    pub(crate) async fn caller(&self, token: &str) -> Result<Option<Caller>, StoreError> {
        self.service().caller(&self.founding, token).await
    }

    /// Returns whether a process on this machine runs the contest.
    pub(crate) fn is_running(&self) -> bool {
        FolderLock::is_taken(&self.dir)
    }

    /// Returns when the contest ended, as RFC 3339; none: it is not over.
    pub(crate) async fn ended_at(&self) -> Result<Option<String>, StoreError> {
        Ok(self.store.property(OVER_PROPERTY).await?.filter(|since| !since.is_empty()))
    }

    /// Returns the names of the contest's arenas, the deciding one first.
    pub(crate) async fn arenas(&self) -> Result<Vec<String>, StoreError> {
        let names = [final_arena(self.store.as_ref()).await?.name(), LADDER.to_owned()];
        Ok(names.into_iter().filter(|name| OpenFolder::holds_arena(&self.dir.join(name))).collect())
    }

    /// Returns the folder of an arena of the contest.
    pub(crate) fn arena_dir(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Waits until no other request computes the tables. Err: that took too long.
    pub(crate) async fn table_turn(&self) -> ApiResult<SemaphorePermit<'_>> {
        let busy = || {
            let detail = "the tables of the contest are being computed; try again soon";
            Problem::new(ProblemKind::Busy, detail)
        };
        let turn = tokio::time::timeout(TURN_TIMEOUT, self.table_turn.acquire());
        turn.await.ok().and_then(Result::ok).ok_or_else(busy)
    }

    /// Returns the tables of these arenas. Blocks.
    pub(crate) fn tables(
        &self,
        arenas: &Arc<Arenas>,
        names: &[String],
        (entrants, entries): (&[Entrant], &[Submission]),
    ) -> Result<Arc<Vec<ContestTable>>, FolderError> {
        // Held while the tables are computed, so that other readers wait for them.
        let mut cached = lock(&self.tables);
        let begin = Instant::now();
        if let Some((_, tables)) = cached.as_ref().filter(|(until, _)| begin < *until) {
            return Ok(tables.clone());
        }
        let mut tables = Vec::new();
        for name in names {
            let arena = arenas.open(&self.arena_dir(name))?;
            let view = arena.view(&Filter::default());
            tables.push(ContestTable::of(name, &view, entrants, entries));
        }
        let tables = Arc::new(tables);
        let now = Instant::now();
        let pause = TABLES_INTERVAL.max((now - begin).saturating_mul(TABLES_SHARE - 1));
        *cached = Some((now + pause, tables.clone()));
        Ok(tables)
    }
}
