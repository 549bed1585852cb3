//! XQF, the format of XQStudio, up to version 1.0: a header of 1024 bytes with the pieces and GBK
//! texts, then moves of at least eight bytes each. Later versions are scrambled with keys from
//! their header and are rejected.
//!
//! A move's third byte describes the next ones: its high half is not 0 if a continuation follows,
//! its low half if a sibling follows after that continuation.

use super::start_of;
use crate::formats::{
    FormatError, GameTree, Location, LocationUnit, RecordedResult, ResultCause, preserve_bytes,
    tree_full,
};
use crate::info::Variant;
use crate::rules::Side;
use crate::xiangqi::position::write_placement;
use crate::xiangqi::{Color, Move, Piece, Square};

const HEADER_BYTES: usize = 0x400;
/// Newest supported version, in tenths; later ones are scrambled.
const NEWEST_VERSION: u8 = 10;
const PIECES: usize = 0x10;
const MOVER: usize = 0x32;
const RESULT: usize = 0x33;
const TITLE: usize = 0x50;
const EVENT: usize = 0xd0;
const DATE: usize = 0x110;
const SITE: usize = 0x120;
const RED: usize = 0x130;
const BLACK: usize = 0x140;

/// The pieces in header order, red's before black's.
const ORDER: &str = "RNBAKABNRCCPPPPPrnbakabnrccppppp";

/// Reads the game of a file.
pub(super) fn read(bytes: &[u8], _: Option<&Variant>) -> Result<Vec<GameTree>, FormatError> {
    let header = header(bytes)?;
    let pieces = pieces(header)?;
    let mut tree = GameTree::new(LocationUnit::Bytes);
    tree.names = [RED, BLACK].map(|at| name(header, at)).to_vec();
    tree.result = match header[RESULT] {
        1 => won_by(Some(Side(0))),
        2 => won_by(Some(Side(1))),
        3 => won_by(None),
        _ => None,
    };
    for at in [TITLE, EVENT, DATE, SITE] {
        if let Some(text) = name(header, at) {
            tree.add_comment(&text).map_err(tree_full(Location::Byte(at)))?;
        }
    }
    let first = moves(bytes, &mut tree)?;
    // Some programs do not set the side to move; the first move determines it.
    let piece_at = |square: Square| pieces.iter().find(|it| it.1 == square).map(|it| it.0);
    let mover = first.and_then(|mv| piece_at(mv.from)).map(|piece| piece.color);
    let stored = if header[MOVER] == 1 { Color::Black } else { Color::Red };
    let mut start = String::new();
    write_placement(piece_at, &mut start);
    start.push_str(if mover.unwrap_or(stored) == Color::Red { " w - - 0 1" } else { " b - - 0 1" });
    tree.start = start_of(&start);
    Ok(vec![tree])
}

fn wrong(at: usize, reason: impl Into<String>) -> FormatError {
    FormatError::new(Location::Byte(at), reason)
}

fn won_by(winner: Option<Side>) -> Option<RecordedResult> {
    Some(RecordedResult { winner, cause: ResultCause::Unspecified })
}

fn header(bytes: &[u8]) -> Result<&[u8], FormatError> {
    if !bytes.starts_with(b"XQ") {
        return Err(wrong(0, "not an XQStudio file: it does not start with XQ"));
    }
    let version = bytes.get(2).copied().unwrap_or_default();
    if version > NEWEST_VERSION {
        let (major, minor) = (version / 10, version % 10);
        let reason = format!(
            "version {major}.{minor} is scrambled; the newest supported version is 1.0: save the file \
             as 1.0 or as PGN"
        );
        return Err(wrong(2, reason));
    }
    let short =
        || wrong(bytes.len(), format!("the file ends inside its {HEADER_BYTES}-byte header"));
    bytes.get(..HEADER_BYTES).ok_or_else(short)
}

/// The point of a byte, 10 × file + rank.
fn point(byte: u8) -> Option<Square> {
    Square::new(byte / 10, byte % 10)
}

fn pieces(header: &[u8]) -> Result<Vec<(Piece, Square)>, FormatError> {
    let mut pieces: Vec<(Piece, Square)> = Vec::new();
    for (letter, at) in ORDER.chars().zip(PIECES..) {
        // A byte that is not a point stands for a captured piece.
        let Some((piece, square)) = Piece::from_letter(letter).zip(point(header[at])) else {
            continue;
        };
        if pieces.iter().any(|(_, other)| *other == square) {
            return Err(wrong(at, format!("two pieces are on {square}")));
        }
        pieces.push((piece, square));
    }
    Ok(pieces)
}

/// A text of the header: its length in bytes, then the bytes.
fn name(header: &[u8], at: usize) -> Option<String> {
    let length = usize::from(*header.get(at)?);
    let text = header.get(at + 1..)?;
    text_of(&text[..length.min(text.len())])
}

fn text_of(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = preserve_bytes(&bytes[..end]).replace("\r\n", "\n").replace('\r', "\n");
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Reads the moves. Returns the first one.
fn moves(bytes: &[u8], tree: &mut GameTree) -> Result<Option<Move>, FormatError> {
    let mut at = HEADER_BYTES;
    let mut first = None;
    let mut depth = 0;
    // Depths at which siblings are pending.
    let mut open: Vec<usize> = Vec::new();
    loop {
        // A file without moves may end after the entry for the start.
        if at == bytes.len() && depth == 1 {
            break;
        }
        let Some(&[from, to, flags, _, a, b, c, d]) = bytes.get(at..at + 8) else {
            let reason = "the file ends inside an 8-byte move";
            return Err(wrong(bytes.len(), reason));
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let comment = bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(|| {
            wrong(at + 4, format!("a comment of {length} bytes is longer than the file"))
        })?;
        // The first entry stands for the start, not for a move.
        if depth > 0 {
            let points = point(from.wrapping_sub(24)).zip(point(to.wrapping_sub(32)));
            let Some((from, to)) = points else {
                return Err(wrong(at, format!("0x{from:02x}{to:02x} is not a move")));
            };
            let mv = Move { from, to };
            tree.add(depth, &mv.to_string(), at).map_err(tree_full(Location::Byte(at)))?;
            first = first.or(Some(mv));
        }
        if let Some(text) = text_of(comment) {
            tree.add_comment(&text).map_err(tree_full(Location::Byte(at)))?;
        }
        let (follows, sibling) = (flags & 0xf0 != 0, flags & 0x0f != 0 && depth > 0);
        at += 8 + length;
        if sibling {
            open.push(depth);
        }
        depth = match (follows, open.pop()) {
            (true, pending) => {
                open.extend(pending);
                depth + 1
            }
            (false, Some(pending)) => pending,
            (false, None) => break,
        };
    }
    Ok(first)
}
