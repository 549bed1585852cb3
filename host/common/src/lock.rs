//! A lock on a folder, held by one process while it works there. The system releases the lock
//! however the process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::open_regular_with;

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
        let failed = |source| LockError::Io { path: path.clone(), source };
        let file = open(&path, true).map_err(failed)?;
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
        let lock = open(&dir.join(FILE), false);
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Opens a lock file. Never waits: a pipe or another special file is refused. So is a symbolic
/// link, which could lead to a file that another program locks.
fn open(path: &Path, create: bool) -> io::Result<File> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link, not a regular file"));
    }
    open_regular_with(File::options().create(create).truncate(false).write(true), path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!FolderLock::is_taken(folder.path()), "there is no lock file");
        let lock = FolderLock::take(folder.path()).unwrap();
        assert!(FolderLock::is_taken(folder.path()));
        assert!(matches!(FolderLock::take(folder.path()), Err(LockError::Busy)));
        drop(lock);
        assert!(!FolderLock::is_taken(folder.path()));
    }

    #[test]
    fn only_a_regular_file_is_a_lock() {
        let check = |make: &dyn Fn(&Path)| {
            let folder = tempfile::tempdir().unwrap();
            make(&folder.path().join(FILE));
            // Neither call waits.
            assert!(!FolderLock::is_taken(folder.path()));
            let error = FolderLock::take(folder.path()).unwrap_err();
            let LockError::Io { source, .. } = error else { panic!("{error:?}") };
            assert!(source.to_string().contains("not a regular file"), "{source}");
        };
        check(&|path| {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            let fifo = rustix::fs::FileType::Fifo;
            rustix::fs::mknodat(rustix::fs::CWD, path, fifo, mode, 0).unwrap();
        });
        check(&|path| std::fs::create_dir(path).unwrap());
        check(&|path| std::os::unix::fs::symlink("/dev/null", path).unwrap());
    }
}
