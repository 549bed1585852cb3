//! Move texts and position texts, read and written. Reading is strict, says
//! everything that is wrong, and never panics whatever the text.

use super::board::Board;
use super::moves::Move;
use super::point::{Color, MAX_SIZE, MIN_SIZE, Point, column_letter};
use super::words::Words;
use crate::rules::{PositionError, PositionFault};

/// Longer position texts are refused unread. The longest that can be right has
/// less than 600 bytes; the rest is room for telling a wrong one what is wrong.
const LONGEST_TEXT: usize = 4096;

/// Reads the text of a point of a board. Err: the reason, which fits behind
/// "`text` is refused: ".
pub(super) fn read_point(text: &str, size: u8) -> Result<Point, String> {
    let (last, middle) = (column_letter(size - 1), column_letter(size / 2));
    let form = || {
        format!(
            "a move is a column a to {last} and a row 1 to {size}, like {middle}{}",
            size / 2 + 1
        )
    };
    let mut rest = text.chars();
    let letter = rest.next().ok_or_else(|| format!("it is empty; {}", form()))?;
    if !letter.is_ascii_alphabetic() {
        return Err(format!("it does not begin with the letter of a column; {}", form()));
    }
    let column = letter.to_ascii_lowercase() as u8 - b'a';
    if column >= size {
        return Err(format!("there is no column {letter}; the columns are a to {last}"));
    }
    let row = read_row(rest.as_str(), size)?;
    Ok(Point::at(column, row))
}

/// Reads the number of a row, and gives it from 0.
fn read_row(text: &str, size: u8) -> Result<u8, String> {
    let rows = format!("the rows are 1 to {size}");
    if text.is_empty() {
        return Err(format!("the row is missing; {rows}"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("what follows the column is not a number; {rows}"));
    }
    if text.starts_with('0') {
        return Err(format!("the row begins with 0; {rows}"));
    }
    match text.parse::<u8>() {
        Ok(row) if row <= size => Ok(row - 1),
        // A number of many digits is not worth repeating.
        _ if text.len() > 3 => Err(format!("there is no such row; {rows}")),
        _ => Err(format!("there is no row {text}; {rows}")),
    }
}

/// Reads a move that is a word; none for any other text.
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
    // One text for each: no sign, and no 0 before the number.
    (count > 0 && count.to_string() == digits).then_some(count)
}

/// Appends the text of a move.
pub(super) fn write_move(mv: Move, out: &mut String) {
    match mv {
        // Formatting costs; engines write principal variations often.
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

/// What a position text says, before any rule has looked at it.
pub(super) struct Placement {
    /// The stones.
    pub(super) board: Board,
    /// The colour that moves next.
    pub(super) to_move: Color,
    /// What follows.
    pub(super) words: Words,
}

/// Reads `rows side` and words for a board of the size asked for, or else of any.
pub(super) fn read_position(text: &str, size: Option<u8>) -> Result<Placement, PositionError> {
    if text.len() > LONGEST_TEXT {
        let reason = format!("a text of {} bytes; none has more than {LONGEST_TEXT}", text.len());
        return Err(PositionError(vec![PositionFault { at: LONGEST_TEXT, reason }]));
    }
    let mut reader = Reader { faults: Vec::new() };
    let placement = reader.read(text, size);
    match placement {
        Some(placement) if reader.faults.is_empty() => Ok(placement),
        _ => Err(PositionError(reader.faults)),
    }
}

/// A part of a text and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// Collects faults while it reads on.
struct Reader {
    faults: Vec<PositionFault>,
}

impl Reader {
    fn fault(&mut self, at: usize, reason: impl Into<String>) {
        self.faults.push(PositionFault { at, reason: reason.into() });
    }

    fn read(&mut self, text: &str, size: Option<u8>) -> Option<Placement> {
        let mut fields = Part { at: 0, text }
            .split(|c| c.is_ascii_whitespace())
            .filter(|field| !field.text.is_empty());
        let Some(rows) = fields.next() else {
            self.fault(0, "the text is empty; it should be rows and side");
            return None;
        };
        let board = self.read_rows(rows, size);
        let to_move = match fields.next() {
            Some(side) => self.read_side(side),
            None => {
                self.fault(text.len(), "the side to move is missing; it is b or w");
                None
            }
        };
        let words: Vec<Part> = fields.collect();
        let size = board.as_ref().map_or(MAX_SIZE, Board::size);
        let words = Words::read(&words, size, &mut self.faults);
        Some(Placement { board: board?, to_move: to_move?, words })
    }

    fn read_side(&mut self, side: Part) -> Option<Color> {
        let color =
            Color::ALL.into_iter().find(|&color| side.text.chars().eq([side_letter(color)]));
        if color.is_none() {
            self.fault(side.at, "the side to move is neither b nor w");
        }
        color
    }

    /// Reads the rows from the top down. Without a board size to hold them
    /// against, they are still read, for what else is wrong with them.
    fn read_rows(&mut self, rows: Part, size: Option<u8>) -> Option<Board> {
        let count = rows.split(|c| c == '/').count();
        let found = u8::try_from(count).ok().filter(|count| (MIN_SIZE..=MAX_SIZE).contains(count));
        match size {
            Some(size) if found != Some(size) => {
                self.fault(rows.at, format!("{count} rows on a board of {size}"));
            }
            None if found.is_none() => {
                self.fault(rows.at, format!("{count} rows; boards have {MIN_SIZE} to {MAX_SIZE}"));
            }
            _ => {}
        }
        let mut board = size.or(found).map(Board::empty);
        for (index, row) in rows.split(|c| c == '/').enumerate() {
            self.read_one_row(row, count - index, board.as_mut());
        }
        board
    }

    /// Reads a row, numbered from the bottom as people see it.
    fn read_one_row(&mut self, row: Part, number: usize, mut board: Option<&mut Board>) {
        let mut column = 0usize;
        let mut rest = row;
        while let Some(first) = rest.text.chars().next() {
            let digits = rest.text.bytes().take_while(u8::is_ascii_digit).count();
            match Color::ALL.into_iter().find(|color| color.stone() == first) {
                Some(color) => {
                    put(board.as_deref_mut(), color, column, number - 1);
                    column += 1;
                }
                None if digits > 0 => column += self.read_run(rest.at, &rest.text[..digits]),
                None => {
                    let shown = first.escape_debug();
                    self.fault(rest.at, format!("`{shown}` is neither x nor o nor a number"));
                    // It most likely stands for a point: one fault is enough.
                    column += 1;
                }
            }
            let taken = digits.max(first.len_utf8());
            rest = Part { at: rest.at + taken, text: &rest.text[taken..] };
        }
        if let Some(size) =
            board.map(|board| usize::from(board.size())).filter(|&size| size != column)
        {
            let points = match column {
                0..=99 => column.to_string(),
                _ => "too many".to_owned(),
            };
            self.fault(row.at, format!("row {number} has {points} points instead of {size}"));
        }
    }

    /// Reads how many points of a run are empty.
    fn read_run(&mut self, at: usize, digits: &str) -> usize {
        if digits.starts_with('0') {
            self.fault(at, "a run of empty points does not begin with 0");
        }
        // A length that fits no number fits no board.
        usize::from(digits.parse::<u8>().unwrap_or(u8::MAX))
    }
}

/// Puts a stone, if it is on the board: a row that is too long, or one row too
/// many, is told of elsewhere.
fn put(board: Option<&mut Board>, color: Color, column: usize, row: usize) {
    let point = u8::try_from(column).ok().zip(u8::try_from(row).ok());
    let point = point.and_then(|(column, row)| Point::new(column, row));
    if let (Some(board), Some(point)) = (board, point)
        && board.contains(point)
    {
        board.toggle(color, point);
    }
}

impl<'a> Part<'a> {
    /// The parts between separators (ASCII, so one byte each) and where they begin.
    pub(super) fn split(self, separator: fn(char) -> bool) -> impl Iterator<Item = Part<'a>> {
        let mut at = self.at;
        self.text.split(separator).map(move |text| {
            let part = Part { at, text };
            at += text.len() + 1;
            part
        })
    }
}
