//! The file formats of gomoku, and what they share: how they count the points of
//! a board. All of them count rows from the top; our texts do from the bottom.

mod moves;
mod psq;
mod rec;
mod renlib;
mod sgf;

#[cfg(test)]
mod tests;

use super::notation::read_point;
use super::point::{MAX_SIZE, MIN_SIZE, Point};
use crate::formats::{Encoding, Format, FormatError, Full, Holds, Place};
use crate::info::Variant;

/// The formats, in the order in which they are listed.
pub(super) static FORMATS: [Format; 5] = [
    Format {
        id: "psq",
        extensions: &["psq"],
        about: "Piskvork: moves with times, names of the players",
        holds: Holds { times: true, names: true, sizes: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(psq::read),
        write: Some(psq::write),
        join: None,
    },
    Format {
        id: "rec",
        extensions: &["rec"],
        about: "Gomotur: as psq, without the size of the board (20 where none is named)",
        holds: Holds { times: true, names: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(rec::read),
        write: Some(rec::write),
        join: None,
    },
    Format {
        id: "sgf",
        extensions: &["sgf"],
        about: "Smart Game Format FF[4] GM[4]: variations, comments, results, any start",
        holds: Holds { times: false, ..EVERYTHING },
        encoding: Encoding::Latin1,
        read: Some(sgf::read),
        write: Some(sgf::write),
        join: None,
    },
    Format {
        id: "renlib",
        extensions: &["lib"],
        about: "RenLib's collections of openings, read only: variations, comments, board texts",
        holds: Holds { variations: true, comments: true, labels: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(renlib::read),
        write: None,
        join: None,
    },
    Format {
        id: "moves",
        extensions: &["txt", "moves"],
        about: "a line of move texts for each game: h8 i9, or h8i9",
        holds: Holds { several: true, ..Holds::NOTHING },
        encoding: Encoding::Latin1,
        read: Some(moves::read),
        write: Some(moves::write),
        join: None,
    },
];

const EVERYTHING: Holds = Holds {
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

/// The size of the board that is in force for a writer.
fn size_of(variant: &Variant) -> u8 {
    variant.size.unwrap_or(super::rule::USUAL_SIZE)
}

/// A size of a board, if there are boards of it.
fn size_from(number: u64) -> Option<u8> {
    u8::try_from(number).ok().filter(|size| (MIN_SIZE..=MAX_SIZE).contains(size))
}

/// The move text of a point by its column from the left and its row from the top,
/// both from 0; none where it is not on the board.
fn text_of(column: u64, from_top: u64, size: u8) -> Option<String> {
    let on_board = |number: u64| u8::try_from(number).ok().filter(|number| *number < size);
    let (column, from_top) = (on_board(column)?, on_board(from_top)?);
    Some(Point::new(column, size - 1 - from_top)?.to_string())
}

/// Column from the left and row from the top, both from 0, of a move that is a
/// point. Err: words of phases are none.
fn point_of(number: usize, mv: &str, size: u8) -> Result<(u8, u8), FormatError> {
    let point = read_point(mv, size).map_err(|_| {
        let reason = format!("`{mv}` is no point, and the format holds nothing else");
        FormatError::new(Place::Move(number), reason)
    })?;
    Ok((point.column(), size - 1 - point.row()))
}

/// An error for a start that a format cannot hold.
fn no_start(format: &str) -> FormatError {
    let reason = format!("{format} holds no start other than the empty board; sgf and records do");
    FormatError::new(Place::Whole, reason)
}

/// What makes [`Full`] an error at a place.
fn full(place: Place) -> impl Fn(Full) -> FormatError {
    move |full| FormatError::new(place, full.to_string())
}
