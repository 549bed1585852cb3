//! Deals from seeds: a seed and a size give the same deal forever, on every platform.

use super::cards::{Card, Cards, Compass, Strain};
use super::table::Table;
use crate::splitmix::SplitMix64;

/// Four hands of `cards_each` cards (1 to 13) from a shuffled pack, a strain and a leader, each
/// uniformly distributed.
pub(super) fn deal(cards_each: u8, seed: u64) -> Table {
    let mut random = SplitMix64::new(seed);
    let mut pack: Vec<Card> = Cards::PACK.iter().collect();
    random.shuffle(&mut pack);
    let each = usize::from(cards_each);
    let mut hands = [Cards::NONE; 4];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(each.max(1))) {
        *hand = cards.iter().copied().collect();
    }
    let strain = Strain::ALL[random.below(Strain::ALL.len())];
    let leader = Compass::ALL[random.below(Compass::ALL.len())];
    // The hands are disjoint parts of the pack with equal numbers of cards.
    Table::new(hands, strain, leader).unwrap_or_else(|| Table::empty(strain, leader))
}
