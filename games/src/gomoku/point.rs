//! Colours, points and line directions. Independent of the board size and of the stones.

use std::fmt;

/// Smallest board size.
pub const MIN_SIZE: u8 = 5;
/// Largest board size; its last column is `v`.
pub const MAX_SIZE: u8 = 22;

/// Colour of a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Black, the first player.
    Black,
    /// White, the second player.
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

    /// 0 for black, 1 for white; for tables by colour.
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

    /// The letter of its stones in texts and diagrams.
    pub const fn stone(self) -> char {
        match self {
            Color::Black => 'x',
            Color::White => 'o',
        }
    }
}

/// One of the four directions of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Along a row, by increasing column.
    Row,
    /// Along a column, by increasing row.
    Column,
    /// Up and to the right, by increasing column.
    Rising,
    /// Down and to the right, by increasing column.
    Falling,
}

impl Direction {
    /// All four directions.
    pub const ALL: [Direction; 4] =
        [Direction::Row, Direction::Column, Direction::Rising, Direction::Falling];

    /// 0 to 3; for tables by direction.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The change of (column, row) in one step along the line.
    #[inline]
    pub const fn step(self) -> (i32, i32) {
        match self {
            Direction::Row => (1, 0),
            Direction::Column => (0, 1),
            Direction::Rising => (1, 1),
            Direction::Falling => (1, -1),
        }
    }
}

/// A point of a board.
///
/// # Order
/// Points are ordered a1, b1, c1, … and then by rows upwards, on a board of any size. Moves are
/// generated in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u16);

impl Point {
    /// Upper bound of all indices, on a board of any size: the length of a table by
    /// [`index`](Point::index).
    pub const INDICES: usize = 32 * MAX_SIZE as usize;

    /// The point at a column and row, both from 0; `None` outside the largest board.
    #[inline]
    pub const fn new(column: u8, row: u8) -> Option<Point> {
        if column < MAX_SIZE && row < MAX_SIZE { Some(Point::at(column, row)) } else { None }
    }

    /// Rows are 32 apart, so column and row are a mask and a shift.
    #[inline]
    pub(super) const fn at(column: u8, row: u8) -> Point {
        Point((row as u16) << 5 | column as u16)
    }

    /// Column, from 0 for `a`.
    #[inline]
    pub const fn column(self) -> u8 {
        (self.0 & 31) as u8
    }

    /// Row, from 0 for `1`, the bottom row.
    #[inline]
    pub const fn row(self) -> u8 {
        (self.0 >> 5) as u8
    }

    /// A number less than [`INDICES`](Point::INDICES), increasing in the order of points.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The point with this index.
    #[inline]
    pub(super) const fn from_index(index: usize) -> Option<Point> {
        Point::new((index & 31) as u8, (index >> 5 & 0xff) as u8)
    }

    /// The point `steps` steps along a line, backwards if negative; `None` outside the largest
    /// board.
    #[inline]
    pub fn step(self, direction: Direction, steps: i32) -> Option<Point> {
        let (column, row) = direction.step();
        let go = |from: u8, by: i32| {
            let to = by.checked_mul(steps)?.checked_add(i32::from(from))?;
            u8::try_from(to).ok()
        };
        Point::new(go(self.column(), column)?, go(self.row(), row)?)
    }
}

impl fmt::Display for Point {
    /// The move text: `h8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letter(self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The letter of a column.
pub(super) const fn column_letter(column: u8) -> char {
    (b'a' + column) as char
}

/// A set of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointSet {
    rows: [u32; MAX_SIZE as usize],
}

impl PointSet {
    /// Whether the set has no point.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Whether the set contains a point.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.rows[usize::from(point.row())] >> point.column() & 1 == 1
    }

    /// Adds a point.
    #[inline]
    pub fn insert(&mut self, point: Point) {
        self.insert_row(point.row(), 1 << point.column());
    }

    /// Adds the points of a row whose bits are set; bit 0 is column `a`.
    #[inline]
    pub(super) fn insert_row(&mut self, row: u8, columns: u32) {
        self.rows[usize::from(row)] |= columns;
    }

    /// The points in order, from a1 upwards.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        (0..MAX_SIZE).flat_map(|row| points_of_row(row, self.rows[usize::from(row)]))
    }
}

/// The points of a row whose bits are set, in order.
#[inline]
pub(super) fn points_of_row(row: u8, columns: u32) -> impl Iterator<Item = Point> {
    bits(columns).map(move |column| Point::at(column, row))
}

/// The numbers of the set bits, lowest first.
#[inline]
pub(super) fn bits(mut word: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as u8);
        word &= word.wrapping_sub(1);
        bit
    })
}
