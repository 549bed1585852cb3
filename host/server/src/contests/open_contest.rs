//! One contest with its open store and its tables, which are computed once for all readers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::contest_table::ContestTable;
use super::shared_value::SharedValue;
use crate::arenas::Arenas;
use crate::guest_work::GuestWork;
use crate::problem::{ApiResult, Problem};
use sandboard_arena::{FolderError, OpenFolder};
use sandboard_arena_plan::Filter;
use sandboard_common::lock::FolderLock;
use sandboard_contest::service::{Caller, ContestService};
use sandboard_contest::store::{
    Entrant, FILE, Founding, OVER_PROPERTY, Store, StoreError, Submission, final_arena,
};
use sandboard_contest::{closing_date, now_ms};
use sandboard_contest_rules::Contest;
use sandboard_contest_rules::arena_rules::LADDER;

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
    /// The tables, which do not depend on the closing time.
    tables: Arc<SharedValue<Vec<ContestTable>>>,
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
        let (id, dir, tables) = (id.to_owned(), dir.to_owned(), SharedValue::new());
        Self { id, dir, identity, store, founding, rules, tables }
    }

    /// Returns the current closing time.
    pub(crate) async fn closing_time(&self) -> Result<Option<SystemTime>, StoreError> {
        closing_date(&*self.store, self.rules.closes).await
    }

    /// Returns the same contest with another closing time.
    pub(crate) fn with_closing_time(&self, closes: Option<SystemTime>) -> Self {
        Self {
            id: self.id.clone(),
            dir: self.dir.clone(),
            identity: self.identity,
            store: self.store.clone(),
            founding: self.founding.clone(),
            rules: Contest { closes, ..self.rules.clone() },
            tables: self.tables.clone(),
        }
    }

    /// Returns the service that carries out requests, at the current time.
    pub(crate) fn service(&self) -> ContestService<'_> {
        ContestService { store: self.store.as_ref(), contest: &self.rules, now_ms: now_ms() }
    }

    /// Returns the role of a token; none: the token is invalid.
    pub(crate) async fn caller(&self, token: &str) -> Result<Option<Caller>, StoreError> {
        self.service().caller(&self.founding, token).await
    }

    /// Returns whether an invitation has this secret, also one that has ended.
    pub(crate) async fn has_invitation(&self, secret: &str) -> Result<bool, StoreError> {
        let secret = sandboard_contest::token::hash(secret);
        Ok(self.store.invitation_of(&secret).await?.is_some())
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

    /// Returns the tables of these arenas. `unreadable` converts an error of an arena. Err: an
    /// arena cannot be read, or the server is busy.
    pub(crate) async fn tables(
        self: &Arc<Self>,
        guest_work: &GuestWork,
        arenas: Arc<Arenas>,
        names: Vec<String>,
        (entrants, entries): (Vec<Entrant>, Vec<Submission>),
        unreadable: impl Fn(FolderError) -> Problem + Send + 'static,
    ) -> ApiResult<Arc<Vec<ContestTable>>> {
        let contest = self.clone();
        let compute = move || {
            let table = |name: &String| {
                let arena = arenas.open(&contest.arena_dir(name)).map_err(&unreadable)?;
                let view = arena.view(&Filter::default());
                Ok(ContestTable::of(name, &view, &entrants, &entries))
            };
            names.iter().map(table).collect()
        };
        self.tables.clone().get(guest_work, compute).await
    }
}
