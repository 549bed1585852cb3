//! Contests of this machine, for who looks at them and takes part in them in a browser: found in one folder, read from their stores
//! while another process runs them.
//!
//! Invariant: an entry is kept as it came; nothing of it is compiled, run or judged here, and no game is played. Whoever shows no token is
//! told what everybody may know.

mod arriving;
mod stage;
mod table;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arriving::Arriving;
pub use stage::Stage;
pub use table::Table;

use super::arenas::Note;
use super::problem::{Answer, Kind, Problem};
use crate::contest::store::StoreError;
use crate::contest::{ContestFolder, load, open_store};

/// How many contests are shown, the first by name.
const SHOWN: usize = 100;
/// A folder's name is no longer.
const NAME_BYTES: usize = 100;
/// How many entries are on their way at once: each is held in memory meanwhile.
const ARRIVING: usize = 8;

/// See the [module](self).
pub struct Contests {
    /// Where they lie; none: there are none.
    folder: Option<PathBuf>,
    note: Note,
    open: Mutex<HashMap<String, Arc<Stage>>>,
    /// Seats for those who submit.
    pub arriving: Arriving,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Contests {
    /// Those of this folder.
    pub fn new(folder: Option<PathBuf>, note: Note) -> Self {
        Self { folder, note, open: Mutex::default(), arriving: Arriving::new(ARRIVING) }
    }

    /// Whether any could be shown.
    pub fn is_anywhere(&self) -> bool {
        self.folder.is_some()
    }

    /// All that can be read, by name.
    pub async fn all(&self) -> Vec<Arc<Stage>> {
        let mut all = Vec::new();
        for id in self.ids() {
            // One that is broken hides no other; who asks for it is told.
            if let Ok(stage) = self.stage(&id).await {
                all.push(stage);
            }
        }
        all
    }

    /// The contest of this id, which is the name of its folder.
    pub async fn stage(&self, id: &str) -> Answer<Arc<Stage>> {
        let unknown = || Problem::new(Kind::NotFound, "there is no such contest");
        let folder = self.folder.as_ref().filter(|_| is_name(id)).ok_or_else(unknown)?;
        let dir = folder.join(id);
        if !ContestFolder::is_one(&dir) {
            lock(&self.open).remove(id);
            return Err(unknown());
        }
        let open = lock(&self.open).get(id).cloned();
        if let Some(open) = open {
            return self.as_now(open).await;
        }
        let opened = Arc::new(self.opened(id, &dir).await?);
        // Of two who open it at once the first one's is kept.
        Ok(lock(&self.open).entry(id.to_owned()).or_insert(opened).clone())
    }

    /// The same with the date until when it takes entries, which its organiser may have changed.
    async fn as_now(&self, stage: Arc<Stage>) -> Answer<Arc<Stage>> {
        let closes = self.read(&stage, stage.closes().await)?;
        if closes == stage.contest.closes {
            return Ok(stage);
        }
        let changed = Arc::new(stage.closing(closes));
        lock(&self.open).insert(changed.id.clone(), changed.clone());
        Ok(changed)
    }

    async fn opened(&self, id: &str, dir: &Path) -> Answer<Stage> {
        let unknown = || Problem::new(Kind::NotFound, "there is no such contest");
        let store = open_store(dir).await.map_err(|error| self.unreadable(id, &error))?;
        let store = store.ok_or_else(unknown)?;
        let made = load(&*store).await.map_err(|error| self.unreadable(id, &error))?;
        let (founding, contest) = made.ok_or_else(unknown)?;
        Ok(Stage::new(id, dir, store, founding, contest))
    }

    /// What who asks is told where a contest cannot be read; the operator is told the rest.
    pub fn unreadable(&self, id: &str, error: &dyn std::error::Error) -> Problem {
        (self.note)("error", format!("the contest {id} cannot be read: {error}"));
        let detail = "the contest cannot be read; the server's log says why";
        Problem::new(Kind::Internal, detail)
    }

    /// What a store said, or that it cannot be read.
    pub fn read<T>(&self, stage: &Stage, read: Result<T, StoreError>) -> Answer<T> {
        read.map_err(|error| self.unreadable(&stage.id, &error))
    }

    fn ids(&self) -> Vec<String> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                log::warn!("the contests of {} are not shown: {error}", folder.display());
                return Vec::new();
            }
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let is_one = |name: &String| is_name(name) && ContestFolder::is_one(&folder.join(name));
        let mut ids: Vec<String> = names.filter(is_one).collect();
        ids.sort_unstable();
        ids.truncate(SHOWN);
        ids
    }
}

/// Whether it is the name of a folder, and of none above or below.
fn is_name(id: &str) -> bool {
    (1..=NAME_BYTES).contains(&id.len())
        && !id.starts_with('.')
        && !id.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn ids_are_names_of_folders() {
        let check = |id: &str, expected: bool| assert_eq!(is_name(id), expected, "{id:?}");
        check("autumn", true);
        check("Herbst 2026", true);
        check(&"a".repeat(100), true);
        check(&"a".repeat(101), false);
        for wrong in ["", ".", "..", ".hidden", "../a", "a/b", "a\\b", "a\0", "a\n"] {
            check(wrong, false);
        }
    }
}
