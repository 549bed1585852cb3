//! The words of a board: colours, squares and moves. Knows neither a board's
//! size nor what lies on it.

use std::fmt;

use crate::rules::Coded;

/// The smallest board.
pub const MIN_SIZE: u8 = 4;
/// The largest board; columns end at `p`.
pub const MAX_SIZE: u8 = 16;

/// A colour of discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Black, who begins: seat 0.
    Black,
    /// White: seat 1.
    White,
}

impl Color {
    /// Both, black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The opponent's colour.
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// 0 for black, 1 for white: seat, side, and index of tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// Its disc in texts and pictures.
    pub const fn disc(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }
}

/// A square of a board of any size.
///
/// # Order
/// Squares are ordered a1, b1, c1, … and then row by row down the board, as it is
/// seen; that is the order in which moves are generated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square at a column and a row, both from 0; `None` off the largest board.
    #[inline]
    pub const fn new(column: u8, row: u8) -> Option<Square> {
        if column < MAX_SIZE && row < MAX_SIZE { Some(Square(row << 4 | column)) } else { None }
    }

    /// The square of a bit of the two words of 8×8 (see [`bits`](super::bits)), 0 to 63.
    #[inline]
    pub const fn of_bit(bit: u32) -> Square {
        Square((bit << 1 & 0x70 | bit & 7) as u8)
    }

    /// Its bit in the two words of 8×8, where it is on that board.
    #[inline]
    pub const fn bit(self) -> u32 {
        (self.0 >> 1 & 0x38 | self.0 & 7) as u32
    }

    /// The square with this index: sixteen of them in a row of any board.
    #[inline]
    pub(super) const fn at(index: u8) -> Square {
        Square(index)
    }

    /// Its number among those of the largest board.
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The column, from 0.
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 & 15
    }

    /// The row, from 0.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 >> 4
    }

    /// Appends its text without the detour of a formatter.
    pub(super) fn write(self, out: &mut String) {
        out.push(column_letter(self.column()));
        let number = self.row() + 1;
        if number >= 10 {
            out.push((b'0' + number / 10) as char);
        }
        out.push((b'0' + number % 10) as char);
    }
}

/// The letter of a column from 0.
pub(super) const fn column_letter(column: u8) -> char {
    (b'a' + column) as char
}

impl fmt::Display for Square {
    /// The move text: `d3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letter(self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A disc on an empty square.
    Disc(Square),
    /// No disc, since no square is left to move to.
    Pass,
}

impl Move {
    /// The square of a disc; none for a pass.
    #[inline]
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Disc(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// The disc on the square of this bit of the two words of 8×8, 0 to 63.
    #[inline]
    pub const fn of_bit(bit: u32) -> Move {
        Move::Disc(Square::of_bit(bit))
    }
}

/// Behind the codes of all squares.
const PASS: u32 = 1 << 8;

impl Coded for Move {
    #[inline]
    fn code(self) -> u32 {
        self.square().map_or(PASS + 1, |square| 1 + u32::from(square.0))
    }

    #[inline]
    fn of_code(code: u32) -> Option<Move> {
        match code {
            1..=PASS => Some(Move::Disc(Square((code - 1) as u8))),
            _ => (code == PASS + 1).then_some(Move::Pass),
        }
    }
}

impl From<Square> for Move {
    #[inline]
    fn from(square: Square) -> Move {
        Move::Disc(square)
    }
}

impl fmt::Display for Move {
    /// The move text: `d3`, `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Disc(square) => square.fmt(f),
            Move::Pass => f.write_str("pass"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
