//! The words of a board: colours, points and the directions of lines. Knows
//! neither a board's size nor what stands on it.

use std::fmt;

/// The smallest board.
pub const MIN_SIZE: u8 = 5;
/// The largest board; columns end at `v`.
pub const MAX_SIZE: u8 = 22;

/// A colour of stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color {
    /// Black, who begins.
    Black,
    /// White.
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

    /// 0 for black, 1 for white: for tables by colour.
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

    /// Its stone in texts and pictures.
    pub const fn stone(self) -> char {
        match self {
            Color::Black => 'x',
            Color::White => 'o',
        }
    }
}

/// One of the four directions in which lines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Along a row, by rising column.
    Row,
    /// Along a column, by rising row.
    Column,
    /// Up and to the right, by rising column.
    Rising,
    /// Down and to the right, by rising column.
    Falling,
}

impl Direction {
    /// All four.
    pub const ALL: [Direction; 4] =
        [Direction::Row, Direction::Column, Direction::Rising, Direction::Falling];

    /// 0 to 3: for tables by direction.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What one step along the line adds to column and row.
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

/// A point of a board, and a move: the point that gets a stone.
///
/// # Order
/// Points are ordered a1, b1, c1, … and then row by row upwards, on a board of
/// any size; that is the order in which moves are generated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u16);

impl Point {
    /// All indices are below this, on a board of any size: the length of a
    /// table by [`index`](Point::index).
    pub const INDICES: usize = 32 * MAX_SIZE as usize;

    /// The point at a column and a row, both from 0; `None` off the largest board.
    #[inline]
    pub const fn new(column: u8, row: u8) -> Option<Point> {
        if column < MAX_SIZE && row < MAX_SIZE { Some(Point::at(column, row)) } else { None }
    }

    /// Rows are 32 apart: column and row come out by a mask and a shift.
    #[inline]
    pub(super) const fn at(column: u8, row: u8) -> Point {
        Point((row as u16) << 5 | column as u16)
    }

    /// The column, from 0 for `a`.
    #[inline]
    pub const fn column(self) -> u8 {
        (self.0 & 31) as u8
    }

    /// The row, from 0 for `1`, the lowest.
    #[inline]
    pub const fn row(self) -> u8 {
        (self.0 >> 5) as u8
    }

    /// A number below [`INDICES`](Point::INDICES), rising in the order of points.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The point with this index.
    #[inline]
    pub(super) const fn of_index(index: usize) -> Option<Point> {
        Point::new((index & 31) as u8, (index >> 5 & 0xff) as u8)
    }

    /// The point so many steps along a line, forwards or (negative) backwards;
    /// `None` off the largest board.
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

/// A set of points of one board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointSet {
    rows: [u32; MAX_SIZE as usize],
}

impl PointSet {
    /// Whether there is no point in it.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    /// How many points are in it.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Whether a point is in it.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.rows[usize::from(point.row())] >> point.column() & 1 == 1
    }

    /// Adds a point.
    #[inline]
    pub fn insert(&mut self, point: Point) {
        self.insert_row(point.row(), 1 << point.column());
    }

    /// Adds the points of a row whose bits are set, bit 0 for column `a`.
    #[inline]
    pub(super) fn insert_row(&mut self, row: u8, columns: u32) {
        self.rows[usize::from(row)] |= columns;
    }

    /// The points in their order, a1 upwards.
    pub fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        (0..MAX_SIZE).flat_map(|row| points_of_row(row, self.rows[usize::from(row)]))
    }
}

/// The points of a row whose bits are set, in their order.
#[inline]
pub(super) fn points_of_row(row: u8, columns: u32) -> impl Iterator<Item = Point> {
    bits(columns).map(move |column| Point::at(column, row))
}

/// The numbers of the bits that are set, lowest first.
#[inline]
pub(super) fn bits(mut word: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as u8);
        word &= word.wrapping_sub(1);
        bit
    })
}
