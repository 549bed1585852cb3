//! The class of each point of a line: what one more stone makes there, for all points and both
//! colours at once. Black is in the lower half of each word, white in the upper. Looks at single
//! lines only.

use sandboard_games::gomoku::{Color, Rule};

// The class of a point on a line has three bits: 0 for nothing, 1 for a second stone in a window of
// five, 2 for the same with room on both sides, 3 for a third stone.

/// An open three: a straight four can come next.
pub(super) const OPEN_THREE: u8 = 4;
/// A four: one five is possible.
pub(super) const FOUR: u8 = 5;
/// A straight four or two fours in this line: two fives are possible.
pub(super) const DOUBLE: u8 = 6;
/// A five, which wins.
pub(super) const FIVE: u8 = 7;

/// The stones on a line: black's bits from 0, white's from 32.
pub(super) type LineWord = u64;

/// The distance between black's bit and white's bit of a point.
pub(super) const WHITE_SHIFT: u32 = 32;

/// Which rows win by the rule, as masks over both halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleMasks {
    /// The halves of colours for which overlines do not win.
    exact_five: LineWord,
    /// The halves of colours for which a five between two opponent's stones does not win.
    unblocked_five: LineWord,
}

impl RuleMasks {
    pub(super) fn of(rule: Rule) -> RuleMasks {
        let half = |color: Color| (u64::MAX >> WHITE_SHIFT) << (WHITE_SHIFT * color.index() as u32);
        let mut masks = RuleMasks::default();
        for color in Color::ALL {
            if !rule.overline_wins(color) {
                masks.exact_five |= half(color);
            }
            if !rule.blocked_five_wins() {
                masks.unblocked_five |= half(color);
            }
        }
        masks
    }

    /// Whether a stone next to a five can spoil it.
    pub(super) fn fives_can_be_spoiled(self) -> bool {
        self.unblocked_five != 0
    }
}

/// A line from both colours' points of view.
#[derive(Clone, Copy)]
struct LineView {
    empty: LineWord,
    /// Windows of five, by first point, in which their colour can still win.
    open: LineWord,
    /// The number of own stones in each window, one word for each of its three bits.
    counts: [LineWord; 3],
}

impl LineView {
    /// `edge`: the bits of both halves that are off the board.
    #[inline]
    fn new(own: LineWord, edge: LineWord, masks: RuleMasks) -> LineView {
        // Right shifts move bits of white into the highest bits of black, where no window is: lines
        // have at most 22 points.
        let other = own.rotate_left(WHITE_SHIFT);
        let blocked = other | edge;
        let two = blocked | blocked >> 1;
        let mut open = !(two | two >> 2 | blocked >> 4);
        open &= !((own << 1 | own >> 5) & masks.exact_five);
        open &= !(other << 1 & other >> 5 & masks.unblocked_five);
        LineView { empty: !(own | blocked), open, counts: counts(own) }
    }

    /// Open windows with exactly this many own stones, 1 to 4.
    #[inline]
    fn with(&self, stones: u32) -> LineWord {
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
    fn fives(&self) -> LineWord {
        spread(self.with(4)) & self.empty
    }
}

/// The points that make a five.
#[inline]
pub(super) fn fives(own: LineWord, edge: LineWord, masks: RuleMasks) -> LineWord {
    LineView::new(own, edge, masks).fives()
}

/// The classes of all points: one word for each bit of the class.
pub(super) type ClassPlanes = [LineWord; 3];

/// The classes of all points of a line.
#[inline]
pub(super) fn classes(own: LineWord, edge: LineWord, masks: RuleMasks) -> ClassPlanes {
    let view = LineView::new(own, edge, masks);
    let [w1, w2, w3] = [1, 2, 3].map(|stones| view.with(stones));
    let empty = view.empty;
    let five = view.fives();
    let (four, double) = fours(w3, empty);
    // Six points, the outer two empty: two fives are possible once the inner four are filled.
    let six = view.open & view.open >> 1 & empty & empty >> 5;
    let inner = |six: LineWord| {
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
pub(super) fn class_at(planes: &ClassPlanes, bit: u32) -> u8 {
    let at = |plane: LineWord| (plane >> bit & 1) as u8;
    at(planes[0]) | at(planes[1]) << 1 | at(planes[2]) << 2
}

/// All points of windows that are given by their first points.
#[inline]
fn spread(windows: LineWord) -> LineWord {
    let two = windows | windows << 1;
    two | two << 2 | windows << 4
}

/// For windows with three stones: the points that make a four, since a five is then possible on the
/// other gap, and those with at least two such gaps.
#[inline]
fn fours(windows: LineWord, empty: LineWord) -> (LineWord, LineWord) {
    let (mut any, mut more) = (0, 0);
    if windows == 0 {
        return (any, more);
    }
    // By distance between the two gaps: the positions of the lower gap.
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

/// Counts the five bits of each window, for all windows at once.
#[inline]
fn counts(own: LineWord) -> [LineWord; 3] {
    let add = |a: LineWord, b: LineWord, c: LineWord| (a ^ b ^ c, a & b | (a ^ b) & c);
    let (ones, carry) = add(own, own >> 1, own >> 2);
    let (ones, carry2) = add(ones, own >> 3, own >> 4);
    [ones, carry ^ carry2, carry & carry2]
}
