//! The contests that the server shows, found in one folder. It reads their stores while another
//! process runs them.
//!
//! Invariant: an entry is stored as it is; nothing of it is compiled, run or tested here, and no
//! game is played. A caller without a token sees only public data.

mod contest_table;
mod open_contest;
mod shared_value;
mod upload_slots;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use contest_table::ContestTable;
pub(crate) use open_contest::{OpenContest, StoreIdentity};
use upload_slots::UploadSlots;

use super::arenas::OperatorLog;
use super::known_games::KnownGames;
use super::problem::{ApiResult, Problem, ProblemKind};
use sandboard_contest::store::StoreError;
use sandboard_contest::{ContestFolder, load, open_store};

/// The most contests that are shown, the first by name.
const CONTESTS_MAX: usize = 100;
/// The longest name of a contest's folder, in bytes.
const NAME_BYTES: usize = 100;
/// How many entries are uploaded at once: each is held in memory until it is complete.
const UPLOADS_MAX: usize = 8;

/// The contests of a folder; see the [module](self).
pub(crate) struct Contests {
    /// The folder of contests; none: the server shows none.
    folder: Option<PathBuf>,
    /// The games that the server knows.
    games: KnownGames,
    operator_log: OperatorLog,
    open: Mutex<HashMap<String, Arc<OpenContest>>>,
    /// Limits concurrent uploads.
    pub upload_slots: UploadSlots,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Contests {
    /// Creates the list of contests of this folder.
    pub(crate) fn new(
        folder: Option<PathBuf>,
        games: KnownGames,
        operator_log: OperatorLog,
    ) -> Self {
        Self {
            folder,
            games,
            operator_log,
            open: Mutex::default(),
            upload_slots: UploadSlots::new(UPLOADS_MAX),
        }
    }

    /// Returns whether the server shows contests.
    pub(crate) fn is_enabled(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns all readable contests, by name.
    pub(crate) async fn all(&self) -> Vec<Arc<OpenContest>> {
        let mut all = Vec::new();
        for id in self.ids() {
            // An unreadable contest does not hide the others; a request for it returns the error.
            if let Ok(contest) = self.find(&id).await {
                all.push(contest);
            }
        }
        all
    }

    /// Returns the contest with this id, the name of its folder.
    pub(crate) async fn find(&self, id: &str) -> ApiResult<Arc<OpenContest>> {
        let unknown = || Problem::new(ProblemKind::NotFound, "there is no such contest");
        let folder = self.folder.as_ref().filter(|_| is_folder_name(id)).ok_or_else(unknown)?;
        let dir = folder.join(id);
        if !ContestFolder::holds_contest(&dir) {
            lock(&self.open).remove(id);
            return Err(unknown());
        }
        let identity = StoreIdentity::of(&dir);
        let open = lock(&self.open).get(id).cloned();
        // Another store has the same name: the folder was replaced.
        if let Some(open) = open.filter(|open| open.identity == identity) {
            return self.with_current_closing_time(open).await;
        }
        let opened = Arc::new(self.open(id, &dir, identity).await?);
        // If two requests open it at once, the first one is kept.
        let mut all = lock(&self.open);
        all.retain(|other, open| other != id || open.identity == identity);
        Ok(all.entry(id.to_owned()).or_insert(opened).clone())
    }

    /// Updates the closing time, which the organiser may have changed.
    async fn with_current_closing_time(
        &self,
        contest: Arc<OpenContest>,
    ) -> ApiResult<Arc<OpenContest>> {
        let closes = self.read(&contest, contest.closing_time().await)?;
        if closes == contest.rules.closes {
            return Ok(contest);
        }
        let changed = Arc::new(contest.with_closing_time(closes));
        lock(&self.open).insert(changed.id.clone(), changed.clone());
        Ok(changed)
    }

    async fn open(
        &self,
        id: &str,
        dir: &Path,
        identity: Option<StoreIdentity>,
    ) -> ApiResult<OpenContest> {
        let unknown = || Problem::new(ProblemKind::NotFound, "there is no such contest");
        let store = open_store(dir).await.map_err(|error| self.unreadable(id, &error))?;
        let store = store.ok_or_else(unknown)?;
        let loaded =
            load(&*store, &self.games.now()).await.map_err(|error| self.unreadable(id, &error))?;
        let (founding, contest) = loaded.ok_or_else(unknown)?;
        Ok(OpenContest::new(id, dir, identity, store, founding, contest))
    }

    /// Logs why a contest cannot be read, and returns the problem for the caller.
    pub(crate) fn unreadable(&self, id: &str, error: &dyn std::error::Error) -> Problem {
        (self.operator_log)("error", format!("the contest {id} cannot be read: {error}"));
        let detail = "the contest cannot be read; see the server's log";
        Problem::new(ProblemKind::Internal, detail)
    }

    /// Converts an error of a contest's store.
    pub(crate) fn read<T>(
        &self,
        contest: &OpenContest,
        read: Result<T, StoreError>,
    ) -> ApiResult<T> {
        read.map_err(|error| self.unreadable(&contest.id, &error))
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
        let is_one = |name: &String| {
            is_folder_name(name) && ContestFolder::holds_contest(&folder.join(name))
        };
        let mut ids: Vec<String> = names.filter(is_one).collect();
        ids.sort_unstable();
        ids.truncate(CONTESTS_MAX);
        ids
    }
}

/// Returns whether an id is the name of a folder directly inside the folder of contests.
fn is_folder_name(id: &str) -> bool {
    (1..=NAME_BYTES).contains(&id.len())
        && !id.starts_with('.')
        && !id.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::is_folder_name;

    #[test]
    fn ids_are_names_of_folders() {
        let check = |id: &str, expected: bool| assert_eq!(is_folder_name(id), expected, "{id:?}");
        check("autumn", true);
        check("Herbst 2026", true);
        check(&"a".repeat(100), true);
        check(&"a".repeat(101), false);
        for wrong in ["", ".", "..", ".hidden", "../a", "a/b", "a\\b", "a\0", "a\n"] {
            check(wrong, false);
        }
    }
}
