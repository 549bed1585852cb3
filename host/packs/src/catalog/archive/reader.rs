//! Reads single files of an untrusted archive. Checks names and sizes when the archive is opened,
//! and every byte when a file is read. Writes nothing to disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::ArchiveLimits;
use super::extract::{ExtractError, extract};
use super::names::{self, ArchiveFile};
use super::{directory, open};

/// An open archive whose file names are plain and whose sizes are within its limits.
pub struct Archive {
    file: Mutex<File>,
    items: BTreeMap<String, ArchiveFile>,
}

impl Archive {
    /// Opens an archive. Err: all faults of its names and sizes.
    pub fn open(path: &Path, limits: &ArchiveLimits) -> Result<Self, Vec<String>> {
        let one = |reason: String| vec![reason];
        let (mut file, length) = open(path, limits.archive_bytes).map_err(one)?;
        let records = directory::read(&mut file, length, limits.entries).map_err(one)?;
        let items = names::check(&mut file, records, limits)?;
        let items = items.into_iter().map(|item| (item.path.clone(), item)).collect();
        Ok(Self { file: Mutex::new(file), items })
    }

    /// The paths of its files in alphabetical order, with `/` between folders.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    /// The content of a file of at most `most` bytes. None: the archive has no such file. Err: why
    /// it cannot be read.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(item) = self.items.get(name) else { return Ok(None) };
        if item.unpacked_bytes > most {
            return Err(format!("has {} bytes; the limit is {most}", item.unpacked_bytes));
        }
        let mut bytes = Vec::new();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match extract(&mut file, item, &mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(ExtractError::Archive(reason)) => Err(reason),
            Err(ExtractError::Output(error)) => Err(error.to_string()),
        }
    }
}
