//! Sets of points as one word per row, and where the points of a line are.
//! Knows nothing of stones.

use sandboard_games::gomoku::{Direction, Gomoku, LINES, MAX_SIZE, Point};

/// A set of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows(pub(super) [u32; MAX_SIZE as usize]);

impl Rows {
    /// One point.
    pub(super) fn of(point: Point) -> Rows {
        let mut rows = Rows::default();
        rows.insert(point);
        rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    #[inline]
    pub(super) fn contains(&self, point: Point) -> bool {
        self.0[usize::from(point.row())] >> point.column() & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, point: Point) {
        self.0[usize::from(point.row())] |= 1 << point.column();
    }

    #[inline]
    pub(super) fn remove(&mut self, point: Point) {
        self.0[usize::from(point.row())] &= !(1 << point.column());
    }

    pub(super) fn or(mut self, other: &Rows) -> Rows {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        self
    }

    pub(super) fn and(mut self, other: &Rows) -> Rows {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        self
    }

    /// The points, a1 upwards.
    pub(super) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        (0u8..).zip(self.0).flat_map(|(row, mut columns)| {
            std::iter::from_fn(move || {
                let column = columns.trailing_zeros() as u8;
                columns &= columns.wrapping_sub(1);
                Point::new(column, row)
            })
        })
    }
}

/// Points with how often each was put in: once, or more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) once: Rows,
    pub(super) twice: Rows,
}

/// Where a line begins and in which direction it runs.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    column: i8,
    row: i8,
    step: (i8, i8),
}

impl Course {
    #[inline]
    fn at(self, bit: u32) -> (usize, u32) {
        let bit = bit as i8;
        let (column, row) = (self.column + bit * self.step.0, self.row + bit * self.step.1);
        (row as usize, column as u32)
    }
}

/// The courses of all lines that are long enough for a five.
#[derive(Clone, Debug)]
pub(super) struct Courses([Course; LINES]);

impl Courses {
    pub(super) const NONE: Courses = Courses([Course { column: 0, row: 0, step: (0, 0) }; LINES]);

    pub(super) fn of(position: &Gomoku) -> Courses {
        let mut courses = Courses::NONE;
        for (direction, first) in position.lines() {
            let (column, row) = direction.step();
            courses.0[position.line_number(direction, first)] = Course {
                column: first.column() as i8,
                row: first.row() as i8,
                step: (column as i8, row as i8),
            };
        }
        courses
    }

    /// Adds the points of a line at these bits.
    #[inline]
    pub(super) fn insert(&self, line: usize, mut bits: u32, rows: &mut Rows) {
        while bits != 0 {
            let (row, column) = self.0[line].at(bits.trailing_zeros());
            rows.0[row] |= 1 << column;
            bits &= bits - 1;
        }
    }

    /// Counts the points of a line at these bits.
    #[inline]
    pub(super) fn count(&self, line: usize, mut bits: u32, tally: &mut Tally) {
        while bits != 0 {
            let (row, column) = self.0[line].at(bits.trailing_zeros());
            tally.twice.0[row] |= tally.once.0[row] & 1 << column;
            tally.once.0[row] |= 1 << column;
            bits &= bits - 1;
        }
    }
}

/// A set of lines by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineSet([u64; LINES.div_ceil(64)]);

impl LineSet {
    #[inline]
    pub(super) fn set(&mut self, line: usize, present: bool) {
        let word = &mut self.0[line / 64];
        *word = *word & !(1 << (line % 64)) | u64::from(present) << (line % 64);
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; LINES.div_ceil(64)]
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..).zip(self.0).flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let line = (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                line
            })
        })
    }
}

/// The directions with the number of the line through a point in each.
#[inline]
pub(super) fn lines_through(
    position: &Gomoku,
    point: Point,
) -> impl Iterator<Item = (Direction, usize)> {
    Direction::ALL.map(|direction| (direction, position.line_number(direction, point))).into_iter()
}
