//! Packs as zip files in the engines folder: unpacks them into the user's cache.
//!
//! Invariant: nothing is written anywhere else, and nothing in an archive is run.
//! Invariant: no path of an archive is passed to the system before it is checked.

mod unpack_cache;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub(crate) use unpack_cache::UnpackCache;

use super::files::locate;
use super::pack::{self, PackPlace};
use super::{ASSET_BYTES_MAX, Entry, PACK_BYTES_MAX};
use crate::manifest::{FAULTS_MAX, FILE_NAME, PackFault};
use sandboard_archive::{Archive, ArchiveLimits};
use sandboard_common::bounded_files::{hash_file, open_bounded};

/// The largest archive that is read, in bytes.
const ARCHIVE_BYTES_MAX: u64 = PACK_BYTES_MAX;

/// The most entries of an archive, folders included.
const ENTRIES_MAX: usize = 4096;

/// The largest unpacked size of one file, in bytes.
const FILE_BYTES_MAX: u64 = ASSET_BYTES_MAX;

/// The largest unpacked size of all files of an archive together, in bytes.
const UNPACKED_BYTES_MAX: u64 = PACK_BYTES_MAX;

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
    let (mut file, _) = open_bounded(&path, ARCHIVE_BYTES_MAX).map_err(one)?;
    let (sha256, length) = hash_file(&mut file, ARCHIVE_BYTES_MAX).map_err(one)?;
    let archive = Archive::new(file, length, &PACK_LIMITS)?;
    let top = top(&archive).map_err(one)?;
    let folder = unpack_cache.unpack(&archive, &sha256)?;
    Ok((folder, top))
}

/// The folder of the manifest: the top, or the only folder at the top.
fn top(archive: &Archive) -> Result<PathBuf, String> {
    if archive.names().any(|name| name == FILE_NAME) {
        return Ok(PathBuf::new());
    }
    let mut tops: Vec<&str> = archive
        .names()
        .filter_map(|name| name.split('/').next())
        .filter(|top| ![MACOS_FOLDER, MACOS_FILE].contains(top))
        .collect();
    tops.dedup();
    match tops[..] {
        [top] if archive.names().any(|name| name == format!("{top}/{FILE_NAME}")) => {
            Ok(PathBuf::from(top))
        }
        _ => Err(format!(
            "has no `{FILE_NAME}` at the top, nor in a folder that is the only entry at the top"
        )),
    }
}
