//! Finds the store of an arena's folder: a file in the folder, or a database that another file in
//! the folder names. Reads nothing of the arena itself.
//!
//! Invariant: a folder contains no password. To resume an arena whose database needs one, set
//! PGPASSWORD and PGHOST, or use ~/.pgpass.

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::store::Postgres;
use super::store::{FILE, Sqlite, Store, StoreError};
use crate::database::Url;
use sandboard_common::files::read_regular_text;

/// The file that names the database of an arena: its URL, `#`, and the arena's id in the database.
const URL_FILE: &str = "store.url";
/// The size limit of that file, in bytes.
const URL_FILE_BYTES_MAX: u64 = 64 * 1024;

/// The location of an arena's store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// A file of SQLite.
    File(PathBuf),
    /// A database, and the arena's id in it.
    Database(Url, String),
}

impl StoreLocation {
    /// The file that marks a folder as an arena's. It may not exist.
    pub fn marker_file(dir: &Path) -> PathBuf {
        let url_file = dir.join(URL_FILE);
        if url_file.is_file() { url_file } else { dir.join(FILE) }
    }

    /// Whether the store of a folder is in a database.
    pub fn is_in_database(dir: &Path) -> bool {
        dir.join(URL_FILE).is_file()
    }

    /// The location of a folder's store, or where it would be. Fails if the file with the URL is
    /// invalid.
    pub fn of_folder(dir: &Path) -> Result<Self, StoreError> {
        let url_file = dir.join(URL_FILE);
        if !url_file.exists() {
            return Ok(Self::File(dir.join(FILE)));
        }
        let invalid =
            |reason: String| StoreError::Open { location: url_file.display().to_string(), reason };
        let text = read_regular_text(&url_file, URL_FILE_BYTES_MAX)
            .map_err(|error| invalid(error.to_string()))?;
        let (url, arena) = text.trim().split_once('#').unwrap_or((text.trim(), ""));
        if arena.is_empty() {
            return Err(invalid("it has no id of an arena after a #".into()));
        }
        Ok(Self::Database(Url::parse_from_folder(url).map_err(invalid)?, arena.to_owned()))
    }

    /// Writes the location into a folder. A store in a file needs no entry.
    pub fn write_to(&self, dir: &Path) -> Result<(), sandboard_common::files::FileError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Database(url, arena) => {
                let line = format!("{url}#{arena}\n");
                sandboard_common::files::write_atomically(&dir.join(URL_FILE), line.as_bytes())
            }
        }
    }

    /// Opens the store, which is created if it does not exist.
    pub async fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(file) => Ok(Arc::new(Sqlite::open(file).await?)),
            #[cfg(feature = "postgres")]
            Self::Database(url, arena) => Ok(Arc::new(Postgres::open(url, arena).await?)),
            #[cfg(not(feature = "postgres"))]
            Self::Database(url, _) => Err(StoreError::unsupported(url)),
        }
    }

    /// Opens the store for reading. Other processes may write to it.
    pub async fn open_to_read(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(file) => Ok(Arc::new(Sqlite::open_to_read(file).await?)),
            #[cfg(feature = "postgres")]
            Self::Database(url, arena) => Ok(Arc::new(Postgres::open_to_read(url, arena).await?)),
            #[cfg(not(feature = "postgres"))]
            Self::Database(url, _) => Err(StoreError::unsupported(url)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_database() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let found = || StoreLocation::of_folder(dir).map_err(|error| error.to_string());
        assert_eq!(found(), Ok(StoreLocation::File(dir.join(FILE))));
        let location = |url: &str| {
            StoreLocation::Database(Url::parse_from_folder(url).unwrap(), "0123".into())
        };
        location("postgres://u:secret@h/club?user=a").write_to(dir).unwrap();
        assert_eq!(found(), Ok(location("postgres://u@h/club?user=a")));
        let text = std::fs::read_to_string(StoreLocation::marker_file(dir)).unwrap();
        assert_eq!(text, "postgres://u@h/club?user=a#0123\n");
        let check = |text: &str, expected: &str| {
            std::fs::write(StoreLocation::marker_file(dir), text).unwrap();
            let error = found().unwrap_err();
            assert!(error.contains("store.url") && error.contains(expected), "{error}");
        };
        check("", "no id of an arena");
        check("postgres://h/club", "no id of an arena");
        check("postgres://h/club#", "no id of an arena");
        check("club.db#0123", "begins with postgres://");
        check(&"a".repeat(70_000), "more than 65536 bytes");
    }
}
