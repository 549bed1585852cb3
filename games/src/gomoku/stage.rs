//! Where a game stands in its procedure, and what else a position is besides
//! stones and turn: who holds black, a pass, a foul. A value that knows no rule.

use super::point::Point;
use super::procedure::MOST_FIFTHS;
use super::zobrist;

/// What a position is besides stones and turn. In ordinary play nearly always
/// [`Stage::PLAY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    /// The number of the procedure's step; [`THROUGH`] in ordinary play.
    pub(super) step: u8,
    /// Whether seat 1 holds black.
    pub(super) swapped: bool,
    /// How many passes were just made, 0 to 2.
    pub(super) passes: u8,
    /// How many fifth stones are to be offered; 0 when that is not known, or
    /// does not matter any more.
    pub(super) fifths: u8,
    /// What was offered so far.
    pub(super) offers: Offers,
    /// The stone that was a foul, when one ended the game.
    pub(super) foul: Option<Point>,
}

/// The step of a procedure that is through, or that there is none of.
const THROUGH: u8 = u8::MAX;

impl Stage {
    /// Ordinary play by the colours as seated.
    pub(super) const PLAY: Stage = Stage {
        step: THROUGH,
        swapped: false,
        passes: 0,
        fifths: 0,
        offers: Offers { points: [Point::at(0, 0); MOST_FIFTHS as usize], count: 0 },
        foul: None,
    };

    /// The first step of a procedure.
    pub(super) const BEGIN: Stage = Stage { step: 0, ..Stage::PLAY };

    /// Ordinary play, and nothing else but a stone can have been before.
    #[inline]
    pub(super) const fn is_plain(&self) -> bool {
        self.step == THROUGH && self.passes == 0
    }

    /// Ordinary play with the colours as they are.
    pub(super) const fn played_on(&self) -> Stage {
        Stage { swapped: self.swapped, ..Stage::PLAY }
    }

    /// What the stage adds to a position's hash: nothing where it is as on every
    /// board without a procedure. `course` is a number of the procedure.
    pub(super) fn key(&self, course: u64) -> u64 {
        if *self == Stage::PLAY {
            return 0;
        }
        let course = if self.step == THROUGH { 0 } else { course };
        let numbers = [
            self.step,
            u8::from(self.swapped),
            self.passes,
            self.fifths,
            u8::from(self.foul.is_some()),
        ];
        let words = numbers.into_iter().map(u64::from).chain([course]);
        let key = words.fold(zobrist::STAGE, zobrist::mix);
        self.offers.iter().fold(key, |key, point| zobrist::mix(key, point.index() as u64 + 1))
    }
}

/// A few points, kept in their order: it does not matter which was offered first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Offers {
    points: [Point; MOST_FIFTHS as usize],
    count: u8,
}

impl std::fmt::Debug for Offers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Offers {
    pub(super) fn len(&self) -> u8 {
        self.count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.points[..usize::from(self.count)].iter().copied()
    }

    pub(super) fn contains(&self, point: Point) -> bool {
        self.iter().any(|offer| offer == point)
    }

    /// Adds a point; there is room for as many as any procedure knows.
    pub(super) fn insert(&mut self, point: Point) {
        let at = self.iter().take_while(|&offer| offer < point).count();
        let count = usize::from(self.count);
        self.points[at..=count].rotate_right(1);
        self.points[at] = point;
        self.count += 1;
    }
}
