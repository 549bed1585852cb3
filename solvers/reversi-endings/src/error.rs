//! Why there is no score.

use std::fmt;

use crate::EMPTIES_MAX;

/// Why a position has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The search was stopped by who asked for it.
    Stopped,
    /// Two discs lie on one square.
    Overlap,
    /// More squares are empty than this solver is made for.
    TooManyEmpty {
        /// How many are empty.
        empties: u32,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Stopped => f.write_str("the search was stopped"),
            SolveError::Overlap => f.write_str("two discs lie on one square"),
            SolveError::TooManyEmpty { empties } => {
                write!(f, "{empties} squares are empty, more than {EMPTIES_MAX}")
            }
        }
    }
}

impl std::error::Error for SolveError {}
