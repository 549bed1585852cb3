//! The file of grants, in a private folder that only the user may write to. One process changes it
//! at a time, by replacing it in one step; any process may read it at any time.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Grant, Grants, TrustError};
use sandboard_common::files::{data_folder, open_regular_with};
use sandboard_common::private_files;

/// The version of the file that is written and read.
pub(super) const VERSION: u64 = 1;
/// The largest file, in bytes: about 50,000 grants.
const FILE_BYTES_MAX: u64 = 16 << 20;

const FOLDER: &str = "trust";
const FILE: &str = "grants.json";
/// Locked while the file is changed.
const LOCK: &str = "lock";

/// The store of grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustStore {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsFile {
    version: u64,
    grants: Vec<Grant>,
}

/// The field that files of all versions have.
#[derive(Deserialize)]
struct FileHeader {
    version: u64,
}

impl TrustStore {
    /// The store in the user's data folder.
    pub fn of_user() -> Result<Self, TrustError> {
        data_folder().map(|data| Self::in_data_folder(&data)).map_err(|_| TrustError::NoHome)
    }

    /// The store in this data folder.
    pub fn in_data_folder(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// The path of its file, which may not exist yet.
    pub fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads the grants; none if the file does not exist yet. Err: the file or its folder is
    /// damaged, not private, or has another version. Writes nothing.
    pub fn read(&self) -> Result<Grants, TrustError> {
        match private_files::check_folder(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Grants::default()),
            checked => checked.map_err(|error| not_private(&self.folder, error))?,
        }
        let path = self.file();
        let file = match private_files::open_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Grants::default()),
            opened => opened.map_err(|error| not_private(&path, error))?,
        };
        let mut bytes = Vec::new();
        let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        read.map_err(|source| TrustError::Io { step: "read", path: path.clone(), source })?;
        parse(&path, &bytes)
    }

    /// Changes the grants under a lock, so that no change of another process is lost.
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

    /// Removes all grants, even if the file is damaged. Returns their number; none: it is unknown.
    pub fn clear(&self) -> Result<Option<usize>, TrustError> {
        let _lock = self.lock()?;
        let before = match self.read() {
            Ok(grants) => Some(grants.as_slice().len()),
            Err(TrustError::Damaged { .. }) => None,
            Err(error) => return Err(error),
        };
        if before != Some(0) {
            self.write(&Grants::default())?;
        }
        Ok(before)
    }

    fn lock(&self) -> Result<File, TrustError> {
        private_files::open_folder(&self.folder)
            .map_err(|error| not_private(&self.folder, error))?;
        let path = self.folder.join(LOCK);
        let failed = |source| TrustError::Io { step: "lock", path: path.clone(), source };
        let mut options = OpenOptions::new();
        let open = open_regular_with(options.create(true).truncate(false).write(true), &path);
        let lock = open.map_err(failed)?;
        lock.lock().map_err(failed)?;
        Ok(lock)
    }

    /// Replaces the file. The caller must hold the lock.
    fn write(&self, grants: &Grants) -> Result<(), TrustError> {
        let path = self.file();
        let failed = |source| TrustError::Io { step: "write", path: path.clone(), source };
        let written = GrantsFile { version: VERSION, grants: grants.as_slice().to_vec() };
        let mut text = serde_json::to_vec_pretty(&written).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(failed(io::Error::other("the file would be too large to be read again")));
        }
        let fill = || -> io::Result<()> {
            // A temporary file is readable and writable only by the user, whatever the umask is.
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

/// Errors of [`private_files`] itself name the path; errors of the system do not.
fn not_private(path: &Path, error: io::Error) -> TrustError {
    match error.kind() {
        ErrorKind::Other => TrustError::NotPrivate(error),
        _ => TrustError::Io { step: "open", path: path.to_owned(), source: error },
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Grants, TrustError> {
    let damaged =
        |location, reason| TrustError::Damaged { path: path.to_owned(), location, reason };
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(damaged(None, format!("is larger than {FILE_BYTES_MAX} bytes")));
    }
    let misread = |error: serde_json::Error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = error.to_string();
        let reason = reason.strip_suffix(&place).unwrap_or(&reason);
        damaged(Some((error.line(), error.column())), format!("is not a list of grants: {reason}"))
    };
    let header: FileHeader = serde_json::from_slice(bytes).map_err(misread)?;
    if header.version != VERSION {
        return Err(TrustError::Version { path: path.to_owned(), found: header.version });
    }
    let written: GrantsFile = serde_json::from_slice(bytes).map_err(misread)?;
    Grants::validated(written.grants).map_err(|reason| damaged(None, reason))
}
