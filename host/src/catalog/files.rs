//! Opens files of the engines folder: bounded, regular ones only, and never one
//! that a link or a path leads to outside. Writes nothing.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::hex;
use crate::manifest::{nearest, quoted};

/// Names of a folder that are looked through for one near a missing file's.
const NEIGHBOURS: usize = 1000;

/// Where `relative` is, every link followed; it is a regular file inside
/// `root`, which must be canonical itself. Err: what is wrong, for people.
pub(super) fn locate(root: &Path, relative: &Path) -> Result<PathBuf, String> {
    let found = reach(&root.join(relative))?;
    if !found.starts_with(root) {
        return Err("leaves the pack through a link".into());
    }
    regular(found)
}

/// Where a program of this machine is, every link followed; it is a regular file.
pub(super) fn locate_program(path: &Path) -> Result<PathBuf, String> {
    reach(path).and_then(regular)
}

fn reach(given: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(given).map_err(|error| match error.kind() {
        ErrorKind::NotFound if given.is_symlink() => "is a link to nothing".to_owned(),
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing(given),
        _ => format!("cannot be reached: {error}"),
    })
}

fn regular(found: PathBuf) -> Result<PathBuf, String> {
    match fs::metadata(&found) {
        Ok(data) if data.is_file() => Ok(found),
        Ok(data) if data.is_dir() => Err("is a folder, not a file".into()),
        Ok(_) => Err("is not a regular file".into()),
        Err(error) => Err(format!("cannot be reached: {error}")),
    }
}

fn missing(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = path
        .parent()
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .take(NEIGHBOURS)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => format!("no such file; did you mean {}?", quoted(near)),
        None => "no such file".into(),
    }
}

/// The bytes of a regular file, unless there are more than `most`. The file is
/// never waited for: what is no regular file is not opened.
pub(crate) fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (file, bytes) = open(path, most)?;
    let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut read).map_err(unreadable)?;
    // It may have grown since its length was asked for.
    if read.len() as u64 > most { Err(too_large(read.len() as u64, most)) } else { Ok(read) }
}

/// The hash and length of a regular file, unless it is longer than `most`.
pub(super) fn hash_bounded(path: &Path, most: u64) -> Result<(String, u64), String> {
    let (mut file, _) = open(path, most)?;
    hash_file(&mut file, most)
}

/// As [`hash_bounded`], of an open file from where it stands.
pub(super) fn hash_file(file: &mut File, most: u64) -> Result<(String, u64), String> {
    let (mut hash, mut bytes) = (Sha256::new(), 0u64);
    let mut file = file.take(most + 1);
    let mut part = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut part).map_err(unreadable)?;
        if count == 0 {
            break;
        }
        hash.update(&part[..count]);
        bytes += count as u64;
    }
    if bytes > most { Err(too_large(bytes, most)) } else { Ok((hex(&hash.finalize()), bytes)) }
}

/// An open regular file and its length, unless it is longer than `most`.
pub(super) fn open(path: &Path, most: u64) -> Result<(File, u64), String> {
    // Before opening: opening a named pipe would wait for a writer.
    let data = fs::metadata(path).map_err(unreadable)?;
    if !data.is_file() {
        return Err("is not a regular file".into());
    }
    if data.len() > most {
        return Err(too_large(data.len(), most));
    }
    Ok((File::open(path).map_err(unreadable)?, data.len()))
}

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}

fn too_large(bytes: u64, most: u64) -> String {
    format!("is {bytes} bytes; {most} is the most")
}
