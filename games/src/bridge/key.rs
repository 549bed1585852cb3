//! Zobrist keys of the position hash (A. Zobrist, 1970): a random word for each card in each hand,
//! for each card at each place of the unfinished trick, for the leader and for the strain, combined
//! by exclusive or. Tricks won and the double-dummy value are excluded.

use super::cards::{Card, Compass, Strain};
use super::table::Table;
use crate::splitmix;

/// All keys: 64 for each hand, 64 for each place of a trick, then leaders and strains.
const KEYS: [u64; 7 * 64 + 4 + 5] = keys();
const LEADERS: usize = 7 * 64;
const STRAINS: usize = LEADERS + 4;

const fn keys() -> [u64; 7 * 64 + 4 + 5] {
    let mut keys = [0; 7 * 64 + 4 + 5];
    let mut at = 0;
    while at < keys.len() {
        keys[at] = splitmix::output(0, at as u64);
        at += 1;
    }
    keys
}

/// Key of a card in a hand.
#[inline]
pub(super) fn in_hand(by: Compass, card: Card) -> u64 {
    KEYS[by.index() << 6 | card.index() as usize & 63]
}

/// Key of a card at a place of the trick: 0, 1 or 2.
#[inline]
pub(super) fn in_trick(place: usize, card: Card) -> u64 {
    KEYS[(4 + place % 3) << 6 | card.index() as usize & 63]
}

/// Key of the leader of the trick.
#[inline]
pub(super) fn leader(leader: Compass) -> u64 {
    KEYS[LEADERS + leader.index()]
}

fn strain(strain: Strain) -> u64 {
    KEYS[STRAINS + strain.index()]
}

/// The hash of a position, computed from scratch.
pub(super) fn hash(table: &Table) -> u64 {
    let mut key = leader(table.leader()) ^ strain(table.strain());
    for by in Compass::ALL {
        key = table.hand(by).iter().fold(key, |key, card| key ^ in_hand(by, card));
    }
    table.trick().enumerate().fold(key, |key, (place, card)| key ^ in_trick(place, card))
}
