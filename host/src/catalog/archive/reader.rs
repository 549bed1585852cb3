//! An archive from a stranger, to be read file by file: every name and size was checked when it was opened, every byte is
//! when it is read. Unpacks nothing onto the disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Limits;
use super::names::{self, Item};
use super::pour::{Trouble, pour};
use super::{directory, open};

/// An archive whose files have plain names and are within its limits.
pub(crate) struct Archive {
    file: Mutex<File>,
    items: BTreeMap<String, Item>,
}

impl Archive {
    /// Opens an archive. Err: everything that is wrong with its names and sizes.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, Vec<String>> {
        let alone = |reason: String| vec![reason];
        let (mut file, length) = open(path, limits.archive_bytes).map_err(alone)?;
        let records = directory::read(&mut file, length, limits.entries).map_err(alone)?;
        let items = names::check(&mut file, records, limits)?;
        let items = items.into_iter().map(|item| (item.path.clone(), item)).collect();
        Ok(Self { file: Mutex::new(file), items })
    }

    /// The names of its files, `/` between folders, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    /// The bytes of a file, of which there are so many at most; none: there is no such file. Err: why it cannot be read.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let Some(item) = self.items.get(name) else { return Ok(None) };
        if item.unpacked_bytes > most {
            return Err(format!("holds {} bytes; {most} is the most", item.unpacked_bytes));
        }
        let mut bytes = Vec::new();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match pour(&mut file, item, &mut bytes) {
            Ok(()) => Ok(Some(bytes)),
            Err(Trouble::Archive(reason)) => Err(reason),
            Err(Trouble::Sink(error)) => Err(error.to_string()),
        }
    }
}
