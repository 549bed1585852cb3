//! The patterns of a colour in a row of the board: closed and open twos, threes and fours. Looks at
//! single rows. `docs/gomoku.md` defines the patterns.

/// A pattern, in ascending order of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Pattern {
    /// Two stones that can become a closed three.
    ClosedTwo,
    /// Two stones that can become an open three.
    OpenTwo,
    /// Three stones that can become a closed four.
    ClosedThree,
    /// Three stones that can become an open four.
    OpenThree,
    /// Stones that become a five on one point.
    ClosedFour,
    /// Stones that become a five on each of two or more points.
    OpenFour,
}

/// The number of patterns.
pub const PATTERNS: usize = 6;

impl Pattern {
    /// All patterns in order.
    pub const ALL: [Pattern; PATTERNS] = [
        Pattern::ClosedTwo,
        Pattern::OpenTwo,
        Pattern::ClosedThree,
        Pattern::OpenThree,
        Pattern::ClosedFour,
        Pattern::OpenFour,
    ];
}

/// The number of patterns of each kind. Each kind has some bits of one word, so that counts are
/// added and subtracted as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternCounts(u64);

/// The bits for each kind.
const BITS: u32 = 10;

impl PatternCounts {
    /// The largest count of a kind.
    pub const MAX: u32 = (1 << BITS) - 1;

    /// No pattern of any kind.
    pub const NONE: PatternCounts = PatternCounts(0);

    /// One pattern of this kind.
    #[inline]
    fn one(pattern: Pattern) -> PatternCounts {
        PatternCounts(1 << (BITS * pattern as u32))
    }

    /// The count of this kind.
    #[inline]
    pub fn count(self, pattern: Pattern) -> u32 {
        (self.0 >> (BITS * pattern as u32)) as u32 & PatternCounts::MAX
    }

    /// The sum of both counts.
    #[inline]
    pub fn plus(self, more: PatternCounts) -> PatternCounts {
        PatternCounts(self.0 + more.0)
    }

    /// These counts minus `less`, which must not be larger.
    #[inline]
    pub fn minus(self, less: PatternCounts) -> PatternCounts {
        PatternCounts(self.0 - less.0)
    }
}

/// A row of the board from one colour's point of view; bit 0 is its first point.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The colour's own stones.
    pub own: u32,
    /// The opponent's stones.
    pub other: u32,
    /// The number of points, at most 31.
    pub length: u32,
    /// Whether more than five in a row win.
    pub overline_wins: bool,
}

impl Row {
    /// The patterns of the row: the best one of each stretch between opponent's stones.
    #[inline]
    pub fn pattern_counts(self) -> PatternCounts {
        if self.own & self.own.wrapping_sub(1) == 0 {
            return PatternCounts::NONE;
        }
        let free = !self.other & ((1 << self.length) - 1);
        let windows = LiveWindows::of(self, free);
        let mut counts = PatternCounts::NONE;
        let mut rest = if windows.any() { free } else { 0 };
        while rest != 0 {
            // Adding the lowest bit carries through the lowest stretch and clears it.
            let stretch = rest & !(rest + (rest & rest.wrapping_neg()));
            rest &= !stretch;
            if let Some(pattern) = windows.best(stretch) {
                counts = counts.plus(PatternCounts::one(pattern));
            }
        }
        counts
    }
}

/// The windows of a row that can still become a five, by first point.
#[derive(Clone, Copy)]
struct LiveWindows {
    /// Windows with exactly two, and exactly three own stones.
    twos: u32,
    threes: u32,
    /// Windows whose stones are all in the next window, too. Among the windows with the most stones
    /// of a stretch, these have the same stones as the next one.
    paired: u32,
    /// Points that make a five.
    fives: u32,
}

impl LiveWindows {
    #[inline]
    fn of(row: Row, free: u32) -> LiveWindows {
        let empty = free & !row.own;
        let pairs = free & free >> 1;
        let mut live = pairs & pairs >> 2 & free >> 4;
        if !row.overline_wins {
            live &= !(row.own << 1 | row.own >> 5);
        }
        let [ones, twos, fours] = counts(row.own);
        LiveWindows {
            twos: live & twos & !ones & !fours,
            threes: live & twos & ones,
            paired: live & live >> 1 & empty,
            fives: points(live & fours & !ones) & empty,
        }
    }

    #[inline]
    fn any(self) -> bool {
        self.twos | self.threes | self.fives != 0
    }

    /// The pattern with the most stones in a stretch; an open one comes before a closed one.
    #[inline]
    fn best(self, stretch: u32) -> Option<Pattern> {
        let fives = self.fives & stretch;
        if fives != 0 {
            let several = fives & (fives - 1) != 0;
            return Some(if several { Pattern::OpenFour } else { Pattern::ClosedFour });
        }
        let kinds = [
            (self.threes, Pattern::OpenThree, Pattern::ClosedThree),
            (self.twos, Pattern::OpenTwo, Pattern::ClosedTwo),
        ];
        let (windows, open, closed) =
            kinds.into_iter().find(|(windows, ..)| windows & stretch != 0)?;
        Some(if windows & self.paired & stretch != 0 { open } else { closed })
    }
}

/// All points of windows that are given by first point.
#[inline]
fn points(windows: u32) -> u32 {
    let pairs = windows | windows << 1;
    pairs | pairs << 2 | windows << 4
}

/// The number of stones in each window, one word for each of its three bits; computed for all
/// windows at once.
#[inline]
fn counts(own: u32) -> [u32; 3] {
    let add = |a: u32, b: u32, c: u32| (a ^ b ^ c, a & b | (a ^ b) & c);
    let (ones, carry) = add(own, own >> 1, own >> 2);
    let (ones, carry2) = add(ones, own >> 3, own >> 4);
    [ones, carry ^ carry2, carry & carry2]
}
