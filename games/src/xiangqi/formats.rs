//! The file formats of xiangqi and their shared code for start positions.

mod fen;
mod pgn;
mod xqf;

#[cfg(test)]
mod tests;

use super::Xiangqi;
use super::position::{START_PLACEMENT, write_fen};
use crate::formats::{Encoding, Features, Format, FormatError, GameTree, Location};
use crate::info::Variant;
use crate::rules::Rules;

/// The formats, in the order of listings.
pub(super) static FORMATS: [Format; 5] = [
    Format {
        id: "pgn",
        extensions: &["pgn"],
        about: "PGN for xiangqi, moves in Chinese: variations, comments, results, start positions",
        features: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_chinese),
        join: None,
        notation: false,
    },
    Format {
        id: "wxf",
        extensions: &["wxf"],
        about: "PGN with moves in letters, C2=5; reads all three notations",
        features: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_wxf),
        join: None,
        notation: false,
    },
    Format {
        id: "iccs",
        extensions: &["iccs"],
        about: "PGN with moves as points, H2-E2; reads all three notations",
        features: PGN,
        encoding: Encoding::Gb18030,
        read: Some(pgn::read),
        write: Some(pgn::write_iccs),
        join: None,
        notation: false,
    },
    Format {
        id: "fen",
        extensions: &["fen"],
        about: "one position per line, optionally with `moves` and moves",
        features: Features { several: true, starts: true, sizes: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(fen::read),
        write: Some(fen::write),
        join: None,
        notation: false,
    },
    Format {
        id: "xqf",
        extensions: &["xqf"],
        about: "XQStudio up to version 1.0, read only: variations, comments, start positions",
        features: Features { several: false, ..PGN },
        encoding: Encoding::Gb18030Parts,
        read: Some(xqf::read),
        write: None,
        join: None,
        notation: false,
    },
];

const PGN: Features = Features {
    several: true,
    variations: true,
    comments: true,
    names: true,
    results: true,
    starts: true,
    sizes: true,
    ..Features::NONE
};

/// A start position for a tree; `None` if it is the game's own.
fn start_of(text: &str) -> Option<String> {
    let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let counters = text.strip_prefix(START_PLACEMENT).map(str::trim_start);
    let default = ["w", "w - -", "w - - 0 1", "r", "r - -", "r - - 0 1"];
    (!counters.is_some_and(|counters| default.contains(&counters))).then_some(text)
}

/// The start position of a tree.
fn start(tree: &GameTree, variant: &Variant) -> Result<Xiangqi, FormatError> {
    let Some(text) = &tree.start else { return Ok(Xiangqi::start(variant)) };
    Xiangqi::parse_position(variant, text)
        .map_err(|error| FormatError::new(Location::Whole, format!("start position: {error}")))
}

/// The FEN of a position, without its moves.
fn fen_of(game: &Xiangqi) -> String {
    let mut text = String::new();
    write_fen(game, &mut text);
    text
}
