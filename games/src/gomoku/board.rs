//! Stones on a board as bits: for each colour one word per row, column and diagonal, so that a line
//! can be tested as a whole. Contains no rules.

use std::ops::Range;

use super::point::{Color, Direction, MAX_SIZE, Point, points_of_row};

/// Line numbers are less than this on every board: 22 rows, 22 columns and twice 43 diagonals.
pub const LINES: usize = 130;

/// One colour's stones on a line through a point: see [`Gomoku::line`](super::Gomoku::line).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The stones: bit 0 is the line's first point.
    pub bits: u32,
    /// Index of the queried point on the line.
    pub at: u32,
    /// Number of points of the line.
    pub length: u32,
}

/// The stones on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    size: u8,
    /// By colour, then by line number. The bit is the column; in columns it is the row.
    words: [[u32; LINES]; 2],
}

impl Board {
    /// An empty board. `size` must be 5 to 22.
    pub(super) fn empty(size: u8) -> Board {
        Board { size, words: [[0; LINES]; 2] }
    }

    #[inline]
    pub(super) fn size(&self) -> u8 {
        self.size
    }

    /// Places or removes a stone.
    #[inline]
    pub(super) fn toggle(&mut self, color: Color, point: Point) {
        for direction in Direction::ALL {
            let number = self.line_number(direction, point);
            self.words[color.index()][number] ^= 1 << bit(direction, point);
        }
    }

    #[inline]
    pub(super) fn contains(&self, point: Point) -> bool {
        point.column() < self.size && point.row() < self.size
    }

    /// The stone on a point; `None` off the board.
    #[inline]
    pub(super) fn stone_at(&self, point: Point) -> Option<Color> {
        let row = usize::from(point.row());
        Color::ALL
            .into_iter()
            .find(|color| self.words[color.index()][row] >> point.column() & 1 == 1)
    }

    /// The columns of a row that are empty, as bits.
    #[inline]
    pub(super) fn empty_columns(&self, row: u8) -> u32 {
        let [black, white] = &self.words;
        let row = usize::from(row);
        !(black[row] | white[row]) & ((1 << self.size) - 1)
    }

    /// Number of empty points.
    #[inline]
    pub(super) fn empties(&self) -> u32 {
        (0..self.size).map(|row| self.empty_columns(row).count_ones()).sum()
    }

    /// The empty point with this index from 0, in the order of points.
    #[inline]
    pub(super) fn nth_empty(&self, mut number: u32) -> Option<Point> {
        for row in 0..self.size {
            let mut columns = self.empty_columns(row);
            let there = columns.count_ones();
            if number < there {
                for _ in 0..number {
                    columns &= columns - 1;
                }
                return points_of_row(row, columns).next();
            }
            number -= there;
        }
        None
    }

    /// The empty points in order.
    pub(super) fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.size).flat_map(|row| points_of_row(row, self.empty_columns(row)))
    }

    /// The stones of a colour in the order of points.
    pub(super) fn stones(&self, color: Color) -> impl Iterator<Item = Point> + '_ {
        (0..self.size)
            .flat_map(move |row| points_of_row(row, self.words[color.index()][usize::from(row)]))
    }

    /// The number of stones in the row of this colour through a point that has one.
    #[inline]
    pub(super) fn run(&self, color: Color, direction: Direction, point: Point) -> u32 {
        let word = self.words[color.index()][self.line_number(direction, point)];
        let bit = bit(direction, point);
        (word >> bit).trailing_ones() + (word << (31 - bit)).leading_ones() - 1
    }

    /// Whether the other colour blocks both ends of the row of stones through a point.
    pub(super) fn is_blocked_row(&self, color: Color, direction: Direction, point: Point) -> bool {
        let number = self.line_number(direction, point);
        let (own, other) =
            (self.words[color.index()][number], self.words[color.other().index()][number]);
        let bit = bit(direction, point);
        let above = bit + (own >> bit).trailing_ones();
        let below = bit + 1 - (own << (31 - bit)).leading_ones();
        other >> above & 1 == 1 && other << 1 >> below & 1 == 1
    }

    /// The stones of a colour and the empty points of a line, up to five points either side of a
    /// point. Bit 5 is the point itself.
    #[inline]
    pub(super) fn around(&self, color: Color, direction: Direction, point: Point) -> (u32, u32) {
        let number = self.line_number(direction, point);
        let (own, empty) = self.own_and_empty(color, number);
        let bit = bit(direction, point);
        // Line words have at most 22 bits, so no bit is lost.
        (own << 5 >> bit & 0x7ff, empty << 5 >> bit & 0x7ff)
    }

    /// The stones part of [`around`](Board::around), at lower cost.
    #[inline]
    pub(super) fn stones_around(&self, color: Color, direction: Direction, point: Point) -> u32 {
        let own = self.words[color.index()][self.line_number(direction, point)];
        own << 5 >> bit(direction, point) & 0x7ff
    }

    /// A line of one colour through a point, shifted to start at bit 0.
    #[inline]
    pub(super) fn line(&self, color: Color, direction: Direction, point: Point) -> Line {
        let number = self.line_number(direction, point);
        let (first, length) = self.extent(number);
        Line {
            bits: self.words[color.index()][number] >> first,
            at: bit(direction, point) - first,
            length,
        }
    }

    /// The number of the line through a point.
    #[inline]
    pub(super) fn line_number(&self, direction: Direction, point: Point) -> usize {
        let (column, row) = (usize::from(point.column()), usize::from(point.row()));
        base(direction)
            + match direction {
                Direction::Row => row,
                Direction::Column => column,
                Direction::Rising => column + usize::from(self.size) - 1 - row,
                Direction::Falling => column + row,
            }
    }

    /// The numbers of the lines of a direction with at least five points.
    #[inline]
    pub(super) fn long_lines(&self, direction: Direction) -> Range<usize> {
        let (base, size) = (base(direction), usize::from(self.size));
        match direction {
            Direction::Row | Direction::Column => base..base + size,
            // The four outermost diagonals of each corner are too short.
            Direction::Rising | Direction::Falling => base + 4..base + 2 * size - 5,
        }
    }

    /// The stones of one colour on a line.
    #[inline]
    pub(super) fn stones_on(&self, color: Color, number: usize) -> u32 {
        self.words[color.index()][number]
    }

    /// The stones of one colour on a line, and its empty points.
    #[inline]
    pub(super) fn own_and_empty(&self, color: Color, number: usize) -> (u32, u32) {
        let (first, length) = self.extent(number);
        let own = self.words[color.index()][number];
        let other = self.words[color.other().index()][number];
        (own, !(own | other) & ((1 << length) - 1) << first)
    }

    /// The point at a bit of a line.
    #[inline]
    pub(super) fn point_on(&self, direction: Direction, number: usize, bit: u8) -> Point {
        let number = (number - base(direction)) as u8;
        match direction {
            Direction::Row => Point::at(bit, number),
            Direction::Column => Point::at(number, bit),
            Direction::Rising => Point::at(bit, bit + self.size - 1 - number),
            Direction::Falling => Point::at(bit, number - bit),
        }
    }

    /// The first point of a line.
    pub(super) fn first_point(&self, direction: Direction, number: usize) -> Point {
        self.point_on(direction, number, self.extent(number).0 as u8)
    }

    /// The first bit and the length of a line.
    #[inline]
    fn extent(&self, number: usize) -> (u32, u32) {
        let size = u32::from(self.size);
        if number < base(Direction::Rising) {
            return (0, size);
        }
        let diagonals = base(Direction::Falling) - base(Direction::Rising);
        let diagonal = ((number - base(Direction::Rising)) % diagonals) as u32;
        let first = diagonal.saturating_sub(size - 1);
        (first, diagonal.min(size - 1) + 1 - first)
    }
}

/// The number of a direction's first line.
#[inline]
const fn base(direction: Direction) -> usize {
    let size = MAX_SIZE as usize;
    match direction {
        Direction::Row => 0,
        Direction::Column => size,
        Direction::Rising => 2 * size,
        Direction::Falling => 4 * size - 1,
    }
}

/// The bit of a point in its line's word.
#[inline]
const fn bit(direction: Direction, point: Point) -> u32 {
    match direction {
        Direction::Column => point.row() as u32,
        _ => point.column() as u32,
    }
}
