//! The faults of a suite file, each with its location, field and reason.

use std::fmt;
use std::path::PathBuf;

use sandboard_common::text::quoted;

/// The most faults that an error lists; it gives the number of the others.
const LISTED_MAX: usize = 40;

/// A location in a suite file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileLocation {
    /// A line of an EPD file.
    Line(usize),
    /// A record of a JSON file.
    Record(usize),
}

/// A fault of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFault {
    pub location: FileLocation,
    /// The id of the position, if the file gives one.
    pub id: Option<String>,
    /// The field or opcode; empty for the whole position.
    pub field: String,
    /// What is wrong.
    pub reason: String,
}

/// A file that cannot be used as a suite.
#[derive(Debug)]
#[non_exhaustive]
pub enum SuiteError {
    /// It cannot be read.
    Read { path: PathBuf, source: std::io::Error },
    /// The whole file cannot be used.
    Refused { path: PathBuf, reason: String },
    /// Some of its positions cannot be used.
    Faults {
        path: PathBuf,
        /// Their faults, in the order of the file.
        faults: Vec<SuiteFault>,
    },
}

impl fmt::Display for SuiteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location {
            FileLocation::Line(line) => write!(f, "{line}: ")?,
            FileLocation::Record(record) => write!(f, " record {record}")?,
        }
        match (&self.id, self.location) {
            (Some(id), FileLocation::Line(_)) => write!(f, "{}: ", quoted(id))?,
            (Some(id), FileLocation::Record(_)) => write!(f, " ({}): ", quoted(id))?,
            (None, FileLocation::Line(_)) => (),
            (None, FileLocation::Record(_)) => f.write_str(": ")?,
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
                let (file, found) =
                    (path.display(), sandboard_common::text::counted(count, "fault"));
                write!(f, "the suite {file} has {found}; nothing was run")?;
                for fault in faults.iter().take(LISTED_MAX) {
                    write!(f, "\n{file}:{fault}")?;
                }
                match count.saturating_sub(LISTED_MAX) {
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
