//! Packs as zip files in the engines folder. Checks every name and every byte of an archive, and
//! unpacks it into the user's cache.
//!
//! Invariant: nothing is written anywhere else, and nothing in an archive is run.
//! Invariant: no path of an archive is passed to the system before it is checked.

mod directory;
mod extract;
mod names;
mod reader;
mod unpack_cache;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use names::ArchiveFile;
pub use reader::Archive;
pub(crate) use unpack_cache::UnpackCache;

use super::files::{hash_file, locate, open};
use super::pack::{self, PackPlace};
use super::{ASSET_BYTES_MAX, Entry, PACK_BYTES_MAX};
use crate::manifest::{FAULTS_MAX, FILE_NAME, PackFault};

/// The largest archive that is read, in bytes.
pub const ARCHIVE_BYTES_MAX: u64 = PACK_BYTES_MAX;

/// The most entries of an archive, folders included.
pub const ENTRIES_MAX: usize = 4096;

/// The largest unpacked size of one file, in bytes.
pub const FILE_BYTES_MAX: u64 = ASSET_BYTES_MAX;

/// The largest unpacked size of all files of an archive together, in bytes.
pub const UNPACKED_BYTES_MAX: u64 = PACK_BYTES_MAX;

/// The largest compression ratio (unpacked by packed size) of a file with more than
/// [`RATIO_FREE_BYTES`].
pub const RATIO_MAX: u64 = 200;

/// The unpacked size up to which the ratio of a file is not limited, in bytes.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;

/// The longest path in an archive, in bytes. Below a cache folder it must be short enough for every
/// system.
pub const PATH_BYTES_MAX: usize = 240;

/// The most names in the path of a file.
pub const PATH_DEPTH_MAX: usize = 8;

/// The limits of an archive.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// The most entries, folders included.
    pub entries: usize,
    /// The largest archive, in bytes.
    pub archive_bytes: u64,
    /// The largest unpacked size of one file, in bytes.
    pub file_bytes: u64,
    /// The largest unpacked size of all files together, in bytes.
    pub unpacked_bytes: u64,
}

/// The limits of a pack's archive.
const PACK_LIMITS: ArchiveLimits = ArchiveLimits {
    entries: ENTRIES_MAX,
    archive_bytes: ARCHIVE_BYTES_MAX,
    file_bytes: FILE_BYTES_MAX,
    unpacked_bytes: UNPACKED_BYTES_MAX,
};

/// Entries that the macOS Finder adds beside a folder that it archives.
const MACOS_FOLDER: &str = "__MACOSX";
const MACOS_FILE: &str = ".DS_Store";

/// Whether a file has the extension of an archive.
pub(super) fn is_archive(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
}

/// Unpacks the archive `name` in the canonical engines folder `root`; returns the place of its
/// pack. Err: the entry of a broken one.
pub(super) fn unpack(
    root: &Path,
    name: &Path,
    unpack_cache: &UnpackCache,
) -> Result<PackPlace, Box<Entry>> {
    match unpacked(root, name, unpack_cache) {
        Ok((folder, top)) => Ok(PackPlace { root: folder.join(&top), place: name.join(&top) }),
        Err(mut reasons) => {
            if reasons.len() > FAULTS_MAX {
                reasons.truncate(FAULTS_MAX);
                reasons.push(format!("more than {FAULTS_MAX} faults; the others are not listed"));
            }
            let faults = reasons.into_iter().map(|reason| PackFault::new(name, reason)).collect();
            Err(Box::new(pack::broken_pack(root, name, name, faults)))
        }
    }
}

/// The canonical folder of an unpacked archive, and the pack's folder inside it (empty: the folder
/// itself). Err: all faults.
fn unpacked(
    root: &Path,
    name: &Path,
    unpack_cache: &UnpackCache,
) -> Result<(PathBuf, PathBuf), Vec<String>> {
    let one = |reason: String| vec![reason];
    let path = locate(root, name).map_err(one)?;
    // One handle for all steps, so that a file exchanged meanwhile has no effect.
    let (mut file, _) = open(&path, ARCHIVE_BYTES_MAX).map_err(one)?;
    let (sha256, length) = hash_file(&mut file, ARCHIVE_BYTES_MAX).map_err(one)?;
    let records = directory::read(&mut file, length, PACK_LIMITS.entries).map_err(one)?;
    let items = names::check(&mut file, records, &PACK_LIMITS)?;
    let top = top(&items).map_err(one)?;
    let folder = unpack_cache.unpack(&mut file, &sha256, &items)?;
    Ok((folder, top))
}

/// The folder of the manifest: the top, or the only folder at the top.
fn top(items: &[ArchiveFile]) -> Result<PathBuf, String> {
    if items.iter().any(|item| item.path == FILE_NAME) {
        return Ok(PathBuf::new());
    }
    let mut tops: Vec<&str> = items
        .iter()
        .filter_map(|item| item.path.split('/').next())
        .filter(|top| ![MACOS_FOLDER, MACOS_FILE].contains(top))
        .collect();
    tops.dedup();
    match tops[..] {
        [top] if items.iter().any(|item| item.path == format!("{top}/{FILE_NAME}")) => {
            Ok(PathBuf::from(top))
        }
        _ => Err(format!(
            "has no `{FILE_NAME}` at the top, nor in a folder that is the only entry at the top"
        )),
    }
}
