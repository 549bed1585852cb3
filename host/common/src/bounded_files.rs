//! Regular files of limited size: opened, read and hashed. The errors are texts for people, without
//! the path. Never waits: a file that is not regular, such as a named pipe, is not opened.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::files::open_regular;
use super::hex::hex;

/// Opens a regular file of at most `most` bytes; also returns its length.
pub fn open_bounded(path: &Path, most: u64) -> Result<(File, u64), String> {
    let file = open_regular(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    check_length(bytes, most)?;
    Ok((file, bytes))
}

/// Reads a regular file of at most `most` bytes.
pub fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (file, bytes) = open_bounded(path, most)?;
    let mut read = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut read).map_err(unreadable)?;
    // The file may have grown since its length was read.
    check_length(read.len() as u64, most)?;
    Ok(read)
}

/// The SHA-256 and length of a regular file of at most `most` bytes.
pub fn hash_bounded(path: &Path, most: u64) -> Result<(String, u64), String> {
    let (mut file, _) = open_bounded(path, most)?;
    hash_file(&mut file, most)
}

/// As [`hash_bounded`], for an open file from its current position.
pub fn hash_file(file: &mut File, most: u64) -> Result<(String, u64), String> {
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
    check_length(bytes, most)?;
    Ok((hex(&hash.finalize()), bytes))
}

/// Whether this many bytes are within the limit. The error says how many there are.
pub fn check_length(bytes: u64, most: u64) -> Result<(), String> {
    match bytes > most {
        true => Err(format!("is {bytes} bytes; the limit is {most}")),
        false => Ok(()),
    }
}

fn unreadable(error: std::io::Error) -> String {
    format!("cannot be read: {error}")
}
