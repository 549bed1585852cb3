//! When a bout is written, and where: on every change where a person plays, now
//! and then in a long bout of engines, at the end always. Off the hot path: a
//! move between engines costs it one comparison.

use std::path::PathBuf;
use std::time::SystemTime;

use super::Place;
use crate::record::store::{StoreError, stem, write_atomically, write_new};
use crate::record::{EngineRecord, Header, LogRecord, Record, rfc3339};
use crate::referee::Referee;

/// How often a bout of engines alone is written while it lasts.
const ENGINES_EVERY_US: u64 = 10_000_000;

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
        let due = self.interactive || since_us >= ENGINES_EVERY_US;
        // The end has a save of its own.
        if !due || self.place == Place::Nowhere || referee.result().is_some() {
            return;
        }
        self.saved_us = Some(now_us);
        if let Err(error) = self.save(referee, now_us, date(), None) {
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
        let bytes = record.to_json();
        if let Some(copy) = copy {
            write_atomically(&copy, &bytes)?;
            return Ok(copy);
        }
        self.write(&record.game, &bytes)?.ok_or(StoreError::Nowhere)
    }

    fn write(&mut self, game: &str, bytes: &[u8]) -> Result<Option<PathBuf>, StoreError> {
        match &self.place {
            Place::Nowhere => Ok(None),
            Place::File(path) => {
                write_atomically(path, bytes)?;
                Ok(Some(path.clone()))
            }
            Place::Folder(folder) => {
                let path = write_new(folder, &stem(game, self.began), bytes)?;
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
        let saved = self.keep(&record);
        (record, saved)
    }

    /// Writes that record again, to which something was added.
    pub fn keep(&mut self, record: &Record) -> Result<Option<PathBuf>, StoreError> {
        match self.place {
            Place::Nowhere => Ok(None),
            _ => self.write(&record.game, &record.to_json()),
        }
    }
}
