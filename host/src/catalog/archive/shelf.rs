//! Where archives are unpacked: a folder of the host's own, one folder in it for
//! each archive, named by its hash. What is there is compared with the archive
//! byte by byte before it is used again, and what nobody used for long is
//! removed. Follows no link and runs nothing.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::names::Item;
use super::pour::{Trouble, pour};
use crate::manifest::quoted;
use crate::private;
use crate::record::store::data_folder;

/// Unpacked packs that nobody used for so many days are removed.
pub const UNUSED_DAYS: u64 = 30;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// What a folder is called while it is filled or emptied.
const UNFINISHED: &str = ".unpacking-";

/// After so many days such a folder is what a killed process left.
const UNFINISHED_DAYS: u64 = 1;

/// When a pack was last used: an empty file's time.
const STAMP: &str = "used";

/// Where archives are unpacked: the folder `packs` of a cache folder.
#[derive(Clone, Debug)]
pub struct Shelf(Result<PathBuf, String>);

impl Shelf {
    /// That of the user's cache folder. It is made when it is needed.
    pub fn of_user() -> Self {
        Self(data_folder().map(|data| data.join("cache")).map_err(|error| error.to_string()))
    }

    /// That of this cache folder, which is made when it is needed.
    pub fn at(cache: &Path) -> Self {
        Self(Ok(cache.to_owned()))
    }

    /// The canonical folder that holds the archive with this hash, unpacked. Err:
    /// everything that is wrong with the archive, or why there is no place for it.
    pub(super) fn unpack(
        &self,
        file: &mut File,
        sha256: &str,
        items: &[Item],
    ) -> Result<PathBuf, Vec<String>> {
        let no_place = |why: String| vec![format!("there is no place to unpack it: {why}")];
        let failed = |error: io::Error| no_place(error.to_string());
        let home = self.open().map_err(no_place)?;
        let place = home.join(sha256);
        for first in [true, false] {
            if exists(&place) {
                match same(file, items, &place) {
                    Ok(()) => {
                        stamp(&place);
                        return Ok(place);
                    }
                    Err(Failed::Archive(reasons)) => return Err(reasons),
                    Err(Failed::Place(error)) if first => {
                        log::warn!("{} is unpacked anew: {error}", place.display());
                        discard(&home, &place).map_err(failed)?;
                    }
                    Err(Failed::Place(error)) => return Err(failed(error)),
                }
            }
            match fill(&home, &place, file, items) {
                // Another process may have been quicker: then its folder is looked at.
                Err(Failed::Place(_)) if first && exists(&place) => {}
                Err(Failed::Place(error)) => return Err(failed(error)),
                Err(Failed::Archive(reasons)) => return Err(reasons),
                Ok(()) => {
                    stamp(&place);
                    prune(&home, SystemTime::now());
                    return Ok(place);
                }
            }
        }
        Err(no_place(format!("{} changes all the time", place.display())))
    }

    fn open(&self) -> Result<PathBuf, String> {
        let cache = self.0.as_ref().map_err(String::clone)?;
        let folder = cache.join("packs");
        // Whoever may write to the one could put another in the place of the other.
        private::open(cache)
            .and_then(|()| private::open(&folder))
            .and_then(|()| fs::canonicalize(&folder))
            .map_err(|error| error.to_string())
    }
}

/// Why a folder does not hold an archive.
enum Failed {
    Archive(Vec<String>),
    Place(io::Error),
}

/// Unpacks into a folder beside the place and moves it there, so that there is
/// never half a pack.
fn fill(home: &Path, place: &Path, file: &mut File, items: &[Item]) -> Result<(), Failed> {
    let folder = unfinished(home).map_err(Failed::Place)?;
    pour_all(file, items, |item| {
        let path = folder.path().join(&item.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(Box::new(OpenOptions::new().write(true).create_new(true).open(path)?))
    })?;
    for item in items {
        read_only(&folder.path().join(&item.path)).map_err(Failed::Place)?;
    }
    fs::rename(folder.path(), place).map_err(Failed::Place)
}

/// Whether a folder holds the files of an archive and nothing else.
fn same(file: &mut File, items: &[Item], place: &Path) -> Result<(), Failed> {
    let wanted: BTreeSet<&str> = items.iter().map(|item| item.path.as_str()).collect();
    let mut found = 0;
    check_names(place, "", &wanted, &mut found).map_err(Failed::Place)?;
    if found != wanted.len() {
        return Err(Failed::Place(io::Error::other("a file is missing")));
    }
    pour_all(file, items, |item| {
        let path = place.join(&item.path);
        let (mut it, path) = (File::open(&path)?, quoted(&item.path));
        match it.metadata()?.len() == item.unpacked_bytes {
            true => Ok(Box::new(Twin { read: move |part: &mut [u8]| it.read_exact(part), path })),
            false => Err(io::Error::other(format!("{path} has another length"))),
        }
    })
}

/// Takes bytes only as long as they are those of a file.
struct Twin<R> {
    read: R,
    path: String,
}

impl<R: FnMut(&mut [u8]) -> io::Result<()>> Write for Twin<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut part = vec![0; bytes.len()];
        (self.read)(&mut part)?;
        match part == bytes {
            true => Ok(bytes.len()),
            false => Err(io::Error::other(format!("{} has other bytes", self.path))),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pour_all(
    file: &mut File,
    items: &[Item],
    mut sink: impl FnMut(&Item) -> io::Result<Box<dyn Write>>,
) -> Result<(), Failed> {
    let mut wrongs = Vec::new();
    for item in items {
        let mut sink = sink(item).map_err(Failed::Place)?;
        match pour(file, item, &mut sink) {
            Ok(()) => {}
            Err(Trouble::Archive(reason)) => {
                wrongs.push(format!("{}: {reason}", quoted(&item.path)));
            }
            Err(Trouble::Sink(error)) => return Err(Failed::Place(error)),
        }
    }
    if wrongs.is_empty() { Ok(()) } else { Err(Failed::Archive(wrongs)) }
}

/// Counts the wanted files below a folder; anything else there is an error.
fn check_names(
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
            check_names(&entry.path(), &inside, wanted, found)?;
        } else {
            return Err(io::Error::other(format!("{} does not belong there", quoted(&path))));
        }
    }
    Ok(())
}

fn exists(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok()
}

fn unfinished(home: &Path) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(home)
}

fn read_only(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions)
}

/// Removes what has the name of a pack, in one step for whoever looks for it.
fn discard(home: &Path, place: &Path) -> io::Result<()> {
    let grave = unfinished(home)?;
    fs::rename(place, grave.path().join("pack"))
}

/// Says that a pack is used now. Where that cannot be written, it is removed
/// early and unpacked again: no harm.
fn stamp(place: &Path) {
    let written = File::create(place.with_extension(STAMP));
    if let Err(error) = written.and_then(|file| file.set_modified(SystemTime::now())) {
        log::debug!("{} is not marked as used: {error}", place.display());
    }
}

/// Removes packs that nobody used for [`UNUSED_DAYS`], and what killed processes left.
pub(super) fn prune(home: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(home) else { return };
    let older = |path: &Path, days: u64| {
        let modified = fs::symlink_metadata(path).and_then(|data| data.modified());
        // What was changed in the future is not old.
        let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
        age.is_some_and(|age| age.as_secs() / DAY_SECONDS >= days)
    };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let stamp = path.with_extension(STAMP);
        if name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()) {
            if older(&path, UNFINISHED_DAYS) {
                drop(fs::remove_dir_all(&path));
            }
        } else if path == stamp {
            if !exists(&path.with_extension("")) {
                drop(fs::remove_file(&path));
            }
        } else if older(if exists(&stamp) { &stamp } else { &path }, UNUSED_DAYS)
            && discard(home, &path).is_ok()
        {
            drop(fs::remove_file(&stamp));
        }
    }
}
