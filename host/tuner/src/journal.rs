//! The journal of a tuning run: a file of JSON lines. The first line is the setup; each other line
//! is the result of a unit or of a measurement. The file only grows. If the process is killed, the
//! last line may be incomplete; its result is not counted then. Any other damage is an error that
//! names the line.
//!
//! Invariant: what is counted is in the file. It is flushed to the disk once a second. Results that
//! a power cut destroys are measured again; under fuel, they are the same.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sandboard_evolution::{MeasurementRequest, MeasurementResult};
use serde::{Deserialize, Serialize};

use super::evaluator::UnitKey;
use super::setup::{FORMAT, TuneSetup, VERSION};
use sandboard_common::files::{
    FileError, flush_folder, open_regular_with, read_regular, write_atomically,
};

/// The name of the file in a run's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";
/// How often lines are flushed to the disk; one game can take less time.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Line {
    /// A unit was measured.
    Unit(UnitLine),
    /// The unit lines above complete a measurement.
    Measurement {
        /// The season, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        season: u32,
        /// What was measured.
        request: MeasurementRequest,
        result: MeasurementResult,
    },
    /// A pair of the final match was played.
    Final(FinalLine),
}

/// The result of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitLine {
    /// The season, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub season: u32,
    /// Its measurement and number.
    pub key: UnitKey,
    /// Half points of the measured weights, 0 to 4.
    pub half_points: u8,
    /// Plies of both games, or the number of positions.
    pub plies: u32,
    /// The sentence of the fault that ended a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(season: &u32) -> bool {
    *season == 0
}

/// A pair of the final match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalLine {
    /// Its number, from 0.
    pub pair: u32,
    /// Half points of the weights found, 0 to 4.
    pub half_points: u8,
    /// The sentence of the fault that ended a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Why the folder of a run cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The system refused an operation.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb with its object.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file that the run needs cannot be copied.
    #[error(transparent)]
    Copy(#[from] FileError),
    /// The folder already holds a run.
    #[error("{} already holds a run; continue it with `sandboard tune --resume {}`", .0.display(), .0.display())]
    AlreadyExists(PathBuf),
    /// Another process works on the run.
    #[error("another process is working on the run in {}", .0.display())]
    Busy(PathBuf),
    /// A line is invalid.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        reason: String,
    },
}

/// An open journal. It is locked until the value is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Locked; the system releases the lock however the process ends.
    file: File,
    /// The length of the complete lines.
    bytes: u64,
    /// A line was written in part, so no line may follow it.
    broken: bool,
    /// The time of the last flush.
    synced: Instant,
}

impl Journal {
    /// Creates the folder with its parents and a new journal in it. `copies` are files, by name,
    /// that a resumed run needs; they are written before the journal.
    pub fn create(
        dir: &Path,
        setup: &TuneSetup,
        copies: &[(&str, &[u8])],
    ) -> Result<Self, JournalError> {
        std::fs::create_dir_all(dir).map_err(io("create the folder", dir))?;
        let path = dir.join(JOURNAL_FILE);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = open_regular_with(options, &path);
        let file = file.map_err(io("create", &path))?;
        let mut journal = Self { file, path, bytes: 0, broken: false, synced: Instant::now() };
        journal.lock(dir)?;
        let whole = read_regular(&journal.path, u64::MAX).map_err(io("read", &journal.path))?;
        // A process that was killed here before has left only a part of the first line.
        if whole.contains(&b'\n') {
            return Err(JournalError::AlreadyExists(dir.to_owned()));
        }
        for (name, bytes) in copies {
            write_atomically(&dir.join(name), bytes)?;
        }
        journal.truncate(0)?;
        journal.write(setup)?;
        journal.sync()?;
        flush_folder(dir);
        Ok(journal)
    }

    /// Opens the journal of an existing run and returns it with its setup and lines.
    pub fn open(dir: &Path) -> Result<(Self, TuneSetup, Vec<Line>), JournalError> {
        let path = dir.join(JOURNAL_FILE);
        let file = open_regular_with(OpenOptions::new().read(true).write(true), &path);
        let file = file.map_err(io("open", &path))?;
        let mut journal = Self { file, path, bytes: 0, broken: false, synced: Instant::now() };
        journal.lock(dir)?;
        let (setup, lines, whole_bytes) = read(&journal.path)?;
        journal.truncate(whole_bytes)?;
        Ok((journal, setup, lines))
    }

    fn lock(&self, dir: &Path) -> Result<(), JournalError> {
        self.file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => JournalError::Busy(dir.to_owned()),
            std::fs::TryLockError::Error(source) => io("lock", &self.path)(source),
        })
    }

    /// Cuts the file to this length and continues there.
    fn truncate(&mut self, bytes: u64) -> Result<(), JournalError> {
        let truncated =
            self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        self.bytes = truncated.map_err(io("write", &self.path))?;
        Ok(())
    }

    /// Adds a line. It survives a kill of this process at once, and a power cut after the next
    /// flush.
    pub fn add(&mut self, line: &Line) -> Result<(), JournalError> {
        self.write(line)?;
        if self.synced.elapsed() < SYNC_INTERVAL { Ok(()) } else { self.sync() }
    }

    /// Flushes the last lines to the disk.
    pub fn close(mut self) -> Result<(), JournalError> {
        self.sync()
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let failed = io("write", &self.path);
        if self.broken {
            return Err(failed(io::Error::other("an earlier line could not be written")));
        }
        let mut text = serde_json::to_string(value).map_err(|error| failed(error.into()))?;
        text.push('\n');
        if let Err(source) = self.file.write_all(text.as_bytes()) {
            self.broken = true;
            // If this fails, too, the partial line is the last one, and the next reader cuts it
            // off.
            drop(self.truncate(self.bytes));
            return Err(failed(source));
        }
        self.bytes += text.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(io("write", &self.path))
    }
}

/// The setup, the complete lines, and their length in bytes. A partial line may follow them.
fn read(path: &Path) -> Result<(TuneSetup, Vec<Line>, u64), JournalError> {
    let bytes = read_regular(path, u64::MAX).map_err(io("read", path))?;
    let whole_bytes = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let invalid =
        |line: usize, reason: String| JournalError::Line { path: path.to_owned(), line, reason };
    let mut texts = bytes[..whole_bytes].split_inclusive(|byte| *byte == b'\n').zip(1..);
    let Some((first, _)) = texts.next() else {
        return Err(invalid(1, "the setup is missing: no run was started here".into()));
    };
    let setup: TuneSetup = serde_json::from_slice(first)
        .map_err(|error| invalid(1, format!("it is not the setup of a run: {error}")))?;
    if (setup.format.as_str(), setup.version) != (FORMAT, VERSION) {
        let (format, version) = (&setup.format, setup.version);
        let reason =
            format!("it is `{format}`, version {version}; this host reads `{FORMAT}`, {VERSION}");
        return Err(invalid(1, reason));
    }
    let line = |(text, number): (&[u8], usize)| {
        serde_json::from_slice(text).map_err(|error| invalid(number, error.to_string()))
    };
    let lines = texts.map(line).collect::<Result<Vec<Line>, _>>()?;
    Ok((setup, lines, whole_bytes as u64))
}

fn io(step: &'static str, path: &Path) -> impl Fn(io::Error) -> JournalError + use<> {
    let path = path.to_owned();
    move |source| JournalError::Io { step, path: path.clone(), source }
}
