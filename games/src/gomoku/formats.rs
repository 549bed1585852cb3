//! The file formats of gomoku and their shared code for coordinates. All of these formats count
//! rows from the top; move texts count them from the bottom.

mod moves;
mod psq;
mod rec;
mod renlib;
mod sgf;

#[cfg(test)]
mod tests;

use super::notation::read_point;
use super::point::{MAX_SIZE, MIN_SIZE, Point};
use crate::formats::{Encoding, Features, Format, FormatError, Location, TreeFull};
use crate::info::Variant;

/// The formats, in the order of listings.
pub(super) static FORMATS: [Format; 5] = [
    Format {
        id: "psq",
        extensions: &["psq"],
        about: "Piskvork: moves with times, player names",
        features: Features { times: true, names: true, sizes: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(psq::read),
        write: Some(psq::write),
        join: None,
        notation: false,
    },
    Format {
        id: "rec",
        extensions: &["rec"],
        about: "Gomotur: like psq, without the board size (20 if none is given)",
        features: Features { times: true, names: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(rec::read),
        write: Some(rec::write),
        join: None,
        notation: false,
    },
    Format {
        id: "sgf",
        extensions: &["sgf"],
        about: "Smart Game Format FF[4] GM[4]: variations, comments, results, start positions",
        features: Features { times: false, ..EVERYTHING },
        encoding: Encoding::Latin1,
        read: Some(sgf::read),
        write: Some(sgf::write),
        join: None,
        notation: false,
    },
    Format {
        id: "renlib",
        extensions: &["lib"],
        about: "RenLib opening libraries, read only: variations, comments, board texts",
        features: Features { variations: true, comments: true, labels: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(renlib::read),
        write: None,
        join: None,
        notation: false,
    },
    Format {
        id: "moves",
        extensions: &["txt", "moves"],
        about: "one line of move texts per game: h8 i9, or h8i9",
        features: Features { several: true, ..Features::NONE },
        encoding: Encoding::Latin1,
        read: Some(moves::read),
        write: Some(moves::write),
        join: None,
        notation: false,
    },
];

const EVERYTHING: Features = Features {
    several: true,
    variations: true,
    comments: true,
    labels: true,
    times: true,
    names: true,
    results: true,
    starts: true,
    variants: true,
    sizes: true,
};

/// The board size for a writer.
fn size_of(variant: &Variant) -> u8 {
    variant.size.unwrap_or(super::rule::DEFAULT_SIZE)
}

/// A board size, if it is valid.
fn size_from(number: u64) -> Option<u8> {
    u8::try_from(number).ok().filter(|size| (MIN_SIZE..=MAX_SIZE).contains(size))
}

/// The move text of the point at a column from the left and a row from the top, both from 0; `None`
/// if it is not on the board.
fn text_of(column: u64, from_top: u64, size: u8) -> Option<String> {
    let on_board = |number: u64| u8::try_from(number).ok().filter(|number| *number < size);
    let (column, from_top) = (on_board(column)?, on_board(from_top)?);
    Some(Point::new(column, size - 1 - from_top)?.to_string())
}

/// The column from the left and the row from the top, both from 0, of a move that is a point. Words
/// of procedures are errors.
fn point_of(number: usize, mv: &str, size: u8) -> Result<(u8, u8), FormatError> {
    let point = read_point(mv, size).map_err(|_| {
        let reason = format!("`{mv}` is not a point; the format stores only points");
        FormatError::new(Location::Move(number), reason)
    })?;
    Ok((point.column(), size - 1 - point.row()))
}

/// The error for a start position that a format cannot store.
fn unsupported_start(format: &str) -> FormatError {
    let reason = format!("{format} cannot store a start position; sgf and records can");
    FormatError::new(Location::Whole, reason)
}

/// Converts [`TreeFull`] to an error at a location.
fn tree_full(location: Location) -> impl Fn(TreeFull) -> FormatError {
    move |full| FormatError::new(location, full.to_string())
}
