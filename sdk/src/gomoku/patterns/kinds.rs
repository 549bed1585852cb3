//! What a stone makes on a point, all four lines through it together: its kind,
//! what it is worth in the balance of a position, and how early to try it.

use super::lanes::{DOUBLE, FIVE, FOUR, OPEN_THREE};
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

/// What the values of a table are made of: the classes up to a four, one by one
/// and each pair of them that meets in a point.
const CLASSES: usize = FOUR as usize;
const PAIRS: usize = CLASSES * (CLASSES + 1) / 2;
/// Where the weights of the colour that waits begin.
const WAITING: usize = CLASSES + PAIRS;
/// The right to move.
pub(super) const TO_MOVE: usize = 2 * WAITING;

/// The names of all weights; the values beside them, for the colour that moves
/// and the one that waits, were fitted (`docs/engines.md`).
macro_rules! weights {
    ($($name:literal $moving:literal $waiting:literal)*) => {
        [
            $(weight(concat!("moving-", $name), $moving),)*
            $(weight(concat!("waiting-", $name), $waiting),)*
            weight("to-move", 1),
        ]
    };
}

/// The weights of [`Patterns`](super::Patterns): what a point is worth in the
/// balance to the colour that could put a stone there, by what that makes in one
/// line, and in each two lines besides. Hundredths of a stone.
pub static WEIGHTS: [Weight; TO_MOVE + 1] = weights! {
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

/// What a line is worth in which a stone makes two ways to a five, or a five:
/// mostly that is seen before anything is valued.
const DECIDED: i32 = 200;

const fn weight(name: &'static str, initial: i32) -> Weight {
    Weight { name, about: "what this on a point is worth", initial, min: -1_000, max: 1_000 }
}

/// What each code is.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    pub(super) kinds: Box<[Kind; CODES]>,
    /// In the balance, if the colour moves and if it waits.
    pub(super) worth: Box<[[i16; 2]; CODES]>,
    /// In the order of moves: for who makes it, and for who spoils it.
    pub(super) attack: Box<[i16; CODES]>,
    pub(super) defence: Box<[i16; CODES]>,
}

impl Codes {
    pub(super) fn new(weights: &Weights) -> Codes {
        Codes {
            kinds: table(Kind::Quiet, Kind::of),
            worth: table([0; 2], |code| [worth(code, weights, 0), worth(code, weights, WAITING)]),
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

/// The weights from `first` on, added up over a point's lines and pairs of lines.
fn worth(code: Code, weights: &Weights, first: usize) -> i16 {
    let classes = classes(code).map(usize::from);
    let mut worth = 0;
    for (index, &one) in classes.iter().enumerate().filter(|(_, class)| **class > 0) {
        if one > CLASSES {
            worth += if first == 0 { DECIDED } else { -DECIDED };
            continue;
        }
        worth += weights.value(first + one - 1);
        for &other in classes[index + 1..].iter().filter(|&&c| c > 0 && c <= CLASSES) {
            let (low, high) = (one.min(other), one.max(other));
            worth += weights.value(first + CLASSES + high * (high - 1) / 2 + low - 1);
        }
    }
    worth.clamp(-4_000, 4_000) as i16
}

/// By class. To these the search adds some hundreds by what it has learnt.
const ATTACK: [i16; 8] = [0, 20, 50, 100, 600, 500, 3_000, 6_000];

fn attack(code: Code) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK[usize::from(class)]).sum();
    lines
        + match Kind::of(code) {
            Kind::FourThree => 1_500,
            Kind::ThreeThree => 800,
            _ => 0,
        }
}

fn defence(code: Code) -> i16 {
    let lines: i16 = classes(code).into_iter().map(|class| ATTACK[usize::from(class)]).sum();
    let besides = match Kind::of(code) {
        Kind::FourThree => 1_200,
        Kind::ThreeThree => 600,
        _ => 0,
    };
    (lines + besides) / 8 * 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(classes: [u8; 4], expected: Kind) {
        for turn in 0..4 {
            let mut turned = classes;
            turned.rotate_left(turn);
            let code =
                (0..).zip(turned).fold(0, |code, (d, class)| code | Code::from(class) << (3 * d));
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
