//! Arenas of this machine, for who looks at them in a browser: found in one folder, read from their
//! stores while others play them. Plays nothing, and changes nothing of an arena but that it asks
//! whoever plays it to stop.
//!
//! Every function that reads may block, and is called on threads that may.

mod exhibit;
mod live;

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

pub use exhibit::{ArenaTold, Exhibit, LiveTold, Part};

use super::problem::{Answer, Kind, Problem};
use crate::arena::store::FILE;
use crate::arena::{FolderError, Home, OpenFolder, State, is_played};

/// How many arenas are listed, those that were played last.
const LISTED: usize = 1000;
/// How many are kept open at once.
const OPEN: usize = 32;
/// How long one is kept open that nobody asks for.
const IDLE: Duration = Duration::from_secs(60);
/// How often those that are open are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How many are surveyed at once: ratings take a core.
const SURVEYS: usize = 2;
/// How many files are saved at once.
const FILES: usize = 4;
/// What was written so long ago is told apart from what is written now by the time of its file.
const SETTLED: Duration = Duration::from_secs(2);

/// An arena in the list of them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ArenaCard {
    /// Its id.
    pub id: String,
    /// The name of its folder.
    pub name: String,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// How pairs are found.
    #[schema(value_type = Object)]
    pub format: Format,
    /// `running`, `stopping`, `open` (nobody plays it, and something is left) or `complete`.
    #[schema(value_type = String)]
    pub state: State,
    /// When it began, as RFC 3339.
    pub created_at: String,
    /// Who plays.
    pub players: Vec<String>,
    /// Pairs that are counted.
    pub pairs: u32,
    /// Pairs that are left, as far as can be told.
    pub pairs_left: u64,
    /// Whether a process plays it.
    pub running: bool,
}

/// Who tells the operator something: how grave it is, and what.
pub type Note = Box<dyn Fn(&'static str, String) + Send + Sync>;

/// See the [module](self).
pub struct Arenas {
    /// Where they lie; none: nowhere.
    folder: Option<PathBuf>,
    runtime: Handle,
    /// Tells the operator something.
    note: Note,
    /// Says that the server ends.
    ends: watch::Receiver<bool>,
    /// What was found in the folder; who holds it looks through it.
    found: Mutex<HashMap<PathBuf, Found>>,
    open: Mutex<HashMap<PathBuf, Arc<Exhibit>>>,
    /// Seats for those who have arenas surveyed.
    pub surveys: Arc<Semaphore>,
    /// Seats for those who save files.
    pub files: Arc<Semaphore>,
}

/// What was found in a folder, and what its files looked like then.
struct Found {
    trace: Trace,
    /// None: it cannot be read.
    card: Option<ArenaCard>,
    /// It may be read again without a trace.
    is_tried_again: bool,
}

/// What tells whether a store has changed: times and sizes of its files, and whether it is played.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Trace {
    files: [Option<(SystemTime, u64)>; 2],
    played: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Arenas {
    /// Those of this folder, which need not be there.
    pub fn new(
        folder: Option<PathBuf>,
        runtime: Handle,
        note: Note,
        ends: watch::Receiver<bool>,
    ) -> Arc<Self> {
        Arc::new(Self {
            folder,
            runtime,
            note,
            ends,
            found: Mutex::default(),
            open: Mutex::default(),
            surveys: Arc::new(Semaphore::new(SURVEYS)),
            files: Arc::new(Semaphore::new(FILES)),
        })
    }

    /// All that can be read, the latest first. Of copies of one arena the one that is played, else the first by its
    /// folder's name.
    pub fn list(self: &Arc<Self>) -> Vec<ArenaCard> {
        self.scan().into_iter().map(|(_, card)| card).collect()
    }

    /// The arena of this id.
    pub fn exhibit(self: &Arc<Self>, id: &str) -> Answer<Arc<Exhibit>> {
        let open = lock(&self.open).values().find(|it| it.id == id).cloned();
        if let Some(open) = open.filter(|open| open.is_there()) {
            open.touch();
            return Ok(open);
        }
        let cards = self.scan();
        let found = cards.into_iter().find(|(_, card)| card.id == id);
        let unknown = || Problem::new(Kind::NotFound, "there is no such arena");
        let (dir, _) = found.ok_or_else(unknown)?;
        self.opened(&dir).map_err(|error| self.unreadable(&error))
    }

    /// Waits until an arena is no longer at `since`. False: it did not change in time, or the server ends.
    pub async fn changed(
        &self,
        exhibit: &Exhibit,
        part: Part,
        since: &str,
        patience: Duration,
    ) -> bool {
        let mut ends = self.ends.clone();
        tokio::select! {
            changed = tokio::time::timeout(patience, exhibit.left(part, since)) => changed.is_ok(),
            _ = ends.wait_for(|end| *end) => false,
        }
    }

    /// What who asks is told of an arena that cannot be read; the operator is told the rest.
    pub fn unreadable(&self, error: &FolderError) -> Problem {
        (self.note)("error", format!("an arena cannot be read: {error}"));
        let detail = "the arena cannot be read; the server's log says why";
        Problem::new(Kind::Internal, detail)
    }

    /// Looks through the folder. What has not changed since is not read again.
    fn scan(self: &Arc<Self>) -> Vec<(PathBuf, ArenaCard)> {
        let mut found = lock(&self.found);
        let dirs = self.dirs();
        let known: HashSet<&PathBuf> = dirs.iter().collect();
        found.retain(|dir, _| known.contains(dir));
        let mut cards = Vec::with_capacity(dirs.len());
        for dir in dirs {
            let (trace, settled) = trace(&dir);
            let before = found.get(&dir).filter(|before| before.trace == trace);
            let is_told = before.is_some_and(|before| before.is_tried_again);
            let known = before.filter(|before| !before.is_tried_again);
            let card = match known.map(|before| before.card.clone()) {
                Some(card) => card,
                None => match self.card(&dir, trace.played) {
                    Ok(card) => {
                        // What is being written may change without a trace.
                        if settled && !trace.played {
                            let card = Some(card.clone());
                            let found_now = Found { trace, card, is_tried_again: false };
                            found.insert(dir.clone(), found_now);
                        } else {
                            found.remove(&dir);
                        }
                        Some(card)
                    }
                    // It is being begun.
                    Err(FolderError::NoArena(_)) => None,
                    // One that is broken hides no other, and is told of once.
                    Err(error) => {
                        if !is_told {
                            (self.note)("warning", format!("an arena is not shown: {error}"));
                        }
                        // A database that comes back leaves no trace in the folder.
                        let is_tried_again = Home::is_on_server(&dir);
                        found.insert(dir.clone(), Found { trace, card: None, is_tried_again });
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

    /// The folders of arenas, those that were played last, by name.
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
        let mut dirs: Vec<_> = dirs.filter(|dir| OpenFolder::is_one(dir)).collect();
        if dirs.len() > LISTED {
            dirs.sort_by_cached_key(|dir| std::cmp::Reverse(trace(dir).0.files));
            dirs.truncate(LISTED);
        }
        dirs.sort();
        dirs
    }

    fn card(self: &Arc<Self>, dir: &Path, played: bool) -> Result<ArenaCard, FolderError> {
        if played {
            return Ok(self.opened(dir)?.card());
        }
        // Of the many that nobody plays none is kept open for the list.
        let open = lock(&self.open).get(dir).cloned();
        match open.filter(|open| open.is_there()) {
            Some(open) => {
                open.look()?;
                Ok(open.card())
            }
            None => {
                let exhibit = Exhibit::open(dir, &self.runtime)?;
                let card = exhibit.card();
                exhibit.close();
                Ok(card)
            }
        }
    }

    /// The arena of this folder, kept open for as long as somebody asks for it.
    pub fn opened(self: &Arc<Self>, dir: &Path) -> Result<Arc<Exhibit>, FolderError> {
        let held = || lock(&self.open).get(dir).filter(|held| held.is_there()).cloned();
        if let Some(exhibit) = held() {
            exhibit.touch();
            return Ok(exhibit);
        }
        // Nobody else waits while a large one is read.
        let exhibit = Arc::new(Exhibit::open(dir, &self.runtime)?);
        if let Some(other) = held() {
            return Ok(other);
        }
        let mut open = lock(&self.open);
        if open.len() >= OPEN
            && let Some(oldest) =
                open.values().min_by_key(|it| it.asked_at()).map(|it| it.dir.clone())
        {
            open.remove(&oldest);
        }
        open.insert(dir.to_owned(), exhibit.clone());
        drop(open);
        self.runtime.spawn(attend(self.clone(), exhibit.clone()));
        Ok(exhibit)
    }

    fn holds(&self, exhibit: &Arc<Exhibit>) -> bool {
        lock(&self.open).get(&exhibit.dir).is_some_and(|held| Arc::ptr_eq(held, exhibit))
    }

    fn let_go(&self, exhibit: &Arc<Exhibit>) {
        if self.holds(exhibit) {
            lock(&self.open).remove(&exhibit.dir);
        }
    }
}

/// Looks at an arena now and then, for as long as somebody asks for it.
async fn attend(arenas: Arc<Arenas>, exhibit: Arc<Exhibit>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let idle = Instant::now().saturating_duration_since(exhibit.asked_at());
        if !arenas.holds(&exhibit) || *arenas.ends.borrow() {
            return;
        }
        if idle > IDLE {
            return arenas.let_go(&exhibit);
        }
        let (looked, told) = (exhibit.clone(), arenas.clone());
        let look = move || match looked.look() {
            Ok(()) => true,
            Err(error) => {
                told.unreadable(&error);
                false
            }
        };
        // Who asks again is told what is wrong with it.
        if !tokio::task::spawn_blocking(look).await.unwrap_or(false) {
            return arenas.let_go(&exhibit);
        }
    }
}

/// What the files of a store look like now, and whether that is so for a while already.
fn trace(dir: &Path) -> (Trace, bool) {
    let now = SystemTime::now();
    let file = |name: String| {
        let about = std::fs::metadata(dir.join(name)).ok()?;
        Some((about.modified().ok()?, about.len()))
    };
    // An empty log is made by who reads, too.
    let log = file(format!("{FILE}-wal")).filter(|(_, bytes)| *bytes > 0);
    let files = [file(FILE.to_owned()), log];
    // A database changes without a trace in the folder.
    let settled = !Home::is_on_server(dir);
    let old =
        |(at, _): &(SystemTime, u64)| now.duration_since(*at).is_ok_and(|since| since >= SETTLED);
    let settled = settled && files.iter().flatten().all(old);
    (Trace { files, played: is_played(dir) }, settled)
}
