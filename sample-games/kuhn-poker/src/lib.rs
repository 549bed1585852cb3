//! Kuhn poker (H. W. Kuhn, "A Simplified Two-Person Poker", 1950): each of two players puts one
//! chip into the pot and gets one of three cards: jack, queen or king. They pass or bet in turn, up
//! to one bet of one chip. After a bet that is answered, or two passes, the higher card wins the
//! pot; a player that passes after a bet has folded. With best play the first player loses 1/18 of
//! a chip a game on average.
//!
//! A move is `pass` or `bet`, and a deal `J`, `Q` or `K`. A position text has the cards of the
//! seats and, after a colon, the moves `p` and `b`: `KJ:pb`. A seat sees `?` for the card of the
//! other.
#![forbid(unsafe_code)]

use sandboard_game_sdk::games::board::{Board, Element, HighlightKind, Line, Piece, Shape, Text};
use sandboard_game_sdk::games::general::{Actor, GeneralRules, Next, Observer, SeatSet};
use sandboard_game_sdk::games::{
    Ending, Features, GameInfo, PositionError, PositionFault, Seat, Variant, VariantInfo,
};

/// The cards by rank.
const CARDS: [char; 3] = ['J', 'Q', 'K'];

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of_general::<KuhnPoker>(
    "kuhn-poker",
    "Kuhn poker",
    &["first", "second"],
    Features { chance: true, hidden_information: true, simultaneous: false },
    &[VariantInfo::of_one_size("standard", "three cards, one bet of one chip")],
    "pass or bet; a deal is J, Q or K",
);

/// A move of a player, or the deal of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The next seat gets this card: 0 is the jack, 2 the king.
    Deal(u8),
    /// No bet; after a bet, the end of the game.
    Pass,
    /// A bet of one chip, or the answer to one.
    Bet,
}

/// A position: the cards as far as they are dealt, and the moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KuhnPoker {
    /// The card of each seat.
    cards: [Option<u8>; 2],
    moves: [Option<Move>; 3],
}

impl KuhnPoker {
    /// What seat 0 wins, in chips; none: the game is not over.
    fn result(&self) -> Option<i32> {
        use Move::{Bet, Pass};
        let higher = |chips: i32| if self.cards[0] > self.cards[1] { chips } else { -chips };
        match self.moves {
            [Some(Pass), Some(Pass), None] => Some(higher(1)),
            [Some(Bet), Some(Bet), None] | [Some(Pass), Some(Bet), Some(Bet)] => Some(higher(2)),
            [Some(Bet), Some(Pass), None] => Some(1),
            [Some(Pass), Some(Bet), Some(Pass)] => Some(-1),
            _ => None,
        }
    }

    fn moves(&self) -> impl DoubleEndedIterator<Item = Move> {
        self.moves.into_iter().flatten()
    }

    /// The seat that gets the next card; none: both have one.
    fn receiver(&self) -> Option<usize> {
        self.cards.iter().position(Option::is_none)
    }

    /// Adds a move to those so far.
    fn add(&mut self, mv: Move) {
        if let Some(free) = self.moves.iter_mut().find(|it| it.is_none()) {
            *free = Some(mv);
        }
    }

    /// Whether the game has ended with both cards shown.
    fn is_showdown(&self) -> bool {
        let mut last = self.moves().rev();
        let is_fold = (last.next(), last.next()) == (Some(Move::Pass), Some(Move::Bet));
        self.result().is_some() && !is_fold
    }

    fn sees(&self, observer: Observer, seat: usize) -> bool {
        match observer {
            Observer::Everything => true,
            Observer::Seat(own) if usize::from(own.0) == seat => true,
            Observer::Seat(_) | Observer::Spectator => self.is_showdown(),
        }
    }

    /// The card of a seat as an observer sees it; none: it is not dealt.
    fn card(&self, observer: Observer, seat: usize) -> Option<char> {
        let card = self.cards[seat]?;
        Some(if self.sees(observer, seat) { CARDS[usize::from(card)] } else { '?' })
    }

    fn write(&self, observer: Observer, out: &mut String) {
        out.extend((0..2).filter_map(|seat| self.card(observer, seat)));
        out.push(':');
        out.extend(self.moves().map(|mv| if mv == Move::Bet { 'b' } else { 'p' }));
    }

    /// Places the card of a seat as an observer sees it.
    fn add_card(&self, board: &mut Board, observer: Observer, seat: usize) -> Element {
        let (place, name) = (INFO.sides[seat], ["First", "Second"][seat]);
        board.pieces.extend(self.card(observer, seat).map(|card| match card {
            '?' => Piece::new(place, Shape::Back, ""),
            card => Piece::new(place, Shape::Card, card.to_string()),
        }));
        let (name, owner, places) = (name.into(), Some(seat as u8), vec![place.into()]);
        Element::Cards(Line { name, owner, places, ..Line::default() })
    }

    /// The chips that a seat has put into the pot.
    fn chips(&self, seat: usize) -> usize {
        1 + self.moves().skip(seat).step_by(2).filter(|mv| *mv == Move::Bet).count()
    }
}

impl GeneralRules for KuhnPoker {
    type Move = Move;

    const INFO: &'static GameInfo = &INFO;

    fn start(_variant: &Variant) -> Self {
        Self::default()
    }

    fn parse_position(_variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = |offset, reason: &str| {
            Err(PositionError(vec![PositionFault { offset, reason: reason.into() }]))
        };
        let Some((cards, moves)) = text.split_once(':') else {
            return fault(0, "expected the cards, a colon and the moves, such as KJ:pb");
        };
        let mut position = Self::default();
        for (offset, letter) in cards.char_indices() {
            let card = CARDS.iter().position(|card| *card == letter).map(|card| card as u8);
            match (card, position.receiver()) {
                (None, _) => return fault(offset, "a card is J, Q or K"),
                (_, None) => return fault(offset, "there are two seats"),
                (card, _) if position.cards.contains(&card) => {
                    return fault(offset, "there is one card of each rank");
                }
                (card, Some(seat)) => position.cards[seat] = card,
            }
        }
        for (offset, letter) in moves.char_indices() {
            let offset = cards.len() + 1 + offset;
            match (position.next(), letter) {
                (Next::Seats(_), 'p') => position.add(Move::Pass),
                (Next::Seats(_), 'b') => position.add(Move::Bet),
                (Next::Seats(_), _) => return fault(offset, "a move is p or b"),
                (Next::Chance, _) => return fault(offset, "the cards are not dealt"),
                (Next::Over, _) => return fault(offset, "the game is over before this move"),
            }
        }
        Ok(position)
    }

    fn variant(&self) -> Variant {
        INFO.default_variant()
    }

    fn next(&self) -> Next {
        match (self.receiver(), self.result()) {
            (Some(_), _) => Next::Chance,
            (None, None) => Next::Seats(SeatSet::one(Seat(self.moves().count() as u8 % 2))),
            (None, Some(_)) => Next::Over,
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<Move>) {
        if self.next().has_seat(seat) {
            out.extend([Move::Pass, Move::Bet]);
        }
    }

    fn count_moves(&self, _seat: Seat) -> Option<usize> {
        Some(2)
    }

    fn nth_move(&self, _seat: Seat, number: usize) -> Option<Move> {
        [Move::Pass, Move::Bet].get(number).copied()
    }

    fn chance(&self, out: &mut Vec<(Move, u32)>) {
        if self.next() == Next::Chance {
            let left = (0..3).filter(|card| !self.cards.contains(&Some(*card)));
            out.extend(left.map(|card| (Move::Deal(card), 1)));
        }
    }

    fn play(&mut self, _actor: Actor, mv: &Move) {
        match (*mv, self.receiver()) {
            (Move::Deal(card), Some(seat)) => self.cards[seat] = Some(card),
            (mv, _) => self.add(mv),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let result = self.result()?;
        let reason = if self.is_showdown() { "showdown" } else { "fold" };
        Some(Ending { scores: vec![result, -result], reason: reason.into() })
    }

    fn append_scores(&self, out: &mut Vec<i32>) {
        if let Some(result) = self.result() {
            out.extend([result, -result]);
        }
    }

    fn write_position(&self, out: &mut String) {
        self.write(Observer::Everything, out);
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        self.write(observer, out);
    }

    fn write_move(&self, _actor: Actor, mv: &Move, out: &mut String) {
        match mv {
            Move::Deal(card) => out.push(CARDS[usize::from(*card)]),
            Move::Pass => out.push_str("pass"),
            Move::Bet => out.push_str("bet"),
        }
    }

    fn write_seen(&self, observer: Observer, actor: Actor, mv: &Move, out: &mut String) {
        let receiver = self.receiver().map(|seat| Observer::Seat(Seat(seat as u8)));
        match mv {
            Move::Deal(_) if Some(observer) != receiver => out.push('?'),
            mv => self.write_move(actor, mv, out),
        }
    }

    fn board(&self, observer: Observer, _last: Option<&Move>) -> Option<Board> {
        let near = match observer {
            Observer::Seat(seat) => seat.0.into(),
            Observer::Spectator | Observer::Everything => 0,
        };
        let mut board = Board::default();
        let [own, other] = [near, 1 - near].map(|seat| self.add_card(&mut board, observer, seat));
        let [first, second] = [0, 1].map(|seat| self.chips(seat));
        let mut texts =
            vec![format!("Pot: {} ({first} by first, {second} by second)", first + second)];
        let words: Vec<&str> =
            self.moves().map(|mv| if mv == Move::Bet { "bet" } else { "pass" }).collect();
        if !words.is_empty() {
            texts.push(format!("Moves: {}", words.join(", ")));
        }
        let texts = texts.into_iter().map(|text| vec![Element::Text(Text { text })]);
        board.elements = [vec![other]].into_iter().chain(texts).chain([vec![own]]).collect();
        if let Some(result) = self.result() {
            board.highlight(HighlightKind::Win, [INFO.sides[usize::from(result < 0)]]);
        }
        if matches!(observer, Observer::Seat(seat) if self.next().has_seat(seat)) {
            let answers = self.moves().next_back() == Some(Move::Bet);
            let [pass, bet] = if answers { ["Fold", "Call"] } else { ["Pass", "Bet"] };
            board.add_button("pass", pass);
            board.add_button("bet", bet);
        }
        Some(board)
    }
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_general_game!(KuhnPoker);

#[cfg(test)]
mod tests;
