//! The file formats of xiangqi, and what they share: how a start is told.

mod branches;
mod fen;
mod pgn;
mod xqf;

#[cfg(test)]
mod tests;

use super::Xiangqi;
use super::position::{START, write_fen};
use crate::formats::{Encoding, Format, FormatError, Full, GameTree, Holds, Place};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order in which they are listed.
pub(super) static FORMATS: [Format; 5] = [
    Format {
        id: "pgn",
        extensions: &["pgn"],
        about: "PGN for xiangqi, moves in Chinese: variations, comments, results, any start",
        holds: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_chinese),
        join: None,
    },
    Format {
        id: "wxf",
        extensions: &["wxf"],
        about: "the same with moves in letters, C2=5; read alike",
        holds: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_wxf),
        join: None,
    },
    Format {
        id: "iccs",
        extensions: &["iccs"],
        about: "the same with moves as points, H2-E2; read alike",
        holds: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_iccs),
        join: None,
    },
    Format {
        id: "fen",
        extensions: &["fen"],
        about: "a position on each line, perhaps with moves behind the word `moves`",
        holds: Holds { several: true, starts: true, sizes: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(fen::read),
        write: Some(fen::write),
        join: None,
    },
    Format {
        id: "xqf",
        extensions: &["xqf"],
        about: "XQStudio's files up to version 1.0, read only: variations, comments, any start",
        holds: Holds { several: false, ..PGN },
        encoding: Encoding::Gb18030Parts,
        read: Some(xqf::read),
        write: None,
        join: None,
    },
];

const PGN: Holds = Holds {
    several: true,
    variations: true,
    comments: true,
    names: true,
    results: true,
    starts: true,
    sizes: true,
    ..Holds::NOTHING
};

/// A start as a tree has it: none where it is that of the game.
fn start_of(text: &str) -> Option<String> {
    let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let counters = text.strip_prefix(START).map(str::trim_start);
    let usual = ["w", "w - -", "w - - 0 1", "r", "r - -", "r - - 0 1"];
    (!counters.is_some_and(|counters| usual.contains(&counters))).then_some(text)
}

/// Where a tree begins.
fn start(tree: &GameTree, variant: &Variant) -> Result<Xiangqi, FormatError> {
    let Some(text) = &tree.start else { return Ok(Xiangqi::start(variant)) };
    Xiangqi::parse_position(variant, text)
        .map_err(|error| FormatError::new(Place::Whole, format!("the start: {error}")))
}

/// The text of a position alone, without the moves that led to it.
fn fen_of(game: &Xiangqi) -> String {
    let mut text = String::new();
    write_fen(game, &mut text);
    text
}

/// What makes [`Full`] an error at a place.
fn full(place: Place) -> impl Fn(Full) -> FormatError {
    move |full| FormatError::new(place, full.to_string())
}
