//! Card sets of the search: 64 bits with a lane of 16 bits for each suit, in which bit 0 is the
//! lowest card that the deal has of the suit. Trumps are lane 0. Only counts, ranks and masks; no
//! positions.

/// The bits of lane 0.
pub(crate) const LANE: u64 = 0xffff;
/// The highest bit of each lane, which no card uses.
const SIGNS: u64 = 0x8000_8000_8000_8000;
/// All bits that are cards.
pub(crate) const CARDS: u64 = 0x1fff_1fff_1fff_1fff;
/// The bits of the thirteen cards of a lane.
pub(crate) const RANKS: usize = 0x1fff;
/// The owners of the thirteen ranks of a suit, two bits each, the highest rank in the highest bits.
const OWNERS: u64 = 0x3ff_ffff;

/// The cards of a suit as a number.
#[inline(always)]
pub(crate) fn lane(cards: u64, suit: usize) -> u32 {
    (cards >> (16 * suit)) as u32 & 0xffff
}

/// The mask of the lane of a card.
#[inline(always)]
pub(crate) fn lane_of(card: u64) -> u64 {
    LANE << (card.trailing_zeros() & 48)
}

/// The suit index of a card.
#[inline(always)]
pub(crate) fn suit_of(card: u64) -> usize {
    (card.trailing_zeros() >> 4) as usize & 3
}

/// The number of cards of a lane. A lookup table, since not every target has a population count
/// instruction.
#[inline(always)]
pub(crate) fn count(lane: u32) -> u32 {
    u32::from(COUNTS[lane as usize & RANKS])
}

static COUNTS: [u8; RANKS + 1] = {
    let mut counts = [0; RANKS + 1];
    let mut lane = 1;
    while lane <= RANKS {
        counts[lane] = counts[lane >> 1] + (lane & 1) as u8;
        lane += 1;
    }
    counts
};

/// The highest card of a lane; 0 if it is empty.
#[inline(always)]
pub(crate) fn top(lane: u32) -> u32 {
    lane & (0x8000_0000u64 >> lane.leading_zeros()) as u32
}

/// The cards of `cards` above all `others`, in one lane.
#[inline(always)]
pub(crate) fn above(cards: u32, others: u32) -> u32 {
    cards & !((u64::from(u32::MAX) >> others.leading_zeros()) as u32)
}

/// The cards of `all` at or above the lowest marked card of their suit; none of a suit without
/// marks.
#[inline(always)]
pub(crate) fn from_lowest(marked: u64, all: u64) -> u64 {
    // In each lane a number and its negative share their lowest bit and differ above it.
    all & (marked | (SIGNS - marked))
}

/// The highest card of each sequence of equivalent cards: those with no cards of other hands
/// between them.
#[inline(always)]
pub(crate) fn sequence_tops(mine: u64, others: u64) -> u64 {
    let mut open = CARDS & !others;
    let mut reach = mine;
    // Each step doubles how far a card reaches down over cards that are not others'.
    reach |= open & (reach >> 1);
    open &= open >> 1;
    reach |= open & (reach >> 2);
    open &= open >> 2;
    reach |= open & (reach >> 4);
    open &= open >> 4;
    reach |= open & (reach >> 8);
    // A card reached from the bit above is not the highest of its sequence.
    mine & !(reach >> 1)
}

/// The lowest card of the sequence with this highest card.
#[inline(always)]
pub(crate) fn sequence_bottom(head: u64, mine: u64, all: u64) -> u64 {
    let below = lane_of(head) & (head - 1);
    let others = all & !mine & below;
    let barrier = u64::MAX.checked_shr(others.leading_zeros()).unwrap_or(0);
    let sequence = mine & (below | head) & !barrier;
    sequence & sequence.wrapping_neg()
}

/// The ranks of the suit of a card below all marked cards.
#[inline(always)]
pub(crate) fn ranks_below_marks(card: u64, marked: u64) -> u64 {
    let lane = lane_of(card);
    let marked = marked & lane;
    // Without marks this is the whole lane: 0 − 1 has all bits set.
    lane & (marked & marked.wrapping_neg()).wrapping_sub(1)
}

/// For each set of cards of a lane: their bit numbers from the highest on, four bits each from the
/// lowest bits on.
static ORDER: [u64; RANKS + 1] = {
    let mut order = [0; RANKS + 1];
    let mut lane = 1usize;
    while lane <= RANKS {
        let top = lane.ilog2();
        order[lane] = order[lane ^ 1 << top] << 4 | top as u64;
        lane += 1;
    }
    order
};

/// The card of a lane with this number of higher cards in the lane, which must exist.
#[inline(always)]
pub(crate) fn nth_highest(lane: u32, higher: u32) -> u32 {
    1 << (ORDER[lane as usize & RANKS] >> ((4 * higher) & 63) & 15)
}

/// The mask over the owners of a suit that keeps this number of highest ranks.
#[inline(always)]
pub(crate) const fn top_owners(ranks: u32) -> u64 {
    OWNERS << (26 - 2 * ranks) & OWNERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_have_one_highest_card() {
        let check =
            |mine, others, expected| assert_eq!(sequence_tops(mine, others), expected, "{mine:b}");
        check(0b1110, 0, 0b1000);
        check(0b1010, 0, 0b1000);
        check(0b1010, 0b0100, 0b1010);
        check(0b1_0000_0000_0001, 0, 0b1_0000_0000_0000);
        check(0b1_0000_0000_0001, 0b10, 0b1_0000_0000_0001);
        // The lowest card of a suit and the highest of the next lane are not equivalent.
        check(0x0001_1000, 0, 0x0001_1000);
        check(0, CARDS, 0);
        check(CARDS, 0, 0x1000_1000_1000_1000);
    }

    #[test]
    fn a_sequence_ends_at_a_card_of_another_hand() {
        assert_eq!(sequence_bottom(0b1000, 0b1011, 0b1011), 0b0001);
        assert_eq!(sequence_bottom(0b1000, 0b1011, 0b1111), 0b1000);
        assert_eq!(sequence_bottom(0b1000_0000, 0b1001_0001, 0b1001_0111), 0b0001_0000);
        assert_eq!(sequence_bottom(0x1_0000, 0x1_1000, 0x1_1000), 0x1_0000);
    }

    #[test]
    fn ranks_below_marks_are_masked() {
        assert_eq!(ranks_below_marks(0x20, 0x0101_0050), 0x0f);
        assert_eq!(ranks_below_marks(0x20_0000, 0x50), 0xffff_0000);
    }

    #[test]
    fn ranks_are_counted_from_the_top() {
        assert_eq!(
            [nth_highest(0b1011, 0), nth_highest(0b1011, 1), nth_highest(0b1011, 2)],
            [8, 2, 1]
        );
        assert_eq!(nth_highest(0x1fff, 12), 1);
        assert_eq!([above(0b1101, 0b0010), above(0b1101, 0), above(0b0101, 0b1000)], [12, 13, 0]);
        assert_eq!(from_lowest(0x0000_0004_0100, 0x1fff_1fff_1fff), 0x0000_1ffc_1f00);
        assert_eq!(from_lowest(0, CARDS), 0);
        assert_eq!([top_owners(0), top_owners(1), top_owners(13)], [0, 3 << 24, OWNERS]);
        assert_eq!([top(0), top(0b0110), top(1)], [0, 0b0100, 1]);
    }
}
