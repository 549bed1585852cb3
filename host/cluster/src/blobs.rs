//! Files by their hashes: engine modules and other data too long for a message. Fetched content is
//! always hashed again.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::message::Blob;
use sandboard_common::files::{FileError, read_regular, write_atomically};

/// The longest file that is stored or fetched, in bytes.
pub const BLOB_BYTES: u64 = 1 << 30;

/// Why a file cannot be stored or fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// The file is not there.
    #[error("the file with the SHA-256 {sha256} is not in {location}")]
    Missing {
        /// The SHA-256 in hexadecimal.
        sha256: String,
        /// Where it was searched.
        location: String,
    },
    /// The content does not match the hash.
    #[error(
        "the file with the SHA-256 {sha256} in {location} has other content: it is damaged or forged"
    )]
    Damaged {
        /// The SHA-256 in hexadecimal.
        sha256: String,
        /// Where it is stored.
        location: String,
    },
    /// The reference is invalid: not a SHA-256, or too long.
    #[error("invalid file reference: {0:?}")]
    InvalidReference(Blob),
    /// The storage refused an operation.
    #[error("{location}: {reason}")]
    Location {
        /// The folder or broker.
        location: String,
        reason: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// A store of files by their hashes.
pub trait BlobStore: Send + Sync {
    /// Stores a file unless it is there already, and returns its reference.
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError>;

    /// The content of a file. Fails if it is missing or does not match its hash.
    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError>;
}

/// The reference to a file with this content.
pub fn blob_for(bytes: &[u8]) -> Blob {
    Blob { sha256: sandboard_common::hex::hex(&Sha256::digest(bytes)), bytes: bytes.len() as u64 }
}

/// The bytes, if they match the reference.
pub fn verified(bytes: Vec<u8>, blob: &Blob, location: &str) -> Result<Vec<u8>, BlobError> {
    match blob_for(&bytes) == *blob {
        true => Ok(bytes),
        false => {
            Err(BlobError::Damaged { sha256: blob.sha256.clone(), location: location.to_owned() })
        }
    }
}

/// Fails if the reference is invalid.
pub fn check_blob(blob: &Blob) -> Result<(), BlobError> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let valid = blob.sha256.len() == 64 && blob.sha256.bytes().all(digit);
    if valid && blob.bytes <= BLOB_BYTES {
        Ok(())
    } else {
        Err(BlobError::InvalidReference(blob.clone()))
    }
}

/// Files in a folder on this machine.
#[derive(Clone, Debug)]
pub struct BlobFolder {
    dir: PathBuf,
}

impl BlobFolder {
    /// The files in this folder, which is created with the first file.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// The path of a file, which may not exist.
    pub fn path(&self, blob: &Blob) -> PathBuf {
        self.dir.join(&blob.sha256)
    }

    /// The path of a file, which is fetched from `from` first if it is missing or damaged.
    pub fn fetch(&self, blob: &Blob, from: &dyn BlobStore) -> Result<PathBuf, BlobError> {
        check_blob(blob)?;
        let path = self.path(blob);
        if self.get(blob).is_err() {
            self.put(&from.get(blob)?)?;
        }
        Ok(path)
    }

    fn failed(&self, path: &Path, error: &std::io::Error) -> BlobError {
        BlobError::Location { location: path.display().to_string(), reason: error.to_string() }
    }
}

impl BlobStore for BlobFolder {
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError> {
        let blob = blob_for(bytes);
        check_blob(&blob)?;
        std::fs::create_dir_all(&self.dir).map_err(|error| self.failed(&self.dir, &error))?;
        write_atomically(&self.path(&blob), bytes)?;
        Ok(blob)
    }

    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError> {
        check_blob(blob)?;
        let (path, location) = (self.path(blob), self.dir.display().to_string());
        match read_regular(&path, u64::MAX) {
            Ok(bytes) => verified(bytes, blob, &location),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(BlobError::Missing { sha256: blob.sha256.clone(), location })
            }
            Err(error) => Err(self.failed(&path, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_hash_and_hashed_again() {
        let home = tempfile::tempdir().unwrap();
        let (remote, local) = (home.path().join("remote"), home.path().join("local"));
        let (remote, local) = (BlobFolder::new(remote), BlobFolder::new(local));
        let blob = remote.put(b"abc").unwrap();
        assert_eq!(remote.put(b"abc").unwrap(), blob);
        // Of `printf abc | sha256sum`.
        assert!(blob.sha256.starts_with("ba7816bf8f01cfea") && blob.bytes == 3);
        let check = |of: &BlobFolder, blob: &Blob, expected: &str| {
            let error = of.get(blob).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&local, &blob, "is not in ");
        let path = local.fetch(&blob, &remote).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
        // A damaged file is fetched again and never returned.
        std::fs::write(&path, b"abd").unwrap();
        check(&local, &blob, "damaged or forged");
        local.fetch(&blob, &remote).unwrap();
        assert_eq!(local.get(&blob).unwrap(), b"abc");
        std::fs::write(remote.path(&blob), b"other").unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(local.fetch(&blob, &remote).is_err() && !path.exists());
        let short = Blob { bytes: 2, ..blob.clone() };
        check(&remote, &short, "damaged or forged");
        for name in ["", "../../etc/passwd", &blob.sha256[1..], &blob.sha256.to_uppercase()] {
            check(&remote, &Blob { sha256: name.into(), bytes: 3 }, "invalid file reference");
        }
        check(&remote, &Blob { bytes: u64::MAX, ..blob }, "invalid file reference");
    }
}
