//! Deals by a seed: the same seed and size give the same deal for ever, on every platform.

use super::cards::{Card, Cards, Compass, Strain};
use super::table::Table;

/// splitmix64 (G. Steele, D. Lea, C. Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below the bound; for one of 52 it is off by less than 2⁻⁵⁸.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// Four hands of so many cards each (1 to 13) out of a shuffled pack, what is trump and who
/// leads; every one equally probable.
pub(super) fn deal(cards_each: u8, seed: u64) -> Table {
    let mut random = Random(seed);
    let mut pack: Vec<Card> = Cards::PACK.iter().collect();
    // Fisher and Yates, from the end.
    for last in (1..pack.len()).rev() {
        pack.swap(last, random.below(last + 1));
    }
    let each = usize::from(cards_each);
    let mut hands = [Cards::NONE; 4];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(each.max(1))) {
        *hand = cards.iter().copied().collect();
    }
    let strain = Strain::ALL[random.below(Strain::ALL.len())];
    let leader = Compass::ALL[random.below(Compass::ALL.len())];
    // Four parts of a pack, each of so many cards.
    Table::new(hands, strain, leader).unwrap_or_else(|| Table::empty(strain, leader))
}
