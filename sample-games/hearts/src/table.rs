//! The play of one hand: whose turn it is, which cards are legal, and who has won which cards.
//! Knows nothing of the deal, the pass and what is hidden.

use sandboard_game_sdk::games::bridge::{ACE, Card, Cards, Suit, TWO};

/// The number of seats.
pub(crate) const SEATS: usize = 4;
/// The number of cards that each seat is dealt, and of tricks.
pub(crate) const HAND: usize = 13;
/// The points of all cards.
pub(crate) const ALL_POINTS: i32 = 26;

const HEARTS: Cards = Cards::PACK.of_suit(Suit::Hearts);
const TWO_OF_CLUBS: Card = Card::new(Suit::Clubs, TWO).unwrap();
const QUEEN_OF_SPADES: Card = Card::new(Suit::Spades, ACE - 2).unwrap();

/// The cards played in one trick, by the seats in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trick {
    /// The seat that has led, or leads.
    pub leader: usize,
    pub cards: Vec<Card>,
}

impl Trick {
    /// The seat that has the turn, or would have it after the fourth card.
    fn seat(&self) -> usize {
        (self.leader + self.cards.len()) % SEATS
    }

    fn is_complete(&self) -> bool {
        self.cards.len() == SEATS
    }

    /// The seat with the highest card of the suit led.
    fn winner(&self) -> usize {
        let follows = |card: &Card| card.suit() == self.cards[0].suit();
        let played = self.cards.iter().enumerate().filter(|(_, card)| follows(card));
        let highest = played.max_by_key(|(_, card)| card.rank()).map_or(0, |(turn, _)| turn);
        (self.leader + highest) % SEATS
    }
}

/// The play after the deal and the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// The cards that each seat still holds.
    pub hands: [Cards; SEATS],
    /// The current trick. Between two tricks it is complete, and its winner has the turn.
    pub trick: Trick,
    /// The cards that each seat has won.
    pub won: [Cards; SEATS],
    /// Whether a heart has been played.
    broken: bool,
    tricks: usize,
}

impl Table {
    /// The table before the first trick, with four hands of 13 cards.
    pub(crate) fn new(hands: [Cards; SEATS]) -> Self {
        let leader = hands.iter().position(|hand| hand.contains(TWO_OF_CLUBS)).unwrap_or(0);
        let trick = Trick { leader, cards: Vec::new() };
        Self { hands, trick, won: [Cards::NONE; SEATS], broken: false, tricks: 0 }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.tricks == HAND
    }

    /// The seat to play.
    pub(crate) fn seat(&self) -> usize {
        if self.trick.is_complete() { self.trick.winner() } else { self.trick.seat() }
    }

    /// The suit led in the current trick; none: the seat to play leads.
    fn suit_led(&self) -> Option<Suit> {
        let first = self.trick.cards.first().filter(|_| !self.trick.is_complete());
        first.map(|card| card.suit())
    }

    /// The legal cards of the seat to play; with it, why its other cards are not legal.
    fn choices(&self) -> (Cards, &'static str) {
        let hand = self.hands[self.seat()];
        let or_all = |cards: Cards| if cards.is_empty() { hand } else { cards };
        let opening = Cards::NONE.with(TWO_OF_CLUBS);
        match self.suit_led() {
            None if self.tricks == 0 => (opening, "the two of clubs leads the first trick"),
            None if self.broken => (hand, ""),
            None => (
                or_all(hand.minus(HEARTS)),
                "no heart has been played, and another suit is left to lead",
            ),
            Some(suit) if !hand.of_suit(suit).is_empty() => {
                (hand.of_suit(suit), "the suit led must be followed")
            }
            Some(_) if self.tricks == 0 => (
                or_all(hand.minus(HEARTS).without(QUEEN_OF_SPADES)),
                "the first trick has no card with points if another card is left",
            ),
            Some(_) => (hand, ""),
        }
    }

    /// The legal cards of the seat to play; none after the end.
    pub(crate) fn legal(&self) -> Cards {
        if self.is_over() { Cards::NONE } else { self.choices().0 }
    }

    /// Why the seat to play may not play a card; none: it is legal.
    pub(crate) fn refusal(&self, card: Card) -> Option<&'static str> {
        let (legal, reason) = self.choices();
        match self.hands[self.seat()].contains(card) {
            false => Some("the seat to play does not have this card"),
            true => (!legal.contains(card)).then_some(reason),
        }
    }

    /// Plays a legal card.
    pub(crate) fn play(&mut self, card: Card) {
        let seat = self.seat();
        if self.trick.is_complete() {
            self.trick = Trick { leader: seat, cards: Vec::new() };
        }
        self.hands[seat] = self.hands[seat].without(card);
        self.broken |= card.suit() == Suit::Hearts;
        self.trick.cards.push(card);
        if self.trick.is_complete() {
            let winner = self.trick.winner();
            let cards = self.trick.cards.iter().copied().collect();
            self.won[winner] = self.won[winner].union(cards);
            self.tricks += 1;
        }
    }

    /// The points that each seat has won: 1 for each heart, 13 for the queen of spades.
    pub(crate) fn points(&self) -> [i32; SEATS] {
        self.won.map(|won| {
            let queen = if won.contains(QUEEN_OF_SPADES) { 13 } else { 0 };
            won.of_suit(Suit::Hearts).len() as i32 + queen
        })
    }

    /// The seat that has won all points.
    pub(crate) fn moon(&self) -> Option<usize> {
        self.points().iter().position(|points| *points == ALL_POINTS)
    }

    /// The points that count after the last trick: a seat that has won all 26 has none, and the
    /// others have 26 each.
    pub(crate) fn final_points(&self) -> [i32; SEATS] {
        match self.moon() {
            Some(shooter) => {
                std::array::from_fn(|seat| if seat == shooter { 0 } else { ALL_POINTS })
            }
            None => self.points(),
        }
    }
}
