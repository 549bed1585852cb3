//! The state of play: four hands, strain, leader, and the unfinished trick. Decides who wins a
//! trick and which cards are legal. Does not count tricks.

use super::cards::{Card, Cards, Compass, Strain, Suit};

/// Four hands and an unfinished trick: everything that determines the remaining tricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// The remaining cards by [`Compass::index`], without those of the trick.
    hands: [Cards; 4],
    strain: Strain,
    leader: Compass,
    trick: [Option<Card>; 3],
}

impl Table {
    /// Hands before the first card of a trick. `None` if a card is held twice or the hands differ
    /// in size.
    pub fn new(hands: [Cards; 4], strain: Strain, leader: Compass) -> Option<Table> {
        let all = hands.into_iter().fold(Cards::NONE, Cards::union);
        let each = hands[0].len();
        let fair = hands.iter().all(|hand| hand.len() == each) && all.len() == 4 * each;
        fair.then_some(Table { hands, strain, leader, trick: [None; 3] })
    }

    /// A table with empty hands. Cards played on it are not checked, only their winners are
    /// determined.
    pub fn empty(strain: Strain, leader: Compass) -> Table {
        Table { hands: [Cards::NONE; 4], strain, leader, trick: [None; 3] }
    }

    /// The hand of a seat.
    #[inline]
    pub fn hand(&self, of: Compass) -> Cards {
        self.hands[of.index()]
    }

    /// All four hands, by [`Compass::index`].
    #[inline]
    pub fn hands(&self) -> [Cards; 4] {
        self.hands
    }

    /// The trump suit or no trump.
    #[inline]
    pub fn strain(&self) -> Strain {
        self.strain
    }

    /// The leader of the current trick.
    #[inline]
    pub fn leader(&self) -> Compass {
        self.leader
    }

    /// The cards of the unfinished trick in order of play, at most three.
    #[inline]
    pub fn trick(&self) -> impl Iterator<Item = Card> {
        self.trick.into_iter().flatten()
    }

    /// The player to move; after the last trick, its winner.
    #[inline]
    pub fn to_move(&self) -> Compass {
        self.leader.after(self.trick().count())
    }

    /// Number of remaining tricks, including the unfinished one.
    #[inline]
    pub fn tricks_left(&self) -> u32 {
        // The last player of the trick has not played yet.
        self.hand(self.leader.after(3)).len()
    }

    /// The suit that must be followed if possible.
    #[inline]
    pub fn suit_led(&self) -> Option<Suit> {
        self.trick[0].map(Card::suit)
    }

    /// The legal cards.
    #[inline]
    pub fn legal(&self) -> Cards {
        let hand = self.hand(self.to_move());
        let following = self.suit_led().map_or(Cards::NONE, |suit| hand.of_suit(suit));
        if following.is_empty() { hand } else { following }
    }

    /// Plays one of the [`legal`](Self::legal) cards. Other cards are accepted too, and leave the
    /// player's hand unchanged. Returns the winner if the card completes a trick.
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

    /// The winner of the trick with this fourth card.
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

    /// Whether a later card beats the card that is winning so far.
    #[inline]
    fn beats(&self, later: Card, winning: Card) -> bool {
        match later.suit() == winning.suit() {
            true => later.rank() > winning.rank(),
            false => Some(later.suit()) == self.strain.trump(),
        }
    }
}
