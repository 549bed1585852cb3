//! Position texts, and the pass.

use super::*;

fn dealt() -> String {
    [SOUTH, WEST, NORTH, EAST].join(":")
}

#[test]
fn texts_are_written_as_they_are_read() {
    let dealt = dealt();
    let check = |variant: &str, text: &str, next: &str| {
        let game = position(variant, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(written(&game, Observer::Everything), text);
        assert_eq!(format!("{:?}", game.next()), next, "{text}");
        assert_eq!(game.variant().id, variant);
    };
    check("pass-left", "...:...:...:...:,,,:", "Chance");
    check("no-pass", "A...:K...:...2:...:,,,:", "Chance");
    check("pass-left", &format!("{dealt}:,,,:"), "Seats({0, 1, 2, 3})");
    check("pass-left", &format!("{dealt}:SA,SK,,:"), "Seats({2, 3})");
    check("pass-right", &format!("{dealt}:SAHA,SKSQ,SJS4,STS9:"), "Seats({0, 1, 2, 3})");
    check("pass-across", &format!("{dealt}:SAHAC2,SKSQS5,SJS4S3,STS9H6:n"), "Seats({2})");
    check("no-pass", &format!("{dealt}:,,,:s"), "Seats({0})");
    check("no-pass", &format!("{dealt}:,,,:sC2CKC7"), "Seats({3})");
}

#[test]
fn faults_of_position_texts_have_their_place() {
    let dealt = dealt();
    let check = |variant: &str, text: &str, offset: usize, reason: &str| {
        let error = position(variant, text).unwrap_err();
        assert_eq!((error.0[0].offset, &*error.0[0].reason), (offset, reason), "{text}");
    };
    let form = "expected four hands, the passed cards and the play, with `:`";
    check("pass-left", "", 0, form);
    check("pass-left", &format!("{dealt}:,,,"), 0, form);
    let hand = "a hand has spades, hearts, diamonds and clubs, with `.` between";
    check("pass-left", "...:A..:...:...:,,,:", 4, hand);
    check("pass-left", "A...:1...:...:...:,,,:", 5, "a rank is one of AKQJT98765432");
    check("pass-left", ".A..:.A..:...:...:,,,:", 6, "the card HA is there already");
    check("pass-left", ".AA..:...:...:...:,,,:", 2, "the card HA is there already");
    let turn = "2 cards are dealt, so that this seat has 1";
    check("pass-left", "AK...:...:...:...:,,,:", 0, turn);
    check("pass-left", "A...:...:K...:...:,,,:", 5, turn);
    let at = dealt.len() + 1;
    let seats = "expected the passed cards of four seats, with `,`";
    check("pass-left", &format!("{dealt}:,,:"), at, seats);
    let early = "no card is passed before the deal is complete";
    check("pass-left", "A...:...:...:...:SA,,,:", 17, early);
    let card = "a card is a suit and a rank, such as SQ";
    check("pass-left", &format!("{dealt}:S,,,:"), at, card);
    check("pass-left", &format!("{dealt}:SAX,,,:"), at + 2, card);
    let missing = "the seat does not have this card";
    check("pass-left", &format!("{dealt}:SK,,,:"), at, missing);
    check("pass-left", &format!("{dealt}:SA,SA,,:"), at + 3, missing);
    check("pass-left", &format!("{dealt}:SAHA,SKSK,SJ,ST:"), at + 7, missing);
    let many = "a seat passes 3 cards";
    check("pass-left", &format!("{dealt}:SAHAC2C3,SKSQS5,SJS4S3,STS9H6:"), at + 6, many);
    check("no-pass", &format!("{dealt}:SA,,,:"), at, "a seat passes 0 cards");
    let turn = "the seats pass in turn, so that these numbers of cards do not fit";
    check("pass-left", &format!("{dealt}:,SK,,:"), at, turn);
    check("pass-left", &format!("{dealt}:SAHA,SK,,:"), at, turn);
    let early = "there is no play before the deal and the pass are complete";
    check("pass-left", &format!("{dealt}:,,,:C2"), at + 4, early);
    check("pass-left", &format!("{dealt}:SAHAS8,SKSQS5,SJS4S3,STS9:C2"), at + 26, early);
    let leader = "the seat with the two of clubs leads: expected `s`";
    check("no-pass", &format!("{dealt}:,,,:"), at + 4, leader);
    check("no-pass", &format!("{dealt}:,,,:wC2"), at + 4, leader);
    let at = at + 5;
    let rule = "the suit led must be followed";
    check("no-pass", &format!("{dealt}:,,,:sC2SK"), at + 2, rule);
    check("no-pass", &format!("{dealt}:,,,:sC2C"), at + 2, card);
    let missing = "the seat to play does not have this card";
    check("no-pass", &format!("{dealt}:,,,:sC2CA"), at + 2, missing);
}

#[test]
fn cards_are_passed_in_the_direction_of_the_variant() {
    let dealt = dealt();
    let check = |variant: &str, receiver: usize| {
        let leader = ['s', 'w', 'n', 'e'][receiver];
        let text = format!("{dealt}:SAHAC2,SKSQS5,SJS4S3,STS9H6:{leader}");
        let game = position(variant, &text).unwrap();
        let table = game.table().expect("the pass is complete");
        let hands: Vec<bool> = table.hands.iter().map(|hand| hand.contains(card("C2"))).collect();
        let expected: Vec<bool> = (0..4).map(|seat| seat == receiver).collect();
        assert_eq!(hands, expected, "{variant}");
        // Who has got the two of clubs leads.
        assert_eq!(table.seat(), receiver, "{variant}");
        assert!(table.hands.iter().all(|hand| hand.len() == 13));
    };
    check("pass-left", 1);
    check("pass-across", 2);
    check("pass-right", 3);
}

fn card(text: &str) -> Card {
    Card::from_text(text).unwrap()
}

#[test]
fn all_choose_at_the_same_time() {
    let dealt = dealt();
    let mut game = position("pass-left", &format!("{dealt}:,,,:")).unwrap();
    let prompt = |game: &Hearts| game.prompt();
    let all = "SK SQ S5 HQ HJ HT DA DQ D5 CK CJ C6 C5";
    assert_eq!(moves(&game, 1), all);
    assert_eq!(prompt(&game), Some("choose card 1 of 3 to pass to the left".into()));
    play(&mut game, Actor::Seat(Seat(0)), &["SA"]);
    // Seat 0 has chosen; the choices of the others are the same.
    assert_eq!((&*moves(&game, 0), &*moves(&game, 1)), ("", all));
    assert_eq!(prompt(&game), Some("choose card 1 of 3 to pass to the left".into()));
    play(&mut game, Actor::Seat(Seat(1)), &["SK"]);
    play(&mut game, Actor::Seat(Seat(2)), &["SJ"]);
    play(&mut game, Actor::Seat(Seat(3)), &["ST"]);
    assert_eq!(moves(&game, 1), "SQ S5 HQ HJ HT DA DQ D5 CK CJ C6 C5");
    assert_eq!(prompt(&game), Some("choose card 2 of 3 to pass to the left".into()));
    let refusal = game.parse_move(Actor::Seat(Seat(1)), "SK");
    assert_eq!(refusal, Err("the seat does not have it".into()));
    assert_eq!((game.phase(), after("").phase()), (Phase::Opening, Phase::Play));
    assert_eq!(after("").prompt(), None);
}

#[test]
fn chance_deals_each_card_once() {
    let mut game = position("pass-left", "A...:...:...:...:,,,:").unwrap();
    let mut outcomes = Vec::new();
    game.chance(&mut outcomes);
    assert_eq!(outcomes.len(), 51);
    assert!(outcomes.iter().all(|(dealt, weight)| *weight == 1 && *dealt != card("SA")));
    let dealt = game.parse_move(Actor::Chance, "SA");
    assert_eq!(dealt, Err("the card is dealt already".into()));
    play(&mut game, Actor::Chance, &["SK", "SQ", "SJ", "ST"]);
    assert_eq!(written(&game, Observer::Everything), "AT...:K...:Q...:J...:,,,:");
}
