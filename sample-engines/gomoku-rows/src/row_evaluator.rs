//! The evaluator: the value of the own patterns in all rows of the board, minus that of the
//! opponent's. It looks at single rows, and does not look ahead.

use sandboard_sdk::games::gomoku::{Color, Direction, Gomoku, Move, Point};
use sandboard_sdk::{Evaluator, Weights};

use crate::pattern::{PatternCounts, Row};
use crate::weights::{PatternValues, WEIGHTS};

/// The patterns of black and of white.
pub type ColorCounts = [PatternCounts; 2];

/// Evaluates positions by the patterns in their rows.
#[derive(Clone, Debug)]
pub struct RowEvaluator {
    values: PatternValues,
    counts: ColorCounts,
    history: Vec<ColorCounts>,
}

impl RowEvaluator {
    /// An evaluator with these weights, a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        Self {
            values: PatternValues::new(weights),
            counts: [PatternCounts::NONE; 2],
            history: Vec::new(),
        }
    }

    /// The counts of the current position, updated with each move.
    pub fn counts(&self) -> ColorCounts {
        self.counts
    }
}

impl Default for RowEvaluator {
    fn default() -> Self {
        Self::new(&Weights::new(&WEIGHTS))
    }
}

/// Counts the patterns in all rows of a position. [`RowEvaluator`] updates the same counts.
pub fn count_patterns(position: &Gomoku) -> ColorCounts {
    let mut all = [PatternCounts::NONE; 2];
    for (direction, first) in position.lines() {
        for color in Color::ALL {
            let row = row(position, color, direction, first);
            all[color.index()] = all[color.index()].plus(row.pattern_counts());
        }
    }
    all
}

/// The row through a point from one colour's point of view.
#[inline]
fn row(position: &Gomoku, color: Color, direction: Direction, point: Point) -> Row {
    let own = position.line(color, direction, point);
    let other = position.line(color.other(), direction, point);
    let overline_wins = position.rule().overline_wins(color);
    Row { own: own.bits, other: other.bits, length: own.length, overline_wins }
}

impl Evaluator<Gomoku> for RowEvaluator {
    // The change by an open three.
    const ASPIRATION_MARGIN: i32 = 200;

    #[inline]
    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let value = |color: Color| self.values.total(self.counts[color.index()]);
        value(mover) - value(mover.other())
    }

    fn reset(&mut self, position: &Gomoku) {
        self.history.clear();
        self.counts = count_patterns(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.history.push(self.counts);
        let Move::Stone(point) = mv else { return };
        let mover = after.color_to_move().other();
        for direction in Direction::ALL {
            let stone = 1 << after.line(mover, direction, point).at;
            for color in Color::ALL {
                let with = row(after, color, direction, point);
                let without = match color == mover {
                    true => Row { own: with.own & !stone, ..with },
                    false => Row { other: with.other & !stone, ..with },
                };
                let counts = &mut self.counts[color.index()];
                *counts = counts.minus(without.pattern_counts()).plus(with.pattern_counts());
            }
        }
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        self.counts = self.history.pop().unwrap_or(self.counts);
    }
}
