//! The cache of unpacked archives: one folder for each archive, named by its hash. Compares an
//! unpacked pack with its archive byte by byte before reuse, and removes packs that were unused for
//! [`UNUSED_DAYS`]. Follows no link and runs nothing.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sandboard_archive::{Archive, ArchiveFile, ExtractError};
use sandboard_common::files::{cache_folder, open_regular};
use sandboard_common::private_files;
use sandboard_common::text::quoted;

/// The number of days after which an unused pack is removed.
pub(crate) const UNUSED_DAYS: u64 = 30;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The prefix of a folder that is being filled or removed.
const TEMPORARY_PREFIX: &str = ".unpacking-";

/// The number of days after which such a folder is left over from a killed process.
const TEMPORARY_DAYS_MAX: u64 = 1;

/// The extension of the empty file whose time is the last use of a pack.
const USED_EXTENSION: &str = "used";

/// The folder `packs` of a cache folder.
#[derive(Clone, Debug)]
pub(crate) struct UnpackCache(Result<PathBuf, String>);

impl UnpackCache {
    /// The user's cache. It is created on first use.
    pub(crate) fn for_user() -> Self {
        Self(cache_folder().map_err(|error| error.to_string()))
    }

    /// The cache in this folder, which is created on first use.
    #[cfg(test)]
    pub(crate) fn in_folder(cache: &Path) -> Self {
        Self(Ok(cache.to_owned()))
    }

    /// Unpacks the archive with this hash, unless it is unpacked already; returns its canonical
    /// folder. Err: the faults of the archive, or why it cannot be unpacked.
    pub(super) fn unpack(&self, archive: &Archive, sha256: &str) -> Result<PathBuf, Vec<String>> {
        let no_cache = |why: String| vec![format!("cannot be unpacked: {why}")];
        let failed = |error: io::Error| no_cache(error.to_string());
        let home = self.open().map_err(no_cache)?;
        let place = home.join(sha256);
        for first in [true, false] {
            if exists(&place) {
                match compare(archive, &place) {
                    Ok(()) => {
                        mark_used(&place);
                        return Ok(place);
                    }
                    Err(UnpackError::Archive(reasons)) => return Err(reasons),
                    Err(UnpackError::Cache(error)) if first => {
                        log::warn!("{} is unpacked again: {error}", place.display());
                        remove_pack(&home, &place).map_err(failed)?;
                    }
                    Err(UnpackError::Cache(error)) => return Err(failed(error)),
                }
            }
            match unpack_new(&home, &place, archive) {
                // Another process may have unpacked it meanwhile: compare its folder.
                Err(UnpackError::Cache(_)) if first && exists(&place) => {}
                Err(UnpackError::Cache(error)) => return Err(failed(error)),
                Err(UnpackError::Archive(reasons)) => return Err(reasons),
                Ok(()) => {
                    mark_used(&place);
                    remove_unused(&home, SystemTime::now());
                    return Ok(place);
                }
            }
        }
        Err(no_cache(format!("{} keeps changing", place.display())))
    }

    fn open(&self) -> Result<PathBuf, String> {
        let cache = self.0.as_ref().map_err(String::clone)?;
        let folder = cache.join("packs");
        // A user who may write to either folder could replace the packs.
        private_files::open_folder(cache)
            .and_then(|()| private_files::open_folder(&folder))
            .and_then(|()| fs::canonicalize(&folder))
            .map_err(|error| error.to_string())
    }
}

/// Why an archive was not unpacked, or does not match its folder.
enum UnpackError {
    Archive(Vec<String>),
    Cache(io::Error),
}

/// Unpacks into a temporary folder and renames it, so that a partial pack never appears.
fn unpack_new(home: &Path, place: &Path, archive: &Archive) -> Result<(), UnpackError> {
    let folder = temporary_folder(home).map_err(UnpackError::Cache)?;
    extract_all(archive, |item| {
        let path = folder.path().join(&item.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(Box::new(OpenOptions::new().write(true).create_new(true).open(path)?))
    })?;
    for item in archive.files() {
        read_only(&folder.path().join(&item.path)).map_err(UnpackError::Cache)?;
    }
    fs::rename(folder.path(), place).map_err(UnpackError::Cache)
}

/// Checks that a folder holds exactly the files of an archive.
fn compare(archive: &Archive, place: &Path) -> Result<(), UnpackError> {
    let wanted: BTreeSet<&str> = archive.names().collect();
    let mut found = 0;
    check_file_names(place, "", &wanted, &mut found).map_err(UnpackError::Cache)?;
    if found != wanted.len() {
        return Err(UnpackError::Cache(io::Error::other("a file is missing")));
    }
    extract_all(archive, |item| {
        let path = place.join(&item.path);
        let (mut it, path) = (open_regular(&path)?, quoted(&item.path));
        match it.metadata()?.len() == item.unpacked_bytes {
            true => Ok(Box::new(CompareWriter {
                read: move |part: &mut [u8]| it.read_exact(part),
                path,
            })),
            false => Err(io::Error::other(format!("{path} has a different length"))),
        }
    })
}

/// A writer that fails on the first byte that differs from a file.
struct CompareWriter<R> {
    read: R,
    path: String,
}

impl<R: FnMut(&mut [u8]) -> io::Result<()>> Write for CompareWriter<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut part = vec![0; bytes.len()];
        (self.read)(&mut part)?;
        match part == bytes {
            true => Ok(bytes.len()),
            false => Err(io::Error::other(format!("{} has different content", self.path))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn extract_all(
    archive: &Archive,
    mut sink: impl FnMut(&ArchiveFile) -> io::Result<Box<dyn Write>>,
) -> Result<(), UnpackError> {
    let mut faults = Vec::new();
    for item in archive.files() {
        let mut sink = sink(item).map_err(UnpackError::Cache)?;
        match archive.extract(item, &mut sink) {
            Ok(()) => {}
            Err(ExtractError::Archive(reason)) => {
                faults.push(format!("{}: {reason}", quoted(&item.path)));
            }
            Err(ExtractError::Output(error)) => return Err(UnpackError::Cache(error)),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(UnpackError::Archive(faults)) }
}

/// Counts the expected files below a folder; any other entry is an error.
fn check_file_names(
    folder: &Path,
    below: &str,
    wanted: &BTreeSet<&str>,
    found: &mut usize,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{below}{}", name.to_string_lossy());
        let kind = entry.file_type()?;
        let inside = format!("{path}/");
        if kind.is_file() && wanted.contains(path.as_str()) {
            *found += 1;
        } else if kind.is_dir() && wanted.iter().any(|file| file.starts_with(&inside)) {
            check_file_names(&entry.path(), &inside, wanted, found)?;
        } else {
            return Err(io::Error::other(format!("{} is unexpected", quoted(&path))));
        }
    }
    Ok(())
}

fn exists(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok()
}

fn temporary_folder(home: &Path) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempdir_in(home)
}

fn read_only(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions)
}

/// Removes a pack. It disappears in one step, by a rename.
fn remove_pack(home: &Path, place: &Path) -> io::Result<()> {
    let trash = temporary_folder(home)?;
    fs::rename(place, trash.path().join("pack"))
}

/// Records the use of a pack. If that fails, the pack is only removed early and unpacked again.
fn mark_used(place: &Path) {
    let written = File::create(place.with_extension(USED_EXTENSION));
    if let Err(error) = written.and_then(|file| file.set_modified(SystemTime::now())) {
        log::debug!("{} is not marked as used: {error}", place.display());
    }
}

/// Removes packs that were unused for [`UNUSED_DAYS`], and leftovers of killed processes.
pub(super) fn remove_unused(home: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(home) else { return };
    let older = |path: &Path, days: u64| {
        let modified = fs::symlink_metadata(path).and_then(|data| data.modified());
        // A time in the future is not old.
        let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
        age.is_some_and(|age| age.as_secs() / DAY_SECONDS >= days)
    };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let mark_used = path.with_extension(USED_EXTENSION);
        if name.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()) {
            if older(&path, TEMPORARY_DAYS_MAX) {
                drop(fs::remove_dir_all(&path));
            }
        } else if path == mark_used {
            if !exists(&path.with_extension("")) {
                drop(fs::remove_file(&path));
            }
        } else if older(if exists(&mark_used) { &mark_used } else { &path }, UNUSED_DAYS)
            && remove_pack(home, &path).is_ok()
        {
            drop(fs::remove_file(&mark_used));
        }
    }
}
