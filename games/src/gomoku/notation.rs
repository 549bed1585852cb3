//! Reads and writes move texts and position texts. Reading is strict, reports all faults and never
//! panics.

use super::board::Board;
use super::moves::Move;
use super::point::{Color, MAX_SIZE, MIN_SIZE, Point, column_letter};
use super::suffix::Suffix;
use crate::messages;
use crate::rules::{PositionError, PositionFault};

/// Longer position texts are rejected unread. A valid text has less than 600 bytes; the rest leaves
/// room to report the faults of an invalid one.
const MAX_TEXT_BYTES: usize = 4096;

/// Reads the text of a point on a board. The error is a reason that fits after "`text` is refused:
/// ".
pub(super) fn read_point(text: &str, size: u8) -> Result<Point, String> {
    let (last, middle) = (column_letter(size - 1), column_letter(size / 2));
    let form = || messages::point_form(last, size, format!("{middle}{}", size / 2 + 1));
    let mut rest = text.chars();
    let letter = rest.next().ok_or_else(|| messages::move_is_empty(form()))?;
    if !letter.is_ascii_alphabetic() {
        return Err(messages::no_column_letter(form()));
    }
    let column = letter.to_ascii_lowercase() as u8 - b'a';
    if column >= size {
        return Err(messages::no_such_column(letter, last));
    }
    let row = read_row(rest.as_str(), size)?;
    Ok(Point::at(column, row))
}

/// Reads a row number; returns it counted from 0.
fn read_row(text: &str, size: u8) -> Result<u8, String> {
    if text.is_empty() {
        return Err(messages::row_missing(size));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(messages::row_not_a_number(size));
    }
    if text.starts_with('0') {
        return Err(messages::row_starts_with_zero(size));
    }
    match text.parse::<u8>() {
        Ok(row) if row <= size => Ok(row - 1),
        // A number with many digits is not quoted.
        _ if text.len() > 3 => Err(messages::no_such_row(size)),
        _ => Err(messages::no_row(text, size)),
    }
}

/// Reads a move that is a word; `None` for any other text.
pub(super) fn read_word(text: &str) -> Option<Move> {
    match text {
        "pass" => Some(Move::Pass),
        "swap" => Some(Move::Swap),
        "keep" => Some(Move::Keep),
        "put-two" => Some(Move::PutTwo),
        _ => read_fifths(text).map(Move::Fifths),
    }
}

/// Reads how many fifth stones are announced: `fifths-5`.
pub(super) fn read_fifths(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("fifths-")?;
    let count: u8 = digits.parse().ok()?;
    // Only the canonical number: no sign, no leading 0.
    (count > 0 && count.to_string() == digits).then_some(count)
}

/// Appends the text of a move.
pub(super) fn write_move(mv: Move, out: &mut String) {
    match mv {
        // Avoids the formatter: engines write principal variations often.
        Move::Stone(point) => write_point(point, out),
        word => out.push_str(&word.to_string()),
    }
}

/// Appends the text of a point.
fn write_point(point: Point, out: &mut String) {
    out.push(column_letter(point.column()));
    write_number(point.row() + 1, out);
}

/// Appends a number below 100.
fn write_number(number: u8, out: &mut String) {
    if number >= 10 {
        out.push((b'0' + number / 10) as char);
    }
    out.push((b'0' + number % 10) as char);
}

/// Appends `rows side`.
pub(super) fn write_position(board: &Board, to_move: Color, out: &mut String) {
    for row in (0..board.size()).rev() {
        write_row(board, row, out);
        out.push(if row > 0 { '/' } else { ' ' });
    }
    out.push(side_letter(to_move));
}

fn write_row(board: &Board, row: u8, out: &mut String) {
    let mut empties = 0;
    for column in 0..board.size() {
        match board.stone_at(Point::at(column, row)) {
            Some(color) => {
                write_empties(&mut empties, out);
                out.push(color.stone());
            }
            None => empties += 1,
        }
    }
    write_empties(&mut empties, out);
}

fn write_empties(empties: &mut u8, out: &mut String) {
    if *empties > 0 {
        write_number(*empties, out);
        *empties = 0;
    }
}

fn side_letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

/// A position text before the rules are applied.
pub(super) struct Placement {
    /// Stones on the board.
    pub(super) board: Board,
    /// Colour that moves next.
    pub(super) to_move: Color,
    /// The words after the side.
    pub(super) suffix: Suffix,
}

/// Reads `rows side` and the following words, for a board of the given size or else of any size.
pub(super) fn read_position(text: &str, size: Option<u8>) -> Result<Placement, PositionError> {
    if text.len() > MAX_TEXT_BYTES {
        let reason = format!("the text has {} bytes; the limit is {MAX_TEXT_BYTES}", text.len());
        return Err(PositionError(vec![PositionFault { offset: MAX_TEXT_BYTES, reason }]));
    }
    let mut reader = Reader { faults: Vec::new() };
    let placement = reader.read(text, size);
    match placement {
        Some(placement) if reader.faults.is_empty() => Ok(placement),
        _ => Err(PositionError(reader.faults)),
    }
}

/// A part of a text and its byte offset.
#[derive(Clone, Copy)]
pub(super) struct TextPart<'a> {
    pub(super) offset: usize,
    pub(super) text: &'a str,
}

/// Collects faults and continues reading.
struct Reader {
    faults: Vec<PositionFault>,
}

impl Reader {
    fn fault(&mut self, offset: usize, reason: impl Into<String>) {
        self.faults.push(PositionFault { offset, reason: reason.into() });
    }

    fn read(&mut self, text: &str, size: Option<u8>) -> Option<Placement> {
        let mut fields = TextPart { offset: 0, text }
            .split(|c| c.is_ascii_whitespace())
            .filter(|field| !field.text.is_empty());
        let Some(rows) = fields.next() else {
            self.fault(0, "the text is empty; expected rows and side");
            return None;
        };
        let board = self.read_rows(rows, size);
        let to_move = match fields.next() {
            Some(side) => self.read_side(side),
            None => {
                self.fault(text.len(), "the side to move is missing; expected b or w");
                None
            }
        };
        let words: Vec<TextPart> = fields.collect();
        let size = board.as_ref().map_or(MAX_SIZE, Board::size);
        let suffix = Suffix::read(&words, size, &mut self.faults);
        Some(Placement { board: board?, to_move: to_move?, suffix })
    }

    fn read_side(&mut self, side: TextPart) -> Option<Color> {
        let color =
            Color::ALL.into_iter().find(|&color| side.text.chars().eq([side_letter(color)]));
        if color.is_none() {
            self.fault(side.offset, "the side to move is neither b nor w");
        }
        color
    }

    /// Reads the rows from the top down. Without a board size, the rows are still read to report
    /// their other faults.
    fn read_rows(&mut self, rows: TextPart, size: Option<u8>) -> Option<Board> {
        let count = rows.split(|c| c == '/').count();
        let found = u8::try_from(count).ok().filter(|count| (MIN_SIZE..=MAX_SIZE).contains(count));
        match size {
            Some(size) if found != Some(size) => {
                self.fault(rows.offset, format!("{count} rows on a board of {size}"));
            }
            None if found.is_none() => {
                self.fault(
                    rows.offset,
                    format!("{count} rows; boards have {MIN_SIZE} to {MAX_SIZE}"),
                );
            }
            _ => {}
        }
        let mut board = size.or(found).map(Board::empty);
        for (index, row) in rows.split(|c| c == '/').enumerate() {
            self.read_one_row(row, count - index, board.as_mut());
        }
        board
    }

    /// Reads a row; `number` counts from the bottom, as in moves.
    fn read_one_row(&mut self, row: TextPart, number: usize, mut board: Option<&mut Board>) {
        let mut column = 0usize;
        let mut rest = row;
        while let Some(first) = rest.text.chars().next() {
            let digits = rest.text.bytes().take_while(u8::is_ascii_digit).count();
            match Color::ALL.into_iter().find(|color| color.stone() == first) {
                Some(color) => {
                    place_stone(board.as_deref_mut(), color, column, number - 1);
                    column += 1;
                }
                None if digits > 0 => column += self.read_run(rest.offset, &rest.text[..digits]),
                None => {
                    let shown = first.escape_debug();
                    self.fault(rest.offset, format!("`{shown}` is neither x nor o nor a number"));
                    // It probably stands for a point: report only one fault.
                    column += 1;
                }
            }
            let taken = digits.max(first.len_utf8());
            rest = TextPart { offset: rest.offset + taken, text: &rest.text[taken..] };
        }
        if let Some(size) =
            board.map(|board| usize::from(board.size())).filter(|&size| size != column)
        {
            let points = match column {
                0..=99 => column.to_string(),
                _ => "too many".to_owned(),
            };
            self.fault(row.offset, format!("row {number} has {points} points instead of {size}"));
        }
    }

    /// Reads the length of a run of empty points.
    fn read_run(&mut self, offset: usize, digits: &str) -> usize {
        if digits.starts_with('0') {
            self.fault(offset, "the number of empty points starts with 0");
        }
        // A length that does not fit into a byte does not fit on any board.
        usize::from(digits.parse::<u8>().unwrap_or(u8::MAX))
    }
}

/// Places a stone if it is on the board. Rows that are too long and surplus rows are reported
/// elsewhere.
fn place_stone(board: Option<&mut Board>, color: Color, column: usize, row: usize) {
    let point = u8::try_from(column).ok().zip(u8::try_from(row).ok());
    let point = point.and_then(|(column, row)| Point::new(column, row));
    if let (Some(board), Some(point)) = (board, point)
        && board.contains(point)
    {
        board.toggle(color, point);
    }
}

impl<'a> TextPart<'a> {
    /// The parts between ASCII separators, with their byte offsets.
    pub(super) fn split(self, separator: fn(char) -> bool) -> impl Iterator<Item = TextPart<'a>> {
        let mut offset = self.offset;
        self.text.split(separator).map(move |text| {
            let part = TextPart { offset, text };
            offset += text.len() + 1;
            part
        })
    }
}
