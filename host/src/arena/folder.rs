//! The folder of a match: `match.json`, `openings.txt`, and `games/` with a
//! record for each finished game. All of them are written whole or not at all,
//! and the lock sees to it that one process at a time plays the match. Decides
//! nothing about what is played.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::ledger::Ledger;
use super::outcome::GameResult;
use super::runner::Match;
use super::schedule::Job;
use super::setup::{FORMAT, MatchSetup, PAIRS_MAX, VERSION};
use crate::record::store::{StoreError, write_atomically};
use crate::record::{GameTable, LoadError, Record, load};

const SETUP: &str = "match.json";
const OPENINGS: &str = "openings.txt";
const GAMES: &str = "games";
const LOCK: &str = "lock";

/// A match's folder, held by this process until it is dropped.
#[derive(Debug)]
pub struct MatchFolder {
    dir: PathBuf,
    /// Locked; the system lets go of it however the process ends.
    _lock: File,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The system refused a step.
    #[error("cannot {step} {}: {source}", path.display())]
    Io {
        /// What was tried.
        step: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file was not written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A new match must not end up in the folder of another.
    #[error("{} holds a match already; go on with it by `--resume {}`", .0.display(), .0.display())]
    Taken(PathBuf),
    /// Nothing to go on with.
    #[error("{} holds no match: there is no {SETUP}", .0.display())]
    NoMatch(PathBuf),
    /// Another process is at it.
    #[error("the match in {} is being played by another process", .0.display())]
    Busy(PathBuf),
    /// `match.json` is not what this host writes.
    #[error("{}: {reason}", path.display())]
    Setup {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A record that cannot be read.
    #[error("{0}; delete the file to have its game played again")]
    Record(#[from] LoadError),
    /// A record that is not of this match.
    #[error(
        "{} is not of this match: {reason}; delete the file to have its game played again",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: String,
    },
}

impl MatchFolder {
    /// A new match's folder, made with all that leads to it. `openings` is the
    /// content of the file of openings.
    pub fn create(
        dir: &Path,
        setup: &MatchSetup,
        openings: Option<&[u8]>,
    ) -> Result<Self, FolderError> {
        let folder = Self::hold(dir)?;
        if folder.setup_path().exists() {
            return Err(FolderError::Taken(dir.to_owned()));
        }
        if let Some(bytes) = openings {
            write_atomically(&folder.openings_path(), bytes)?;
        }
        let mut json = serde_json::to_vec_pretty(setup).map_err(|error| FolderError::Setup {
            path: folder.setup_path(),
            reason: error.to_string(),
        })?;
        json.push(b'\n');
        // The last one: where it is, the rest is complete.
        write_atomically(&folder.setup_path(), &json)?;
        Ok(folder)
    }

    /// The folder of a match that was begun, and its setup.
    pub fn open(dir: &Path) -> Result<(Self, MatchSetup), FolderError> {
        if !dir.join(SETUP).is_file() {
            return Err(FolderError::NoMatch(dir.to_owned()));
        }
        let folder = Self::hold(dir)?;
        let setup = folder.read_setup()?;
        folder.sweep();
        Ok((folder, setup))
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the copy of the openings is, if the match has any.
    pub fn openings_path(&self) -> PathBuf {
        self.dir.join(OPENINGS)
    }

    /// Where the record of a finished game is.
    pub fn record_path(&self, job: &Job) -> PathBuf {
        self.game_path(&job.name())
    }

    /// Where the record of the game of this name is.
    pub fn game_path(&self, name: &str) -> PathBuf {
        self.dir.join(GAMES).join(format!("{name}.json"))
    }

    /// Writes the record of a finished game; when this returns, it is kept.
    pub fn keep(&self, job: &Job, record: &Record) -> Result<(), StoreError> {
        write_atomically(&self.record_path(job), &record.to_json())
    }

    /// The ledger with all games whose records are here. Records of unfinished
    /// games are passed over.
    pub fn load(&self, the_match: &Match, games: GameTable) -> Result<Ledger, FolderError> {
        let schedule = the_match.schedule();
        let mut ledger = Ledger::new(schedule);
        for job in schedule.jobs() {
            let path = self.record_path(&job);
            match path.try_exists() {
                Ok(false) => continue,
                Ok(true) => {}
                Err(source) => return Err(FolderError::Io { step: "look for", path, source }),
            }
            let record = load(&path, games)?;
            if let Some(reason) = the_match.foreign(&job, &record) {
                return Err(FolderError::Foreign { path, reason });
            }
            if let Some(result) = GameResult::of(&record, &job) {
                ledger.add(job.index, result);
            }
        }
        Ok(ledger)
    }

    fn hold(dir: &Path) -> Result<Self, FolderError> {
        let games = dir.join(GAMES);
        std::fs::create_dir_all(&games).map_err(|source| FolderError::Io {
            step: "make the folder",
            path: games,
            source,
        })?;
        let path = dir.join(LOCK);
        let open = File::options().create(true).truncate(false).write(true).open(&path);
        let failed = |source| FolderError::Io { step: "lock", path: path.clone(), source };
        let lock = open.map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { dir: dir.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(FolderError::Busy(dir.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    fn setup_path(&self) -> PathBuf {
        self.dir.join(SETUP)
    }

    fn read_setup(&self) -> Result<MatchSetup, FolderError> {
        let path = self.setup_path();
        let bytes = std::fs::read(&path).map_err(|source| FolderError::Io {
            step: "read",
            path: path.clone(),
            source,
        })?;
        let wrong = |reason: String| FolderError::Setup { path: path.clone(), reason };
        let setup: MatchSetup =
            serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if setup.format != FORMAT {
            return Err(wrong(format!("`format` is not \"{FORMAT}\": this is no match")));
        }
        if setup.version != VERSION {
            let version = setup.version;
            return Err(wrong(format!(
                "it is of version {version}, and this host reads version {VERSION}"
            )));
        }
        if setup.pairs > PAIRS_MAX {
            return Err(wrong(format!("`pairs` is more than {PAIRS_MAX}")));
        }
        Ok(setup)
    }

    /// Removes what a killed process left behind: files that were never renamed.
    fn sweep(&self) {
        for folder in [self.dir.clone(), self.dir.join(GAMES)] {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.starts_with(".sandboard-") && name.ends_with(".tmp") {
                    drop(std::fs::remove_file(entry.path()));
                }
            }
        }
    }
}
