//! The journal of a tuning run: a file of JSON lines, of which the first is the setup and each other says what came
//! of a unit, or which question was answered. It only grows. A kill can cut off its last line, which was not counted
//! then; anything else that is wrong is an error that names the line.
//!
//! Invariant: what is counted is in the file. While lines come it is brought to the disk once a second; what a loss of power takes is
//! made again, under fuel to the same end.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sandboard_evolution::{Answer, Question};
use serde::{Deserialize, Serialize};

use super::desk::UnitKey;
use super::setup::{FORMAT, TuneSetup, VERSION};
use crate::record::store::{StoreError, flush_folder, write_atomically};

/// The name of the file in a run's folder.
pub const FILE: &str = "journal.jsonl";
/// How often lines are brought to the disk: a duel takes less time than that.
const SYNC: Duration = Duration::from_secs(1);

/// A line behind the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Line {
    /// A unit was made.
    Unit(UnitLine),
    /// A question is answered by the units before.
    Answer {
        /// The season, from 0.
        #[serde(default, skip_serializing_if = "is_first")]
        season: u32,
        /// The question.
        question: Question,
        /// What came of it.
        answer: Answer,
    },
    /// A pair of the final match was played.
    Final(FinalLine),
}

/// What came of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitLine {
    /// The season, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub season: u32,
    /// Which.
    pub key: UnitKey,
    /// What it brought the weights that are asked about, 0 to 4.
    pub half_points: u8,
    /// Moves of both games, or positions.
    pub plies: u32,
    /// Why a game of it ended, where an engine did something wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_first(season: &u32) -> bool {
    *season == 0
}

/// A pair of the final match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalLine {
    /// Which, from 0.
    pub pair: u32,
    /// What it brought the weights that were found, 0 to 4.
    pub half_points: u8,
    /// Why a game of it ended, where an engine did something wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A run's folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was tried.
        step: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that the run needs cannot be kept.
    #[error(transparent)]
    Copy(#[from] StoreError),
    /// A new run must not end up in the folder of another.
    #[error("{} holds a run already; go on with it by `sandboard tune --resume {}`", .0.display(), .0.display())]
    Taken(PathBuf),
    /// Another process is at it.
    #[error("the run in {} is being made by another process", .0.display())]
    Busy(PathBuf),
    /// A line is none of a journal.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// The journal, held by this process until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Locked; the system lets go of it however the process ends.
    file: File,
    /// What is written whole.
    bytes: u64,
    /// A line was written in part: nothing may come behind it.
    broken: bool,
    /// When lines were brought to the disk last.
    synced: Instant,
}

impl Journal {
    /// A new one, in a folder that is made with all that leads to it. `copies` are files, by name, that the run needs
    /// when it is gone on with: they are there before it is one.
    pub fn create(
        dir: &Path,
        setup: &TuneSetup,
        copies: &[(&str, &[u8])],
    ) -> Result<Self, JournalError> {
        std::fs::create_dir_all(dir).map_err(io("make the folder", dir))?;
        let path = dir.join(FILE);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(io("make", &path))?;
        let mut journal = Self { file, path, bytes: 0, broken: false, synced: Instant::now() };
        journal.hold(dir)?;
        let whole = std::fs::read(&journal.path).map_err(io("read", &journal.path))?;
        // A kill while it was begun leaves a part of a first line.
        if whole.contains(&b'\n') {
            return Err(JournalError::Taken(dir.to_owned()));
        }
        for (name, bytes) in copies {
            write_atomically(&dir.join(name), bytes)?;
        }
        journal.cut(0)?;
        journal.write(setup)?;
        journal.sync()?;
        flush_folder(dir);
        Ok(journal)
    }

    /// The journal of a run that was begun, and all that it says.
    pub fn open(dir: &Path) -> Result<(Self, TuneSetup, Vec<Line>), JournalError> {
        let path = dir.join(FILE);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(io("open", &path))?;
        let mut journal = Self { file, path, bytes: 0, broken: false, synced: Instant::now() };
        journal.hold(dir)?;
        let (setup, lines, whole_bytes) = read(&journal.path)?;
        journal.cut(whole_bytes)?;
        Ok((journal, setup, lines))
    }

    fn hold(&self, dir: &Path) -> Result<(), JournalError> {
        self.file.try_lock().map_err(|error| match error {
            std::fs::TryLockError::WouldBlock => JournalError::Busy(dir.to_owned()),
            std::fs::TryLockError::Error(source) => io("lock", &self.path)(source),
        })
    }

    /// From here on it is written to.
    fn cut(&mut self, bytes: u64) -> Result<(), JournalError> {
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        self.bytes = cut.map_err(io("write", &self.path))?;
        Ok(())
    }

    /// Adds a line. It outlives this process; with the first line a second later, or the end, the system, too.
    pub fn add(&mut self, line: &Line) -> Result<(), JournalError> {
        self.write(line)?;
        if self.synced.elapsed() < SYNC { Ok(()) } else { self.sync() }
    }

    /// The last lines outlive the system, too.
    pub fn close(mut self) -> Result<(), JournalError> {
        self.sync()
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let failed = io("write", &self.path);
        if self.broken {
            return Err(failed(io::Error::other("a line before could not be written")));
        }
        let mut text = serde_json::to_string(value).map_err(|error| failed(error.into()))?;
        text.push('\n');
        if let Err(source) = self.file.write_all(text.as_bytes()) {
            self.broken = true;
            // Where this fails, too, the part of a line is the last one, which the next reader cuts off.
            drop(self.cut(self.bytes));
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

/// Setup, lines, and how many bytes they have: behind them may be a line that was cut off.
fn read(path: &Path) -> Result<(TuneSetup, Vec<Line>, u64), JournalError> {
    let bytes = std::fs::read(path).map_err(io("read", path))?;
    let whole_bytes = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let wrong =
        |line: usize, reason: String| JournalError::Line { path: path.to_owned(), line, reason };
    let mut texts = bytes[..whole_bytes].split_inclusive(|byte| *byte == b'\n').zip(1..);
    let Some((first, _)) = texts.next() else {
        return Err(wrong(1, "there is no setup: nothing was begun here".into()));
    };
    let setup: TuneSetup = serde_json::from_slice(first)
        .map_err(|error| wrong(1, format!("it is no setup of a run: {error}")))?;
    if (setup.format.as_str(), setup.version) != (FORMAT, VERSION) {
        let (format, version) = (&setup.format, setup.version);
        let reason =
            format!("it is `{format}`, version {version}; this host reads `{FORMAT}`, {VERSION}");
        return Err(wrong(1, reason));
    }
    let line = |(text, number): (&[u8], usize)| {
        serde_json::from_slice(text).map_err(|error| wrong(number, error.to_string()))
    };
    let lines = texts.map(line).collect::<Result<Vec<Line>, _>>()?;
    Ok((setup, lines, whole_bytes as u64))
}

fn io(step: &'static str, path: &Path) -> impl Fn(io::Error) -> JournalError + use<> {
    let path = path.to_owned();
    move |source| JournalError::Io { step, path: path.clone(), source }
}
