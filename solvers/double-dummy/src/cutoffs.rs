//! Which card settled the matter last in a like situation: it is tried first in the next one.
//! What counts as like was found by counting positions over random deals and over a symmetric one of
//! four voids: for a lead the hand and its partner's lengths, for a card that follows the cards left of the suit,
//! for a discard the hand, each with what else is named below. With vaguer likeness (the depth,
//! the suit alone) the tree grew instead. A wrong card costs time and nothing else.

use crate::lanes::{count, lane};
use crate::search::Trick;

/// Cards by situation, within one deal and strain.
pub(crate) struct Cutoffs {
    /// The situation's tag above, the number of the card's bit in the lowest six; 0 is empty.
    entries: Vec<u32>,
}

/// Where the card of a situation stands.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    at: usize,
    tag: u32,
}

impl Cutoffs {
    /// In so many bytes or a few more.
    pub(crate) fn new(bytes: usize) -> Cutoffs {
        let entries = (bytes / size_of::<u32>()).max(1 << 8);
        Cutoffs { entries: vec![0; 1 << entries.ilog2()] }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.entries[..])
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0);
    }

    /// Where the card stands that `hand` is to play to `trick`; `following`: it has cards of the
    /// suit that was led. Tricks that are needed count where there are trumps.
    #[inline]
    pub(crate) fn place(
        &self,
        hands: &[u64; 4],
        trump: bool,
        trick: &Trick,
        hand: usize,
        following: bool,
    ) -> Place {
        let best = u64::from(trick.best.trailing_zeros());
        let (situation, detail) = if trick.at == 0 {
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
            (hands[hand], trick.by as u64)
        };
        let mixed = (situation ^ (trick.at as u64) << 62).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (detail ^ u64::from(following) << 63).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let at = (mixed >> 32) as usize & (self.entries.len() - 1);
        Place { at, tag: (mixed as u32) << 6 }
    }

    /// The card that stands there, 0 if none does.
    #[inline]
    pub(crate) fn card(&self, place: Place) -> u64 {
        let entry = self.entries[place.at];
        if entry & !63 == place.tag { 1 << (entry & 63) } else { 0 }
    }

    /// Remembers the card that settled it.
    #[inline]
    pub(crate) fn keep(&mut self, place: Place, card: u64) {
        self.entries[place.at] = place.tag | card.trailing_zeros();
    }
}
