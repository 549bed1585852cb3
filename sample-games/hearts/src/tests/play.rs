//! The rules of the play, each case with its near miss.

use sandboard_game_sdk::games::bridge::{Suit, rank_from_letter};

use super::*;

fn cards(text: &str) -> impl Iterator<Item = Card> {
    text.split_whitespace().map(|card| Card::from_text(card).unwrap())
}

/// The cards of a hand in PBN.
fn hand(text: &str) -> Cards {
    let suits = Suit::ALL.into_iter().zip(text.split('.'));
    let of_suit = |(suit, ranks): (Suit, &str)| {
        let card = move |letter| Card::new(suit, rank_from_letter(letter).unwrap()).unwrap();
        ranks.chars().map(card).collect::<Vec<_>>()
    };
    suits.flat_map(of_suit).collect()
}

/// The seat to play and its legal cards, at a table with these few cards in the hands, after these
/// cards.
fn check(hands: [&str; 4], played: &str, seat: usize, expected: &str) {
    let mut table = Table::new(hands.map(hand));
    for card in cards(played) {
        assert_eq!(table.refusal(card), None, "{hands:?} {played}: {card}");
        table.play(card);
    }
    let legal: Vec<String> = table.legal().iter().map(|card| card.to_string()).collect();
    assert_eq!((table.seat(), &*legal.join(" ")), (seat, expected), "{hands:?} {played}");
    for card in table.hands[seat].iter() {
        let is_refused = table.refusal(card).is_some();
        assert_eq!(is_refused, !table.legal().contains(card), "{hands:?} {played}: {card}");
    }
}

#[test]
fn the_two_of_clubs_leads() {
    check(["A...32", "K...", "Q...", "J..."], "", 0, "C2");
    check(["A...3", "K...2", "Q...", "J..."], "", 1, "C2");
    check(["A...3", "K...", "Q...", "J...2"], "", 3, "C2");
}

#[test]
fn the_suit_led_is_followed() {
    check(["...32", "K.Q..A4", "...54", "...76"], "C2", 1, "CA C4");
    // Without a card of the suit any card is legal, from the second trick on.
    let hands = ["...32", "K.Q.A.", "...54", "...76"];
    check(hands, "C2 DA C5 C7 C6 C3", 1, "SK HQ");
    check(["...32", "K.Q.A.8", "...54", "...76"], "C2", 1, "C8");
}

#[test]
fn the_highest_card_of_the_suit_led_wins() {
    check(["K...2", "Q...A", "J...3", "T...4"], "C2 CA C3 C4", 1, "SQ");
    check(["K...2", "Q...4", "J...3", "T...A"], "C2 C4 C3 CA", 3, "ST");
    check(["K...A2", "Q...4", "J...3", "T...5"], "C2 C4 C3 C5", 3, "ST");
    // A higher card of another suit does not win.
    check(["K...2", "AQ...", "J...3", "T...4"], "C2 SA C3 C4", 3, "ST");
}

#[test]
fn the_first_trick_has_no_points() {
    let others = |east| ["K...2", "T...A", "J...3", east];
    check(others("Q9.2.."), "C2 CA C3", 3, "S9");
    check(others(".2.5."), "C2 CA C3", 3, "D5");
    check(others("Q.2..4"), "C2 CA C3", 3, "C4");
    // With nothing but points, any of them.
    check(others("Q.32.."), "C2 CA C3", 3, "SQ H3 H2");
    // In the second trick, any card.
    check(["...52", "...A6", "...73", "Q.2..4"], "C2 CA C3 C4 C6 C7", 3, "SQ H2");
}

#[test]
fn hearts_are_led_only_after_they_are_broken() {
    let hands = |north| ["...52", "K.A..A6", north, "Q.2..4"];
    check(hands("T.9..73"), "C2 CA C3 C4", 1, "SK C6");
    // A heart that is discarded breaks hearts, the queen of spades does not.
    check(hands("T.9..73"), "C2 CA C3 C4 C6 C7 H2 C5", 2, "ST H9");
    check(hands("T.9..73"), "C2 CA C3 C4 C6 C7 SQ C5", 2, "ST");
    // With nothing but hearts, one of them is led.
    check(hands(".98..73"), "C2 CA C3 C4 C6 C7 SQ C5", 2, "H9 H8");
}

#[test]
fn refusals_name_the_rule() {
    let check = |played: &str, text: &str, reason: &str| {
        let game = after(played);
        let actor = game.next().first().unwrap();
        assert_eq!(game.parse_move(actor, text), Err(reason.into()), "{played} {text}");
    };
    check("", "C3", "the two of clubs leads the first trick");
    check("C2", "SK", "the suit led must be followed");
    check("C2", "C9", "the seat to play does not have this card");
    check("C2", "10C", "a card is a suit and a rank, such as SQ or HT");
    check("C2CKC7C8", "HQ", "no heart has been played, and another suit is left to lead");
    let game = after("C2");
    assert_eq!(game.parse_move(Actor::Seat(Seat(0)), "C3"), Err("the seat is not to move".into()));
    assert_eq!(game.parse_move(Actor::Chance, "C3"), Err("the deal is complete".into()));
    assert_eq!(game.parse_move(Actor::Seat(Seat(1)), "ck"), Ok(Card::from_text("CK").unwrap()));
}

/// The points of a table with these cards won.
fn table(won: [&str; 4]) -> Table {
    let mut table = Table::new([Cards::NONE; SEATS]);
    table.won = won.map(|text| cards(text).collect());
    table
}

#[test]
fn hearts_and_the_queen_of_spades_have_points() {
    let check = |won: [&str; 4], points: [i32; 4], counted: [i32; 4]| {
        let table = table(won);
        assert_eq!((table.points(), table.final_points()), (points, counted), "{won:?}");
    };
    check(["", "SK SA CQ", "", ""], [0; 4], [0; 4]);
    check(["HA H2", "SQ", "H3", ""], [2, 13, 1, 0], [2, 13, 1, 0]);
    let hearts = "HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 H3";
    let all = format!("{hearts} H2 SQ DA");
    check(["", &all, "", "DK"], [0, 26, 0, 0], [26, 0, 26, 26]);
    // One heart, or the queen, is missing.
    check(["", &format!("{hearts} SQ"), "", "H2"], [0, 25, 0, 1], [0, 25, 0, 1]);
    check(["SQ", &format!("{hearts} H2"), "", ""], [13, 13, 0, 0], [13, 13, 0, 0]);
}
