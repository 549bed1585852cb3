//! Reads single files of an untrusted archive, in a file or in memory. Checks names and sizes when
//! the archive is opened, and every byte when a file is read. Writes nothing to disk.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::ArchiveLimits;
use super::directory;
use super::extract::{ExtractError, extract};
use super::names::{self, ArchiveFile};
use sandboard_common::bounded_files::{check_length, open_bounded};

/// The bytes of an archive: a file, or bytes in memory.
pub trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// An open archive whose file names are plain and whose sizes are within its limits.
pub struct Archive {
    source: Mutex<Box<dyn Source>>,
    files: BTreeMap<String, ArchiveFile>,
}

impl Archive {
    /// Opens the archive in a file. Err: all faults of its names and sizes.
    pub fn open(path: &Path, limits: &ArchiveLimits) -> Result<Self, Vec<String>> {
        let (file, length) =
            open_bounded(path, limits.archive_bytes).map_err(|reason| vec![reason])?;
        Self::new(file, length, limits)
    }

    /// Opens an archive in memory. Err: all faults of its names and sizes.
    pub fn from_bytes(bytes: Vec<u8>, limits: &ArchiveLimits) -> Result<Self, Vec<String>> {
        let length = bytes.len() as u64;
        check_length(length, limits.archive_bytes).map_err(|reason| vec![reason])?;
        Self::new(Cursor::new(bytes), length, limits)
    }

    /// Opens an archive of `length` bytes, which the caller compared with the limit. Err: all
    /// faults of its names and sizes.
    pub fn new(
        mut source: impl Source + 'static,
        length: u64,
        limits: &ArchiveLimits,
    ) -> Result<Self, Vec<String>> {
        let records = directory::read(&mut source, length, limits.entries);
        let files = names::check(&mut source, records.map_err(|reason| vec![reason])?, limits)?;
        let files = files.into_iter().map(|file| (file.path.clone(), file)).collect();
        Ok(Self { source: Mutex::new(Box::new(source)), files })
    }

    /// Its files in alphabetical order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &ArchiveFile> {
        self.files.values()
    }

    /// The paths of its files in alphabetical order, with `/` between folders.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The content of a file of at most `most` bytes. None: the archive has no such file. Err: why
    /// it cannot be read.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = self.files.get(name) else { return Ok(None) };
        if file.unpacked_bytes > most {
            return Err(format!("has {} bytes; the limit is {most}", file.unpacked_bytes));
        }
        let mut bytes = Vec::new();
        match self.extract(file, &mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(ExtractError::Archive(reason)) => Err(reason),
            Err(ExtractError::Output(error)) => Err(error.to_string()),
        }
    }

    /// Extracts one of its [files](Self::files) into `sink`, in parts.
    pub fn extract(&self, file: &ArchiveFile, sink: &mut dyn Write) -> Result<(), ExtractError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        extract(&mut *source, file, sink)
    }
}
