//! Compiled components kept on disk: the host's own output only, found by the content of
//! the module and by wasmtime's compatibility hash, compared with its hash before it is
//! used. A module that a user compiled himself is never loaded. The folder belongs to the
//! user who runs the host and to nobody else; engines cannot reach it. Any number of hosts
//! use it at once: files are read whole, written beside their place and moved there.

mod code;
mod entry;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::NamedTempFile;

pub use code::Code;
pub(super) use entry::Key;

use crate::private;

/// What all files of a cache may hold together, unless somebody says otherwise, in bytes.
pub const CACHE_BYTES: u64 = 1 << 30;

/// What files are called while they are written.
const UNFINISHED: &str = ".compiled-";

/// A folder of compiled components.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
}

impl Cache {
    /// The cache in this folder, which is made if it is not there. Err: it
    /// cannot be made, or is another user's, or others may write to it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::open(folder)?;
        let cache = Self { folder: folder.to_owned(), most_bytes: CACHE_BYTES };
        cache.sweep();
        Ok(cache)
    }

    /// The same cache, whose files hold no more than this together.
    pub fn with_most_bytes(self, most_bytes: u64) -> Self {
        Self { most_bytes, ..self }
    }

    /// The code that is kept under this key. A file that is not what it should be is
    /// removed, and a warning says why.
    pub(super) fn get(&self, key: &Key) -> Option<Code> {
        let path = self.place(key);
        let read = read(&path, self.most_bytes).and_then(|(file, bytes)| {
            let code = entry::code(&bytes, key).map_err(|wrong| wrong.to_string())?.to_vec();
            // When it was used last; only a hint for what goes first.
            drop(file.set_modified(SystemTime::now()));
            Ok(code)
        });
        match read {
            Ok(code) => Some(Code::kept(code)),
            Err(None) => None,
            Err(Some(why)) => {
                self.discard(key, &why);
                None
            }
        }
    }

    /// Keeps code under its key; what was used longest ago makes room for it.
    pub(super) fn put(&self, key: &Key, code: &Code) -> io::Result<()> {
        let head = entry::head(key, code.bytes());
        let bytes = head.len() as u64 + code.bytes().len() as u64;
        if bytes > self.most_bytes {
            let most = self.most_bytes;
            return Err(io::Error::other(format!("it has {bytes} bytes; the cache holds {most}")));
        }
        let mut file = self.unfinished()?;
        file.write_all(&head)?;
        file.write_all(code.bytes())?;
        file.as_file().sync_all()?;
        let place = self.place(key);
        file.persist(&place).map_err(|error| error.error)?;
        self.make_room(&place);
        Ok(())
    }

    /// Removes what is kept under this key, because it is of no use.
    pub(super) fn discard(&self, key: &Key, why: &str) {
        let path = self.place(key);
        log::warn!("{} {why}; it is removed, and the engine compiled anew", path.display());
        remove(&path);
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.folder.join(key.file_name())
    }

    /// A new file that is locked, so that nobody takes it for one that was left behind.
    fn unfinished(&self) -> io::Result<NamedTempFile> {
        loop {
            let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
            file.as_file().lock()?;
            // Between the two another host may have found it without a lock.
            if file.path().symlink_metadata().is_ok() {
                return Ok(file);
            }
        }
    }

    /// Removes what hosts that were killed left half written.
    fn sweep(&self) {
        for (path, _) in self.files(|name| name.starts_with(UNFINISHED)) {
            if open(&path).is_ok_and(|lock| lock.try_lock().is_ok() && remove(&path)) {
                log::info!("removed {}, which a host left half written", path.display());
            }
        }
    }

    /// Removes files until no more than the cache may hold is left, what was used
    /// longest ago first and never `kept`.
    fn make_room(&self, kept: &Path) {
        let mut files = self.files(|name| name.ends_with(entry::ENDING));
        let mut held: u64 = files.iter().map(|(_, data)| data.len()).sum();
        files.sort_by_key(|(_, data)| data.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        for (path, data) in files.iter().filter(|(path, _)| path != kept) {
            if held <= self.most_bytes {
                break;
            }
            // Whoever reads it just now has it open, and reads it to its end.
            remove(path);
            held = held.saturating_sub(data.len());
        }
    }

    /// The files of such names, without those that are gone by now.
    fn files(&self, named: impl Fn(&str) -> bool) -> Vec<(PathBuf, fs::Metadata)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(&named));
        let found = ours.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)));
        found.filter(|(_, data)| data.is_file()).collect()
    }
}

/// Whether it is gone by our doing.
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

/// A file and all its bytes. Err: nothing is there, or why that is no file of ours.
fn read(path: &Path, most_bytes: u64) -> Result<(File, Vec<u8>), Option<String>> {
    let unreadable = |error: io::Error| Some(format!("cannot be read: {error}"));
    let mut file = match open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(None),
        opened => opened.map_err(unreadable)?,
    };
    let data = file.metadata().map_err(unreadable)?;
    not_ours(&data).map_or(Ok(()), |why| Err(Some(why.to_owned())))?;
    if data.len() > most_bytes {
        return Err(Some(format!("has {} bytes, more than the cache may hold", data.len())));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(data.len()).unwrap_or(0));
    // Whoever makes it longer meanwhile is not waited for.
    (&mut file).take(data.len()).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok((file, bytes))
}

/// Follows no link, and waits for nobody who should write into a pipe.
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
        false => Err(io::Error::other("is no regular file")),
    }
}

/// Why a file cannot be what this host wrote.
#[cfg(unix)]
fn not_ours(data: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    match data {
        data if !data.is_file() => Some("is no regular file"),
        data if data.uid() != rustix::process::geteuid().as_raw() => Some("is another user's"),
        data if data.mode() & 0o022 != 0 => Some("may be written to by others"),
        _ => None,
    }
}

#[cfg(not(unix))]
fn not_ours(data: &fs::Metadata) -> Option<&'static str> {
    (!data.is_file()).then_some("is no regular file")
}
