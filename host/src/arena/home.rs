//! Where the store of an arena's folder is: a file of the folder, or a database on a server that another file of it
//! names. Reads nothing of an arena.
//!
//! Invariant: no password is in a folder. Who goes on is asked for it by the server, and has it in PGPASSWORD or ~/.pgpass.

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::store::Postgres;
use super::store::{FILE, Sqlite, Store, StoreError};
use crate::database::Url;

/// The file that names the database of an arena: its URL, `#`, and the arena's id there.
const URL_FILE: &str = "store.url";
/// The longest such file, in bytes.
const URL_FILE_BYTES: u64 = 64 * 1024;

/// Where the store of a folder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// In this file.
    File(PathBuf),
    /// In a database, under the arena's id.
    Server(Url, String),
}

impl Home {
    /// The file of a folder that shows that it holds an arena; it need not be there.
    pub fn file(dir: &Path) -> PathBuf {
        let named = dir.join(URL_FILE);
        if named.is_file() { named } else { dir.join(FILE) }
    }

    /// Whether the store of a folder is in a database.
    pub fn is_on_server(dir: &Path) -> bool {
        dir.join(URL_FILE).is_file()
    }

    /// Where the store of a folder is, or would be. Err: its file says nothing that is understood.
    pub fn of(dir: &Path) -> Result<Self, StoreError> {
        let named = dir.join(URL_FILE);
        if !named.is_file() {
            return Ok(Self::File(dir.join(FILE)));
        }
        let wrong =
            |reason: String| StoreError::Open { place: named.display().to_string(), reason };
        let bytes = std::fs::metadata(&named).map_err(|error| wrong(error.to_string()))?.len();
        if bytes > URL_FILE_BYTES {
            return Err(wrong(format!("it has {bytes} bytes, and a URL is shorter")));
        }
        let text = std::fs::read_to_string(&named).map_err(|error| wrong(error.to_string()))?;
        let (url, arena) = text.trim().split_once('#').unwrap_or((text.trim(), ""));
        if arena.is_empty() {
            return Err(wrong("it has no arena's id behind a #".into()));
        }
        Ok(Self::Server(Url::parse(url).map_err(wrong)?, arena.to_owned()))
    }

    /// Says in a folder that its store is here. Of one in a file there is nothing to say.
    pub fn name_in(&self, dir: &Path) -> Result<(), crate::record::store::StoreError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Server(url, arena) => {
                let line = format!("{url}#{arena}\n");
                crate::record::store::write_atomically(&dir.join(URL_FILE), line.as_bytes())
            }
        }
    }

    /// Opens the store, which is made where it is not there.
    pub async fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(file) => Ok(Arc::new(Sqlite::open(file).await?)),
            #[cfg(feature = "postgres")]
            Self::Server(url, arena) => Ok(Arc::new(Postgres::open(url, arena).await?)),
            #[cfg(not(feature = "postgres"))]
            Self::Server(url, _) => Err(StoreError::unsupported(url)),
        }
    }

    /// Opens the store to look at it; somebody else may write to it.
    pub async fn open_to_read(&self) -> Result<Arc<dyn Store>, StoreError> {
        match self {
            Self::File(file) => Ok(Arc::new(Sqlite::open_to_read(file).await?)),
            #[cfg(feature = "postgres")]
            Self::Server(url, arena) => Ok(Arc::new(Postgres::open_to_read(url, arena).await?)),
            #[cfg(not(feature = "postgres"))]
            Self::Server(url, _) => Err(StoreError::unsupported(url)),
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
        let found = || Home::of(dir).map_err(|error| error.to_string());
        assert_eq!(found(), Ok(Home::File(dir.join(FILE))));
        let home = |url: &str| Home::Server(Url::parse(url).unwrap(), "0123".into());
        home("postgres://u:secret@h/club?user=a").name_in(dir).unwrap();
        assert_eq!(found(), Ok(home("postgres://u@h/club?user=a")));
        let text = std::fs::read_to_string(Home::file(dir)).unwrap();
        assert_eq!(text, "postgres://u@h/club?user=a#0123\n");
        let check = |text: &str, expected: &str| {
            std::fs::write(Home::file(dir), text).unwrap();
            let told = found().unwrap_err();
            assert!(told.contains("store.url") && told.contains(expected), "{text}: {told}");
        };
        check("", "no arena's id");
        check("postgres://h/club", "no arena's id");
        check("postgres://h/club#", "no arena's id");
        check("club.db#0123", "begins with postgres://");
        check(&"a".repeat(70_000), "70000 bytes");
    }
}
