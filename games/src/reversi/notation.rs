//! Reads and writes move texts and position texts. Reading is strict, reports all faults and never
//! panics.

use super::board::Board;
use super::key::squares;
use super::square::{Color, MAX_SIZE, MIN_SIZE, Square, column_letter};
use crate::fields::fields;
use crate::messages;
use crate::rules::{PositionError, PositionFault};

/// Longer position texts are rejected unread. A valid text has at most 258 bytes; the rest leaves
/// room to report the faults of an invalid one.
const MAX_TEXT_BYTES: usize = 4096;
/// Maximum number of reported invalid characters.
const MAX_REPORTED: usize = 16;

/// Reads the text of a square on a board. The error is a reason that fits after "`text` is refused:
/// ".
pub(super) fn read_square(text: &str, size: u8) -> Result<Square, String> {
    let last = column_letter(size - 1);
    let form = || messages::disc_form(last, size);
    let mut rest = text.chars();
    let letter = rest.next().ok_or_else(|| messages::move_is_empty(form()))?;
    if !letter.is_ascii_alphabetic() {
        return Err(messages::no_column_letter(form()));
    }
    let column = letter.to_ascii_lowercase() as u8 - b'a';
    let digits = rest.as_str();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(messages::no_row_number(form()));
    }
    if column >= size {
        return Err(messages::no_such_column(letter, last));
    }
    if digits.starts_with('0') {
        return Err(messages::row_starts_with_zero(size));
    }
    let row = digits.parse::<u8>().ok().filter(|row| *row <= size);
    let row = row.ok_or_else(|| match digits.len() {
        1..=3 => messages::no_row(digits, size),
        // A number with many digits is not quoted.
        _ => messages::no_such_row(size),
    })?;
    Square::new(column, row - 1).ok_or_else(form)
}

/// Appends the squares from a1 on and the side to move: `---…XO… X`.
pub(super) fn write_position(board: &Board, mover: Color, out: &mut String) {
    let disc = |square| board.disc_at(square, mover).map_or('-', Color::disc);
    out.extend(squares(board.size()).map(disc));
    out.push(' ');
    out.push(mover.disc());
}

/// Reads discs and side for a board of the given size, or else of any size. Returns the board and
/// the colour to move.
pub(super) fn read_position(text: &str, size: Option<u8>) -> Result<(Board, Color), PositionError> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("the text has {} bytes; the limit is {MAX_TEXT_BYTES}", text.len());
        return Err(PositionError(vec![PositionFault { offset: MAX_TEXT_BYTES, reason }]));
    }
    let mut faults = Vec::new();
    let mut fields = fields(text);
    let discs = fields.next();
    let side = fields.next();
    let size = discs.and_then(|(at, discs)| check_discs(at, discs, size, &mut faults));
    let mut fault =
        |at, reason: &str| faults.push(PositionFault { offset: at, reason: reason.to_owned() });
    let mover = match (discs, side) {
        (None, _) => {
            fault(0, "the text is empty; expected the squares from a1 on and the side");
            None
        }
        (_, None) => {
            fault(text.len(), "the side to move is missing; expected X or O");
            None
        }
        (_, Some((at, side))) => {
            let mover = Color::ALL.into_iter().find(|color| side.chars().eq([color.disc()]));
            if mover.is_none() {
                fault(at, "the side to move is neither X nor O");
            }
            mover
        }
    };
    if let Some((at, _)) = fields.next() {
        fault(at, "unexpected text after the side to move");
    }
    match (discs, size, mover) {
        (Some((_, discs)), Some(size), Some(mover)) if faults.is_empty() => {
            Ok((board_of(discs, size, mover), mover))
        }
        _ => Err(PositionError(faults)),
    }
}

/// Checks the discs. Returns the board size if it is valid.
fn check_discs(
    at: usize,
    discs: &str,
    size: Option<u8>,
    faults: &mut Vec<PositionFault>,
) -> Option<u8> {
    let known = |c: char| matches!(c, 'X' | 'O' | '-');
    let invalid = discs.char_indices().filter(|(_, c)| !known(*c));
    faults.extend(invalid.take(MAX_REPORTED).map(|(offset, c)| {
        let reason = format!("`{}` is neither X nor O nor -", c.escape_debug());
        PositionFault { offset: at + offset, reason }
    }));
    let count = discs.chars().count();
    let found = (MIN_SIZE..=MAX_SIZE)
        .step_by(2)
        .find(|side| usize::from(*side) * usize::from(*side) == count);
    let reason = match (size, found) {
        (Some(size), found) if found != Some(size) => {
            let wanted = usize::from(size) * usize::from(size);
            format!("{count} squares instead of {wanted} on a board of {size}")
        }
        (None, None) => {
            format!("{count} squares; boards have n×n with an even n from {MIN_SIZE} to {MAX_SIZE}")
        }
        _ => return found,
    };
    faults.push(PositionFault { offset: at, reason });
    None
}

fn board_of(discs: &str, size: u8, mover: Color) -> Board {
    let discs_of = |color: Color| {
        let here = move |(_, disc): &(Square, char)| *disc == color.disc();
        squares(size).zip(discs.chars()).filter(here).map(|(square, _)| square)
    };
    Board::new(size, discs_of(mover), discs_of(mover.other()))
}
