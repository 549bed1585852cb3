//! Caches compiled components on disk. Contains only the host's own output: code that a user
//! compiled is never loaded.
//!
//! Entries are found by the hash of the component, by wasmtime's compatibility hash and by the way
//! in which fuel is counted, and their code is compared with its hash before use. Each profile has
//! a folder of its own, and its entries say so: what was compiled for everyday use is never loaded
//! by a contest. Only the user who runs the host can access the folder; engines cannot. Several
//! hosts may use it at once: files are written under another name and then renamed.

mod entry;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sandboard_common::private_files;
use tempfile::NamedTempFile;

pub(super) use entry::CacheKey;

use crate::compiled_code::CompiledCode;
use crate::runtime::Metering;
use crate::scan::Profile;

/// Default size of a cache, in bytes.
pub const CACHE_BYTES: u64 = 1 << 30;

/// Prefix of the names of files that are being written.
const UNFINISHED_PREFIX: &str = ".compiled-";

/// A folder of components that were compiled for one profile.
#[derive(Clone, Debug)]
pub struct CodeCache {
    folder: PathBuf,
    profile: Profile,
    max_bytes: u64,
}

impl CodeCache {
    /// Opens or creates the cache of a profile, which is a folder in this one. Err: a folder cannot
    /// be created, belongs to another user, or is writable by others.
    pub fn open(folder: &Path, profile: Profile) -> io::Result<Self> {
        private_files::open_folder(folder)?;
        let folder = folder.join(profile.to_string());
        private_files::open_folder(&folder)?;
        let cache = Self { folder, profile, max_bytes: CACHE_BYTES };
        cache.remove_unfinished();
        Ok(cache)
    }

    /// The same cache with another maximum size, in bytes.
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// The key of a module for a wasmtime engine and this metering.
    pub(super) fn key(
        &self,
        engine: &wasmtime::Engine,
        metering: Metering,
        module: &[u8],
    ) -> CacheKey {
        CacheKey::new(engine, metering, module, self.profile)
    }

    /// The code under this key. An invalid file is removed with a warning.
    pub(super) fn get(&self, key: &CacheKey) -> Option<CompiledCode> {
        let path = self.path(key);
        let read = read(&path, self.max_bytes).and_then(|(file, bytes)| {
            let code = entry::code(&bytes, key).map_err(|error| error.to_string())?.to_vec();
            // The time of the last use decides which file is removed first. May fail.
            drop(file.set_modified(SystemTime::now()));
            Ok(code)
        });
        match read {
            Ok(code) => Some(CompiledCode::from_cache(code)),
            Err(None) => None,
            Err(Some(reason)) => {
                self.discard(key, &reason);
                None
            }
        }
    }

    /// Stores code under a key. If necessary, the least recently used files are removed.
    pub(super) fn put(&self, key: &CacheKey, code: &CompiledCode) -> io::Result<()> {
        let header = entry::header(key, code.bytes());
        let bytes = header.len() as u64 + code.bytes().len() as u64;
        if bytes > self.max_bytes {
            let max = self.max_bytes;
            return Err(io::Error::other(format!("it has {bytes} bytes; the cache holds {max}")));
        }
        let mut file = self.create_unfinished()?;
        file.write_all(&header)?;
        file.write_all(code.bytes())?;
        file.as_file().sync_all()?;
        let path = self.path(key);
        file.persist(&path).map_err(|error| error.error)?;
        self.make_room(&path);
        Ok(())
    }

    /// Removes the unusable file under this key.
    pub(super) fn discard(&self, key: &CacheKey, reason: &str) {
        let path = self.path(key);
        log::warn!("{} {reason}; it is removed, and the engine compiled again", path.display());
        remove(&path);
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        self.folder.join(key.file_name())
    }

    /// Creates a locked file, so that other hosts do not remove it as abandoned.
    fn create_unfinished(&self) -> io::Result<NamedTempFile> {
        loop {
            let file =
                tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempfile_in(&self.folder)?;
            file.as_file().lock()?;
            // Another host may have removed it before it was locked.
            if file.path().symlink_metadata().is_ok() {
                return Ok(file);
            }
        }
    }

    /// Removes unfinished files of hosts that were killed.
    fn remove_unfinished(&self) {
        for (path, _) in self.files(|name| name.starts_with(UNFINISHED_PREFIX)) {
            if open(&path).is_ok_and(|lock| lock.try_lock().is_ok() && remove(&path)) {
                log::info!("removed the unfinished file {}", path.display());
            }
        }
    }

    /// Removes the least recently used files until the cache has its maximum size, but never
    /// `keep`.
    fn make_room(&self, keep: &Path) {
        let mut files = self.files(|name| name.ends_with(entry::FILE_SUFFIX));
        let mut size: u64 = files.iter().map(|(_, data)| data.len()).sum();
        files.sort_by_key(|(_, data)| data.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        for (path, data) in files.iter().filter(|(path, _)| path != keep) {
            if size <= self.max_bytes {
                break;
            }
            // Hosts that are reading the file have it open and are not affected.
            remove(path);
            size = size.saturating_sub(data.len());
        }
    }

    /// The existing files whose names match.
    fn files(&self, matches: impl Fn(&str) -> bool) -> Vec<(PathBuf, fs::Metadata)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(&matches));
        let found = ours.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
        found.filter(|(_, data)| data.is_file()).collect()
    }
}

/// Removes a file. Returns false if it does not exist or cannot be removed.
fn remove(path: &Path) -> bool {
    match fs::remove_file(path) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            log::warn!("{} cannot be removed: {error}", path.display());
            false
        }
    }
}

/// Reads a file. Err: `None` if it does not exist, otherwise why it is not a file of the cache.
fn read(path: &Path, max_bytes: u64) -> Result<(File, Vec<u8>), Option<String>> {
    let unreadable = |error: io::Error| Some(format!("cannot be read: {error}"));
    let mut file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(None),
        opened => opened.map_err(unreadable)?,
    };
    let data = file.metadata().map_err(unreadable)?;
    foreign_file(&data).map_or(Ok(()), |reason| Err(Some(reason.to_owned())))?;
    if data.len() > max_bytes {
        return Err(Some(format!("has {} bytes, more than the cache may hold", data.len())));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or(0));
    // Bounded, in case the file grows meanwhile.
    (&mut file).take(data.len()).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok((file, bytes))
}

/// Opens a file without following links and without blocking on pipes.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::fs::OpenOptions;
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("is not a regular file")),
    }
}

/// Why this host cannot have written a file; none: it may have.
#[cfg(unix)]
fn foreign_file(data: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    match data {
        data if !data.is_file() => Some("is not a regular file"),
        data if data.uid() != rustix::process::geteuid().as_raw() => {
            Some("belongs to another user")
        }
        data if data.mode() & 0o022 != 0 => Some("is writable by others"),
        _ => None,
    }
}

#[cfg(not(unix))]
fn foreign_file(data: &fs::Metadata) -> Option<&'static str> {
    (!data.is_file()).then_some("is not a regular file")
}
