//! The errors of the solver.

use std::fmt;

use crate::EMPTIES_MAX;

/// Why a position has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The caller stopped the search.
    Stopped,
    /// Two discs are on the same square.
    Overlap,
    /// The position has more than [`EMPTIES_MAX`] empty squares.
    TooManyEmpty {
        /// The number of empty squares.
        empties: u32,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Stopped => f.write_str("the search was stopped"),
            SolveError::Overlap => f.write_str("two discs are on the same square"),
            SolveError::TooManyEmpty { empties } => {
                write!(
                    f,
                    "the position has {empties} empty squares; at most {EMPTIES_MAX} are supported"
                )
            }
        }
    }
}

impl std::error::Error for SolveError {}
