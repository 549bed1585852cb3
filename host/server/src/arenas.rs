//! The arenas that the server shows, found in one folder. It reads their stores while other
//! processes play them. It plays nothing itself: it requests that runs stop, and starts the
//! processes of the runs that the operator requests.
//!
//! Functions that read may block, and are called on blocking threads.

mod cache;
mod live_board;
mod runs;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sandboard_tournament::schedule::Format;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use utoipa::ToSchema;

pub(crate) use cache::{ArenaCache, ArenaView, LiveGames, Part};
pub(crate) use live_board::LiveBoard;
pub(crate) use runs::{ArenaRuns, RunsView};

use super::known_games::KnownGames;
use super::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena::store::FILE;
use sandboard_arena::{FolderError, OpenFolder, StoreLocation, is_running};
use sandboard_arena_plan::State;

/// The most arenas in the list, those played last.
const ARENAS_MAX: usize = 1000;
/// The most arenas that are open at once.
const OPEN_MAX: usize = 32;
/// How long an unused arena stays open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How often open arenas are refreshed.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);
/// How many arena views are computed at once: ratings take a core.
const VIEWS_MAX: usize = 2;
/// How many downloads run at once.
const DOWNLOADS_MAX: usize = 4;
/// The age after which a file's modification time reliably identifies its content.
const SETTLED_AGE: Duration = Duration::from_secs(2);

/// An arena in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ArenaCard {
    pub id: String,
    /// The name of the arena's folder.
    pub name: String,
    pub game: String,
    pub variant: String,
    /// The format: how games are scheduled.
    #[schema(value_type = Object)]
    pub format: Format,
    /// `running`, `stopping`, `open` (no process plays it, and games are left) or `complete`.
    #[schema(value_type = String)]
    pub state: State,
    /// When the arena was created, as RFC 3339.
    pub created_at: String,
    /// The players' names.
    pub players: Vec<String>,
    /// The ids of the players' engines.
    #[serde(skip)]
    pub engines: Vec<String>,
    pub pairs: u32,
    /// Pairs left to play, as far as the format determines them.
    pub pairs_left: u64,
    /// Whether a process plays it.
    pub running: bool,
}

/// Adds an entry to the operator's log: level and text.
pub(crate) type OperatorLog = Box<dyn Fn(&'static str, String) + Send + Sync>;

/// The arenas of a folder; see the [module](self).
pub(crate) struct Arenas {
    /// The folder of arenas; none: the server shows none.
    folder: Option<PathBuf>,
    /// The games that the server knows.
    games: KnownGames,
    runtime: Handle,
    operator_log: OperatorLog,
    /// Set when the server stops.
    shutdown: watch::Receiver<bool>,
    /// The result of the last scan. Held during a scan.
    found: Mutex<HashMap<PathBuf, ScannedFolder>>,
    open: Mutex<HashMap<PathBuf, Arc<ArenaCache>>>,
    /// Permits for arena views that are computed at once.
    pub view_permits: Arc<Semaphore>,
    /// Permits for downloads that run at once.
    pub download_permits: Arc<Semaphore>,
}

/// The result of scanning one folder, and the files' state at that time.
struct ScannedFolder {
    trace: FolderTrace,
    /// None: the arena cannot be read.
    card: Option<ArenaCard>,
    /// Whether to try again even if the files have not changed.
    should_retry: bool,
}

/// Detects changes of a store: times and sizes of its files, and whether it is being played.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FolderTrace {
    files: [Option<(SystemTime, u64)>; 2],
    is_played: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arenas {
    /// Creates the list of arenas of this folder, which need not exist.
    pub(crate) fn new(
        folder: Option<PathBuf>,
        games: KnownGames,
        runtime: Handle,
        operator_log: OperatorLog,
        shutdown: watch::Receiver<bool>,
    ) -> Arc<Self> {
        Arc::new(Self {
            folder,
            games,
            runtime,
            operator_log,
            shutdown,
            found: Mutex::default(),
            open: Mutex::default(),
            view_permits: Arc::new(Semaphore::new(VIEWS_MAX)),
            download_permits: Arc::new(Semaphore::new(DOWNLOADS_MAX)),
        })
    }

    /// Returns the folder of arenas; none: the server shows none.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns all readable arenas, newest first. Of copies of one arena, the running one or else
    /// the first by folder name.
    pub(crate) fn list(self: &Arc<Self>) -> Vec<ArenaCard> {
        self.scan().into_iter().map(|(_, card)| card).collect()
    }

    /// Returns the arena with this id.
    pub(crate) fn find(self: &Arc<Self>, id: &str) -> ApiResult<Arc<ArenaCache>> {
        let open = lock(&self.open).values().find(|it| it.id == id).cloned();
        if let Some(open) = open.filter(|open| open.is_current()) {
            open.touch();
            return Ok(open);
        }
        let cards = self.scan();
        let found = cards.into_iter().find(|(_, card)| card.id == id);
        let unknown = || Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_ARENA);
        let (dir, _) = found.ok_or_else(unknown)?;
        self.open(&dir).map_err(|error| self.unreadable(&error))
    }

    /// Waits until an arena differs from the version `since`. False: it did not change in time, or
    /// the server stops.
    pub(crate) async fn wait_for_change(
        &self,
        arena_cache: &ArenaCache,
        part: Part,
        since: &str,
        patience: Duration,
    ) -> bool {
        let mut shutdown = self.shutdown.clone();
        tokio::select! {
            changed = tokio::time::timeout(patience, arena_cache.wait_for_change(part, since)) => changed.is_ok(),
            _ = shutdown.wait_for(|end| *end) => false,
        }
    }

    /// Logs why an arena cannot be read, and returns the problem for the caller.
    pub(crate) fn unreadable(&self, error: &FolderError) -> Problem {
        (self.operator_log)("error", format!("an arena cannot be read: {error}"));
        let detail = "the arena cannot be read; see the server's log";
        Problem::new(ProblemKind::Internal, detail)
    }

    /// Scans the folder. Unchanged arenas are not read again.
    fn scan(self: &Arc<Self>) -> Vec<(PathBuf, ArenaCard)> {
        let mut found = lock(&self.found);
        let dirs = self.dirs();
        let known: HashSet<&PathBuf> = dirs.iter().collect();
        found.retain(|dir, _| known.contains(dir));
        let mut cards = Vec::with_capacity(dirs.len());
        for dir in dirs {
            let (trace, settled) = trace(&dir);
            let before = found.get(&dir).filter(|before| before.trace == trace);
            let was_reported = before.is_some_and(|before| before.should_retry);
            let known = before.filter(|before| !before.should_retry);
            let card = match known.map(|before| before.card.clone()) {
                Some(card) => card,
                None => match self.card(&dir, trace.is_played) {
                    Ok(card) => {
                        // A file that is being written may change without a new modification time.
                        if settled && !trace.is_played {
                            let card = Some(card.clone());
                            let found_now = ScannedFolder { trace, card, should_retry: false };
                            found.insert(dir.clone(), found_now);
                        } else {
                            found.remove(&dir);
                        }
                        Some(card)
                    }
                    // The arena is being created.
                    Err(FolderError::NoArena(_)) => None,
                    // An unreadable arena does not hide the others, and is logged once.
                    Err(error) => {
                        if !was_reported {
                            (self.operator_log)(
                                "warning",
                                format!("an arena is not shown: {error}"),
                            );
                        }
                        // A database that works again changes no file in the folder.
                        let should_retry = StoreLocation::is_in_database(&dir);
                        found
                            .insert(dir.clone(), ScannedFolder { trace, card: None, should_retry });
                        None
                    }
                },
            };
            cards.extend(card.map(|card| (dir, card)));
        }
        drop(found);
        cards.sort_by(|(_, a), (_, b)| {
            (&b.created_at, b.running, &a.name).cmp(&(&a.created_at, a.running, &b.name))
        });
        let mut ids = HashSet::new();
        cards.retain(|(_, card)| ids.insert(card.id.clone()));
        cards
    }

    /// Returns the folders of arenas, those played last, sorted by name.
    fn dirs(&self) -> Vec<PathBuf> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                log::warn!("the arenas of {} are not shown: {error}", folder.display());
                return Vec::new();
            }
        };
        let dirs = entries.flatten().map(|entry| entry.path());
        let mut dirs: Vec<_> = dirs.filter(|dir| OpenFolder::holds_arena(dir)).collect();
        if dirs.len() > ARENAS_MAX {
            dirs.sort_by_cached_key(|dir| std::cmp::Reverse(trace(dir).0.files));
            dirs.truncate(ARENAS_MAX);
        }
        dirs.sort();
        dirs
    }

    fn card(self: &Arc<Self>, dir: &Path, is_played: bool) -> Result<ArenaCard, FolderError> {
        if is_played {
            return Ok(self.open(dir)?.card());
        }
        // The list opens an arena that is not running only for the moment.
        let open = lock(&self.open).get(dir).cloned();
        match open.filter(|open| open.is_current()) {
            Some(open) => {
                open.refresh()?;
                Ok(open.card())
            }
            None => {
                let arena_cache = ArenaCache::open(dir, &self.games.now(), &self.runtime)?;
                let card = arena_cache.card();
                arena_cache.close();
                Ok(card)
            }
        }
    }

    /// Returns the open arena of this folder, or opens it until it is no longer used.
    pub(crate) fn open(self: &Arc<Self>, dir: &Path) -> Result<Arc<ArenaCache>, FolderError> {
        let held = || lock(&self.open).get(dir).filter(|held| held.is_current()).cloned();
        if let Some(arena_cache) = held() {
            arena_cache.touch();
            return Ok(arena_cache);
        }
        // The lock is not held, so that reading a large arena delays no other request.
        let arena_cache = Arc::new(ArenaCache::open(dir, &self.games.now(), &self.runtime)?);
        if let Some(other) = held() {
            return Ok(other);
        }
        let mut open = lock(&self.open);
        if open.len() >= OPEN_MAX
            && let Some(oldest) =
                open.values().min_by_key(|it| it.last_used()).map(|it| it.dir.clone())
        {
            open.remove(&oldest);
        }
        open.insert(dir.to_owned(), arena_cache.clone());
        drop(open);
        self.runtime.spawn(refresh_while_used(self.clone(), arena_cache.clone()));
        Ok(arena_cache)
    }

    fn holds(&self, arena_cache: &Arc<ArenaCache>) -> bool {
        lock(&self.open).get(&arena_cache.dir).is_some_and(|held| Arc::ptr_eq(held, arena_cache))
    }

    fn release(&self, arena_cache: &Arc<ArenaCache>) {
        if self.holds(arena_cache) {
            lock(&self.open).remove(&arena_cache.dir);
        }
    }
}

/// Refreshes an arena while it is used, then closes it.
async fn refresh_while_used(arenas: Arc<Arenas>, arena_cache: Arc<ArenaCache>) {
    loop {
        tokio::time::sleep(REFRESH_INTERVAL).await;
        let idle = Instant::now().saturating_duration_since(arena_cache.last_used());
        if !arenas.holds(&arena_cache) || *arenas.shutdown.borrow() {
            return;
        }
        if idle > IDLE_TIMEOUT {
            return arenas.release(&arena_cache);
        }
        let (refreshed, arenas_clone) = (arena_cache.clone(), arenas.clone());
        let refresh = move || match refreshed.refresh() {
            Ok(()) => true,
            Err(error) => {
                arenas_clone.unreadable(&error);
                false
            }
        };
        // The next request for it reports the error.
        if !tokio::task::spawn_blocking(refresh).await.unwrap_or(false) {
            return arenas.release(&arena_cache);
        }
    }
}

/// Returns the state of a store's files, and whether they are old enough to be reliable.
fn trace(dir: &Path) -> (FolderTrace, bool) {
    let now = SystemTime::now();
    let file = |name: String| {
        let about = std::fs::metadata(dir.join(name)).ok()?;
        Some((about.modified().ok()?, about.len()))
    };
    // Readers create an empty log, too.
    let log = file(format!("{FILE}-wal")).filter(|(_, bytes)| *bytes > 0);
    let files = [file(FILE.to_owned()), log];
    // A database changes without a change in the folder.
    let settled = !StoreLocation::is_in_database(dir);
    let old = |(at, _): &(SystemTime, u64)| {
        now.duration_since(*at).is_ok_and(|since| since >= SETTLED_AGE)
    };
    let settled = settled && files.iter().flatten().all(old);
    (FolderTrace { files, is_played: is_running(dir) }, settled)
}
