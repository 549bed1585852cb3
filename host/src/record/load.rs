//! Reading records from untrusted bytes: size, version and every bound are
//! checked, and an error names file, place and reason. Never panics, and plays
//! no move unchecked.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::replay::GameTable;
use super::{FORMAT, RECORD_BYTES, Record, VERSION};
use crate::referee::{PlayersError, Referee, tidy};

/// What is said of an error at most, in bytes: it may quote the file.
const TOLD_BYTES: usize = 1024;

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is larger than is read.
    #[error("it has more than {RECORD_BYTES} bytes")]
    TooLarge,
    /// It is no JSON, or not of this shape.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the reader wanted there.
        reason: String,
    },
    /// It is something else.
    #[error("`format` is not \"{FORMAT}\": this is no record of a bout")]
    NotARecord,
    /// It is of another version.
    #[error("it is of version {0}, and this host reads version {VERSION}")]
    Version(u64),
    /// A value that cannot be.
    #[error("{place}: {reason}")]
    Field {
        /// Which field, as in `plies[17].move`.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl RecordError {
    pub(super) fn field(place: impl Into<String>, reason: impl ToString) -> Self {
        Self::Field { place: place.into(), reason: tidy(&reason.to_string(), TOLD_BYTES) }
    }
}

/// A file that is no usable record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It can, but is no record.
    #[error("{}: {error}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: RecordError,
    },
}

/// Reads a record from a file, checked with the rules of `games`
/// ([`sandboard_games::game`] everywhere but in tests).
pub fn load(path: &Path, games: GameTable) -> Result<Record, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(RECORD_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    Record::parse(&bytes, games).map_err(|error| LoadError::Record { path: path.to_owned(), error })
}

/// How far into a file its `format` is looked for.
const HEAD_BYTES: u64 = 1024;

#[derive(Deserialize)]
struct Label {
    format: Option<String>,
    version: Option<u64>,
}

impl Record {
    /// Whether a file says that it is a record, sound or not; false where it
    /// cannot be read.
    pub fn is_one(path: &Path) -> bool {
        let mut head = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
        let mark = FORMAT.as_bytes();
        read.is_ok() && head.windows(mark.len()).any(|window| window == mark)
    }

    /// Reads a record from bytes and plays it through the rules of `games`.
    pub fn parse(bytes: &[u8], games: GameTable) -> Result<Self, RecordError> {
        if bytes.len() as u64 > RECORD_BYTES {
            return Err(RecordError::TooLarge);
        }
        let label: Label = serde_json::from_slice(bytes).map_err(json)?;
        if label.format.as_deref() != Some(FORMAT) {
            return Err(RecordError::NotARecord);
        }
        match label.version {
            Some(version) if version == u64::from(VERSION) => (),
            Some(version) => return Err(RecordError::Version(version)),
            None => return Err(RecordError::field("version", "it is missing")),
        }
        let record: Record = serde_json::from_slice(bytes).map_err(json)?;
        record.check()?;
        record.referee(games)?;
        Ok(record)
    }

    /// A referee that stands where the record ends; [`Event::Begin`](crate::referee::Event::Begin)
    /// goes on from there.
    pub fn referee(&self, games: GameTable) -> Result<Referee, RecordError> {
        let start = self.start(games)?;
        let game = start.set_up().map_err(|error| RecordError::field("start", error))?;
        let mut referee = Referee::new(game, self.setups(), self.settings).map_err(seating)?;
        referee.reload(self.past(), self.events.clone(), self.turn_us).map_err(seating)?;
        for (index, (told, played)) in self.plies.iter().zip(referee.plies()).enumerate() {
            let place = format!("plies[{index}]");
            if told.seat != played.seat {
                let reason = format!("seat {} was to move, not {}", played.seat, told.seat);
                return Err(RecordError::field(format!("{place}.seat"), reason));
            }
            if played.before.left().is_some() != told.clock_left.is_some() {
                let reason = "it does not fit the budget of the player";
                return Err(RecordError::field(format!("{place}.clock_left"), reason));
            }
        }
        Ok(referee)
    }
}

fn seating(error: PlayersError) -> RecordError {
    match error {
        PlayersError::Replay { ply, reason } => {
            RecordError::field(format!("plies[{ply}].move"), reason)
        }
        PlayersError::NoRequest | PlayersError::Adjudication(_) => {
            RecordError::field("settings", error)
        }
        error => RecordError::field("players", error),
    }
}

fn json(error: serde_json::Error) -> RecordError {
    let text = error.to_string();
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    RecordError::Json {
        line: error.line(),
        column: error.column(),
        reason: tidy(reason, TOLD_BYTES),
    }
}
