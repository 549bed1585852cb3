//! The errors of the tuner.

use thiserror::Error;

use super::space::SpaceError;

/// A setting is outside its range.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("setting `{name}` is {value}, which is not between {min} and {max}")]
pub struct SettingsError {
    /// The name of the setting.
    pub name: &'static str,
    /// The invalid value.
    pub value: f64,
    /// The smallest valid value.
    pub min: f64,
    /// The largest valid value.
    pub max: f64,
}

/// Refuses a value outside `min` to `max`, and NaN.
pub(crate) fn check_range(
    name: &'static str,
    value: f64,
    [min, max]: [f64; 2],
) -> Result<(), SettingsError> {
    let is_valid = (min..=max).contains(&value);
    if is_valid { Ok(()) } else { Err(SettingsError { name, value, min, max }) }
}

/// The setup of a run is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The parameters are invalid.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// A setting of the method is invalid.
    #[error("method `{method}`: {error}")]
    Settings {
        /// The name of the method.
        method: &'static str,
        /// The invalid setting.
        error: SettingsError,
    },
    /// The budget is empty.
    #[error("the budget allows 0 {unit}; it must allow at least 1")]
    EmptyBudget {
        /// The limit that is 0: `measurements` or `games`.
        unit: &'static str,
    },
}

/// A result is refused. The tuner is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TellError {
    /// There is no such request.
    #[error("measurement {number} was not requested")]
    NotRequested {
        /// The number of the request.
        number: u32,
    },
    /// The request already has a result.
    #[error("measurement {number} already has a result")]
    Duplicate {
        /// The number of the request.
        number: u32,
    },
    /// A fitness was given for a duel, or a duel for a fitness.
    #[error("the result of measurement {number} is of another kind than the request")]
    WrongKind {
        /// The number of the request.
        number: u32,
    },
    /// A number is out of range, or NaN.
    #[error("the result of measurement {number}: `{field}` is {value}, which is out of range")]
    OutOfRange {
        /// The number of the request.
        number: u32,
        /// The field: `share`, `standard_error` or `margin`.
        field: &'static str,
        /// The invalid value.
        value: f64,
    },
    /// The result is based on no games.
    #[error("the result of measurement {number} has no games")]
    NoGames {
        /// The number of the request.
        number: u32,
    },
}

/// A journal does not belong to the setup.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The setup is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A result is refused.
    #[error("the journal cannot be replayed: {0}")]
    Tell(#[from] TellError),
    /// The run makes another request under the same number, because the settings or the version of
    /// this program differ.
    #[error(
        "measurement {number} of the journal differs from the one that this setup requests: \
         the journal was written with other settings or by another version"
    )]
    Mismatch {
        /// The number of the request.
        number: u32,
    },
}
