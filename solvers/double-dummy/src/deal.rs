//! Converts a table to the bit representation of the search and back. The cards that the deal has
//! of a suit are numbered from the lowest, so that missing cards cost nothing.

use sandboard_games::bridge::{Cards, Compass, Strain, Suit, Table};

use crate::entry::{Owners, SUIT};
use crate::lanes::{RANKS, lane};
use crate::search::Trick;

/// A table in the representation of the search.
pub(crate) struct Deal {
    /// The suit of each lane.
    suits: [Suit; 4],
    /// The ranks that the deal has in each lane, as in [`Cards::ranks`].
    ranks: [u16; 4],
    pub(crate) hands: [u64; 4],
    /// All cards, including those of the unfinished trick.
    pub(crate) all: u64,
    pub(crate) trump: bool,
    pub(crate) leader: usize,
    /// The cards of the unfinished trick.
    pub(crate) trick: Vec<u64>,
    pub(crate) tricks_left: u32,
}

impl Deal {
    pub(crate) fn new(table: &Table) -> Deal {
        let mut suits = Suit::ALL;
        if let Some(trump) = table.strain().trump() {
            suits[..=trump.index()].rotate_right(1);
        }
        let trick: Cards = table.trick().collect();
        let all = table.hands().into_iter().fold(trick, Cards::union);
        let mut deal = Deal {
            suits,
            ranks: suits.map(|suit| all.ranks(suit)),
            hands: [0; 4],
            all: 0,
            trump: table.strain() != Strain::NoTrump,
            leader: table.leader().index(),
            trick: Vec::new(),
            tricks_left: table.tricks_left(),
        };
        deal.hands = Compass::ALL.map(|seat| deal.bits(table.hand(seat)));
        deal.all = deal.bits(all);
        deal.trick = table.trick().map(|card| deal.bits(Cards::NONE.with(card))).collect();
        deal
    }

    /// Cards of the deal as a bit set.
    pub(crate) fn bits(&self, cards: Cards) -> u64 {
        let mut bits = 0;
        for card in cards.iter() {
            let Some(lane) = self.suits.iter().position(|suit| *suit == card.suit()) else {
                continue;
            };
            let lower = self.ranks[lane] & ((1u32 << card.rank()) - 1) as u16;
            bits |= 1 << (16 * lane as u32 + lower.count_ones());
        }
        bits
    }

    /// The hands at the start of the current trick.
    pub(crate) fn hands_at_trick_start(&self) -> [u64; 4] {
        let mut hands = self.hands;
        for (played, card) in self.trick.iter().enumerate() {
            hands[(self.leader + played) & 3] |= card;
        }
        hands
    }

    /// The current trick, which may be empty.
    pub(crate) fn root(&self) -> Trick {
        // Four bits for each hand's length of each suit, in the lane of the suit.
        let mut lengths = 0;
        for (hand, cards) in self.hands_at_trick_start().iter().enumerate() {
            for suit in 0..4 {
                lengths |= u64::from(lane(*cards, suit).count_ones()) << (16 * suit + 4 * hand);
            }
        }
        let mut trick = Trick::start(self.leader, 0, self.tricks_left, self.all, lengths);
        for card in &self.trick {
            trick = trick.with(*card, (self.leader + trick.played) & 3, self.trump);
        }
        trick
    }
}

/// The owners of the cards of each suit, from the highest on, for every set of remaining cards.
pub(crate) struct OwnerLookup(Box<[[u32; RANKS + 1]; 4]>);

impl OwnerLookup {
    pub(crate) fn new() -> OwnerLookup {
        let rows = vec![[0; RANKS + 1]; 4].into_boxed_slice();
        // The vector has four rows.
        OwnerLookup(rows.try_into().unwrap_or_else(|_| Box::new([[0; RANKS + 1]; 4])))
    }

    /// Fills the lookup for a deal.
    pub(crate) fn load(&mut self, deal: &Deal) {
        let hands = deal.hands_at_trick_start();
        for (suit, row) in self.0.iter_mut().enumerate() {
            let cards = lane(deal.all, suit).count_ones();
            for top in 0..cards {
                let owner =
                    (0..4u32).find(|hand| lane(hands[*hand as usize], suit) >> top & 1 != 0);
                let (without, with) = row.split_at_mut(1 << top);
                for (owners, rest) in with.iter_mut().zip(without) {
                    *owners = owner.unwrap_or(0) << 24 | *rest >> 2;
                }
            }
        }
    }

    /// The owners of the cards of a position.
    #[inline(always)]
    pub(crate) fn of(&self, all: u64) -> Owners {
        let row = |suit: usize| u64::from(self.0[suit][lane(all, suit) as usize & RANKS]);
        [row(0) | row(1) << SUIT, row(2) | row(3) << SUIT]
    }
}
