//! The kind of a point by its four lines together, its value in the evaluation, and its score in
//! move ordering.

use super::line_classes::{DOUBLE, FIVE, FOUR, OPEN_THREE};
use crate::weights::{Weight, Weights};

/// The classes of a point in the four directions, three bits each.
pub(super) type PointCode = u16;

/// The number of codes.
pub(super) const POINT_CODES: usize = 1 << 12;

/// What a stone makes on a point, in ascending order of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum PointKind {
    /// Nothing that must be answered.
    Quiet,
    /// One open three.
    Three,
    /// Two open threes or more.
    ThreeThree,
    /// One four, no open three.
    Four,
    /// A four and an open three.
    FourThree,
    /// A straight four, or two fours.
    Winning,
    /// A five, which wins.
    Five,
}

/// The number of kinds.
pub(super) const POINT_KINDS: usize = 7;

impl PointKind {
    fn of(code: PointCode) -> PointKind {
        let classes = classes(code);
        let count = |class| classes.iter().filter(|&&c| c == class).count();
        match (count(FIVE), count(DOUBLE), count(FOUR), count(OPEN_THREE)) {
            (1.., ..) => PointKind::Five,
            (0, 1.., ..) | (0, 0, 2.., _) => PointKind::Winning,
            (0, 0, 1, 1..) => PointKind::FourThree,
            (0, 0, 1, 0) => PointKind::Four,
            (0, 0, 0, 2..) => PointKind::ThreeThree,
            (0, 0, 0, 1) => PointKind::Three,
            _ => PointKind::Quiet,
        }
    }

    /// Whether a stone here makes a four or more.
    #[inline]
    pub(super) fn is_four(self) -> bool {
        self >= PointKind::Four
    }

    /// Whether a stone here makes an open three, and no four.
    #[inline]
    pub(super) fn is_three(self) -> bool {
        matches!(self, PointKind::Three | PointKind::ThreeThree)
    }
}

fn classes(code: PointCode) -> [u8; 4] {
    [0, 3, 6, 9].map(|shift| (code >> shift & 7) as u8)
}

/// A point's value is the sum over its classes up to a four, and over each pair of them.
const CLASSES: usize = FOUR as usize;
const PAIRS: usize = CLASSES * (CLASSES + 1) / 2;
/// The index of the first weight for the colour that is not to move.
const WAITING: usize = CLASSES + PAIRS;
/// The index of the weight of the right to move.
pub(super) const TO_MOVE: usize = 2 * WAITING;

/// The names of all weights, with the values for the colour to move and for the other one. The
/// values were fitted (`docs/engines.md`).
macro_rules! weights {
    ($($name:literal $moving:literal $waiting:literal)*) => {
        [
            $(weight(concat!("moving-", $name), $moving),)*
            $(weight(concat!("waiting-", $name), $waiting),)*
            weight("to-move", 1),
        ]
    };
}

/// The weights of [`PatternAnalyzer`](super::PatternAnalyzer), in hundredths of a stone: the value
/// of an empty point for a colour, by what its stone would make on one line, and on each pair of
/// lines.
pub static PATTERN_WEIGHTS: [Weight; TO_MOVE + 1] = weights! {
    "closed-two" 1 0
    "open-two" 0 1
    "closed-three" 3 -3
    "open-three" 15 -12
    "four" 22 -12
    "closed-two-and-closed-two" -1 -1
    "closed-two-and-open-two" 1 -2
    "open-two-and-open-two" 7 -7
    "closed-two-and-closed-three" -1 0
    "open-two-and-closed-three" 9 -7
    "closed-three-and-closed-three" 15 -12
    "closed-two-and-open-three" -1 -3
    "open-two-and-open-three" 35 -14
    "closed-three-and-open-three" 31 -18
    "open-three-and-open-three" 188 -50
    "closed-two-and-four" 2 -7
    "open-two-and-four" 68 -45
    "closed-three-and-four" 18 -32
    "open-three-and-four" 129 -145
    "four-and-four" 0 0
};

/// The value of a line on which a stone makes a five or two fives possible. The search usually
/// finds such threats before it evaluates.
const DECISIVE_VALUE: i32 = 200;

const fn weight(name: &'static str, initial: i32) -> Weight {
    Weight {
        name,
        about: "the value of a point with this pattern",
        initial,
        min: -1_000,
        max: 1_000,
    }
}

/// Kind, value and scores of each code.
#[derive(Clone, Debug)]
pub(super) struct PointCodes {
    pub(super) kinds: Box<[PointKind; POINT_CODES]>,
    /// The value in the evaluation if the colour is to move, and if not.
    pub(super) value: Box<[[i16; 2]; POINT_CODES]>,
    /// The score in move ordering for making the pattern, and for spoiling it.
    pub(super) attack: Box<[i16; POINT_CODES]>,
    pub(super) defence: Box<[i16; POINT_CODES]>,
}

impl PointCodes {
    pub(super) fn new(weights: &Weights) -> PointCodes {
        PointCodes {
            kinds: table(PointKind::Quiet, PointKind::of),
            value: table([0; 2], |code| [value(code, weights, 0), value(code, weights, WAITING)]),
            attack: table(0, attack),
            defence: table(0, defence),
        }
    }
}

fn table<T: Copy>(initial: T, entry: impl Fn(PointCode) -> T) -> Box<[T; POINT_CODES]> {
    let mut table = Box::new([initial; POINT_CODES]);
    for (code, value) in (0..).zip(table.iter_mut()) {
        *value = entry(code);
    }
    table
}

/// The sum of the weights from index `first` on over a point's lines and pairs of lines.
fn value(code: PointCode, weights: &Weights, first: usize) -> i16 {
    let classes = classes(code).map(usize::from);
    let mut value = 0;
    for (index, &one) in classes.iter().enumerate().filter(|(_, class)| **class > 0) {
        if one > CLASSES {
            value += if first == 0 { DECISIVE_VALUE } else { -DECISIVE_VALUE };
            continue;
        }
        value += weights.value(first + one - 1);
        for &other in classes[index + 1..].iter().filter(|&&c| c > 0 && c <= CLASSES) {
            let (low, high) = (one.min(other), one.max(other));
            value += weights.value(first + CLASSES + high * (high - 1) / 2 + low - 1);
        }
    }
    value.clamp(-4_000, 4_000) as i16
}

/// The move ordering score of each class. The search adds some hundreds by what it has learnt.
const ATTACK_SCORES: [i16; 8] = [0, 20, 50, 100, 600, 500, 3_000, 6_000];

fn attack(code: PointCode) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK_SCORES[usize::from(class)]).sum();
    lines
        + match PointKind::of(code) {
            PointKind::FourThree => 1_500,
            PointKind::ThreeThree => 800,
            _ => 0,
        }
}

fn defence(code: PointCode) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK_SCORES[usize::from(class)]).sum();
    let bonus = match PointKind::of(code) {
        PointKind::FourThree => 1_200,
        PointKind::ThreeThree => 600,
        _ => 0,
    };
    (lines + bonus) / 8 * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(classes: [u8; 4], expected: PointKind) {
        for turn in 0..4 {
            let mut turned = classes;
            turned.rotate_left(turn);
            let code = (0..)
                .zip(turned)
                .fold(0, |code, (d, class)| code | PointCode::from(class) << (3 * d));
            assert_eq!(PointKind::of(code), expected, "{turned:?}");
        }
    }

    #[test]
    fn kinds_combine_the_four_lines() {
        check([0, 1, 2, 3], PointKind::Quiet);
        check([OPEN_THREE, 3, 3, 3], PointKind::Three);
        check([OPEN_THREE, OPEN_THREE, 0, 0], PointKind::ThreeThree);
        check([FOUR, 3, 2, 0], PointKind::Four);
        check([FOUR, OPEN_THREE, 0, 0], PointKind::FourThree);
        check([FOUR, OPEN_THREE, FOUR, 0], PointKind::Winning);
        check([DOUBLE, 0, 0, 0], PointKind::Winning);
        check([DOUBLE, FIVE, 0, 0], PointKind::Five);
    }
}
