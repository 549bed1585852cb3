//! What lies on the table: four hands, what is trump, who leads, and the unfinished trick.
//! Who wins a trick and which cards follow suit is decided here and nowhere else. Counts no
//! tricks that are over.

use super::cards::{Card, Cards, Compass, Strain, Suit};

/// Four hands with a trick going on: all that decides how many tricks are still to be won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// What is still held, by [`Compass::index`]; the cards of the trick are gone from it.
    hands: [Cards; 4],
    strain: Strain,
    leader: Compass,
    trick: [Option<Card>; 3],
}

impl Table {
    /// Hands before the first card of a trick. None: a card is held twice, or the hands are
    /// not of the same number of cards.
    pub fn new(hands: [Cards; 4], strain: Strain, leader: Compass) -> Option<Table> {
        let all = hands.into_iter().fold(Cards::NONE, Cards::union);
        let each = hands[0].len();
        let fair = hands.iter().all(|hand| hand.len() == each) && all.len() == 4 * each;
        fair.then_some(Table { hands, strain, leader, trick: [None; 3] })
    }

    /// A table without a card: what is played on it is only judged, as by a scorer who sees
    /// no hands.
    pub fn empty(strain: Strain, leader: Compass) -> Table {
        Table { hands: [Cards::NONE; 4], strain, leader, trick: [None; 3] }
    }

    /// What somebody holds.
    #[inline]
    pub fn hand(&self, of: Compass) -> Cards {
        self.hands[of.index()]
    }

    /// All four hands, by [`Compass::index`].
    #[inline]
    pub fn hands(&self) -> [Cards; 4] {
        self.hands
    }

    /// What is trump.
    #[inline]
    pub fn strain(&self) -> Strain {
        self.strain
    }

    /// Who led to this trick, or is to.
    #[inline]
    pub fn leader(&self) -> Compass {
        self.leader
    }

    /// The cards of the unfinished trick, from the leader's on: three at most.
    #[inline]
    pub fn trick(&self) -> impl Iterator<Item = Card> {
        self.trick.into_iter().flatten()
    }

    /// Who plays next; after the last trick, who won it.
    #[inline]
    pub fn to_move(&self) -> Compass {
        self.leader.after(self.trick().count())
    }

    /// How many tricks are still to be won, the unfinished one included.
    #[inline]
    pub fn tricks_left(&self) -> u32 {
        // Who would play last has not played.
        self.hand(self.leader.after(3)).len()
    }

    /// The suit that must be followed, if it can be.
    #[inline]
    pub fn suit_led(&self) -> Option<Suit> {
        self.trick[0].map(Card::suit)
    }

    /// Which cards can be played.
    #[inline]
    pub fn legal(&self) -> Cards {
        let hand = self.hand(self.to_move());
        let following = self.suit_led().map_or(Cards::NONE, |suit| hand.of_suit(suit));
        if following.is_empty() { hand } else { following }
    }

    /// Plays one of the [`legal`](Self::legal) cards; another one is laid on the table all the
    /// same, and who lays it holds what he held. Some: who has won the trick with it.
    #[inline]
    pub fn play(&mut self, card: Card) -> Option<Compass> {
        let mover = self.to_move();
        let hand = &mut self.hands[mover.index()];
        *hand = hand.without(card);
        if let Some(place) = self.trick.iter_mut().find(|place| place.is_none()) {
            *place = Some(card);
            return None;
        }
        let winner = self.winner_with(card);
        self.leader = winner;
        self.trick = [None; 3];
        Some(winner)
    }

    /// Who wins the trick of three cards when the fourth is this one.
    fn winner_with(&self, fourth: Card) -> Compass {
        let cards = self.trick.into_iter().chain([Some(fourth)]).flatten();
        let mut best: Option<(usize, Card)> = None;
        for (place, card) in cards.enumerate() {
            if best.is_none_or(|(_, winning)| self.beats(card, winning)) {
                best = Some((place, card));
            }
        }
        self.leader.after(best.map_or(0, |(place, _)| place))
    }

    /// Whether a card that comes later wins over one that was winning until then.
    #[inline]
    pub fn beats(&self, later: Card, winning: Card) -> bool {
        match later.suit() == winning.suit() {
            true => later.rank() > winning.rank(),
            false => Some(later.suit()) == self.strain.trump(),
        }
    }
}
