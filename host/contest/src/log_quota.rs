//! The quota of log texts: what the records of all games of an entry together keep of its log. The
//! use is written to the store now and then, so a killed runner forgets at most a few seconds of
//! it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::folder::{ContestFolder, ContestFolderError};
use super::store::Write;
use sandboard_bout::driver::LogAllowance;

/// The property with the bytes that records keep of the log of each entry: a JSON object by the
/// entries' numbers.
const PROPERTY: &str = "log-bytes";

/// What records may still keep of the logs of a contest's entries.
pub(super) struct LogQuota<'a> {
    folder: &'a ContestFolder,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The bytes used by each entry, as stored.
    stored: BTreeMap<i64, u64>,
    /// What is left for each entry that was loaded.
    left: BTreeMap<i64, LogAllowance>,
}

impl<'a> LogQuota<'a> {
    /// Reads the use so far.
    pub(super) fn open(folder: &'a ContestFolder) -> Result<Self, ContestFolderError> {
        let text = folder.wait(folder.store().property(PROPERTY))?;
        let stored = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let state = Mutex::new(State { stored, ..State::default() });
        Ok(Self { folder, state })
    }

    /// What records may still keep of the log of this entry.
    pub(super) fn allowance(&self, entry: i64) -> LogAllowance {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let used = state.stored.get(&entry).copied().unwrap_or(0);
        let quota = self.folder.contest().log_bytes;
        let fresh = || Arc::new(AtomicU64::new(quota.saturating_sub(used)));
        state.left.entry(entry).or_insert_with(fresh).clone()
    }

    /// Writes the use to the store, if it has changed.
    pub(super) fn store(&self) -> Result<(), ContestFolderError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let quota = self.folder.contest().log_bytes;
        let used = |left: &LogAllowance| quota.saturating_sub(left.load(Ordering::Relaxed));
        let mut now = state.stored.clone();
        now.extend(state.left.iter().map(|(entry, left)| (*entry, used(left))));
        now.retain(|_, used| *used > 0);
        if now == state.stored {
            return Ok(());
        }
        let text = serde_json::to_string(&now).unwrap_or_default();
        let write = Write::Property { name: PROPERTY.into(), text };
        self.folder.wait(self.folder.store().commit(&[write]))?;
        state.stored = now;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sandboard_games::Games;

    use super::*;

    #[test]
    fn the_use_survives_the_runner() {
        let folder = tempfile::tempdir().unwrap();
        let file = "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e6/move\"\nlog_bytes = 100\n";
        let dir = folder.path().join("contest");
        drop(ContestFolder::create(&dir, None, file, None, &Games::default()).unwrap());
        let check = |entry: i64, uses: u64, expected: u64| {
            let folder = ContestFolder::open(&dir, &Games::default()).unwrap();
            let quota = LogQuota::open(&folder).unwrap();
            let left = quota.allowance(entry);
            left.fetch_sub(uses, Ordering::Relaxed);
            // Every player of an entry shares its allowance.
            assert_eq!(quota.allowance(entry).load(Ordering::Relaxed), expected, "{entry}");
            quota.store().unwrap();
        };
        check(1, 0, 100);
        check(1, 30, 70);
        check(2, 100, 0);
        check(1, 60, 10);
        check(2, 0, 0);
        check(3, 0, 100);
    }
}
