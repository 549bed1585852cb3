//! The evaluator: what the own patterns in all rows of the board are worth, less the
//! opponent's. Looks at rows one by one, and ahead not at all.

use sandboard_sdk::games::gomoku::{Color, Direction, Gomoku, Move, Point};
use sandboard_sdk::{Evaluator, Weights};

use crate::pattern::{Row, Tally};
use crate::weights::{WEIGHTS, Worth};

/// Black's patterns and white's.
pub type Tallies = [Tally; 2];

/// Values positions by the patterns in their rows.
#[derive(Clone, Debug)]
pub struct Rows {
    worth: Worth,
    now: Tallies,
    before: Vec<Tallies>,
}

impl Rows {
    /// An evaluator with these weights, a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        Self { worth: Worth::new(weights), now: [Tally::NONE; 2], before: Vec::new() }
    }

    /// The patterns that it keeps count of.
    pub fn kept(&self) -> Tallies {
        self.now
    }
}

impl Default for Rows {
    fn default() -> Self {
        Self::new(&Weights::new(&WEIGHTS))
    }
}

/// The patterns in all rows of a position: what [`Rows`] keeps up to date.
pub fn tallies(position: &Gomoku) -> Tallies {
    let mut all = [Tally::NONE; 2];
    for (direction, first) in position.lines() {
        for color in Color::ALL {
            let row = row(position, color, direction, first);
            all[color.index()] = all[color.index()].plus(row.tally());
        }
    }
    all
}

/// The row through a point as a colour sees it.
#[inline]
fn row(position: &Gomoku, color: Color, direction: Direction, point: Point) -> Row {
    let own = position.line(color, direction, point);
    let other = position.line(color.other(), direction, point);
    let overline_wins = position.rule().overline_wins(color);
    Row { own: own.bits, other: other.bits, length: own.length, overline_wins }
}

impl Evaluator<Gomoku> for Rows {
    // What an open three that comes and goes changes.
    const USUAL_CHANGE: i32 = 200;

    #[inline]
    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let worth = |color: Color| self.worth.of(self.now[color.index()]);
        worth(mover) - worth(mover.other())
    }

    fn reset(&mut self, position: &Gomoku) {
        self.before.clear();
        self.now = tallies(position);
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        self.before.push(self.now);
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
                let now = &mut self.now[color.index()];
                *now = now.minus(without.tally()).plus(with.tally());
            }
        }
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        self.now = self.before.pop().unwrap_or(self.now);
    }
}
