//! Opens files of an engines folder: only regular files of limited size, and never a file outside
//! the folder through a link or a path. Writes nothing.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use sandboard_common::files::open_regular;
use sandboard_common::hex::hex;
use sandboard_common::suggestions::nearest;
use sandboard_common::text::quoted;

/// The most names of a folder that are compared with the name of a missing file.
const NEIGHBOURS_MAX: usize = 1000;

/// The canonical path of `relative`: a regular file inside `root`, which must be canonical. Err:
/// what is wrong, for people.
pub(super) fn locate(root: &Path, relative: &Path) -> Result<PathBuf, String> {
    let found = canonicalize(&root.join(relative))?;
    if !found.starts_with(root) {
        return Err("is a link that leads out of the pack".into());
    }
    check_regular(found)
}

/// The canonical path of a program of this machine, which is a regular file.
pub(super) fn locate_program(path: &Path) -> Result<PathBuf, String> {
    canonicalize(path).and_then(check_regular)
}

fn canonicalize(given: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(given).map_err(|error| match error.kind() {
        ErrorKind::NotFound if given.is_symlink() => "is a dangling link".to_owned(),
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing_file_reason(given),
        _ => format!("cannot be accessed: {error}"),
    })
}

fn check_regular(found: PathBuf) -> Result<PathBuf, String> {
    match fs::metadata(&found) {
        Ok(data) if data.is_file() => Ok(found),
        Ok(data) if data.is_dir() => Err("is a folder, not a file".into()),
        Ok(_) => Err("is not a regular file".into()),
        Err(error) => Err(format!("cannot be accessed: {error}")),
    }
}

fn missing_file_reason(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = path
        .parent()
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .take(NEIGHBOURS_MAX)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => format!("no such file; did you mean {}?", quoted(near)),
        None => "no such file".into(),
    }
}

/// Reads a regular file of at most `most` bytes. Never waits: a file that is not regular, such as a
/// named pipe, is not opened.
pub fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (file, bytes) = open(path, most)?;
    let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut read).map_err(unreadable)?;
    // The file may have grown since its length was read.
    if read.len() as u64 > most { Err(too_large(read.len() as u64, most)) } else { Ok(read) }
}

/// The SHA-256 and length of a regular file of at most `most` bytes.
pub(super) fn hash_bounded(path: &Path, most: u64) -> Result<(String, u64), String> {
    let (mut file, _) = open(path, most)?;
    hash_file(&mut file, most)
}

/// As [`hash_bounded`], for an open file from its current position.
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

/// Opens a regular file of at most `most` bytes; also returns its length.
pub(super) fn open(path: &Path, most: u64) -> Result<(File, u64), String> {
    let file = open_regular(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > most {
        return Err(too_large(bytes, most));
    }
    Ok((file, bytes))
}

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}

fn too_large(bytes: u64, most: u64) -> String {
    format!("is {bytes} bytes; the limit is {most}")
}
