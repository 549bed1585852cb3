//! Files by their hashes: modules of engines and what else is too long for a message. What is fetched is hashed again,
//! wherever it came from.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::message::Blob;
use crate::record::store::{StoreError, write_atomically};

/// Larger ones are neither kept nor fetched, in bytes.
pub const BLOB_BYTES: u64 = 1 << 30;

/// Why a file is not kept, or not to be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// Nobody has put it there.
    #[error("the file with the SHA-256 {sha256} is not in {place}")]
    Missing {
        /// Which.
        sha256: String,
        /// Where it was looked for.
        place: String,
    },
    /// It is another one.
    #[error(
        "the file with the SHA-256 {sha256} in {place} has another content: it is damaged or forged"
    )]
    Damaged {
        /// Which.
        sha256: String,
        /// Where.
        place: String,
    },
    /// What names it is no SHA-256 of a file of a bearable length.
    #[error("a file is named that can be none: {0:?}")]
    Name(Blob),
    /// The place says no.
    #[error("{place}: {reason}")]
    Place {
        /// Which.
        place: String,
        /// What it says.
        reason: String,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] StoreError),
}

/// A place where files lie by their hashes.
pub trait BlobStore: Send + Sync {
    /// Keeps a file, if it is not there already; what names it.
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError>;

    /// The file, hashed again. An error where it is not there or not what it should be.
    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError>;
}

/// What names these bytes.
pub fn named(bytes: &[u8]) -> Blob {
    Blob { sha256: crate::hex(&Sha256::digest(bytes)), bytes: bytes.len() as u64 }
}

/// Bytes that came for a blob, if they are it.
pub fn checked(bytes: Vec<u8>, blob: &Blob, place: &str) -> Result<Vec<u8>, BlobError> {
    match named(&bytes) == *blob {
        true => Ok(bytes),
        false => Err(BlobError::Damaged { sha256: blob.sha256.clone(), place: place.to_owned() }),
    }
}

/// Err: nothing is looked for under this name.
pub fn check_name(blob: &Blob) -> Result<(), BlobError> {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let sound = blob.sha256.len() == 64 && blob.sha256.bytes().all(digit);
    if sound && blob.bytes <= BLOB_BYTES { Ok(()) } else { Err(BlobError::Name(blob.clone())) }
}

/// The embedded one: a folder of this machine.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// The files in this folder, which is made when the first one is put there.
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Where a file lies, or would.
    pub fn path(&self, blob: &Blob) -> PathBuf {
        self.dir.join(&blob.sha256)
    }

    /// The path of a file that is here, fetched from elsewhere if it is not.
    pub fn fetched(&self, blob: &Blob, from: &dyn BlobStore) -> Result<PathBuf, BlobError> {
        check_name(blob)?;
        let path = self.path(blob);
        if self.get(blob).is_err() {
            self.put(&from.get(blob)?)?;
        }
        Ok(path)
    }

    fn failed(&self, path: &Path, error: &std::io::Error) -> BlobError {
        BlobError::Place { place: path.display().to_string(), reason: error.to_string() }
    }
}

impl BlobStore for Folder {
    fn put(&self, bytes: &[u8]) -> Result<Blob, BlobError> {
        let blob = named(bytes);
        check_name(&blob)?;
        std::fs::create_dir_all(&self.dir).map_err(|error| self.failed(&self.dir, &error))?;
        write_atomically(&self.path(&blob), bytes)?;
        Ok(blob)
    }

    fn get(&self, blob: &Blob) -> Result<Vec<u8>, BlobError> {
        check_name(blob)?;
        let (path, place) = (self.path(blob), self.dir.display().to_string());
        match std::fs::read(&path) {
            Ok(bytes) => checked(bytes, blob, &place),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(BlobError::Missing { sha256: blob.sha256.clone(), place })
            }
            Err(error) => Err(self.failed(&path, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_by_their_hashes_and_are_hashed_again() {
        let home = tempfile::tempdir().unwrap();
        let (far, near) = (home.path().join("far"), home.path().join("near"));
        let (far, near) = (Folder::new(far), Folder::new(near));
        let blob = far.put(b"abc").unwrap();
        assert_eq!(far.put(b"abc").unwrap(), blob);
        // Of `printf abc | sha256sum`.
        assert!(blob.sha256.starts_with("ba7816bf8f01cfea") && blob.bytes == 3);
        let check = |of: &Folder, blob: &Blob, expected: &str| {
            let told = of.get(blob).unwrap_err().to_string();
            assert!(told.contains(expected), "{told}");
        };
        check(&near, &blob, "is not in ");
        let path = near.fetched(&blob, &far).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
        // What somebody spoilt is fetched again, and never handed out.
        std::fs::write(&path, b"abd").unwrap();
        check(&near, &blob, "damaged or forged");
        near.fetched(&blob, &far).unwrap();
        assert_eq!(near.get(&blob).unwrap(), b"abc");
        std::fs::write(far.path(&blob), b"other").unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(near.fetched(&blob, &far).is_err() && !path.exists());
        let short = Blob { bytes: 2, ..blob.clone() };
        check(&far, &short, "damaged or forged");
        for name in ["", "../../etc/passwd", &blob.sha256[1..], &blob.sha256.to_uppercase()] {
            check(&far, &Blob { sha256: name.into(), bytes: 3 }, "can be none");
        }
        check(&far, &Blob { bytes: u64::MAX, ..blob }, "can be none");
    }
}
