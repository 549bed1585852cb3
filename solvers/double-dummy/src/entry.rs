//! One entry of the table: whose the highest cards of each suit are, as many as it rests on, and how
//! many tricks North-South take at least and at most whenever they are.

use crate::lanes::top_owners;

/// How many bits the owners of a suit take: two for each rank.
pub(crate) const SUIT: u32 = 26;
/// Above the owners of two suits: a bound, and how many ranks of each of the two are fixed.
const BOUND: u32 = 2 * SUIT;
const RANKS: u32 = BOUND + 4;
const FIELD: u64 = 15;

/// The owners of all ranks, counted from the top of each suit: of two suits in each word.
pub(crate) type Owners = [u64; 2];

/// Owners as far as they count; above them how many of these ranks count, and in the first word the
/// least that North-South take, in the second the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(pub(crate) [u64; 2]);

/// What is known, or to be remembered, of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// How many of the highest cards of each suit it rests on.
    pub(crate) fixed: [u32; 4],
    /// Tricks that North-South take at least and at most.
    pub(crate) bounds: (u32, u32),
}

/// By how many ranks of two suits are fixed: the mask over their owners.
static MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut ranks = 0;
    while ranks < 256 {
        if ranks & 15 <= 13 && ranks >> 4 <= 13 {
            masks[ranks] = top_owners(ranks as u32 & 15) | top_owners(ranks as u32 >> 4) << SUIT;
        }
        ranks += 1;
    }
    masks
};

/// The mask over the owners in a word of an entry.
#[inline(always)]
fn mask(word: u64) -> u64 {
    MASKS[(word >> RANKS) as usize]
}

impl Entry {
    /// What was learned of a position with these owners.
    pub(crate) fn new(owners: &Owners, lesson: &Lesson) -> Entry {
        let ranks = |suit: usize| u64::from(lesson.fixed[suit] | lesson.fixed[suit + 1] << 4);
        let word = |at: usize, bound: u32| {
            let ranks = ranks(2 * at) << RANKS;
            owners[at] & mask(ranks) | u64::from(bound) << BOUND | ranks
        };
        Entry([word(0, lesson.bounds.0), word(1, lesson.bounds.1)])
    }

    /// Whether it speaks of positions with these owners.
    #[inline(always)]
    pub(crate) fn is_of(&self, owners: &Owners) -> bool {
        let [one, two] = self.0;
        (one ^ owners[0]) & mask(one) | (two ^ owners[1]) & mask(two) == 0
    }

    #[inline(always)]
    pub(crate) fn bounds(&self) -> (u32, u32) {
        ((self.0[0] >> BOUND & FIELD) as u32, (self.0[1] >> BOUND & FIELD) as u32)
    }

    /// All that it says.
    pub(crate) fn lesson(&self) -> Lesson {
        let ranks = |suit: usize| self.0[suit / 2] >> (RANKS + 4 * (suit as u32 & 1)) & FIELD;
        Lesson { fixed: std::array::from_fn(|suit| ranks(suit) as u32), bounds: self.bounds() }
    }

    /// This and the other in one, if one entry can say both or this says all that the other says.
    pub(crate) fn with(&self, other: &Entry) -> Option<Entry> {
        let [one, two] = self.0;
        let differs = (one ^ other.0[0]) & mask(one) | (two ^ other.0[1]) & mask(two);
        let wider = |at: usize| {
            let (own, others) = (mask(self.0[at]), mask(other.0[at]));
            others & own == own
        };
        if differs != 0 || !wider(0) || !wider(1) {
            return None;
        }
        let (own, others) = (self.lesson(), other.lesson());
        let bounds = (own.bounds.0.max(others.bounds.0), own.bounds.1.min(others.bounds.1));
        // Told of more positions the other's bounds would be too tight.
        let all = own.fixed == others.fixed || bounds == own.bounds;
        all.then(|| Entry::new(&self.0, &Lesson { bounds, ..own }))
    }
}
