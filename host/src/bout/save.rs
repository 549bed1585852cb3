//! When a bout is written, and where: on every change where a person plays, now
//! and then in a long bout of engines, at the end always. Off the hot path: a
//! move between engines costs it one comparison.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::Place;
use crate::record::store::{StoreError, stem, write_atomically, write_new};
use crate::record::{EngineRecord, Header, LogRecord, Record, rfc3339};
use crate::referee::Referee;

/// How often a bout of engines alone is written while it lasts.
const ENGINES_EVERY_US: u64 = 10_000_000;

/// Somebody who keeps records in another way than as files, and hears of every change.
pub trait RecordKeeper: Send + Sync {
    /// The bout has changed, and this is its record now.
    fn keep(&self, record: Box<Record>) -> Result<(), StoreError>;
}

/// A [`RecordKeeper`] as the place of a bout; equal to itself and its clones alone.
#[derive(Clone)]
pub struct Sink(pub Arc<dyn RecordKeeper>);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink(…)")
    }
}

impl PartialEq for Sink {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Sink {}

pub(super) struct Keeper {
    place: Place,
    header: Header,
    /// Logs of earlier sessions.
    logs: Vec<LogRecord>,
    began: SystemTime,
    interactive: bool,
    saved_us: Option<u64>,
}

impl Keeper {
    pub fn new(
        place: Place,
        resumed: Option<Box<Record>>,
        start: Option<String>,
        seed: u64,
        engines: Vec<Option<EngineRecord>>,
        interactive: bool,
        began: SystemTime,
    ) -> Self {
        let (started_at, logs) = match resumed {
            Some(record) => (record.started_at, record.logs),
            None => (rfc3339(began), Vec::new()),
        };
        let header = Header { start, seed, started_at, engines };
        Self { place, header, logs, began, interactive, saved_us: None }
    }

    fn record(&self, referee: &Referee, now_us: u64, date: SystemTime) -> Record {
        let mut record = Record::of(referee, &self.header, now_us, rfc3339(date));
        record.logs.clone_from(&self.logs);
        record
    }

    /// The bout has changed: writes it if it is time to.
    pub fn changed(&mut self, referee: &Referee, now_us: u64, date: impl FnOnce() -> SystemTime) {
        let since_us = now_us.saturating_sub(*self.saved_us.get_or_insert(now_us));
        let always = self.interactive || matches!(self.place, Place::Sink(_));
        let due = always || since_us >= ENGINES_EVERY_US;
        // The end has a save of its own.
        if !due || self.place == Place::Nowhere || referee.result().is_some() {
            return;
        }
        self.saved_us = Some(now_us);
        if let Err(error) = self.save_in_place(referee, now_us, date()) {
            log::warn!("{error}");
        }
    }

    /// Writes the bout as it stands, or a copy into another file; says where.
    pub fn save(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: SystemTime,
        copy: Option<PathBuf>,
    ) -> Result<PathBuf, StoreError> {
        let record = self.record(referee, now_us, date);
        if let Some(copy) = copy {
            write_atomically(&copy, &record.to_json())?;
            return Ok(copy);
        }
        self.keep(Cow::Owned(record))?.ok_or(StoreError::Nowhere)
    }

    /// The bout as it stands goes to its place.
    fn save_in_place(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: SystemTime,
    ) -> Result<(), StoreError> {
        let record = self.record(referee, now_us, date);
        self.keep(Cow::Owned(record)).map(drop)
    }

    /// Writes a record of the bout to its place; where that is.
    pub fn keep(&mut self, record: Cow<'_, Record>) -> Result<Option<PathBuf>, StoreError> {
        match &self.place {
            Place::Nowhere => Ok(None),
            Place::Sink(sink) => sink.0.keep(Box::new(record.into_owned())).map(|()| None),
            Place::File(path) => {
                write_atomically(path, &record.to_json())?;
                Ok(Some(path.clone()))
            }
            Place::Folder(folder) => {
                let path = write_new(folder, &stem(&record.game, self.began), &record.to_json())?;
                self.place = Place::File(path.clone());
                Ok(Some(path))
            }
        }
    }

    /// The last record of this session, written.
    pub fn close(
        &mut self,
        referee: &Referee,
        now_us: u64,
        date: SystemTime,
        logs: Vec<LogRecord>,
    ) -> (Record, Result<Option<PathBuf>, StoreError>) {
        self.logs.extend(logs);
        let record = self.record(referee, now_us, date);
        let saved = self.keep(Cow::Borrowed(&record));
        (record, saved)
    }
}
