//! Saves the record of a bout: after every change if a person plays or a store is the destination,
//! every ten seconds between engines, and always at the end. A move between engines costs one
//! comparison.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use sandboard_common::date::rfc3339;
use sandboard_common::files::{FileError, record_stem, write_atomically, write_new};

use super::RecordDestination;
use crate::record::{EngineRecord, LogRecord, OpeningMove, Record, RecordHeader};
use crate::referee::Referee;

/// How often the record of a bout between engines is saved, in microseconds.
const ENGINES_EVERY_US: u64 = 10_000_000;

/// Stores records in another way than as files.
pub trait RecordStore: Send + Sync {
    /// Stores the current record of a bout that has changed.
    fn save(&self, record: Box<Record>) -> Result<(), FileError>;
}

/// A [`RecordStore`] as a [`RecordDestination`]. Equal to its clones only.
#[derive(Clone)]
pub struct RecordStoreHandle(pub Arc<dyn RecordStore>);

impl fmt::Debug for RecordStoreHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordStoreHandle(…)")
    }
}

impl PartialEq for RecordStoreHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RecordStoreHandle {}

pub(super) struct RecordSaver {
    destination: RecordDestination,
    header: RecordHeader,
    /// The logs of earlier sessions.
    logs: Vec<LogRecord>,
    session_start: SystemTime,
    has_people: bool,
    saved_us: Option<u64>,
}

impl RecordSaver {
    pub(super) fn new(
        destination: RecordDestination,
        resumed_from: Option<Box<Record>>,
        (start, opening): (Option<String>, Vec<OpeningMove>),
        seed: u64,
        engines: Vec<Option<EngineRecord>>,
        has_people: bool,
        session_start: SystemTime,
    ) -> Self {
        let (started_at, logs) = match resumed_from {
            Some(record) => (record.started_at, record.logs),
            None => (rfc3339(session_start), Vec::new()),
        };
        let header = RecordHeader { start, opening, seed, started_at, engines };
        Self { destination, header, logs, session_start, has_people, saved_us: None }
    }

    fn record(&self, referee: &Referee, now_us: u64, date: SystemTime) -> Record {
        let mut record = Record::from_referee(referee, &self.header, now_us, rfc3339(date));
        record.logs.clone_from(&self.logs);
        record
    }

    /// Saves the record after a change of the bout, if it is due.
    pub(super) fn bout_changed(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: impl FnOnce() -> SystemTime,
    ) {
        let since_us = now_us.saturating_sub(*self.saved_us.get_or_insert(now_us));
        let always = self.has_people || matches!(self.destination, RecordDestination::Store(_));
        let due = always || since_us >= ENGINES_EVERY_US;
        // `close` saves the end of a bout.
        let is_unsaved = self.destination == RecordDestination::Unsaved;
        if !due || is_unsaved || referee.result().is_some() {
            return;
        }
        self.saved_us = Some(now_us);
        let record = self.record(referee, now_us, date());
        if let Err(error) = self.write(Cow::Owned(record)) {
            log::warn!("{error}");
        }
    }

    /// Saves the record now: in its destination, or a copy in another file. Returns the file.
    pub(super) fn save(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: SystemTime,
        copy: Option<PathBuf>,
    ) -> Result<PathBuf, FileError> {
        let record = self.record(referee, now_us, date);
        if let Some(copy) = copy {
            write_atomically(&copy, &record.to_json())?;
            return Ok(copy);
        }
        self.write(Cow::Owned(record))?.ok_or(FileError::NoDestination)
    }

    /// Writes a record of the bout to its destination. Returns the file, if it is one.
    pub(super) fn write(&mut self, record: Cow<'_, Record>) -> Result<Option<PathBuf>, FileError> {
        match &self.destination {
            RecordDestination::Unsaved => Ok(None),
            RecordDestination::Store(store) => {
                store.0.save(Box::new(record.into_owned())).map(|()| None)
            }
            RecordDestination::File(path) => {
                write_atomically(path, &record.to_json())?;
                Ok(Some(path.clone()))
            }
            RecordDestination::Folder(folder) => {
                let stem = record_stem(&record.game, self.session_start);
                let path = write_new(folder, &stem, &record.to_json())?;
                self.destination = RecordDestination::File(path.clone());
                Ok(Some(path))
            }
        }
    }

    /// Saves the last record of this session.
    pub(super) fn close(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: SystemTime,
        logs: Vec<LogRecord>,
    ) -> (Record, Result<Option<PathBuf>, FileError>) {
        self.logs.extend(logs);
        let record = self.record(referee, now_us, date);
        let saved = self.write(Cow::Borrowed(&record));
        (record, saved)
    }
}
