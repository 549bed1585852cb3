//! What one more stone makes of a line, for all points of the line and for both
//! colours at a time: black in the lower half of each word, white in the upper.
//! Sees one line and no further.

use sandboard_games::gomoku::{Color, Rule};

// What a stone makes of one line, three bits. 0 is nothing, 1 a second stone in a
// window of five, 2 the same with room on both sides, 3 a third stone.

/// An open three: a straight four comes next.
pub(super) const OPEN_THREE: u8 = 4;
/// A four: one way to a five.
pub(super) const FOUR: u8 = 5;
/// Two ways to a five at once in this line.
pub(super) const DOUBLE: u8 = 6;
/// A five, which wins.
pub(super) const FIVE: u8 = 7;

/// The stones on a line: black's bits from 0, white's from 32.
pub(super) type Word = u64;

/// From bit 0 of black to bit 0 of white.
pub(super) const HALF: u32 = 32;

/// What the rule says of rows, as masks over both halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Law {
    /// The halves in which more than five do not win.
    exact: Word,
    /// The halves in which a five between two stones of the other does not win.
    unblocked: Word,
}

impl Law {
    pub(super) fn of(rule: Rule) -> Law {
        let half = |color: Color| (u64::MAX >> HALF) << (HALF * color.index() as u32);
        let mut law = Law::default();
        for color in Color::ALL {
            if !rule.overline_wins(color) {
                law.exact |= half(color);
            }
            if !rule.blocked_five_wins() {
                law.unblocked |= half(color);
            }
        }
        law
    }

    /// Whether a stone elsewhere than on the point of a five can spoil it.
    pub(super) fn blocks_from_outside(self) -> bool {
        self.unblocked != 0
    }
}

/// A line as both colours see it.
#[derive(Clone, Copy)]
struct View {
    empty: Word,
    /// By its first point: a window of five which its colour can still fill and win by.
    open: Word,
    /// How many own stones are in each window, as three bits of a number.
    counts: [Word; 3],
}

impl View {
    /// `edge`: the bits of both halves that are not on the board.
    #[inline]
    fn new(own: Word, edge: Word, law: Law) -> View {
        // The right shifts carry bits of white into the topmost of black, where no
        // window is: lines have 22 points at most.
        let other = own.rotate_left(HALF);
        let blocked = other | edge;
        let two = blocked | blocked >> 1;
        let mut open = !(two | two >> 2 | blocked >> 4);
        open &= !((own << 1 | own >> 5) & law.exact);
        open &= !(other << 1 & other >> 5 & law.unblocked);
        View { empty: !(own | blocked), open, counts: counts(own) }
    }

    /// Open windows with exactly so many own stones, 1 to 4.
    #[inline]
    fn with(&self, stones: u32) -> Word {
        let [ones, twos, fours] = self.counts;
        self.open
            & match stones {
                4 => fours & !ones,
                3 => ones & twos,
                2 => twos & !ones,
                _ => ones & !twos & !fours,
            }
    }

    #[inline]
    fn fives(&self) -> Word {
        spread(self.with(4)) & self.empty
    }
}

/// The points that make a five.
#[inline]
pub(super) fn fives(own: Word, edge: Word, law: Law) -> Word {
    View::new(own, edge, law).fives()
}

/// What a stone makes on each empty point: bit 0, 1 and 2 of the class.
pub(super) type Planes = [Word; 3];

/// The classes of all points of a line.
#[inline]
pub(super) fn classes(own: Word, edge: Word, law: Law) -> Planes {
    let view = View::new(own, edge, law);
    let [w1, w2, w3] = [1, 2, 3].map(|stones| view.with(stones));
    let empty = view.empty;
    let five = view.fives();
    let (four, double) = fours(w3, empty);
    // Six points, the outer two empty: two ways to a five once the inner four are filled.
    let six = view.open & view.open >> 1 & empty & empty >> 5;
    let inner = |six: Word| {
        let two = six << 1 | six << 2;
        (two | two << 2) & empty
    };
    let three = inner(six & w2);
    let open_two = inner(six & w1);
    let closed_three = spread(w2) & empty;
    let closed_two = spread(w1) & empty;
    let high = five | four | three;
    [
        five | four & !double | !high & (closed_three | closed_two & !open_two),
        five | double | !high & (closed_three | open_two),
        high,
    ]
}

/// The class of the point at a bit.
#[inline]
pub(super) fn class_at(planes: &Planes, bit: u32) -> u8 {
    let at = |plane: Word| (plane >> bit & 1) as u8;
    at(planes[0]) | at(planes[1]) << 1 | at(planes[2]) << 2
}

/// The points of windows that are given by their first points.
#[inline]
fn spread(windows: Word) -> Word {
    let two = windows | windows << 1;
    two | two << 2 | windows << 4
}

/// Of windows with three stones, the points that make a four: each makes its
/// other gap a way to a five. And those with at least two such partners.
#[inline]
fn fours(windows: Word, empty: Word) -> (Word, Word) {
    let (mut any, mut more) = (0, 0);
    if windows == 0 {
        return (any, more);
    }
    // By distance between the two gaps: which windows can have the lower one.
    let one = windows | windows << 1;
    let spread = [one | one << 2, one | windows << 2, one, windows];
    for (distance, lower) in (1..).zip(spread) {
        let lower = lower & empty & empty >> distance;
        for gap in [lower, lower << distance] {
            more |= any & gap;
            any |= gap;
        }
    }
    (any, more)
}

/// Adds five bits for each window at a time.
#[inline]
fn counts(own: Word) -> [Word; 3] {
    let add = |a: Word, b: Word, c: Word| (a ^ b ^ c, a & b | (a ^ b) & c);
    let (ones, carry) = add(own, own >> 1, own >> 2);
    let (ones, carry2) = add(ones, own >> 3, own >> 4);
    [ones, carry ^ carry2, carry & carry2]
}
