//! Stores builds of engines by the hash of their modules, so that a new build can be compared with
//! an earlier one. Each build has a record; its files are named by their hashes, in a folder of the
//! user's data. Files and records are written once.
//!
//! Runs nothing and grants no trust. A loader must hash the files of a build again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::catalog::{Asset, Entry};
use sandboard_common::files::{FileError, data_folder, read_regular, write_atomically};

/// The folder of kept builds.
#[derive(Clone, Debug)]
pub struct BuildStore {
    folder: PathBuf,
}

/// A stored build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptBuild {
    /// The engine's id.
    pub engine: String,
    /// The version in its manifest.
    pub version: String,
    /// The SHA-256 of its module, in hexadecimal.
    pub sha256: String,
    /// The size of the module.
    pub module_bytes: u64,
    /// Its assets by name: SHA-256 and size in bytes.
    pub assets: BTreeMap<String, (String, u64)>,
    /// When it was stored, in milliseconds since 1970.
    pub kept_at_ms: u64,
}

/// Why a build was not stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file of it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file of it has changed since the scan.
    #[error("{} changed while it was being stored: try again", .0.display())]
    Changed(PathBuf),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// A folder cannot be made.
    #[error("cannot make the folder {}: {source}", path.display())]
    Folder {
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl BuildStore {
    /// The store in this folder, which is created on first use.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The store in the user's data folder.
    pub fn of_user() -> Result<Self, FileError> {
        Ok(Self::new(data_folder()?.join("builds")))
    }

    /// Stores the build of a catalog entry, unless it is stored already.
    pub fn keep(&self, entry: &Entry) -> Result<(), BuildError> {
        let record = self.record(&entry.id, &entry.sha256);
        if record.is_file() {
            return Ok(());
        }
        for folder in [self.files(), record.parent().unwrap_or(&self.folder).to_owned()] {
            std::fs::create_dir_all(&folder)
                .map_err(|source| BuildError::Folder { path: folder, source })?;
        }
        self.keep_file(&entry.module, &entry.sha256)?;
        for asset in &entry.assets {
            self.keep_file(&asset.path, &asset.sha256)?;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let hash = |asset: &Asset| (asset.name.clone(), (asset.sha256.clone(), asset.bytes));
        let build = KeptBuild {
            engine: entry.id.clone(),
            version: entry.version.clone(),
            sha256: entry.sha256.clone(),
            module_bytes: entry.module_bytes,
            assets: entry.assets.iter().map(hash).collect(),
            kept_at_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        };
        // The record comes last: if it exists, so do the files.
        Ok(write_atomically(&record, &serde_json::to_vec_pretty(&build).unwrap_or_default())?)
    }

    fn keep_file(&self, path: &Path, sha256: &str) -> Result<(), BuildError> {
        let kept = self.files().join(sha256);
        if kept.is_file() {
            return Ok(());
        }
        let read = read_regular(path, u64::MAX);
        let bytes = read.map_err(|source| BuildError::Read { path: path.to_owned(), source })?;
        if sandboard_common::hex::hex(&Sha256::digest(&bytes)) != sha256 {
            return Err(BuildError::Changed(path.to_owned()));
        }
        Ok(write_atomically(&kept, &bytes)?)
    }

    /// The builds of an engine, the latest first. Skips records that cannot be read.
    pub fn list(&self, engine: &str) -> Vec<KeptBuild> {
        let records = std::fs::read_dir(self.records(engine)).into_iter().flatten().flatten();
        let read = |record: std::fs::DirEntry| {
            let bytes = read_regular(&record.path(), u64::MAX).ok()?;
            let build: KeptBuild = serde_json::from_slice(&bytes).ok()?;
            (build.engine == engine).then_some(build)
        };
        let mut builds: Vec<KeptBuild> = records.filter_map(read).collect();
        builds.sort_by(|a, b| (b.kept_at_ms, &b.sha256).cmp(&(a.kept_at_ms, &a.sha256)));
        builds
    }

    /// The entry `current` with the version, module and assets of a stored build.
    pub fn entry(&self, current: &Entry, build: &KeptBuild) -> Entry {
        let asset = |(name, (sha256, bytes)): (&String, &(String, u64))| Asset {
            name: name.clone(),
            path: self.files().join(sha256),
            sha256: sha256.clone(),
            bytes: *bytes,
        };
        Entry {
            version: build.version.clone(),
            module: self.files().join(&build.sha256),
            sha256: build.sha256.clone(),
            module_bytes: build.module_bytes,
            assets: build.assets.iter().map(asset).collect(),
            ..current.clone()
        }
    }

    /// The path of the module or asset with this hash; it exists if the file is stored.
    pub fn file(&self, sha256: &str) -> PathBuf {
        self.files().join(sha256)
    }

    fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// The records of an engine. The folder is named by a hash of the id, since some file systems
    /// do not distinguish upper and lower case.
    fn records(&self, engine: &str) -> PathBuf {
        self.folder.join("engines").join(&sandboard_common::hex::hex(&Sha256::digest(engine))[..16])
    }

    fn record(&self, engine: &str, sha256: &str) -> PathBuf {
        self.records(engine).join(format!("{sha256}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(folder: &Path, id: &str, module: &[u8]) -> Entry {
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            (path, sandboard_common::hex::hex(&Sha256::digest(bytes)), bytes.len() as u64)
        };
        let (module, sha256, module_bytes) = write("module", module);
        let (path, asset, bytes) = write("book", b"abc");
        let asset = Asset { name: "book".into(), path, sha256: asset, bytes };
        Entry {
            id: id.into(),
            module,
            sha256,
            module_bytes,
            assets: vec![asset],
            ..Entry::default()
        }
    }

    #[test]
    fn builds_are_stored_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let builds = BuildStore::new(folder.path().join("builds"));
        let keep = |id: &str, module: &[u8]| {
            let entry = entry(folder.path(), id, module);
            builds.keep(&entry).unwrap();
            entry
        };
        assert_eq!(builds.list("a"), []);
        let first = keep("a", b"one");
        keep("a", b"two");
        keep("b", b"three");
        let found = keep("a", b"one");
        let hashes: Vec<String> = builds.list("a").into_iter().map(|build| build.sha256).collect();
        assert_eq!(hashes.len(), 2);
        assert!(hashes.contains(&first.sha256));
        assert_eq!(builds.list("b").len(), 1);
        // The stored build does not depend on the current file.
        let now = entry(folder.path(), "a", b"four");
        let build =
            builds.list("a").into_iter().find(|build| build.sha256 == found.sha256).unwrap();
        let kept = builds.entry(&now, &build);
        assert_eq!(std::fs::read(&kept.module).unwrap(), b"one");
        assert_eq!(std::fs::read(&kept.assets[0].path).unwrap(), b"abc");
        assert_eq!((&kept.sha256, kept.asset_hashes()), (&first.sha256, first.asset_hashes()));
    }

    #[test]
    fn a_changed_file_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let builds = BuildStore::new(folder.path().join("builds"));
        let entry = entry(folder.path(), "a", b"one");
        std::fs::write(&entry.module, b"two").unwrap();
        let error = builds.keep(&entry).unwrap_err().to_string();
        assert!(error.contains("changed while it was being stored"), "{error}");
        assert_eq!(builds.list("a"), []);
        std::fs::remove_file(&entry.module).unwrap();
        assert!(builds.keep(&entry).unwrap_err().to_string().starts_with("cannot read "));
    }
}
