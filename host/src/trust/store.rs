//! The file of what is trusted, in a folder of its own that nobody else may write to.
//! Changed by one process at a time and replaced in one step; read by any, at any time.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Grant, Grants, TrustError};
use crate::private;
use crate::record::store::data_folder;

/// The version of the file that is written and read.
pub(super) const VERSION: u64 = 1;
/// The largest file that is read: some fifty thousand grants.
const MOST_BYTES: u64 = 16 << 20;

const FOLDER: &str = "trust";
const FILE: &str = "grants.json";
/// Locked while the file is changed.
const LOCK: &str = "lock";

/// Where it is kept what is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u64,
    grants: Vec<Grant>,
}

/// What a file of any version begins with.
#[derive(Deserialize)]
struct Head {
    version: u64,
}

impl Store {
    /// The store in the user's data folder.
    pub fn of_user() -> Result<Self, TrustError> {
        data_folder().map(|data| Self::in_data_folder(&data)).map_err(|_| TrustError::NoHome)
    }

    /// The store in another data folder.
    pub fn in_data_folder(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Its file, which need not be there.
    pub fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// What is trusted. Where nobody has granted anything yet there is no file, and nothing
    /// is; any other file or folder than this host makes is an error. Writes nothing.
    pub fn read(&self) -> Result<Grants, TrustError> {
        match private::check_private(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Grants::default()),
            checked => checked.map_err(|error| not_private(&self.folder, error))?,
        }
        let path = self.file();
        let file = match private::open_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Grants::default()),
            opened => opened.map_err(|error| not_private(&path, error))?,
        };
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|source| TrustError::Io { step: "read", path: path.clone(), source })?;
        parse(&path, &bytes)
    }

    /// Changes what is trusted, after every change that another process is making and before
    /// any other: none is lost.
    pub fn change<T>(&self, change: impl FnOnce(&mut Grants) -> T) -> Result<T, TrustError> {
        let _lock = self.lock()?;
        let before = self.read()?;
        let mut grants = before.clone();
        let done = change(&mut grants);
        if grants != before {
            self.write(&grants)?;
        }
        Ok(done)
    }

    /// Takes all trust back, from a damaged file, too; how many grants there were, where
    /// that can be told.
    pub fn clear(&self) -> Result<Option<usize>, TrustError> {
        let _lock = self.lock()?;
        let before = match self.read() {
            Ok(grants) => Some(grants.all().len()),
            Err(TrustError::Damaged { .. }) => None,
            Err(error) => return Err(error),
        };
        if before != Some(0) {
            self.write(&Grants::default())?;
        }
        Ok(before)
    }

    fn lock(&self) -> Result<File, TrustError> {
        private::open(&self.folder).map_err(|error| not_private(&self.folder, error))?;
        let path = self.folder.join(LOCK);
        let failed = |source| TrustError::Io { step: "lock", path: path.clone(), source };
        let open = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = open.map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(lock)
    }

    /// Under the lock.
    fn write(&self, grants: &Grants) -> Result<(), TrustError> {
        let path = self.file();
        let failed = |source| TrustError::Io { step: "write", path: path.clone(), source };
        let written = Written { version: VERSION, grants: grants.all().to_vec() };
        let mut text = serde_json::to_vec_pretty(&written).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        if text.len() as u64 > MOST_BYTES {
            return Err(failed(io::Error::other("it would be too long to be read again")));
        }
        let fill = || -> io::Result<()> {
            // Whatever the user's umask is: nobody but him may read or write it.
            let mut fresh = tempfile::NamedTempFile::new_in(&self.folder)?;
            fresh.write_all(&text)?;
            fresh.as_file().sync_all()?;
            fresh.persist(&path).map_err(|error| error.error)?;
            if cfg!(unix) {
                File::open(&self.folder)?.sync_all()?;
            }
            Ok(())
        };
        fill().map_err(failed)
    }
}

/// What [`private`] refuses itself names the place; what the system refuses does not.
fn not_private(path: &Path, error: io::Error) -> TrustError {
    match error.kind() {
        ErrorKind::Other => TrustError::NotPrivate(error),
        _ => TrustError::Io { step: "open", path: path.to_owned(), source: error },
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Grants, TrustError> {
    let damaged = |at, reason| TrustError::Damaged { path: path.to_owned(), at, reason };
    if bytes.len() as u64 > MOST_BYTES {
        return Err(damaged(None, format!("is longer than {MOST_BYTES} bytes")));
    }
    let misread = |error: serde_json::Error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = error.to_string();
        let reason = reason.strip_suffix(&place).unwrap_or(&reason);
        damaged(Some((error.line(), error.column())), format!("is no list of grants: {reason}"))
    };
    let head: Head = serde_json::from_slice(bytes).map_err(misread)?;
    if head.version != VERSION {
        return Err(TrustError::Version { path: path.to_owned(), found: head.version });
    }
    let written: Written = serde_json::from_slice(bytes).map_err(misread)?;
    Grants::checked(written.grants).map_err(|reason| damaged(None, reason))
}
