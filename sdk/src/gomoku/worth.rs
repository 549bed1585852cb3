//! How much is going on around each empty point: what a quiet move is ordered
//! by. A sum over the windows of five with the point in them, kept up to date.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Point};

use super::window::{KINDS, Segment, Window, all, offset, table, touched};

/// What a window adds to each of its points for the colour that can still make
/// a five of it, by the stones it has there.
const BY_STONES: [u16; 5] = [1, 8, 48, 250, 1_000];

/// Two sums, black's in the lower half and white's in the upper; at most 20
/// windows meet in a point, so that neither runs over.
type Sums = u32;

/// The worth of every point.
#[derive(Clone, Debug)]
pub(super) struct Worth {
    values: Box<[Sums; KINDS]>,
    points: Box<[Sums; Point::INDICES]>,
}

impl Worth {
    pub(super) fn new() -> Self {
        let both = |black: u16, white: u16| Sums::from(white) << 16 | Sums::from(black);
        let value = |window| match window {
            Window::Dead | Window::Of(_, 5..) => 0,
            Window::Empty(possible) => {
                let [black, white] = possible.map(|possible| u16::from(possible) * BY_STONES[0]);
                both(black, white)
            }
            Window::Of(Color::Black, stones) => both(BY_STONES[stones as usize], 0),
            Window::Of(Color::White, stones) => both(0, BY_STONES[stones as usize]),
        };
        Self { values: table(value), points: Box::new([0; Point::INDICES]) }
    }

    pub(super) fn reset(&mut self, position: &Gomoku) {
        self.points.fill(0);
        let (points, values) = (&mut self.points, &self.values);
        all(position, |direction, first, number| {
            add(points, first.index() as i32, direction, values[number]);
        });
    }

    /// Adds what the stone on `point` changed.
    #[inline]
    pub(super) fn made(&mut self, after: &Gomoku, point: Point, color: Color) {
        self.replace(after, point, color, true);
    }

    /// Takes away what the stone on `point` changed.
    #[inline]
    pub(super) fn unmade(&mut self, after: &Gomoku, point: Point, color: Color) {
        self.replace(after, point, color, false);
    }

    #[inline]
    fn replace(&mut self, after: &Gomoku, point: Point, color: Color, made: bool) {
        for direction in Direction::ALL {
            let with = Segment::around(after, direction, point);
            let without = with.toggled(after, color);
            for first in touched(after) {
                let with = self.values[with.number(first)];
                let without = self.values[without.number(first)];
                let change = with.wrapping_sub(without);
                if change != 0 {
                    let start = point.index() as i32 + offset(first) * stride(direction);
                    let change = if made { change } else { change.wrapping_neg() };
                    add(&mut self.points, start, direction, change);
                }
            }
        }
    }

    /// The worth of a point for a colour: what it makes, and nearly as much for
    /// what it spoils.
    #[inline]
    pub(super) fn of(&self, point: Point, color: Color) -> i32 {
        let sums = self.points[point.index()];
        let (black, white) = ((sums & 0xffff) as i32, (sums >> 16) as i32);
        let (own, other) = if color == Color::Black { (black, white) } else { (white, black) };
        own + other - other / 8
    }
}

/// From one point of a line to the next, in indices.
#[inline]
fn stride(direction: Direction) -> i32 {
    let (column, row) = direction.step();
    32 * row + column
}

/// Adds to the five points of a window. The halves of a negative change borrow
/// from each other, and give back when the sum is complete.
#[inline]
fn add(points: &mut [Sums; Point::INDICES], first: i32, direction: Direction, change: Sums) {
    for step in 0..5 {
        let index = (first + step * stride(direction)) as usize;
        if let Some(sums) = points.get_mut(index) {
            *sums = sums.wrapping_add(change);
        }
    }
}

#[cfg(test)]
impl PartialEq for Worth {
    /// The running sums.
    fn eq(&self, other: &Worth) -> bool {
        self.points == other.points
    }
}
