//! A pack in one file: a zip in the engines folder. It is checked whole, every
//! name and every byte, and unpacked into the user's cache; from there it is a
//! pack like any other. Nothing is written anywhere else, nothing in it is run,
//! and no path out of an archive reaches the system before it is known to be plain.

mod directory;
mod names;
mod pour;
mod reader;
mod shelf;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_random;
#[cfg(test)]
mod tests_shelf;

use std::path::{Path, PathBuf};

use names::Item;
pub(crate) use reader::Archive;
pub use shelf::Shelf;

use super::files::{hash_file, locate, open};
use super::{ASSET_BYTES, Entry, PACK_BYTES, pack};
use crate::engine::wasm::scan::LoadCaps;
use crate::manifest::{FAULTS, FILE_NAME, PackFault};

/// The largest archive that is read, in bytes.
pub const ARCHIVE_BYTES: u64 = PACK_BYTES;

/// Entries of an archive, folders included.
pub const ENTRIES: usize = 4096;

/// What one file of an archive may hold unpacked, in bytes.
pub const FILE_BYTES: u64 = ASSET_BYTES;

/// What all files of an archive may hold together unpacked, in bytes.
pub const UNPACKED_BYTES: u64 = PACK_BYTES;

/// How many times its packed length a file may hold unpacked, once it holds
/// more than [`RATIO_FREE_BYTES`].
pub const RATIO: u64 = 200;

/// Up to here a file may be packed as tightly as deflate can.
pub const RATIO_FREE_BYTES: u64 = 1024 * 1024;

/// The longest path in an archive, in bytes: below a cache folder it must still
/// be short enough for every system.
pub const PATH_BYTES: usize = 240;

/// How many names the path of a file in an archive may be made of.
pub const PATH_DEPTH: usize = 8;

/// Within what an archive keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Its entries, folders included.
    pub entries: usize,
    /// Its own length, in bytes.
    pub archive_bytes: u64,
    /// What one file of it holds unpacked, in bytes.
    pub file_bytes: u64,
    /// And all of them together.
    pub unpacked_bytes: u64,
}

/// Those of packs.
const PACKS: Limits = Limits {
    entries: ENTRIES,
    archive_bytes: ARCHIVE_BYTES,
    file_bytes: FILE_BYTES,
    unpacked_bytes: UNPACKED_BYTES,
};

/// What a Mac's Finder puts beside a folder that it packs.
const FINDER_FOLDER: &str = "__MACOSX";
const FINDER_FILE: &str = ".DS_Store";

/// Whether a file's name says that it is an archive.
pub(super) fn is_archive(name: &Path) -> bool {
    name.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
}

/// The entries of the archive `name` in the canonical engines folder `root`.
pub(super) fn entries(root: &Path, name: &Path, shelf: &Shelf, caps: &LoadCaps) -> Vec<Entry> {
    match unpacked(root, name, shelf) {
        Ok((folder, top)) => pack::read(&folder.join(&top), &name.join(&top), caps).entries,
        Err(mut reasons) => {
            if reasons.len() > FAULTS {
                reasons.truncate(FAULTS);
                reasons.push(format!("more than {FAULTS} faults; the rest is not told"));
            }
            let faults = reasons.into_iter().map(|reason| PackFault::new(name, reason)).collect();
            vec![pack::broken(root, name, name, faults)]
        }
    }
}

/// The canonical folder that an archive is unpacked in, and the folder in it
/// that is the pack (empty: itself). Err: everything that is wrong.
fn unpacked(root: &Path, name: &Path, shelf: &Shelf) -> Result<(PathBuf, PathBuf), Vec<String>> {
    let alone = |reason: String| vec![reason];
    let path = locate(root, name).map_err(alone)?;
    // One handle for all, so that another file in its place changes nothing on the way.
    let (mut file, _) = open(&path, ARCHIVE_BYTES).map_err(alone)?;
    let (sha256, length) = hash_file(&mut file, ARCHIVE_BYTES).map_err(alone)?;
    let records = directory::read(&mut file, length, PACKS.entries).map_err(alone)?;
    let items = names::check(&mut file, records, &PACKS)?;
    let top = top(&items).map_err(alone)?;
    let folder = shelf.unpack(&mut file, &sha256, &items)?;
    Ok((folder, top))
}

/// Where the manifest is: at the top, or in the one folder that is there.
fn top(items: &[Item]) -> Result<PathBuf, String> {
    if items.iter().any(|item| item.path == FILE_NAME) {
        return Ok(PathBuf::new());
    }
    let mut tops: Vec<&str> = items
        .iter()
        .filter_map(|item| item.path.split('/').next())
        .filter(|top| ![FINDER_FOLDER, FINDER_FILE].contains(top))
        .collect();
    tops.dedup();
    match tops[..] {
        [top] if items.iter().any(|item| item.path == format!("{top}/{FILE_NAME}")) => {
            Ok(PathBuf::from(top))
        }
        _ => Err(format!(
            "holds no `{FILE_NAME}`, neither at its top nor in a folder that is all there is"
        )),
    }
}
