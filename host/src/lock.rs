//! The lock of a folder, which one process holds while it works on what is in there, and which the system lets go of however the
//! process ends. Knows nothing of what is in the folder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILE: &str = "lock";
/// Far longer than anybody takes to look whether a lock is held.
pub const GLANCE: Duration = Duration::from_millis(200);

/// A folder that is held by this process until this value is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why a folder is not held.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds it.
    Busy,
    /// The system refused it.
    Io {
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FolderLock {
    /// Takes the lock of a folder.
    pub fn take(dir: &Path) -> Result<Self, LockError> {
        let path = dir.join(FILE);
        let open = File::options().create(true).truncate(false).write(true).open(&path);
        let failed = |source| LockError::Io { path: path.clone(), source };
        let file = open.map_err(failed)?;
        let until = Instant::now() + GLANCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                // Whoever looks whether it is held holds the lock for a moment, too.
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(GLANCE / 20);
                }
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Whether a process of this machine holds the lock of a folder.
    pub fn is_taken(dir: &Path) -> bool {
        let lock = File::options().write(true).open(dir.join(FILE));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}
