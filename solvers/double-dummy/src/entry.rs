//! An entry of the transposition table: the owners of the highest cards of each suit, as far as its
//! bounds depend on them, and the bounds on the tricks of North-South in all such positions.

use crate::lanes::top_owners;

/// The number of bits for the owners of a suit: two per rank.
pub(crate) const SUIT: u32 = 26;
/// Above the owners of two suits: a bound, and the number of fixed ranks of each suit.
const BOUND: u32 = 2 * SUIT;
const RANKS: u32 = BOUND + 4;
const FIELD: u64 = 15;

/// The owners of all ranks, counted from the top of each suit; two suits per word.
pub(crate) type Owners = [u64; 2];

/// The relevant owners. Above them each word has the number of fixed ranks; the first word also has
/// the lower bound of the tricks of North-South, the second the upper bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry(pub(crate) [u64; 2]);

/// The bounds of a set of positions (partition search).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartitionBounds {
    /// The number of highest cards of each suit that the bounds depend on.
    pub(crate) fixed_ranks: [u32; 4],
    /// The fewest and the most tricks that North-South take.
    pub(crate) tricks: (u32, u32),
}

/// The mask over the owners of two suits, by their numbers of fixed ranks.
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
    /// An entry for a position with these owners.
    pub(crate) fn new(owners: &Owners, bounds: &PartitionBounds) -> Entry {
        let ranks =
            |suit: usize| u64::from(bounds.fixed_ranks[suit] | bounds.fixed_ranks[suit + 1] << 4);
        let word = |at: usize, bound: u32| {
            let ranks = ranks(2 * at) << RANKS;
            owners[at] & mask(ranks) | u64::from(bound) << BOUND | ranks
        };
        Entry([word(0, bounds.tricks.0), word(1, bounds.tricks.1)])
    }

    /// Whether the entry applies to positions with these owners.
    #[inline(always)]
    pub(crate) fn applies_to(&self, owners: &Owners) -> bool {
        let [one, two] = self.0;
        (one ^ owners[0]) & mask(one) | (two ^ owners[1]) & mask(two) == 0
    }

    #[inline(always)]
    pub(crate) fn trick_bounds(&self) -> (u32, u32) {
        ((self.0[0] >> BOUND & FIELD) as u32, (self.0[1] >> BOUND & FIELD) as u32)
    }

    /// The fixed ranks and bounds of the entry.
    pub(crate) fn bounds(&self) -> PartitionBounds {
        let ranks = |suit: usize| self.0[suit / 2] >> (RANKS + 4 * (suit as u32 & 1)) & FIELD;
        PartitionBounds {
            fixed_ranks: std::array::from_fn(|suit| ranks(suit) as u32),
            tricks: self.trick_bounds(),
        }
    }

    /// Merges two entries if one entry can express both, or if this one implies the other.
    pub(crate) fn merged(&self, other: &Entry) -> Option<Entry> {
        let [one, two] = self.0;
        let differs = (one ^ other.0[0]) & mask(one) | (two ^ other.0[1]) & mask(two);
        let wider = |at: usize| {
            let (own, others) = (mask(self.0[at]), mask(other.0[at]));
            others & own == own
        };
        if differs != 0 || !wider(0) || !wider(1) {
            return None;
        }
        let (own, others) = (self.bounds(), other.bounds());
        let tricks = (own.tricks.0.max(others.tricks.0), own.tricks.1.min(others.tricks.1));
        // Applied to more positions, the bounds of the other would be too tight.
        let is_valid = own.fixed_ranks == others.fixed_ranks || tricks == own.tricks;
        is_valid.then(|| Entry::new(&self.0, &PartitionBounds { tricks, ..own }))
    }
}
