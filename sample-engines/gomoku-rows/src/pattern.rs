//! What a colour's stones make of a row of the board: closed and open twos, threes and
//! fours. Sees one row and no further; what a pattern is, `docs/gomoku.md` says in words.

/// A pattern, the more stones the later.
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
    /// Stones that one point makes a five.
    ClosedFour,
    /// Stones that each of two points or more makes a five.
    OpenFour,
}

/// How many patterns there are.
pub const PATTERNS: usize = 6;

impl Pattern {
    /// All of them, in their order.
    pub const ALL: [Pattern; PATTERNS] = [
        Pattern::ClosedTwo,
        Pattern::OpenTwo,
        Pattern::ClosedThree,
        Pattern::OpenThree,
        Pattern::ClosedFour,
        Pattern::OpenFour,
    ];
}

/// How many patterns of each kind there are: some bits of a number for each, so that tallies
/// are added and taken off as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(u64);

/// The bits of each kind.
const BITS: u32 = 10;

impl Tally {
    /// The most patterns of a kind that it can count.
    pub const MOST: u32 = (1 << BITS) - 1;

    /// No pattern.
    pub const NONE: Tally = Tally(0);

    /// One pattern.
    #[inline]
    fn one(pattern: Pattern) -> Tally {
        Tally(1 << (BITS * pattern as u32))
    }

    /// How many of this kind.
    #[inline]
    pub fn count(self, pattern: Pattern) -> u32 {
        (self.0 >> (BITS * pattern as u32)) as u32 & Tally::MOST
    }

    /// With these besides.
    #[inline]
    pub fn plus(self, more: Tally) -> Tally {
        Tally(self.0 + more.0)
    }

    /// Without these, which it holds.
    #[inline]
    pub fn minus(self, less: Tally) -> Tally {
        Tally(self.0 - less.0)
    }
}

/// A row of the board as one colour sees it; bit 0 is its first point.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The own stones.
    pub own: u32,
    /// The opponent's stones.
    pub other: u32,
    /// How many points it has, at most 31.
    pub length: u32,
    /// Whether more than five in a row win, too.
    pub overline_wins: bool,
}

impl Row {
    /// The patterns of the row: of each stretch between the opponent's stones, its best one.
    #[inline]
    pub fn tally(self) -> Tally {
        if self.own & self.own.wrapping_sub(1) == 0 {
            return Tally::NONE;
        }
        let free = !self.other & ((1 << self.length) - 1);
        let windows = Windows::of(self, free);
        let mut tally = Tally::NONE;
        let mut rest = if windows.any() { free } else { 0 };
        while rest != 0 {
            // Adding its lowest bit carries through the stretch, and clears it.
            let stretch = rest & !(rest + (rest & rest.wrapping_neg()));
            rest &= !stretch;
            if let Some(pattern) = windows.best(stretch) {
                tally = tally.plus(Tally::one(pattern));
            }
        }
        tally
    }
}

/// The windows of a row that can still become a five, each by its first point.
#[derive(Clone, Copy)]
struct Windows {
    /// Those with so many own stones.
    twos: u32,
    threes: u32,
    /// Those that hold no stone that the next one has not. Of windows with most stones in
    /// their stretch that means just the same stones.
    paired: u32,
    /// The points that make a five.
    fives: u32,
}

impl Windows {
    #[inline]
    fn of(row: Row, free: u32) -> Windows {
        let empty = free & !row.own;
        let pairs = free & free >> 1;
        let mut live = pairs & pairs >> 2 & free >> 4;
        if !row.overline_wins {
            live &= !(row.own << 1 | row.own >> 5);
        }
        let [ones, twos, fours] = counts(row.own);
        Windows {
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

    /// The pattern with most stones in a stretch, and of those an open one.
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

/// The points of windows.
#[inline]
fn points(windows: u32) -> u32 {
    let pairs = windows | windows << 1;
    pairs | pairs << 2 | windows << 4
}

/// How many stones are in each window, as the three bits of a number: all windows are
/// added up at a time.
#[inline]
fn counts(own: u32) -> [u32; 3] {
    let add = |a: u32, b: u32, c: u32| (a ^ b ^ c, a & b | (a ^ b) & c);
    let (ones, carry) = add(own, own >> 1, own >> 2);
    let (ones, carry2) = add(ones, own >> 3, own >> 4);
    [ones, carry ^ carry2, carry & carry2]
}
