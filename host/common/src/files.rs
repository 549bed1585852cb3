//! Files that are written whole or not at all, regular files that are read without waiting, and the
//! folder of a user's data on each system. Knows nothing of what the files hold.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::date::civil;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused an operation.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb with its object.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The target is a folder, a device or another special file.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// No environment variable names a folder for the user's data.
    #[error("no folder for your data is known: set SANDBOARD_HOME to a folder")]
    NoHome,
    /// The bout was set up without a file for its record.
    #[error("this bout is not recorded: name a file to save it to")]
    NoDestination,
}

/// Opens a regular file for reading. Never waits. Err: there is no such file, or it is a named
/// pipe, a device, a folder or another special file; the text says which.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_with(OpenOptions::new().read(true), path)
}

/// [`open_regular`] with other options, for files that are written to or created.
pub fn open_regular_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Looked at before it is opened, because opening some devices has an effect, and afterwards,
    // because the path may lead to another file by then.
    if let Ok(found) = std::fs::metadata(path) {
        check_regular(&found)?;
    }
    let file = without_waiting(options).open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opening a named pipe would wait for its other end.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.custom_flags(flags.bits() as i32)
}

#[cfg(not(unix))]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn check_regular(found: &std::fs::Metadata) -> io::Result<()> {
    match found.is_file() {
        true => Ok(()),
        false => {
            let reason = format!("it is {}, not a regular file", kind_of(found.file_type()));
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    }
}

#[cfg(unix)]
fn kind_of(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind_of(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "a special file" }
}

/// Reads a regular file. A file with more than `bytes_max` bytes is read as far as one byte more,
/// so that the caller can tell. Never waits. Err: as for [`open_regular`], or the file cannot be
/// read.
pub fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// [`read_regular`] for text. Err: also if the file has more than `bytes_max` bytes, or is not
/// UTF-8.
pub fn read_regular_text(path: &Path, bytes_max: u64) -> io::Result<String> {
    let bytes = read_regular(path, bytes_max)?;
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    if bytes.len() as u64 > bytes_max {
        return Err(invalid(format!("it has more than {bytes_max} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))
}

/// Replaces a file atomically: after a kill or a power cut it holds either the old content or the
/// new. Writes a temporary file in the same folder, flushes it to the disk and renames it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, |file| file.write_all(bytes))
}

/// [`write_atomically`] for content that `write` produces piece by piece. If `write` fails, the old
/// file stays.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    // Renaming onto a link would replace the link, and onto a device the device.
    let target = match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(FileError::NotAFile(path.to_owned())),
        Ok(_) => std::fs::canonicalize(path).map_err(|e| failed("resolve", path, e))?,
        Err(_) => path.to_owned(),
    };
    let temporary = fill_temporary(folder_of(&target), write)?;
    std::fs::rename(&temporary, &target).map_err(|error| {
        drop(std::fs::remove_file(&temporary));
        failed("write", path, error)
    })?;
    flush_folder(folder_of(&target));
    Ok(())
}

/// Writes a new file atomically as `<stem>-<n>.json` with the first free `n` from 1, and returns
/// its path. Never replaces a file.
pub fn write_new(folder: &Path, stem: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
    std::fs::create_dir_all(folder).map_err(|e| failed("create the folder", folder, e))?;
    let temporary = fill_temporary(folder, |file| file.write_all(bytes))?;
    let placed = place_as_new(&temporary, folder, stem);
    if !matches!(&placed, Ok((_, Placement::Renamed))) {
        drop(std::fs::remove_file(&temporary));
    }
    flush_folder(folder);
    placed.map(|(path, _)| path)
}

/// How the temporary file got its final name.
enum Placement {
    Linked,
    Renamed,
}

fn place_as_new(
    temporary: &Path,
    folder: &Path,
    stem: &str,
) -> Result<(PathBuf, Placement), FileError> {
    let mut number = 1u64;
    loop {
        let path = folder.join(format!("{stem}-{number}.json"));
        // A hard link appears with all its content, and never over another file.
        match std::fs::hard_link(temporary, &path) {
            Ok(()) => return Ok((path, Placement::Linked)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(_) => {
                // A file system without links: reserve the name, then replace it.
                match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                    Err(error) => return Err(failed("create", &path, error)),
                    Ok(_) => {
                        std::fs::rename(temporary, &path).map_err(|e| failed("write", &path, e))?;
                        return Ok((path, Placement::Renamed));
                    }
                }
            }
        }
    }
}

fn fill_temporary(
    folder: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<PathBuf, FileError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".sandboard-{}-{count}.tmp", std::process::id()));
    let fill = || -> io::Result<()> {
        // A killed process with the same id may have left one.
        drop(std::fs::remove_file(&path));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        write(&mut file)?;
        file.sync_all()
    };
    match fill() {
        Ok(()) => Ok(path),
        Err(error) => {
            drop(std::fs::remove_file(&path));
            Err(failed("write a temporary file in", folder, error))
        }
    }
}

/// Flushes a folder to the disk, so that a rename in it survives a power cut. Unix only.
pub fn flush_folder(folder: &Path) {
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        drop(folder.sync_all());
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn failed(step: &'static str, path: &Path, source: io::Error) -> FileError {
    FileError::Io { step, path: path.to_owned(), source }
}

/// The user's folder for Sandboard's data: `$SANDBOARD_HOME`, else
/// `%LOCALAPPDATA%\Sandboard` on Windows, `~/Library/Application Support/sandboard`
/// on macOS, `$XDG_DATA_HOME/sandboard` or `~/.local/share/sandboard` elsewhere.
pub fn data_folder() -> Result<PathBuf, FileError> {
    data_folder_on(std::env::consts::OS, |name| std::env::var_os(name)).ok_or(FileError::NoHome)
}

/// The user's folder for what can be made again, such as compiled code: `$SANDBOARD_CACHE`, else
/// `cache` in the [`data_folder`]. The folder may be missing. Err: no variable names a data
/// folder.
pub fn cache_folder() -> Result<PathBuf, FileError> {
    match std::env::var_os("SANDBOARD_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(folder.into()),
        None => Ok(data_folder()?.join("cache")),
    }
}

/// [`data_folder`] on the system with this name in [`std::env::consts::OS`] and these environment
/// variables.
fn data_folder_on(os: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = folder("SANDBOARD_HOME") {
        return Some(home);
    }
    match os {
        "windows" => folder("LOCALAPPDATA").map(|local| local.join("Sandboard")),
        "macos" | "ios" => {
            folder("HOME").map(|home| home.join("Library/Application Support/sandboard"))
        }
        _ => folder("XDG_DATA_HOME")
            .filter(|data| data.has_root())
            .or_else(|| folder("HOME").map(|home| home.join(".local/share")))
            .map(|data| data.join("sandboard")),
    }
}

/// A record's file name without number and ending: `gomoku-20260701-123456`.
pub fn record_stem(game: &str, time: SystemTime) -> String {
    let [year, month, day, hour, minute, second] = civil(time);
    format!("{game}-{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests;
