//! XQF, the files of XQStudio, up to version 1.0: a header of 1,024 bytes with the pieces
//! and texts in GBK, then moves of eight bytes and more each. Later versions are scrambled
//! with keys of their header and refused.
//!
//! A move's third byte tells what comes next: its high half is not 0 when a move follows on
//! it, its low half when another move in its place comes after all that.

use super::{full, start_of};
use crate::formats::{By, FormatError, GameTree, Place, Told, Unit, undecoded};
use crate::info::Variant;
use crate::rules::Side;
use crate::xiangqi::position::write_placement;
use crate::xiangqi::{Color, Move, Piece, Square};

const HEADER_BYTES: usize = 0x400;
/// Later ones are scrambled.
const NEWEST: u8 = 10;
const PIECES: usize = 0x10;
const MOVER: usize = 0x32;
const RESULT: usize = 0x33;
const TITLE: usize = 0x50;
const EVENT: usize = 0xd0;
const DATE: usize = 0x110;
const SITE: usize = 0x120;
const RED: usize = 0x130;
const BLACK: usize = 0x140;

/// The pieces in the order of the header, red's and then black's.
const ORDER: &str = "RNBAKABNRCCPPPPPrnbakabnrccppppp";

/// Reads the game of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let header = header(bytes)?;
    let pieces = pieces(header)?;
    let mut tree = GameTree::new(Unit::Bytes);
    tree.names = [RED, BLACK].map(|at| name(header, at)).to_vec();
    tree.result = match header[RESULT] {
        1 => told(Some(Side(0))),
        2 => told(Some(Side(1))),
        3 => told(None),
        _ => None,
    };
    for at in [TITLE, EVENT, DATE, SITE] {
        if let Some(text) = name(header, at) {
            tree.add_comment(&text).map_err(full(Place::Byte(at)))?;
        }
    }
    let first = moves(bytes, &mut tree)?;
    // Some programs leave the side to move as it was: who moves first shows it.
    let piece_at = |square: Square| pieces.iter().find(|it| it.1 == square).map(|it| it.0);
    let mover = first.and_then(|mv| piece_at(mv.from)).map(|piece| piece.color);
    let told = if header[MOVER] == 1 { Color::Black } else { Color::Red };
    let mut start = String::new();
    write_placement(piece_at, &mut start);
    start.push_str(if mover.unwrap_or(told) == Color::Red { " w - - 0 1" } else { " b - - 0 1" });
    tree.start = start_of(&start);
    Ok(vec![tree])
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Place::Byte(at), reason)
}

fn told(winner: Option<Side>) -> Option<Told> {
    Some(Told { winner, by: By::Unsaid })
}

fn header(bytes: &[u8]) -> Result<&[u8], FormatError> {
    if !bytes.starts_with(b"XQ") {
        return Err(wrong(0, "it does not begin with XQ: this is no file of XQStudio"));
    }
    let version = bytes.get(2).copied().unwrap_or_default();
    if version > NEWEST {
        let (major, minor) = (version / 10, version % 10);
        let reason = format!(
            "it is of version {major}.{minor}, which is scrambled; 1.0 is the newest that is read: \
             save it as that, or as PGN"
        );
        return Err(wrong(2, reason));
    }
    let short =
        || wrong(bytes.len(), format!("the file ends within its header of {HEADER_BYTES} bytes"));
    bytes.get(..HEADER_BYTES).ok_or_else(short)
}

/// The point of a byte: ten times the file, and the rank.
fn point(byte: u8) -> Option<Square> {
    Square::new(byte / 10, byte % 10)
}

fn pieces(header: &[u8]) -> Result<Vec<(Piece, Square)>, FormatError> {
    let mut pieces: Vec<(Piece, Square)> = Vec::new();
    for (letter, at) in ORDER.chars().zip(PIECES..) {
        // A byte that is no point stands for a piece that is taken.
        let Some((piece, square)) = Piece::of_letter(letter).zip(point(header[at])) else {
            continue;
        };
        if pieces.iter().any(|(_, other)| *other == square) {
            return Err(wrong(at, format!("two pieces stand on {square}")));
        }
        pieces.push((piece, square));
    }
    Ok(pieces)
}

/// A text of the header: its length in bytes, and as many.
fn name(header: &[u8], at: usize) -> Option<String> {
    let length = usize::from(*header.get(at)?);
    let text = header.get(at + 1..)?;
    text_of(&text[..length.min(text.len())])
}

fn text_of(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = undecoded(&bytes[..end]).replace("\r\n", "\n").replace('\r', "\n");
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Reads the moves; the first of them.
fn moves(bytes: &[u8], tree: &mut GameTree) -> Result<Option<Move>, FormatError> {
    let mut at = HEADER_BYTES;
    let mut first = None;
    let mut depth = 0;
    // The depths at which other moves are still to come.
    let mut open: Vec<usize> = Vec::new();
    loop {
        // A file without moves may end with the entry for the start.
        if at == bytes.len() && depth == 1 {
            break;
        }
        let Some(&[from, to, flags, _, a, b, c, d]) = bytes.get(at..at + 8) else {
            let reason = "the file ends where eight bytes of a move should follow";
            return Err(wrong(bytes.len(), reason));
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let comment = bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(|| {
            wrong(at + 4, format!("a comment of {length} bytes is longer than the file"))
        })?;
        // The first entry is no move: it stands for the start.
        if depth > 0 {
            let points = point(from.wrapping_sub(24)).zip(point(to.wrapping_sub(32)));
            let Some((from, to)) = points else {
                return Err(wrong(at, format!("0x{from:02x}{to:02x} is no move")));
            };
            let mv = Move { from, to };
            tree.add(depth, &mv.to_string(), at).map_err(full(Place::Byte(at)))?;
            first = first.or(Some(mv));
        }
        if let Some(text) = text_of(comment) {
            tree.add_comment(&text).map_err(full(Place::Byte(at)))?;
        }
        let (follows, sibling) = (flags & 0xf0 != 0, flags & 0x0f != 0 && depth > 0);
        at += 8 + length;
        if sibling {
            open.push(depth);
        }
        depth = match (follows, open.pop()) {
            (true, waiting) => {
                open.extend(waiting);
                depth + 1
            }
            (false, Some(waiting)) => waiting,
            (false, None) => break,
        };
    }
    Ok(first)
}
