//! The file formats of reversi, and what they share. Most of them leave passes out,
//! for who cannot move has no choice; so a reader follows the game as far as it is
//! legal and puts them in. It judges nothing: an illegal move is kept as it is, and
//! what follows on it, too.

mod ggf;
mod obf;
mod transcript;
mod wthor;

#[cfg(test)]
mod tests;

use super::notation::read_square;
use super::{Reversi, Square};
use crate::formats::{Encoding, Format, FormatError, Full, GameTree, Holds, Place, Unit};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order in which they are listed.
pub(super) static FORMATS: [Format; 4] = [
    Format {
        id: "transcript",
        extensions: &["transcript"],
        about: "a line of squares for each game, without passes: f5d6c3",
        holds: Holds { several: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(transcript::read),
        write: Some(transcript::write),
        join: None,
    },
    Format {
        id: "obf",
        extensions: &["obf"],
        about: "positions, a board text on each line, perhaps with scores of moves",
        holds: Holds {
            several: true,
            variations: true,
            labels: true,
            starts: true,
            sizes: true,
            ..Holds::NOTHING
        },
        encoding: Encoding::Latin1,
        read: Some(obf::read),
        write: Some(obf::write),
        join: None,
    },
    Format {
        id: "ggf",
        extensions: &["ggf"],
        about: "Generic Game Format GM[Othello]: times, evaluations, results, any start",
        holds: Holds {
            several: true,
            labels: true,
            times: true,
            names: true,
            results: true,
            starts: true,
            sizes: true,
            ..Holds::NOTHING
        },
        encoding: Encoding::Latin1,
        read: Some(ggf::read),
        write: Some(ggf::write),
        join: None,
    },
    Format {
        id: "wthor",
        extensions: &["wtb"],
        about: "the WTHOR database: finished games on 8×8 with their scores",
        holds: Holds { several: true, results: true, sizes: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(wthor::read),
        write: Some(wthor::write),
        join: Some(wthor::join),
    },
];

/// A game that is being read: a line of moves and, while it is legal, the position
/// they lead to.
struct Line {
    tree: GameTree,
    position: Option<Reversi>,
}

impl Line {
    /// A game that begins here.
    fn new(unit: Unit, start: Reversi) -> Line {
        Line { tree: GameTree::new(unit), position: Some(start) }
    }

    /// Adds a move, and before it the pass that must have been.
    fn add(&mut self, mv: &str, place: usize, at: Place) -> Result<(), FormatError> {
        if mv != PASS && self.must_pass() {
            self.push(PASS, place, at)?;
        }
        self.push(mv, place, at)
    }

    fn must_pass(&self) -> bool {
        self.position.as_ref().is_some_and(Reversi::must_pass)
    }

    fn push(&mut self, mv: &str, place: usize, at: Place) -> Result<(), FormatError> {
        self.tree.add(self.tree.depth() + 1, mv, place).map_err(full(at))?;
        if self.position.as_mut().is_some_and(|position| position.play(mv).is_err()) {
            self.position = None;
        }
        Ok(())
    }
}

const PASS: &str = "pass";

/// The start of a variant's game on a board of the size that a file says, or else of
/// that which is asked for.
fn start(told: Option<u8>, asked: Option<&Variant>) -> Reversi {
    let size = told.or_else(|| asked.and_then(|variant| variant.size));
    Reversi::start(&Variant { id: super::STANDARD, size, setting: None })
}

/// Where a tree begins, and where its main line ends. Err: it is not legal.
fn ends(tree: &GameTree, variant: &Variant) -> Result<(Reversi, Reversi), FormatError> {
    let start = match &tree.start {
        None => Reversi::start(variant),
        Some(text) => Reversi::parse_position(variant, text)
            .map_err(|error| FormatError::new(Place::Whole, format!("the start: {error}")))?,
    };
    let mut position = start.clone();
    for node in tree.main_line() {
        let played = position.play(node.mv);
        let wrong = |refusal| FormatError::new(Place::Move(node.depth), format!("{refusal}"));
        played.map_err(wrong)?;
    }
    Ok((start, position))
}

/// The moves of the main line without passes. Err: a pass ends it, which a reader could
/// not know, or a move is no square.
fn squares(tree: &GameTree, size: u8, format: &str) -> Result<Vec<Square>, FormatError> {
    let mut squares = Vec::new();
    let mut passed = None;
    for node in tree.main_line() {
        passed = (node.mv == PASS).then_some(node.depth);
        if passed.is_none() {
            let wrong = |reason| FormatError::new(Place::Move(node.depth), reason);
            squares.push(read_square(node.mv, size).map_err(wrong)?);
        }
    }
    match passed {
        None => Ok(squares),
        Some(last) => {
            let reason = format!("{format} holds no pass with nothing behind it");
            Err(FormatError::new(Place::Move(last), reason))
        }
    }
}

/// A text for a label that other programs read as the value of a move: a number.
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

/// A move as files write it, as one of ours: a square in lower case, or a pass.
fn our_move(word: &str) -> String {
    if is_pass(word) { PASS.to_owned() } else { word.to_ascii_lowercase() }
}

/// An error for a start that a format cannot hold.
fn no_start(format: &str) -> FormatError {
    let reason = format!("{format} holds no start other than the usual one; ggf and records do");
    FormatError::new(Place::Whole, reason)
}

/// What makes [`Full`] an error at a place.
fn full(place: Place) -> impl Fn(Full) -> FormatError {
    move |full| FormatError::new(place, full.to_string())
}
