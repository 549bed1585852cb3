//! Reads openings: a text file of positions and lines of moves from which the pairs of a match
//! begin. Every line is checked with the game's rules before the first game, and all errors are
//! reported at once.
//!
//! A line that parses as a position is a position. Any other line is a list of moves from the
//! variant's start position. Empty lines are ignored, and so is a comment: a `#` at the start of a
//! line or after a blank, and everything after it.

use std::fmt;
use std::path::{Path, PathBuf};

use sandboard_games::{DynGame, GameInfo, Variant};
use sha2::{Digest, Sha256};

use sandboard_bout::start::StartPosition;
use sandboard_common::text::quoted;

/// The largest file of openings, in bytes.
pub const OPENINGS_BYTES: u64 = 64 * 1024 * 1024;
/// The most lines that an error lists.
const ERRORS_LISTED_MAX: usize = 50;

/// The checked openings of a match.
#[derive(Clone, Debug)]
pub struct Openings {
    /// The starts, in the order of the file; at least one.
    pub starts: Vec<StartPosition>,
    /// The SHA-256 of the file in hexadecimal.
    pub sha256: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// A line that is not a valid opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningFault {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Why a file of openings cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpeningsError {
    /// It cannot be read.
    Read {
        /// The path of the file.
        path: PathBuf,
        /// Why it cannot be read.
        source: std::io::Error,
    },
    /// Its content as a whole is invalid.
    Refused {
        /// The path of the file.
        path: PathBuf,
        /// Why it is invalid.
        reason: String,
    },
    /// Some of its lines are invalid.
    Lines {
        /// The path of the file.
        path: PathBuf,
        /// The lines and the causes.
        faults: Vec<OpeningFault>,
    },
}

impl fmt::Display for OpeningsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, source } => {
                write!(f, "the openings {} cannot be read: {source}", path.display())
            }
            Self::Refused { path, reason } => {
                write!(f, "the openings {}: {reason}", path.display())
            }
            Self::Lines { path, faults } => {
                for (index, fault) in faults.iter().take(ERRORS_LISTED_MAX).enumerate() {
                    let newline = if index == 0 { "" } else { "\n" };
                    write!(f, "{newline}{}:{}: {}", path.display(), fault.line, fault.reason)?;
                }
                match faults.len().saturating_sub(ERRORS_LISTED_MAX) {
                    0 => Ok(()),
                    more => write!(f, "\n{more} more lines of {} are invalid", path.display()),
                }
            }
        }
    }
}

impl std::error::Error for OpeningsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            Self::Refused { .. } | Self::Lines { .. } => None,
        }
    }
}

impl Openings {
    /// The openings of a file with this content. Positions must be of this variant and board size.
    /// Errors name `path`.
    pub fn parse(
        bytes: Vec<u8>,
        path: &Path,
        game: &'static GameInfo,
        variant: &Variant,
    ) -> Result<Self, OpeningsError> {
        let refused = |reason: String| OpeningsError::Refused { path: path.to_owned(), reason };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
                return Err(refused(format!("line {line} is not UTF-8")));
            }
        };
        let starts = parse(text, game, variant)
            .map_err(|faults| OpeningsError::Lines { path: path.to_owned(), faults })?;
        if starts.is_empty() {
            return Err(refused("it contains no openings".into()));
        }
        let sha256 = sandboard_common::hex::hex(&Sha256::digest(&bytes));
        Ok(Self { starts, sha256, bytes })
    }

    /// The texts of a file's openings, by number, unchecked.
    pub fn texts(bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        lines(&text).map(|(_, line)| line.to_owned()).collect()
    }
}

/// The lines with openings, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, without_comment(line).trim()));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Reads the lines of a file.
fn parse(
    text: &str,
    game: &'static GameInfo,
    variant: &Variant,
) -> Result<Vec<StartPosition>, Vec<OpeningFault>> {
    let start = (game.new)(variant, None)
        .map_err(|error| vec![OpeningFault { line: 1, reason: error.to_string() }])?;
    // A position of another board size belongs to another variant.
    let variant = start.variant();
    let (mut starts, mut faults) = (Vec::new(), Vec::new());
    for (number, line) in lines(text) {
        match opening(line, game, &variant, &*start) {
            Ok(position) => {
                let position = Some(position);
                starts.push(StartPosition::new(game, variant.clone(), position));
            }
            Err(reason) => faults.push(OpeningFault { line: number, reason }),
        }
    }
    if faults.is_empty() { Ok(starts) } else { Err(faults) }
}

fn without_comment(line: &str) -> &str {
    let begins = |at: usize| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    match line.match_indices('#').find(|(at, _)| begins(*at)) {
        Some((at, _)) => &line[..at],
        None => line,
    }
}

/// The position after a line's opening, or why the line is invalid.
fn opening(
    line: &str,
    info: &'static GameInfo,
    variant: &Variant,
    start: &dyn DynGame,
) -> Result<String, String> {
    let game = match (info.new)(variant, Some(line)) {
        Ok(game) => game,
        Err(position_error) => play(line, start).map_err(|(number, refusal)| match number {
            // The line may be meant as moves or as a position, so the error explains both.
            1 => {
                format!("is neither a line of moves ({refusal}) nor a position ({position_error})")
            }
            _ => format!("move {number} {refusal}"),
        })?,
    };
    if let Some(ending) = game.ending() {
        return Err(format!("the game is over there: {}", ending.reason));
    }
    Ok(game.position())
}

/// Plays a line of moves. Fails with the number of the illegal move, from 1, and the cause.
fn play(line: &str, start: &dyn DynGame) -> Result<Box<dyn DynGame>, (usize, String)> {
    let mut game = start.boxed_clone();
    for (index, mv) in line.split_whitespace().enumerate() {
        game.play(mv).map_err(|refusal| {
            (index + 1, format!("{} is refused: {}", quoted(&refusal.text), refusal.reason))
        })?;
    }
    Ok(game)
}

#[cfg(test)]
mod tests;
