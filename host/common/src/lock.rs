//! A lock on a folder, held by one process while it works there. The system releases the lock
//! however the process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "lock";
/// How long [`FolderLock::take`] retries. A process that only tests the lock holds it for a much
/// shorter time.
pub const LOCK_RETRY: Duration = Duration::from_millis(200);

/// A locked folder; dropping the value releases the lock.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why a folder could not be locked.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds the lock.
    Busy,
    /// The lock file could not be opened or locked.
    Io {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl FolderLock {
    /// Locks a folder; fails with [`LockError::Busy`] after 200 ms if another process holds it.
    pub fn take(dir: &Path) -> Result<Self, LockError> {
        let path = dir.join(FILE);
        let open = File::options().create(true).truncate(false).write(true).open(&path);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let file = open.map_err(failed)?;
        let until = Instant::now() + LOCK_RETRY;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                // A process in `is_taken` holds the lock for a moment, too.
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(LOCK_RETRY / 20);
                }
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Whether a process on this machine holds the folder's lock.
    pub fn is_taken(dir: &Path) -> bool {
        let lock = File::options().write(true).open(dir.join(FILE));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}
