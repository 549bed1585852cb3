//! Sets of points as one word per row, and the geometry of lines. Knows no stones.

use sandboard_games::gomoku::{Direction, Gomoku, LINES, MAX_SIZE, Point};

/// A set of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PointSet(pub(super) [u32; MAX_SIZE as usize]);

impl PointSet {
    /// The set with this point only.
    pub(super) fn of(point: Point) -> PointSet {
        let mut set = PointSet::default();
        set.insert(point);
        set
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

    pub(super) fn or(mut self, other: &PointSet) -> PointSet {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        self
    }

    pub(super) fn and(mut self, other: &PointSet) -> PointSet {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        self
    }

    /// The points, from a1 on.
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

/// Points counted at least once, and those counted at least twice.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointTally {
    pub(super) once: PointSet,
    pub(super) twice: PointSet,
}

/// The first point of a line and the step to the next one.
#[derive(Clone, Copy, Debug, Default)]
struct LineGeometry {
    column: i8,
    row: i8,
    step: (i8, i8),
}

impl LineGeometry {
    #[inline]
    fn point_at(self, bit: u32) -> (usize, u32) {
        let bit = bit as i8;
        let (column, row) = (self.column + bit * self.step.0, self.row + bit * self.step.1);
        (row as usize, column as u32)
    }
}

/// The geometry of all lines that are long enough for a five.
#[derive(Clone, Debug)]
pub(super) struct LineGeometries([LineGeometry; LINES]);

impl LineGeometries {
    pub(super) const NONE: LineGeometries =
        LineGeometries([LineGeometry { column: 0, row: 0, step: (0, 0) }; LINES]);

    pub(super) fn of(position: &Gomoku) -> LineGeometries {
        let mut geometries = LineGeometries::NONE;
        for (direction, first) in position.lines() {
            let (column, row) = direction.step();
            geometries.0[position.line_number(direction, first)] = LineGeometry {
                column: first.column() as i8,
                row: first.row() as i8,
                step: (column as i8, row as i8),
            };
        }
        geometries
    }

    /// Adds the points of a line at these bits to a set.
    #[inline]
    pub(super) fn insert(&self, line: usize, mut bits: u32, set: &mut PointSet) {
        while bits != 0 {
            let (row, column) = self.0[line].point_at(bits.trailing_zeros());
            set.0[row] |= 1 << column;
            bits &= bits - 1;
        }
    }

    /// Counts the points of a line at these bits once more.
    #[inline]
    pub(super) fn count(&self, line: usize, mut bits: u32, tally: &mut PointTally) {
        while bits != 0 {
            let (row, column) = self.0[line].point_at(bits.trailing_zeros());
            tally.twice.0[row] |= tally.once.0[row] & 1 << column;
            tally.once.0[row] |= 1 << column;
            bits &= bits - 1;
        }
    }
}

/// A set of line numbers.
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

/// The four directions, with the number of the line through a point in each.
#[inline]
pub(super) fn lines_through(
    position: &Gomoku,
    point: Point,
) -> impl Iterator<Item = (Direction, usize)> {
    Direction::ALL.map(|direction| (direction, position.line_number(direction, point))).into_iter()
}
