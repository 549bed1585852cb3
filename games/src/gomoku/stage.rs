//! The state of a position besides stones and turn: the step of the procedure, seat colours,
//! passes, a foul. Contains no rules.

use super::point::Point;
use super::procedure::MAX_FIFTHS;
use super::zobrist;

/// The state of a position besides stones and turn. In ordinary play almost always [`Stage::PLAY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    /// Number of the procedure's step; [`FINISHED`] in ordinary play.
    pub(super) step: u8,
    /// Whether seat 1 holds black.
    pub(super) swapped: bool,
    /// Consecutive passes just made, 0 to 2.
    pub(super) passes: u8,
    /// Number of fifth stones to offer; 0 if unknown or no longer relevant.
    pub(super) fifths: u8,
    /// Points offered so far.
    pub(super) offers: Offers,
    /// The stone that was a foul, if one ended the game.
    pub(super) foul: Option<Point>,
}

/// Step number of a finished or absent procedure.
const FINISHED: u8 = u8::MAX;

impl Stage {
    /// Ordinary play with the initial colours.
    pub(super) const PLAY: Stage = Stage {
        step: FINISHED,
        swapped: false,
        passes: 0,
        fifths: 0,
        offers: Offers { points: [Point::at(0, 0); MAX_FIFTHS as usize], count: 0 },
        foul: None,
    };

    /// First step of a procedure.
    pub(super) const FIRST_STEP: Stage = Stage { step: 0, ..Stage::PLAY };

    /// Ordinary play, and the last move was a stone (or there was none).
    #[inline]
    pub(super) const fn is_ordinary_play(&self) -> bool {
        self.step == FINISHED && self.passes == 0
    }

    /// Ordinary play with the current colours.
    pub(super) const fn to_ordinary_play(self) -> Stage {
        Stage { swapped: self.swapped, ..Stage::PLAY }
    }

    /// The stage's part of the position hash; 0 for ordinary play with initial colours.
    /// `procedure_key` is a number of the procedure.
    pub(super) fn key(&self, procedure_key: u64) -> u64 {
        if *self == Stage::PLAY {
            return 0;
        }
        let procedure_key = if self.step == FINISHED { 0 } else { procedure_key };
        let numbers = [
            self.step,
            u8::from(self.swapped),
            self.passes,
            self.fifths,
            u8::from(self.foul.is_some()),
        ];
        let words = numbers.into_iter().map(u64::from).chain([procedure_key]);
        let key = words.fold(zobrist::STAGE, zobrist::mix);
        self.offers.iter().fold(key, |key, point| zobrist::mix(key, point.index() as u64 + 1))
    }
}

/// A small sorted set of points: the order of offers is irrelevant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Offers {
    points: [Point; MAX_FIFTHS as usize],
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

    /// Adds a point. There is room for the offers of every procedure.
    pub(super) fn insert(&mut self, point: Point) {
        let at = self.iter().take_while(|&offer| offer < point).count();
        let count = usize::from(self.count);
        self.points[at..=count].rotate_right(1);
        self.points[at] = point;
        self.count += 1;
    }
}
