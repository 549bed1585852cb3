//! From a table with cards on it to the words of the search and back. The cards that a deal
//! has of a suit are numbered from the lowest, so that gaps cost nothing.

use sandboard_games::bridge::{Cards, Compass, Strain, Suit, Table};

use crate::entry::{Owners, SUIT};
use crate::lanes::{RANKS, lane};
use crate::search::Trick;

/// A table in the words of the search.
pub(crate) struct Deal {
    /// The suit of each lane.
    suits: [Suit; 4],
    /// By lane the ranks that the deal has, as in [`Cards::ranks`].
    ranks: [u16; 4],
    pub(crate) hands: [u64; 4],
    /// All cards, those of the unfinished trick too.
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
        deal.hands = Compass::ALL.map(|of| deal.word(table.hand(of)));
        deal.all = deal.word(all);
        deal.trick = table.trick().map(|card| deal.word(Cards::NONE.with(card))).collect();
        deal
    }

    /// Cards of the deal as a word.
    pub(crate) fn word(&self, cards: Cards) -> u64 {
        let mut word = 0;
        for card in cards.iter() {
            let Some(at) = self.suits.iter().position(|suit| *suit == card.suit()) else {
                continue;
            };
            let lower = self.ranks[at] & ((1u32 << card.rank()) - 1) as u16;
            word |= 1 << (16 * at as u32 + lower.count_ones());
        }
        word
    }

    /// The hands as they were when the trick began.
    pub(crate) fn whole_hands(&self) -> [u64; 4] {
        let mut hands = self.hands;
        for (place, card) in self.trick.iter().enumerate() {
            hands[(self.leader + place) & 3] |= card;
        }
        hands
    }

    /// The unfinished trick, or the start of one.
    pub(crate) fn root(&self) -> Trick {
        // Four bits for each hand's length of each suit, the hands of a suit in its lane.
        let mut lengths = 0;
        for (hand, cards) in self.whole_hands().iter().enumerate() {
            for suit in 0..4 {
                lengths |= u64::from(lane(*cards, suit).count_ones()) << (16 * suit + 4 * hand);
            }
        }
        let mut trick = Trick::start(self.leader, 0, self.tricks_left, self.all, lengths);
        for card in &self.trick {
            trick = trick.with(*card, (self.leader + trick.at) & 3, self.trump);
        }
        trick
    }
}

/// For each suit and each set of its cards: whose they are, from the highest on.
pub(crate) struct Holders(Box<[[u32; RANKS + 1]; 4]>);

impl Holders {
    pub(crate) fn new() -> Holders {
        let rows = vec![[0; RANKS + 1]; 4].into_boxed_slice();
        // Four rows were asked for.
        Holders(rows.try_into().unwrap_or_else(|_| Box::new([[0; RANKS + 1]; 4])))
    }

    /// Learns a deal.
    pub(crate) fn learn(&mut self, deal: &Deal) {
        let hands = deal.whole_hands();
        for (suit, row) in self.0.iter_mut().enumerate() {
            let cards = lane(deal.all, suit).count_ones();
            for top in 0..cards {
                let holder =
                    (0..4u32).find(|hand| lane(hands[*hand as usize], suit) >> top & 1 != 0);
                let (below, from) = row.split_at_mut(1 << top);
                for (owners, rest) in from.iter_mut().zip(below) {
                    *owners = holder.unwrap_or(0) << 24 | *rest >> 2;
                }
            }
        }
    }

    /// Whose the cards of a position are.
    #[inline(always)]
    pub(crate) fn of(&self, all: u64) -> Owners {
        let row = |suit: usize| u64::from(self.0[suit][lane(all, suit) as usize & RANKS]);
        [row(0) | row(1) << SUIT, row(2) | row(3) << SUIT]
    }
}
