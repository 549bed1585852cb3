//! The file formats of reversi and their shared code. Most formats omit passes, because a side that
//! cannot move has no choice. So a reader follows the game while it is legal and inserts passes. It
//! does not reject illegal moves: they and their continuation are kept.

mod ggf;
mod obf;
mod transcript;
mod wthor;

#[cfg(test)]
mod tests;

use super::notation::read_square;
use super::{Reversi, Square};
use crate::formats::{
    Encoding, Features, Format, FormatError, GameTree, Location, LocationUnit, tree_full,
};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order of listings.
pub(super) static FORMATS: [Format; 4] = [
    Format {
        id: "transcript",
        extensions: &["transcript"],
        about: "one line of squares per game, without passes: f5d6c3",
        features: Features { several: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(transcript::read),
        write: Some(transcript::write),
        join: None,
        notation: false,
    },
    Format {
        id: "obf",
        extensions: &["obf"],
        about: "positions, one board text per line, optionally with move scores",
        features: Features {
            several: true,
            variations: true,
            labels: true,
            starts: true,
            sizes: true,
            ..Features::NONE
        },
        encoding: Encoding::Latin1,
        read: Some(obf::read),
        write: Some(obf::write),
        join: None,
        notation: false,
    },
    Format {
        id: "ggf",
        extensions: &["ggf"],
        about: "Generic Game Format GM[Othello]: times, evaluations, results, start positions",
        features: Features {
            several: true,
            labels: true,
            times: true,
            names: true,
            results: true,
            starts: true,
            sizes: true,
            ..Features::NONE
        },
        encoding: Encoding::Latin1,
        read: Some(ggf::read),
        write: Some(ggf::write),
        join: None,
        notation: false,
    },
    Format {
        id: "wthor",
        extensions: &["wtb"],
        about: "the WTHOR database: finished games on 8×8 with their scores",
        features: Features { several: true, results: true, sizes: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(wthor::read),
        write: Some(wthor::write),
        join: Some(wthor::join),
        notation: false,
    },
];

/// A game while it is read: a line of moves, and the position after them while they are legal.
struct GameReader {
    tree: GameTree,
    position: Option<Reversi>,
}

impl GameReader {
    /// A game that starts in this position.
    fn new(unit: LocationUnit, start: Reversi) -> GameReader {
        GameReader { tree: GameTree::new(unit), position: Some(start) }
    }

    /// Adds a move, preceded by a pass if one was omitted.
    fn add(&mut self, mv: &str, place: usize, at: Location) -> Result<(), FormatError> {
        if mv != PASS && self.must_pass() {
            self.push(PASS, place, at)?;
        }
        self.push(mv, place, at)
    }

    fn must_pass(&self) -> bool {
        self.position.as_ref().is_some_and(Reversi::must_pass)
    }

    fn push(&mut self, mv: &str, place: usize, at: Location) -> Result<(), FormatError> {
        self.tree.add(self.tree.depth() + 1, mv, place).map_err(tree_full(at))?;
        if self.position.as_mut().is_some_and(|position| position.play(mv).is_err()) {
            self.position = None;
        }
        Ok(())
    }
}

const PASS: &str = "pass";

/// The start position on a board of the size stored in the file, or else of the requested size.
fn start(stored: Option<u8>, asked: Option<&Variant>) -> Reversi {
    let size = stored.or_else(|| asked.and_then(|variant| variant.size));
    Reversi::start(&Variant { id: super::STANDARD, size, setting: None })
}

/// The start of a tree and the end of its main line. Illegal moves are errors.
fn start_and_end(tree: &GameTree, variant: &Variant) -> Result<(Reversi, Reversi), FormatError> {
    let start = match &tree.start {
        None => Reversi::start(variant),
        Some(text) => Reversi::parse_position(variant, text).map_err(|error| {
            FormatError::new(Location::Whole, format!("start position: {error}"))
        })?,
    };
    let mut position = start.clone();
    for node in tree.main_line() {
        let played = position.play(node.mv);
        let wrong = |refusal| FormatError::new(Location::Move(node.depth), format!("{refusal}"));
        played.map_err(wrong)?;
    }
    Ok((start, position))
}

/// The main line's moves without passes. It is an error if the line ends with a pass, which a
/// reader could not know, or if a move is not a square.
fn squares(tree: &GameTree, size: u8, format: &str) -> Result<Vec<Square>, FormatError> {
    let mut squares = Vec::new();
    let mut passed = None;
    for node in tree.main_line() {
        passed = (node.mv == PASS).then_some(node.depth);
        if passed.is_none() {
            let wrong = |reason| FormatError::new(Location::Move(node.depth), reason);
            squares.push(read_square(node.mv, size).map_err(wrong)?);
        }
    }
    match passed {
        None => Ok(squares),
        Some(last) => {
            let reason = format!("{format} cannot store a pass as the last move");
            Err(FormatError::new(Location::Move(last), reason))
        }
    }
}

/// A label that other programs can read as a move's score: a number of at most 16 bytes.
fn score(text: &str) -> Option<&str> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.bytes().filter(|&byte| byte == b'.').count() <= 1;
    (is_number && text.len() <= 16).then_some(text)
}

/// Whether a word stands for a pass in files of other programs.
fn is_pass(word: &str) -> bool {
    ["pass", "pa", "ps", "--"].iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

/// Converts a move of a file to a move text: a lower-case square or `pass`.
fn normalize_move(word: &str) -> String {
    if is_pass(word) { PASS.to_owned() } else { word.to_ascii_lowercase() }
}

/// The error for a start position that a format cannot store.
fn unsupported_start(format: &str) -> FormatError {
    let reason = format!("{format} cannot store a start position; ggf and records can");
    FormatError::new(Location::Whole, reason)
}
