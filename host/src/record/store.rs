//! Records as files: written whole or not at all, never over one another by
//! accident. Knows where a user's data belongs on each system; knows no record.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::date::civil;

/// A file that was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was tried.
        step: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The target is a folder, a device or the like.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// No variable says where the user's data belongs.
    #[error("there is no place for your data: set SANDBOARD_HOME to a folder")]
    NoHome,
    /// The bout was set up without a place for its record.
    #[error("this bout is not recorded: name a file to save it to")]
    Nowhere,
}

/// Writes a file so that at any moment, kill and power cut included, either the
/// old content is there or the new one: a temporary file in the same folder is
/// filled, flushed to the disk and renamed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace(path, |file| file.write_all(bytes))
}

/// The same of a file that is written piece by piece: where `write` fails nothing of it stays.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    // Renaming onto a link would replace the link, and onto a device the device.
    let target = match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => return Err(StoreError::NotAFile(path.to_owned())),
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

/// Writes a file under a name that nobody has: `<stem>-<n>.json` with the first
/// free n from 1, as atomically as [`write_atomically`]. Gives back its path.
pub fn write_new(folder: &Path, stem: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
    std::fs::create_dir_all(folder).map_err(|e| failed("create the folder", folder, e))?;
    let temporary = fill_temporary(folder, |file| file.write_all(bytes))?;
    let placed = place(&temporary, folder, stem);
    if !matches!(&placed, Ok((_, Placed::Renamed))) {
        drop(std::fs::remove_file(&temporary));
    }
    flush_folder(folder);
    placed.map(|(path, _)| path)
}

enum Placed {
    Linked,
    Renamed,
}

fn place(temporary: &Path, folder: &Path, stem: &str) -> Result<(PathBuf, Placed), StoreError> {
    let mut number = 1u64;
    loop {
        let path = folder.join(format!("{stem}-{number}.json"));
        // A hard link appears with all its content, and never over another file.
        match std::fs::hard_link(temporary, &path) {
            Ok(()) => return Ok((path, Placed::Linked)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(_) => {
                // A file system without links: reserve the name, then replace it.
                match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                    Err(error) => return Err(failed("create", &path, error)),
                    Ok(_) => {
                        std::fs::rename(temporary, &path).map_err(|e| failed("write", &path, e))?;
                        return Ok((path, Placed::Renamed));
                    }
                }
            }
        }
    }
}

fn fill_temporary(
    folder: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<PathBuf, StoreError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!(".sandboard-{}-{count}.tmp", std::process::id()));
    let fill = || -> io::Result<()> {
        // Left over from a killed process that had the same id.
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

/// Makes a rename survive a power cut, where the system knows how.
pub(crate) fn flush_folder(folder: &Path) {
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

fn failed(step: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { step, path: path.to_owned(), source }
}

/// The user's folder for Sandboard's data: `$SANDBOARD_HOME`, else
/// `%LOCALAPPDATA%\Sandboard` on Windows, `~/Library/Application Support/sandboard`
/// on macOS, `$XDG_DATA_HOME/sandboard` or `~/.local/share/sandboard` elsewhere.
pub fn data_folder() -> Result<PathBuf, StoreError> {
    data_folder_on(std::env::consts::OS, |name| std::env::var_os(name)).ok_or(StoreError::NoHome)
}

/// [`data_folder`] on a system by its name in [`std::env::consts::OS`], with
/// these variables.
pub(super) fn data_folder_on(
    os: &str,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
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

/// The name of a record without its number and ending: `gomoku-20260701-123456`.
pub fn stem(game: &str, time: SystemTime) -> String {
    let [year, month, day, hour, minute, second] = civil(time);
    format!("{game}-{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}
