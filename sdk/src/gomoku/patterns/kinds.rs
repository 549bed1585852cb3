//! What a stone makes on a point, all four lines through it together: its kind,
//! what it is worth in the balance of a position, and how early to try it.

use super::lanes::{CLOSED_THREE, DOUBLE, FIVE, FOUR, OPEN_THREE};
use crate::weights::{Weight, Weights};

/// The classes of a point in the four directions, three bits each.
pub(super) type Code = u16;

/// How many codes there are.
pub(super) const CODES: usize = 1 << 12;

/// What a stone makes on a point, the more the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Kind {
    /// No threat.
    Quiet,
    /// One open three.
    Three,
    /// Two open threes or more.
    ThreeThree,
    /// One four.
    Four,
    /// A four and an open three.
    FourThree,
    /// A straight four, or two fours.
    Winning,
    /// A five.
    Five,
}

/// How many kinds there are.
pub(super) const KINDS: usize = 7;

impl Kind {
    fn of(code: Code) -> Kind {
        let classes = classes(code);
        let count = |class| classes.iter().filter(|&&c| c == class).count();
        match (count(FIVE), count(DOUBLE), count(FOUR), count(OPEN_THREE)) {
            (1.., ..) => Kind::Five,
            (0, 1.., ..) | (0, 0, 2.., _) => Kind::Winning,
            (0, 0, 1, 1..) => Kind::FourThree,
            (0, 0, 1, 0) => Kind::Four,
            (0, 0, 0, 2..) => Kind::ThreeThree,
            (0, 0, 0, 1) => Kind::Three,
            _ => Kind::Quiet,
        }
    }

    /// Whether a stone here makes a four or more.
    #[inline]
    pub(super) fn is_four(self) -> bool {
        self >= Kind::Four
    }

    /// Whether a stone here makes an open three, and no four.
    #[inline]
    pub(super) fn is_three(self) -> bool {
        matches!(self, Kind::Three | Kind::ThreeThree)
    }
}

fn classes(code: Code) -> [u8; 4] {
    [0, 3, 6, 9].map(|shift| (code >> shift & 7) as u8)
}

/// The weights of [`Patterns`](super::Patterns): what a point is worth in the
/// balance to the colour that could put a stone there. Hundredths of a stone.
pub static WEIGHTS: [Weight; 13] = [
    weight("closed-two", "a line in which a stone makes a closed two", 1),
    weight("open-two", "a line in which a stone makes an open two", 4),
    weight("closed-three", "a line in which a stone makes a closed three", 6),
    weight("open-three", "a line in which a stone makes an open three", 16),
    weight("four", "a line in which a stone makes a four", 18),
    weight("winning", "a line in which a stone makes a straight four", 60),
    weight("five", "a line in which a stone makes a five", 100),
    weight("two-lines", "besides, a point where two lines meet in which a stone makes a two", 6),
    weight("three-three", "besides, a point that makes two open threes", 40),
    weight("four-three", "besides, a point that makes a four and an open three", 70),
    weight("to-move", "the right to move", 30),
    weight("mover-threes", "besides, for the mover, a point that makes an open three", 3),
    weight("mover-fours", "besides, for the mover, a point that makes a four and an open three", 400),
];

const TWO_LINES: usize = 7;
const THREE_THREE: usize = 8;
const FOUR_THREE: usize = 9;
pub(super) const TO_MOVE: usize = 10;
pub(super) const MOVER_THREES: usize = 11;
pub(super) const MOVER_FOURS: usize = 12;

const fn weight(name: &'static str, about: &'static str, initial: i32) -> Weight {
    Weight { name, about, initial, min: 0, max: 1_000 }
}

/// What each code is.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    pub(super) kinds: Box<[Kind; CODES]>,
    /// In the balance.
    pub(super) worth: Box<[i16; CODES]>,
    /// In the order of moves: for who makes it, and for who spoils it.
    pub(super) attack: Box<[i16; CODES]>,
    pub(super) defence: Box<[i16; CODES]>,
}

impl Codes {
    pub(super) fn new(weights: &Weights) -> Codes {
        Codes {
            kinds: table(Kind::Quiet, Kind::of),
            worth: table(0, |code| worth(code, weights)),
            attack: table(0, attack),
            defence: table(0, defence),
        }
    }
}

fn table<T: Copy>(initial: T, entry: impl Fn(Code) -> T) -> Box<[T; CODES]> {
    let mut table = Box::new([initial; CODES]);
    for (code, value) in (0..).zip(table.iter_mut()) {
        *value = entry(code);
    }
    table
}

fn worth(code: Code, weights: &Weights) -> i16 {
    let lines: i32 = classes(code)
        .into_iter()
        .filter(|&class| class > 0)
        .map(|class| weights.value(usize::from(class) - 1))
        .sum();
    let twos = classes(code).iter().filter(|&&class| (2..=CLOSED_THREE).contains(&class)).count();
    let besides = match Kind::of(code) {
        Kind::ThreeThree => weights.value(THREE_THREE),
        Kind::FourThree => weights.value(FOUR_THREE),
        Kind::Quiet if twos > 1 => weights.value(TWO_LINES) * (twos as i32 - 1),
        _ => 0,
    };
    (lines + besides) as i16
}

/// By class. To these the search adds some hundreds by what it has learnt.
const ATTACK: [i16; 8] = [0, 8, 30, 36, 160, 150, 900, 2_000];

fn attack(code: Code) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK[usize::from(class)]).sum();
    lines
        + match Kind::of(code) {
            Kind::FourThree => 700,
            Kind::ThreeThree => 350,
            _ => 0,
        }
}

fn defence(code: Code) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK[usize::from(class)]).sum();
    let besides = match Kind::of(code) {
        Kind::FourThree => 500,
        Kind::ThreeThree => 250,
        _ => 0,
    };
    (lines + besides) / 4 * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(classes: [u8; 4], expected: Kind) {
        for turn in 0..4 {
            let mut turned = classes;
            turned.rotate_left(turn);
            let code = (0..).zip(turned).fold(0, |code, (d, class)| code | Code::from(class) << (3 * d));
            assert_eq!(Kind::of(code), expected, "{turned:?}");
        }
    }

    #[test]
    fn kinds_are_what_the_four_lines_make_together() {
        check([0, 1, 2, 3], Kind::Quiet);
        check([OPEN_THREE, 3, 3, 3], Kind::Three);
        check([OPEN_THREE, OPEN_THREE, 0, 0], Kind::ThreeThree);
        check([FOUR, 3, 2, 0], Kind::Four);
        check([FOUR, OPEN_THREE, 0, 0], Kind::FourThree);
        check([FOUR, OPEN_THREE, FOUR, 0], Kind::Winning);
        check([DOUBLE, 0, 0, 0], Kind::Winning);
        check([DOUBLE, FIVE, 0, 0], Kind::Five);
    }
}
