//! Reads records from untrusted bytes. Checks size, version and all ranges, and plays every move by
//! the rules; an error names file, place and reason. Never panics.

use std::path::{Path, PathBuf};

use sandboard_games::{DynGame, Games};
use serde::Deserialize;

use super::{FORMAT, RECORD_BYTES, Record, VERSION};
use crate::referee::{BoutSetupError, Referee};
use crate::start::{StartPosition, seat_to_move};
use crate::text::sanitize;
use sandboard_common::files::read_regular;

/// Longest reason of an error, in bytes: it can quote the file.
const REASON_BYTES: usize = 1024;

/// Why a record is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The record is too large.
    #[error("the record has more than {RECORD_BYTES} bytes")]
    TooLarge,
    /// The text is not JSON, or not JSON of a record.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        reason: String,
    },
    /// The JSON is not a record.
    #[error("`format` is not \"{FORMAT}\": this is not a record of a bout")]
    NotARecord,
    /// The record has another version.
    #[error("the record has version {0}, but this host reads version {VERSION}")]
    Version(u64),
    /// The value of a field is invalid.
    #[error("{place}: {reason}")]
    Field {
        /// The field, for example `plies[17].move`.
        place: String,
        reason: String,
    },
}

impl RecordError {
    pub(super) fn field(place: impl Into<String>, reason: impl ToString) -> Self {
        Self::Field { place: place.into(), reason: sanitize(&reason.to_string(), REASON_BYTES) }
    }
}

/// Why a file is not a usable record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// The file is not a valid record.
    #[error("{}: {error}", path.display())]
    Record { path: PathBuf, error: RecordError },
}

/// Reads a record from a file, and checks it with the rules of `games`.
pub fn load(path: &Path, games: &Games) -> Result<Record, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let bytes = read_regular(path, RECORD_BYTES).map_err(failed)?;
    Record::parse(&bytes, games).map_err(|error| LoadError::Record { path: path.to_owned(), error })
}

/// How many bytes of a file are searched for its `format`.
const HEAD_BYTES: u64 = 1024;

#[derive(Deserialize)]
struct FormatFields {
    format: Option<String>,
    version: Option<u64>,
}

impl Record {
    /// Whether a file claims to be a record, valid or not. False if it cannot be read.
    pub fn is_record_file(path: &Path) -> bool {
        let format = FORMAT.as_bytes();
        let head = read_regular(path, HEAD_BYTES);
        head.is_ok_and(|head| head.windows(format.len()).any(|window| window == format))
    }

    /// Reads a record from bytes, and plays it by the rules of `games`.
    pub fn parse(bytes: &[u8], games: &Games) -> Result<Self, RecordError> {
        if bytes.len() as u64 > RECORD_BYTES {
            return Err(RecordError::TooLarge);
        }
        let fields: FormatFields = serde_json::from_slice(bytes).map_err(json)?;
        if fields.format.as_deref() != Some(FORMAT) {
            return Err(RecordError::NotARecord);
        }
        match fields.version {
            Some(version) if version == u64::from(VERSION) => (),
            Some(version) => return Err(RecordError::Version(version)),
            None => return Err(RecordError::field("version", "the field is missing")),
        }
        let record: Record = serde_json::from_slice(bytes).map_err(json)?;
        record.check()?;
        record.restore_referee(games)?;
        Ok(record)
    }

    /// A referee at the end of the record; [`Event::Begin`](crate::referee::Event::Begin) continues
    /// from there.
    pub fn restore_referee(&self, games: &Games) -> Result<Referee, RecordError> {
        let game = self.set_up(games)?;
        let mut referee = Referee::new(game, self.player_setups(), self.settings, self.seed)
            .map_err(setup_error)?;
        let plies = self.to_plies();
        referee.restore(plies, self.events.clone(), self.turn_us).map_err(setup_error)?;
        for (index, (recorded, played)) in self.plies.iter().zip(referee.plies()).enumerate() {
            let place = format!("plies[{index}]");
            if recorded.seat != played.seat {
                return Err(wrong_seat(&place, played.seat, recorded.seat));
            }
            if played.clock.left().is_some() != recorded.clock_left.is_some() {
                let reason = "the field does not fit the budget of the player";
                return Err(RecordError::field(format!("{place}.clock_left"), reason));
            }
        }
        if let Some(result) = &self.result {
            let (sides, seats) = (referee.game().sides().len(), referee.game().seats());
            if result.winner.is_some_and(|winner| usize::from(winner) >= sides) {
                let reason = format!("the last side is {}", sides - 1);
                return Err(RecordError::field("result.winner", reason));
            }
            if ![0, usize::from(seats)].contains(&result.scores.len()) {
                let reason = format!("there are {seats} seats");
                return Err(RecordError::field("result.scores", reason));
            }
        }
        Ok(referee)
    }

    /// The game where the bout began. Err: the first fault of start and opening.
    fn set_up(&self, games: &Games) -> Result<Box<dyn DynGame>, RecordError> {
        let start = self.start_position(games)?;
        let set_up = start.set_up_before_moves();
        let mut game = set_up.map_err(|error| RecordError::field("start", error))?;
        if !self.opening.is_empty() && !StartPosition::keeps_moves(start.game) {
            let reason = format!("a bout of {} begins in a position, without moves", self.game);
            return Err(RecordError::field("opening", reason));
        }
        for (index, recorded) in self.opening.iter().enumerate() {
            let place = format!("opening[{index}]");
            let seat = seat_to_move(&*game);
            let illegal = |refusal| RecordError::field(format!("{place}.move"), refusal);
            let canonical = game.play(&recorded.r#move).map_err(illegal)?;
            if canonical != recorded.r#move {
                let reason = format!("the canonical text of the move is `{canonical}`");
                return Err(RecordError::field(format!("{place}.move"), reason));
            }
            if seat != recorded.seat {
                return Err(wrong_seat(&place, seat, recorded.seat));
            }
        }
        Ok(game)
    }
}

fn wrong_seat(place: &str, found: Option<u8>, recorded: Option<u8>) -> RecordError {
    let name = |seat: Option<u8>| match seat {
        Some(seat) => format!("seat {seat}"),
        None => "chance".to_owned(),
    };
    let reason = format!("{} was to move, not {}", name(found), name(recorded));
    RecordError::field(format!("{place}.seat"), reason)
}

fn setup_error(error: BoutSetupError) -> RecordError {
    match error {
        BoutSetupError::Restore { ply, reason } => {
            RecordError::field(format!("plies[{ply}].move"), reason)
        }
        BoutSetupError::NoRequest | BoutSetupError::Adjudication(_) => {
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
        reason: sanitize(reason, REASON_BYTES),
    }
}
