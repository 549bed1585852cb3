//! The cutoff table: the card that last caused a cutoff in a similar situation, to be tried first.
//! What counts as similar was tuned by counting positions over random deals and one symmetric deal
//! with four voids: for a lead, the same hand and the same suit lengths of the partner; for a card
//! that follows suit, the same remaining cards of the suit; for a discard, the same hand; and some
//! details of the trick. Coarser keys (the depth, or the suit alone) made the tree larger. A wrong
//! card costs only time.

use crate::lanes::{count, lane};
use crate::search::Trick;

/// The cards by situation, for one deal and strain.
pub(crate) struct CutoffTable {
    /// The tag of the situation, with the bit number of the card in the lowest six bits; 0 is
    /// empty.
    entries: Vec<u32>,
}

/// The slot of a situation.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    index: usize,
    tag: u32,
}

impl CutoffTable {
    /// Creates a table of about this many bytes.
    pub(crate) fn new(bytes: usize) -> CutoffTable {
        let entries = (bytes / size_of::<u32>()).max(1 << 8);
        CutoffTable { entries: vec![0; 1 << entries.ilog2()] }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.entries[..])
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0);
    }

    /// The slot for the card that `hand` plays to `trick`. `following`: the hand has cards of the
    /// suit led. In trump contracts the tricks needed are part of the key.
    #[inline]
    pub(crate) fn slot(
        &self,
        hands: &[u64; 4],
        trump: bool,
        trick: &Trick,
        hand: usize,
        following: bool,
    ) -> Slot {
        let best = u64::from(trick.best.trailing_zeros());
        let (situation, detail) = if trick.played == 0 {
            let partner = hands[(hand + 2) & 3];
            let lengths =
                (0..4).fold(0, |all, suit| all << 4 | u64::from(count(lane(partner, suit))));
            let need = if trump { u64::from(trick.need) } else { 0 };
            (hands[hand], lengths << 4 | need)
        } else if following {
            (trick.all & trick.led, best << 2 | trick.leader as u64)
        } else if trump {
            (hands[hand], (trick.all & trick.led).rotate_left(8) ^ best)
        } else {
            (hands[hand], trick.winner as u64)
        };
        let mixed = (situation ^ (trick.played as u64) << 62).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (detail ^ u64::from(following) << 63).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let index = (mixed >> 32) as usize & (self.entries.len() - 1);
        Slot { index, tag: (mixed as u32) << 6 }
    }

    /// The card of a slot; 0 if there is none.
    #[inline]
    pub(crate) fn card(&self, slot: Slot) -> u64 {
        let entry = self.entries[slot.index];
        if entry & !63 == slot.tag { 1 << (entry & 63) } else { 0 }
    }

    /// Stores the card that caused a cutoff.
    #[inline]
    pub(crate) fn store(&mut self, slot: Slot, card: u64) {
        self.entries[slot.index] = slot.tag | card.trailing_zeros();
    }
}
