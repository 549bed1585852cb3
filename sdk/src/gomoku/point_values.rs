//! A value for each point by the windows of five around it, updated with each move. It orders quiet
//! moves.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Point};

use super::five_window::{
    FiveWindow, Segment, WINDOW_CODES, changed_windows, for_each_window, window_offset,
    window_table,
};

/// What a window adds to each of its points for a colour that can still make a five in it, by the
/// number of that colour's stones in the window.
const VALUE_BY_STONES: [u16; 5] = [1, 8, 48, 250, 1_000];

/// Two sums, black's in the lower half and white's in the upper. At most 20 windows contain a
/// point, so that neither overflows.
type PointSums = u32;

/// The values of all points.
#[derive(Clone, Debug)]
pub(super) struct PointValues {
    values: Box<[PointSums; WINDOW_CODES]>,
    points: Box<[PointSums; Point::INDICES]>,
}

impl PointValues {
    pub(super) fn new() -> Self {
        let both = |black: u16, white: u16| PointSums::from(white) << 16 | PointSums::from(black);
        let value = |window| match window {
            FiveWindow::Dead | FiveWindow::Of(_, 5..) => 0,
            FiveWindow::Empty(possible) => {
                let [black, white] =
                    possible.map(|possible| u16::from(possible) * VALUE_BY_STONES[0]);
                both(black, white)
            }
            FiveWindow::Of(Color::Black, stones) => both(VALUE_BY_STONES[stones as usize], 0),
            FiveWindow::Of(Color::White, stones) => both(0, VALUE_BY_STONES[stones as usize]),
        };
        Self { values: window_table(value), points: Box::new([0; Point::INDICES]) }
    }

    pub(super) fn reset(&mut self, position: &Gomoku) {
        self.points.fill(0);
        let (points, values) = (&mut self.points, &self.values);
        for_each_window(position, |direction, first, code| {
            add(points, first.index() as i32, direction, values[code]);
        });
    }

    /// Updates the values after the stone on `point` was made.
    #[inline]
    pub(super) fn made(&mut self, after: &Gomoku, point: Point, color: Color) {
        self.replace(after, point, color, true);
    }

    /// Updates the values before the stone on `point` is unmade.
    #[inline]
    pub(super) fn unmade(&mut self, after: &Gomoku, point: Point, color: Color) {
        self.replace(after, point, color, false);
    }

    #[inline]
    fn replace(&mut self, after: &Gomoku, point: Point, color: Color, made: bool) {
        for direction in Direction::ALL {
            let with = Segment::around(after, direction, point);
            let without = with.toggled(after, color);
            for first in changed_windows(after) {
                let with = self.values[with.window_code(first)];
                let without = self.values[without.window_code(first)];
                let change = with.wrapping_sub(without);
                if change != 0 {
                    let start = point.index() as i32 + window_offset(first) * stride(direction);
                    let change = if made { change } else { change.wrapping_neg() };
                    add(&mut self.points, start, direction, change);
                }
            }
        }
    }

    /// The value of a point for a colour: its own sum, and 7/8 of the opponent's.
    #[inline]
    pub(super) fn value(&self, point: Point, color: Color) -> i32 {
        let sums = self.points[point.index()];
        let (black, white) = ((sums & 0xffff) as i32, (sums >> 16) as i32);
        let (own, other) = if color == Color::Black { (black, white) } else { (white, black) };
        own + other - other / 8
    }
}

/// The difference of indices between two consecutive points of a line.
#[inline]
fn stride(direction: Direction) -> i32 {
    let (column, row) = direction.step();
    32 * row + column
}

/// Adds to the five points of a window. The halves of a negative change borrow from each other; the
/// complete sum is correct again.
#[inline]
fn add(
    points: &mut [PointSums; Point::INDICES],
    first: i32,
    direction: Direction,
    change: PointSums,
) {
    for step in 0..5 {
        let index = (first + step * stride(direction)) as usize;
        if let Some(sums) = points.get_mut(index) {
            *sums = sums.wrapping_add(change);
        }
    }
}

#[cfg(test)]
impl PartialEq for PointValues {
    /// Compares the sums of all points.
    fn eq(&self, other: &PointValues) -> bool {
        self.points == other.points
    }
}
