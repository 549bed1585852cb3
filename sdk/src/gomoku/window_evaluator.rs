//! The simple evaluator of gomoku: counts the windows of five points with stones of one colour
//! only. It does not look ahead, and sees no pattern larger than a window.

use sandboard_games::gomoku::{Color, Direction, Gomoku, Move};

use super::five_window::{
    FiveWindow, Segment, WINDOW_CODES, changed_windows, for_each_window, window_table,
};
use crate::evaluator::Evaluator;
use crate::weights::{Weight, Weights};

/// The weights of [`WindowEvaluator`], in hundredths of a stone: windows of the side to move with
/// one to four stones, then windows of the opponent.
pub static WINDOW_WEIGHTS: [Weight; 8] = [
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

/// Two sums in one number: the value for black if black is to move in the lower half, and the value
/// for white if white is to move in the upper half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct WindowSums(i64);

impl WindowSums {
    fn new(black: i32, white: i32) -> WindowSums {
        WindowSums((i64::from(white) << 32) + i64::from(black))
    }

    fn for_mover(self, mover: Color) -> i32 {
        let black = self.0 as i32;
        match mover {
            Color::Black => black,
            Color::White => ((self.0 - i64::from(black)) >> 32) as i32,
        }
    }
}

/// The simple evaluator of gomoku.
#[derive(Clone, Debug)]
pub struct WindowEvaluator {
    values: Box<[WindowSums; WINDOW_CODES]>,
    sums: WindowSums,
    history: Vec<WindowSums>,
}

impl WindowEvaluator {
    /// An evaluator with these weights, a table of [`WINDOW_WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        let value = |window| {
            let FiveWindow::Of(color, stones @ 1..=4) = window else {
                return WindowSums::default();
            };
            let moving = weights.value(stones as usize - 1);
            let waiting = weights.value(stones as usize + 3);
            match color {
                Color::Black => WindowSums::new(moving, -waiting),
                Color::White => WindowSums::new(-waiting, moving),
            }
        };
        Self { values: window_table(value), sums: WindowSums::default(), history: Vec::new() }
    }

    /// The sums over all windows of the board.
    fn compute_sums(&self, position: &Gomoku) -> WindowSums {
        let mut sum = 0;
        for_each_window(position, |_, _, code| sum += self.values[code].0);
        WindowSums(sum)
    }

    /// The change of the sums by a stone, given the segment before and after it.
    #[inline]
    fn change(&self, position: &Gomoku, before: Segment, after: Segment) -> i64 {
        let value = |segment: &Segment, first| self.values[segment.window_code(first)].0;
        changed_windows(position).map(|first| value(&after, first) - value(&before, first)).sum()
    }
}

impl Default for WindowEvaluator {
    fn default() -> Self {
        Self::new(&Weights::new(&WINDOW_WEIGHTS))
    }
}

impl Evaluator<Gomoku> for WindowEvaluator {
    #[inline]
    fn value(&self, position: &Gomoku) -> i32 {
        self.sums.for_mover(position.color_to_move())
    }

    fn move_value(&self, position: &Gomoku, mv: Move) -> i32 {
        let Move::Stone(point) = mv else { return 0 };
        let mover = position.color_to_move();
        let change = |direction| {
            let before = Segment::around(position, direction, point);
            self.change(position, before, before.toggled(position, mover))
        };
        let sums = WindowSums(Direction::ALL.into_iter().map(change).sum());
        // After the move the opponent is to move: the sums are for the opponent.
        -sums.for_mover(mover.other())
    }

    fn reset(&mut self, position: &Gomoku) {
        self.history.clear();
        self.sums = self.compute_sums(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.history.push(self.sums);
        let Move::Stone(point) = mv else { return };
        let mover = after.color_to_move().other();
        for direction in Direction::ALL {
            let segment = Segment::around(after, direction, point);
            self.sums.0 += self.change(after, segment.toggled(after, mover), segment);
        }
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        self.sums = self.history.pop().unwrap_or_default();
    }
}

#[cfg(test)]
impl WindowEvaluator {
    /// Whether the updated sums equal recomputed ones.
    pub(super) fn is_up_to_date(&self, position: &Gomoku) -> bool {
        self.sums == self.compute_sums(position)
    }
}
