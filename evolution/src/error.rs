//! What a tuner refuses, and why.

use thiserror::Error;

use super::space::SpaceError;

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("setting `{name}` is {value}, which is not between {min} and {max}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// What it is.
    pub value: f64,
    /// The least that it can be.
    pub min: f64,
    /// The most that it can be.
    pub max: f64,
}

/// Refuses a number that is not between two others, or none at all.
pub(crate) fn between(
    name: &'static str,
    value: f64,
    [min, max]: [f64; 2],
) -> Result<(), SettingsError> {
    let fits = (min..=max).contains(&value);
    if fits { Ok(()) } else { Err(SettingsError { name, value, min, max }) }
}

/// A setup that cannot be run.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Its parameters.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// A setting of its method.
    #[error("method `{method}`: {error}")]
    Settings {
        /// The method's name.
        method: &'static str,
        /// What is wrong with it.
        error: SettingsError,
    },
    /// Nothing may be asked.
    #[error("a budget of 0 {what} leaves nothing to ask")]
    Budget {
        /// `questions` or `games`.
        what: &'static str,
    },
}

/// An answer that is refused. The tuner is as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TellError {
    /// Nobody asked.
    #[error("question {number} has not been asked")]
    NotAsked {
        /// Its number.
        number: u32,
    },
    /// It was answered.
    #[error("question {number} has been answered already")]
    Twice {
        /// Its number.
        number: u32,
    },
    /// An answer to another kind of question.
    #[error("the answer to question {number} is of another kind than the question")]
    Kind {
        /// Its number.
        number: u32,
    },
    /// A number out of range, or none at all.
    #[error("the answer to question {number} has the {what} {value}, which is out of range")]
    Value {
        /// The question's number.
        number: u32,
        /// `share`, `error` or `result`.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// An answer out of the air.
    #[error("the answer to question {number} comes of no games")]
    NoGames {
        /// The question's number.
        number: u32,
    },
}

/// A journal that is not of this setup.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The setup.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An answer.
    #[error("the journal cannot be played again: {0}")]
    Tell(#[from] TellError),
    /// Another question under the same number: other settings, or another version of this program.
    #[error(
        "the journal's question {number} is another one than this setup asks: it was written with other settings or by another version"
    )]
    Differs {
        /// Its number.
        number: u32,
    },
}
