//! Colours, squares and moves. Independent of the board size and of the discs.

use std::fmt;

use crate::rules::MoveCode;

/// Smallest board size.
pub const MIN_SIZE: u8 = 4;
/// Largest board size; its last column is `p`.
pub const MAX_SIZE: u8 = 16;

/// Colour of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Black, which moves first: seat 0.
    Black,
    /// White: seat 1.
    White,
}

impl Color {
    /// Both colours, black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The opponent's colour.
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// 0 for black, 1 for white; equals seat and side, and indexes tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// The letter of its discs in texts and diagrams.
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
/// Squares are ordered a1, b1, c1, … and then by rows down the board. Moves are generated in this
/// order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square at a column and row, both from 0; `None` outside the largest board.
    #[inline]
    pub const fn new(column: u8, row: u8) -> Option<Square> {
        if column < MAX_SIZE && row < MAX_SIZE { Some(Square(row << 4 | column)) } else { None }
    }

    /// The square of a bit, 0 to 63, in the words of an 8×8 board (see [`bits`](super::bits)).
    #[inline]
    pub const fn from_bit(bit: u32) -> Square {
        Square((bit << 1 & 0x70 | bit & 7) as u8)
    }

    /// The bit of this square in the words of an 8×8 board. Only valid for squares of that board.
    #[inline]
    pub const fn bit(self) -> u32 {
        (self.0 >> 1 & 0x38 | self.0 & 7) as u32
    }

    /// The square with this index; rows are 16 apart on every board.
    #[inline]
    pub(super) const fn at(index: u8) -> Square {
        Square(index)
    }

    /// Index, 16 × row + column, on every board.
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Column, from 0.
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 & 15
    }

    /// Row, from 0.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 >> 4
    }

    /// Appends the text without a formatter.
    pub(super) fn write(self, out: &mut String) {
        out.push(column_letter(self.column()));
        let number = self.row() + 1;
        if number >= 10 {
            out.push((b'0' + number / 10) as char);
        }
        out.push((b'0' + number % 10) as char);
    }
}

/// The letter of a column, from 0.
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

/// A move of reversi.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A disc on an empty square.
    Disc(Square),
    /// A pass, legal only if no disc can be placed.
    Pass,
}

impl Move {
    /// The square of a disc; `None` for a pass.
    #[inline]
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Disc(square) => Some(square),
            Move::Pass => None,
        }
    }

    /// A disc on the square of a bit, 0 to 63, in the words of an 8×8 board.
    #[inline]
    pub const fn from_bit(bit: u32) -> Move {
        Move::Disc(Square::from_bit(bit))
    }
}

/// The number of square codes.
const PASS: u32 = 1 << 8;

impl MoveCode for Move {
    #[inline]
    fn code(self) -> u32 {
        self.square().map_or(PASS + 1, |square| 1 + u32::from(square.0))
    }

    #[inline]
    fn from_code(code: u32) -> Option<Move> {
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
