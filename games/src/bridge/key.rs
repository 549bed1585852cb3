//! The hash of a position: a random word for each card in each hand, for each card on each
//! place of the unfinished trick, for who leads and what is trump; all joined by exclusive
//! or (A. Zobrist, 1970). Tricks that are over, and the mark, are no part of it.

use super::cards::{Card, Compass, Strain};
use super::table::Table;
use crate::splitmix::splitmix;

/// Every word: 64 for each hand, 64 for each place of a trick, leaders, strains.
const WORDS: [u64; 7 * 64 + 4 + 5] = words();
const LEADERS: usize = 7 * 64;
const STRAINS: usize = LEADERS + 4;

const fn words() -> [u64; 7 * 64 + 4 + 5] {
    let mut words = [0; 7 * 64 + 4 + 5];
    let mut at = 0;
    while at < words.len() {
        words[at] = splitmix(at as u64);
        at += 1;
    }
    words
}

/// The word of a card in a hand.
#[inline]
pub(super) fn held(by: Compass, card: Card) -> u64 {
    WORDS[by.index() << 6 | card.index() as usize & 63]
}

/// The word of a card that was the first, second or third of the trick: 0, 1, 2.
#[inline]
pub(super) fn laid(place: usize, card: Card) -> u64 {
    WORDS[(4 + place % 3) << 6 | card.index() as usize & 63]
}

/// The word of who led, or is to.
#[inline]
pub(super) fn leader(leader: Compass) -> u64 {
    WORDS[LEADERS + leader.index()]
}

fn strain(strain: Strain) -> u64 {
    WORDS[STRAINS + strain.index()]
}

/// The hash from scratch.
pub(super) fn of(table: &Table) -> u64 {
    let mut key = leader(table.leader()) ^ strain(table.strain());
    for by in Compass::ALL {
        key = table.hand(by).iter().fold(key, |key, card| key ^ held(by, card));
    }
    table.trick().enumerate().fold(key, |key, (place, card)| key ^ laid(place, card))
}
