//! What is wrong with a file of positions: every fault with its place, its
//! field and the reason, all at once.

use std::fmt;
use std::path::PathBuf;

use crate::manifest::quoted;

/// Faults that an error lists; of more it says how many there are.
const LISTED: usize = 40;

/// Where in a file something stands; counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a file of lines.
    Line(usize),
    /// A record of a JSON file.
    Record(usize),
}

/// One thing that is wrong with a position of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFault {
    /// Where.
    pub place: Place,
    /// The position's id, where the file gives one.
    pub id: Option<String>,
    /// The field or opcode; empty: the whole position.
    pub field: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A file that cannot be used as a suite.
#[derive(Debug)]
#[non_exhaustive]
pub enum SuiteError {
    /// It cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It can, but cannot be used as a whole.
    Refused {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Some of its positions cannot be used.
    Faults {
        /// The file.
        path: PathBuf,
        /// Which, and why, in the order of the file.
        faults: Vec<SuiteFault>,
    },
}

impl fmt::Display for SuiteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Line(line) => write!(f, "{line}: ")?,
            Place::Record(record) => write!(f, " record {record}")?,
        }
        match (&self.id, self.place) {
            (Some(id), Place::Line(_)) => write!(f, "{}: ", quoted(id))?,
            (Some(id), Place::Record(_)) => write!(f, " ({}): ", quoted(id))?,
            (None, Place::Line(_)) => (),
            (None, Place::Record(_)) => f.write_str(": ")?,
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.reason)
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, source } => {
                write!(f, "the suite {} cannot be read: {source}", path.display())
            }
            Self::Refused { path, reason } => write!(f, "the suite {}: {reason}", path.display()),
            Self::Faults { path, faults } => {
                let count = faults.len();
                let (file, found) = (path.display(), crate::counted(count, "fault"));
                write!(f, "the suite {file} has {found}; nothing was run")?;
                for fault in faults.iter().take(LISTED) {
                    write!(f, "\n{file}:{fault}")?;
                }
                match count.saturating_sub(LISTED) {
                    0 => Ok(()),
                    more => write!(f, "\nand {more} more"),
                }
            }
        }
    }
}

impl std::error::Error for SuiteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            Self::Refused { .. } | Self::Faults { .. } => None,
        }
    }
}
