//! The evaluator of gomoku: counts the windows of five points in which only one
//! colour stands. Looks at no shape larger than a window, and ahead not at all.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Move};

use super::window::{KINDS, Segment, Window, all, table, touched};
use crate::evaluator::Evaluator;
use crate::weights::{Weight, Weights};

/// The weights of [`Windows`]: windows of the colour to move with one to four
/// stones, then windows of the other. Hundredths of a stone.
pub static WEIGHTS: [Weight; 8] = [
    weight("moving-1", "a window of the mover with one stone", 3),
    weight("moving-2", "a window of the mover with two stones", 14),
    weight("moving-3", "a window of the mover with three stones", 90),
    weight("moving-4", "a window of the mover with four stones", 900),
    weight("waiting-1", "a window of the opponent with one stone", 2),
    weight("waiting-2", "a window of the opponent with two stones", 9),
    weight("waiting-3", "a window of the opponent with three stones", 40),
    weight("waiting-4", "a window of the opponent with four stones", 300),
];

const fn weight(name: &'static str, about: &'static str, initial: i32) -> Weight {
    Weight { name, about, initial, min: 0, max: 2_000 }
}

/// Two sums in one number: the value for black if black is to move (lower
/// half), and the value for white if white is (upper half).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums(i64);

impl Sums {
    fn new(black: i32, white: i32) -> Sums {
        Sums((i64::from(white) << 32) + i64::from(black))
    }

    fn for_mover(self, mover: Color) -> i32 {
        let black = self.0 as i32;
        match mover {
            Color::Black => black,
            Color::White => ((self.0 - i64::from(black)) >> 32) as i32,
        }
    }
}

/// The evaluator of gomoku.
#[derive(Clone, Debug)]
pub struct Windows {
    values: Box<[Sums; KINDS]>,
    now: Sums,
    before: Vec<Sums>,
}

impl Windows {
    /// An evaluator with these weights, a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        let value = |window| {
            let Window::Of(color, stones @ 1..=4) = window else { return Sums::default() };
            let moving = weights.value(stones as usize - 1);
            let waiting = weights.value(stones as usize + 3);
            match color {
                Color::Black => Sums::new(moving, -waiting),
                Color::White => Sums::new(-waiting, moving),
            }
        };
        Self { values: table(value), now: Sums::default(), before: Vec::new() }
    }

    /// The sums over all windows of the board.
    fn sum_anew(&self, position: &Gomoku) -> Sums {
        let mut sum = 0;
        all(position, |_, _, number| sum += self.values[number].0);
        Sums(sum)
    }

    /// What a stone changes, before which and after which a segment was so.
    #[inline]
    fn change(&self, position: &Gomoku, before: Segment, after: Segment) -> i64 {
        let value = |segment: &Segment, first| self.values[segment.number(first)].0;
        touched(position).map(|first| value(&after, first) - value(&before, first)).sum()
    }
}

impl Default for Windows {
    fn default() -> Self {
        Self::new(&Weights::new(&WEIGHTS))
    }
}

impl Evaluator<Gomoku> for Windows {
    #[inline]
    fn value(&self, position: &Gomoku) -> i32 {
        self.now.for_mover(position.color_to_move())
    }

    fn move_value(&self, position: &Gomoku, mv: Move) -> i32 {
        let Move::Stone(point) = mv else { return 0 };
        let mover = position.color_to_move();
        let change = |direction| {
            let before = Segment::around(position, direction, point);
            self.change(position, before, before.toggled(position, mover))
        };
        let sums = Sums(Direction::ALL.into_iter().map(change).sum());
        // Now the opponent is to move, and what is his loss is the mover's gain.
        -sums.for_mover(mover.other())
    }

    fn reset(&mut self, position: &Gomoku) {
        self.before.clear();
        self.now = self.sum_anew(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.before.push(self.now);
        let Move::Stone(point) = mv else { return };
        let mover = after.color_to_move().other();
        for direction in Direction::ALL {
            let segment = Segment::around(after, direction, point);
            self.now.0 += self.change(after, segment.toggled(after, mover), segment);
        }
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        self.now = self.before.pop().unwrap_or_default();
    }
}

#[cfg(test)]
impl Windows {
    /// Whether the running sums are those of the whole board.
    pub(super) fn is_up_to_date(&self, position: &Gomoku) -> bool {
        self.now == self.sum_anew(position)
    }
}
