//! Builds of engines, kept by the hash of their modules: what an engine was before it was built anew, so that the new
//! one can be held against it. Files by their hashes in a folder of the user's data, and a note for each build;
//! both are written once. Runs nothing, and trusts nothing: whoever loads a build hashes it again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::catalog::{Asset, Entry};
use crate::record::store::{StoreError, data_folder, write_atomically};

/// The folder of kept builds.
#[derive(Clone, Debug)]
pub struct Builds {
    folder: PathBuf,
}

/// A build that is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The engine's id.
    pub engine: String,
    /// Its version, as its manifest said it.
    pub version: String,
    /// The SHA-256 of its module, in hexadecimal.
    pub sha256: String,
    /// How long that is.
    pub module_bytes: u64,
    /// The files that it read: name and SHA-256.
    pub assets: BTreeMap<String, (String, u64)>,
    /// When it was kept, in milliseconds since 1970.
    pub kept_ms: u64,
}

/// Why a build is not kept, or not found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A file of it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file of it has changed since it was looked at.
    #[error("{} has changed while it was being kept: try again", .0.display())]
    Changed(PathBuf),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] StoreError),
    /// A folder cannot be made.
    #[error("cannot make the folder {}: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl Builds {
    /// Those in this folder, which need not be there yet.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Those of the user.
    pub fn of_user() -> Result<Self, StoreError> {
        Ok(Self::new(data_folder()?.join("builds")))
    }

    /// Keeps the build that an entry of the catalog is, if it is not kept already.
    pub fn keep(&self, entry: &Entry) -> Result<(), BuildError> {
        let note = self.note(&entry.id, &entry.sha256);
        if note.is_file() {
            return Ok(());
        }
        for folder in [self.files(), note.parent().unwrap_or(&self.folder).to_owned()] {
            std::fs::create_dir_all(&folder)
                .map_err(|source| BuildError::Folder { path: folder, source })?;
        }
        self.keep_file(&entry.module, &entry.sha256)?;
        for asset in &entry.assets {
            self.keep_file(&asset.path, &asset.sha256)?;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let hash = |asset: &Asset| (asset.name.clone(), (asset.sha256.clone(), asset.bytes));
        let build = Build {
            engine: entry.id.clone(),
            version: entry.version.clone(),
            sha256: entry.sha256.clone(),
            module_bytes: entry.module_bytes,
            assets: entry.assets.iter().map(hash).collect(),
            kept_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        };
        // The last one: where it is, the files are.
        Ok(write_atomically(&note, &serde_json::to_vec_pretty(&build).unwrap_or_default())?)
    }

    fn keep_file(&self, path: &Path, sha256: &str) -> Result<(), BuildError> {
        let kept = self.files().join(sha256);
        if kept.is_file() {
            return Ok(());
        }
        let read = std::fs::read(path);
        let bytes = read.map_err(|source| BuildError::Read { path: path.to_owned(), source })?;
        if crate::hex(&Sha256::digest(&bytes)) != sha256 {
            return Err(BuildError::Changed(path.to_owned()));
        }
        Ok(write_atomically(&kept, &bytes)?)
    }

    /// The builds of an engine, the latest first. Notes that cannot be read are passed over.
    pub fn of(&self, engine: &str) -> Vec<Build> {
        let notes = std::fs::read_dir(self.notes(engine)).into_iter().flatten().flatten();
        let read = |note: std::fs::DirEntry| {
            let bytes = std::fs::read(note.path()).ok()?;
            let build: Build = serde_json::from_slice(&bytes).ok()?;
            (build.engine == engine).then_some(build)
        };
        let mut builds: Vec<Build> = notes.filter_map(read).collect();
        builds.sort_by(|a, b| (b.kept_ms, &b.sha256).cmp(&(a.kept_ms, &a.sha256)));
        builds
    }

    /// An entry of the catalog as it was in this build: with its module and its files, and all else as it is now.
    pub fn entry(&self, now: &Entry, build: &Build) -> Entry {
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
            ..now.clone()
        }
    }

    /// Where the module or the asset with this hash is, if it is kept.
    pub fn file(&self, sha256: &str) -> PathBuf {
        self.files().join(sha256)
    }

    fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Ids have no characters that a file's name may not have, but for the length of their hash nobody can tell
    /// two apart that differ in case.
    fn notes(&self, engine: &str) -> PathBuf {
        self.folder.join("engines").join(&crate::hex(&Sha256::digest(engine))[..16])
    }

    fn note(&self, engine: &str, sha256: &str) -> PathBuf {
        self.notes(engine).join(format!("{sha256}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(folder: &Path, id: &str, module: &[u8]) -> Entry {
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            (path, crate::hex(&Sha256::digest(bytes)), bytes.len() as u64)
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
    fn builds_are_kept_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let builds = Builds::new(folder.path().join("builds"));
        let keep = |id: &str, module: &[u8]| {
            let entry = entry(folder.path(), id, module);
            builds.keep(&entry).unwrap();
            entry
        };
        assert_eq!(builds.of("a"), []);
        let first = keep("a", b"one");
        keep("a", b"two");
        keep("b", b"three");
        let found = keep("a", b"one");
        let hashes: Vec<String> = builds.of("a").into_iter().map(|build| build.sha256).collect();
        assert_eq!(hashes.len(), 2);
        assert!(hashes.contains(&first.sha256));
        assert_eq!(builds.of("b").len(), 1);
        // The build is there when the file is another one.
        let now = entry(folder.path(), "a", b"four");
        let build = builds.of("a").into_iter().find(|build| build.sha256 == found.sha256).unwrap();
        let kept = builds.entry(&now, &build);
        assert_eq!(std::fs::read(&kept.module).unwrap(), b"one");
        assert_eq!(std::fs::read(&kept.assets[0].path).unwrap(), b"abc");
        assert_eq!((&kept.sha256, kept.asset_hashes()), (&first.sha256, first.asset_hashes()));
    }

    #[test]
    fn a_file_that_changes_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let builds = Builds::new(folder.path().join("builds"));
        let entry = entry(folder.path(), "a", b"one");
        std::fs::write(&entry.module, b"two").unwrap();
        let error = builds.keep(&entry).unwrap_err().to_string();
        assert!(error.contains("has changed while it was being kept"), "{error}");
        assert_eq!(builds.of("a"), []);
        std::fs::remove_file(&entry.module).unwrap();
        assert!(builds.keep(&entry).unwrap_err().to_string().starts_with("cannot read "));
    }
}
