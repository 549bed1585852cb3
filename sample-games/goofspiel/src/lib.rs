//! Goofspiel: two players have the cards 1 to 13. Chance turns up a prize card, 1 to 13, and both
//! bid one of their cards for it at the same time. The higher bid wins the value of the prize; with
//! equal bids no player gets it. The player with more points after all rounds wins. See S. M. Ross,
//! "Goofspiel: the game of pure strategy", 1971.
//!
//! A move, and a prize, is a number from 1 to 13. A position text has the number of cards, the
//! prizes, the bids of seat 0 and those of seat 1, in the order of the rounds: `13:7,2:9,1:4`. With
//! fewer cards (the variant's size) a game is shorter.
#![forbid(unsafe_code)]

use sandboard_game_sdk::games::board::{
    Board, Color, Element, HighlightKind, Line, Piece, Shape, Text,
};
use sandboard_game_sdk::games::general::{Actor, GeneralRules, Next, Observer};
use sandboard_game_sdk::games::{
    Ending, Features, GameInfo, PositionError, PositionFault, Seat, Sizes, Variant, VariantInfo,
};

/// The number of cards if the variant names none.
const CARDS: u8 = 13;

static VARIANTS: [VariantInfo; 1] = [VariantInfo {
    id: "standard",
    about: "cards from 1 to the size; a prize for equal bids is lost",
    sizes: Some(Sizes::every(2, CARDS)),
    default_size: CARDS,
    setting: None,
    seats: None,
}];

/// The description of the game. The manifest declares the same.
pub static INFO: GameInfo = GameInfo::of_general::<Goofspiel>(
    "goofspiel",
    "Goofspiel",
    &["first", "second"],
    Features { chance: true, hidden_information: false, simultaneous: true },
    &VARIANTS,
    "the value of a card, 1 to 13",
);

/// A position: the prizes that were turned up, and the bids of both seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goofspiel {
    size: u8,
    prizes: Vec<u8>,
    bids: [Vec<u8>; 2],
}

impl Goofspiel {
    fn of_size(size: u8) -> Self {
        Self { size, prizes: Vec::new(), bids: Default::default() }
    }

    /// The number of rounds in which both have bid.
    fn rounds(&self) -> usize {
        self.bids[0].len().min(self.bids[1].len())
    }

    /// The points of each seat.
    fn points(&self) -> [i32; 2] {
        let mut points = [0, 0];
        for ((prize, one), other) in self.prizes.iter().zip(&self.bids[0]).zip(&self.bids[1]) {
            if one != other {
                points[usize::from(one < other)] += i32::from(*prize);
            }
        }
        points
    }
}

/// The parts of the board. A round in which only one seat has bid does not show.
impl Goofspiel {
    /// Places the cards that a seat has not bid.
    fn add_hand(&self, board: &mut Board, seat: usize) -> Element {
        let bids = &self.bids[seat][..self.rounds()];
        let cards: Vec<u8> = (1..=self.size).filter(|card| !bids.contains(card)).collect();
        let card = |card: &u8| Piece::new(place(seat, *card), Shape::Card, card.to_string());
        board.pieces.extend(cards.iter().map(card));
        let places = cards.iter().map(|card| place(seat, *card)).collect();
        let (name, owner) = (["First", "Second"][seat].into(), Some(seat as u8));
        Element::Cards(Line { name, owner, places, ..Line::default() })
    }

    /// Places the prize that both bid for, and the pile of those that are still hidden.
    fn add_prize(&self, board: &mut Board) -> Element {
        if let Some(prize) = self.prizes.get(self.rounds()) {
            let prize = Piece::new("prize", Shape::Card, prize.to_string()).colored(Color::Red);
            board.pieces.push(prize);
            board.highlight(HighlightKind::Target, ["prize"]);
        }
        let left = usize::from(self.size) - self.prizes.len();
        if left > 0 {
            board.pieces.push(Piece::new("stock", Shape::Back, "").times(left as u16));
        }
        let places = vec!["prize".into(), "stock".into()];
        Element::Cards(Line { name: "Prize".into(), places, ..Line::default() })
    }

    /// Places the prize and the bids of the last complete round.
    fn add_last_round(&self, board: &mut Board) -> Element {
        let mut line = Line { name: "Last round".into(), ..Line::default() };
        if let Some(last) = self.rounds().checked_sub(1) {
            let cards = [self.prizes[last], self.bids[0][last], self.bids[1][last]];
            for (label, card) in ["prize", "first", "second"].into_iter().zip(cards) {
                let place = format!("last-{label}");
                let color = if label == "prize" { Some(Color::Red) } else { None };
                let piece = Piece::new(&place, Shape::Card, card.to_string());
                board.pieces.push(Piece { color, ..piece });
                line.places.push(place);
                line.labels.push(label.into());
            }
        }
        Element::Cards(line)
    }
}

fn list(cards: &[u8]) -> String {
    cards.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

impl GeneralRules for Goofspiel {
    /// The value of a card.
    type Move = u8;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        Self::of_size(variant.size.unwrap_or(CARDS))
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = |offset, reason: String| PositionError(vec![PositionFault { offset, reason }]);
        let parts: Vec<&str> = text.split(':').collect();
        let &[size, prizes, one, other] = &*parts else {
            let reason = "expected a number of cards, prizes, and the bids of both seats, with `:`";
            return Err(fault(0, reason.into()));
        };
        let mut offset = size.len() + 1;
        let size = size.parse().ok().filter(|size| (2..=CARDS).contains(size));
        let Some(size) = size.filter(|size| variant.size.is_none_or(|wanted| wanted == *size))
        else {
            return Err(fault(0, "it is not the number of cards of the variant".into()));
        };
        let mut position = Self::of_size(size);
        let mut cards = |text: &str| {
            let mut cards = Vec::new();
            for card in text.split(',').filter(|_| !text.is_empty()) {
                let value = card.parse().ok().filter(|value| (1..=size).contains(value));
                let value = value.ok_or(format!("a card is a number from 1 to {size}"));
                let value = value.map_err(|reason| fault(offset, reason))?;
                if cards.contains(&value) {
                    return Err(fault(offset, format!("the card {value} is there already")));
                }
                cards.push(value);
                offset += card.len() + 1;
            }
            offset += usize::from(text.is_empty());
            Ok(cards)
        };
        (position.prizes, position.bids) = (cards(prizes)?, [cards(one)?, cards(other)?]);
        let rounds = position.rounds();
        let counts = position.bids.iter().map(Vec::len).chain([position.prizes.len()]);
        // A game may stand between the two bids of a round.
        let valid = position.bids[0].len() >= position.bids[1].len()
            && counts.clone().all(|count| count == rounds || count == rounds + 1)
            && counts.max() == Some(position.prizes.len());
        match valid {
            true => Ok(position),
            false => Err(fault(0, "the numbers of prizes and bids do not fit".into())),
        }
    }

    fn variant(&self) -> Variant {
        Variant { size: Some(self.size), ..INFO.default_variant() }
    }

    fn next(&self) -> Next {
        let rounds = self.rounds();
        match self.prizes.len() {
            _ if rounds == usize::from(self.size) => Next::Over,
            prizes if prizes == rounds => Next::Chance,
            _ => {
                let waiting = (0..2).filter(|seat| self.bids[usize::from(*seat)].len() == rounds);
                Next::Seats(waiting.map(Seat).collect())
            }
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u8>) {
        if self.next().has_seat(seat) {
            let bids = &self.bids[usize::from(seat.0)];
            out.extend((1..=self.size).filter(|card| !bids.contains(card)));
        }
    }

    fn chance(&self, out: &mut Vec<(u8, u32)>) {
        if self.next() == Next::Chance {
            let left = (1..=self.size).filter(|card| !self.prizes.contains(card));
            out.extend(left.map(|card| (card, 1)));
        }
    }

    fn play(&mut self, actor: Actor, card: &u8) {
        match actor {
            Actor::Seat(seat) => self.bids[usize::from(seat.0)].push(*card),
            Actor::Chance => self.prizes.push(*card),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let [one, other] = self.points();
        let over = self.next() == Next::Over;
        over.then(|| Ending { scores: vec![one, other], reason: "all prizes are gone".into() })
    }

    fn write_position(&self, out: &mut String) {
        let [one, other] = self.bids.each_ref().map(|bids| list(bids));
        out.push_str(&format!("{}:{}:{one}:{other}", self.size, list(&self.prizes)));
    }

    fn write_move(&self, _actor: Actor, card: &u8, out: &mut String) {
        out.push_str(&card.to_string());
    }

    fn board(&self, observer: Observer, _last: Option<&u8>) -> Option<Board> {
        let near = match observer {
            Observer::Seat(seat) => seat.0.into(),
            Observer::Spectator | Observer::Everything => 0,
        };
        let mut board = Board::default();
        let [own, other] = [near, 1 - near].map(|seat| self.add_hand(&mut board, seat));
        let middle = vec![self.add_prize(&mut board), self.add_last_round(&mut board)];
        let [first, second] = self.points();
        let text = format!("Points: first {first}, second {second}");
        let points = Element::Text(Text { text });
        board.elements = vec![vec![other], middle, vec![points], vec![own]];
        if let Observer::Seat(seat) = observer {
            let mut bids = Vec::new();
            self.generate(seat, &mut bids);
            for bid in bids {
                board.add_move(bid.to_string(), [place(near, bid)]);
            }
        }
        Some(board)
    }
}

/// The place of a card in the hand of a seat.
fn place(seat: usize, card: u8) -> String {
    format!("{}-{card}", INFO.sides[seat])
}

#[cfg(feature = "export")]
sandboard_game_sdk::export_general_game!(Goofspiel);

#[cfg(test)]
mod tests;
