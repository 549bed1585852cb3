//! The board as data: the four hands, the trick and the points, as an observer sees them.

use sandboard_game_sdk::games::board::{
    Board, Color, Element, HighlightKind, Line, Piece, Shape, Text,
};
use sandboard_game_sdk::games::bridge::{Card, Cards, Suit};
use sandboard_game_sdk::games::general::Observer;

use super::table::{SEATS, Table, Trick};
use super::{Hearts, INFO};

/// The board with the observer's hand below, or that of south.
pub(crate) fn of(game: &Hearts, observer: Observer) -> Board {
    let own = match observer {
        Observer::Seat(seat) => seat.0.into(),
        Observer::Spectator | Observer::Everything => 0,
    };
    let table = game.table();
    let hands = table.as_ref().map_or_else(|| game.hands(), |table| table.hands);
    let mut board = Board::default();
    // Clockwise: the seat to the left is the next one.
    let [near, left, far, right] = std::array::from_fn(|steps| {
        let seat = (own + steps) % SEATS;
        add_hand(&mut board, observer, seat, hands[seat])
    });
    let trick = table.as_ref().map(|table| &table.trick);
    let middle = add_trick(&mut board, trick);
    board.elements = vec![vec![far], vec![left, middle, right], vec![near]];
    let passed = add_passed(&mut board, game, observer);
    board.elements.extend(passed.map(|line| vec![line]));
    board.elements.push(vec![Element::Text(Text { text: points(table.as_ref()) })]);
    if let Observer::Seat(_) = observer {
        for card in game.legal(own).iter() {
            board.add_move(card.to_string(), [card.to_string()]);
        }
    }
    board
}

/// Places the cards of a hand: face up for who sees them, else a pile of backs.
fn add_hand(board: &mut Board, observer: Observer, seat: usize, hand: Cards) -> Element {
    let (name, owner) = (capitalized(INFO.sides[seat]), Some(seat as u8));
    let mut line = Line { name, owner, ..Line::default() };
    if Hearts::sees_hand(observer, seat) {
        add_cards(board, &mut line, hand.iter());
        return Element::Cards(line);
    }
    let place = INFO.sides[seat].to_owned();
    if !hand.is_empty() {
        board.pieces.push(Piece::new(&place, Shape::Back, "").times(hand.len() as u16));
    }
    line.places.push(place);
    Element::Cards(line)
}

/// Places cards side by side; the text of a card is its place.
fn add_cards(board: &mut Board, line: &mut Line, cards: impl Iterator<Item = Card>) {
    for card in cards {
        board.pieces.push(piece(card));
        line.places.push(card.to_string());
    }
}

/// Places the cards of the trick with the seats that played them, or those of the last trick while
/// the next one has not begun.
fn add_trick(board: &mut Board, trick: Option<&Trick>) -> Element {
    let mut line = Line { name: "Trick".into(), ..Line::default() };
    if let Some(trick) = trick {
        add_cards(board, &mut line, trick.cards.iter().copied());
        let seats = (0..trick.cards.len()).map(|turn| (trick.leader + turn) % SEATS);
        line.labels = seats.map(|seat| initial(seat).to_string()).collect();
        board.highlight(HighlightKind::Last, trick.cards.last().map(Card::to_string));
    }
    Element::Cards(line)
}

/// Places the cards that the observer has chosen to pass, until it has got its new ones.
fn add_passed(board: &mut Board, game: &Hearts, observer: Observer) -> Option<Element> {
    if game.passing_is_over() || game.rounds() == 0 {
        return None;
    }
    let mut line = Line { name: "Passed".into(), ..Line::default() };
    for seat in (0..SEATS).filter(|seat| Hearts::sees_hand(observer, *seat)) {
        add_cards(board, &mut line, game.given(seat).iter());
    }
    (!line.places.is_empty()).then_some(Element::Cards(line))
}

/// The points that each seat has taken.
fn points(table: Option<&Table>) -> String {
    let points = table.map_or([0; SEATS], Table::points);
    let of_seat = |seat: usize| format!("{} {}", capitalized(INFO.sides[seat]), points[seat]);
    let all: Vec<String> = (0..SEATS).map(of_seat).collect();
    format!("Points: {}", all.join(" · "))
}

fn piece(card: Card) -> Piece {
    let (sign, color) = match card.suit() {
        Suit::Spades => ('♠', Color::Black),
        Suit::Hearts => ('♥', Color::Red),
        Suit::Diamonds => ('♦', Color::Red),
        Suit::Clubs => ('♣', Color::Black),
    };
    let text = card.to_string();
    let rank = text[1..].replace('T', "10");
    Piece::new(text, Shape::Card, format!("{rank}{sign}")).colored(color)
}

fn initial(seat: usize) -> char {
    INFO.sides[seat].chars().next().map_or('?', |letter| letter.to_ascii_uppercase())
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    format!("{}{rest}", first.to_ascii_uppercase())
}
