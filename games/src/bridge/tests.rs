//! Tests of bridge: the rules case by case, each with a near miss. Texts are in `texts`, random
//! deals in `properties`, a slow reference implementation in `reference`, positions solved by
//! another program in `fixtures`.

mod fixtures;
mod properties;
mod reference;
mod scores;
mod texts;

use std::collections::{HashMap, HashSet};

use super::{Bridge, Card, Compass, INFO, Strain, Table};
use crate::info::Variant;
use crate::rules::{MoveSet, Rules};

fn variant(text: &str) -> Variant {
    INFO.variant(text).expect("a variant")
}

fn read(position: &str) -> Bridge {
    Bridge::parse_position(&variant("double-dummy"), position)
        .unwrap_or_else(|error| panic!("{position}: {error}"))
}

fn text_of(game: &Bridge) -> String {
    let mut text = String::new();
    game.write_position(&mut text);
    text
}

fn generated(game: &Bridge, set: MoveSet) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(set, &mut moves);
    moves.iter().map(Card::to_string).collect()
}

/// Plays cards and compares the resulting position.
#[track_caller]
fn check_play(position: &str, cards: &str, expected: &str) {
    let mut game = read(position);
    for card in cards.split(' ') {
        game.play(card).unwrap_or_else(|refusal| panic!("{position}, {cards}: {refusal}"));
    }
    assert_eq!(text_of(&game), expected, "{position}, {cards}");
}

#[track_caller]
fn check_legal(position: &str, expected: &str) {
    let legal = generated(&read(position), MoveSet::All);
    assert_eq!(legal.join(" "), expected, "{position}");
}

/// Checks the winner of a trick.
#[track_caller]
fn check_winner(strain: &str, leader: char, cards: [&str; 4], expected: char) {
    let strain = Strain::from_text(strain).expect("a strain");
    let mut table = Table::empty(strain, Compass::from_letter(leader).expect("a seat"));
    let cards = cards.map(|card| Card::from_text(card).expect("a card"));
    let winners = cards.map(|card| table.play(card));
    let expected = Compass::from_letter(expected);
    assert_eq!(winners, [None, None, None, expected], "{strain} {leader} {cards:?}");
    assert_eq!((Some(table.leader()), table.trick().count()), (expected, 0));
}

#[test]
fn the_highest_card_of_the_suit_led_wins_without_trumps() {
    for strain in ["NT", "C"] {
        check_winner(strain, 'N', ["H2", "H3", "H4", "H5"], 'W');
        check_winner(strain, 'N', ["H2", "HA", "HK", "HQ"], 'E');
        check_winner(strain, 'N', ["HA", "HK", "H3", "H4"], 'N');
        check_winner(strain, 'N', ["H9", "H8", "HT", "H4"], 'S');
        // Other suits win nothing, however high.
        check_winner(strain, 'N', ["H2", "SA", "DA", "SK"], 'N');
        check_winner(strain, 'N', ["H2", "SA", "H3", "SK"], 'S');
        // Seats follow clockwise from the leader.
        check_winner(strain, 'W', ["D2", "D3", "D5", "D4"], 'E');
        check_winner(strain, 'S', ["D2", "D3", "D4", "D5"], 'E');
        check_winner(strain, 'E', ["D6", "D3", "D4", "D5"], 'E');
    }
}

#[test]
fn the_highest_trump_wins_if_one_was_played() {
    check_winner("S", 'N', ["HA", "S2", "HK", "HQ"], 'E');
    // Only a higher trump beats a trump, in any order.
    check_winner("S", 'N', ["HA", "S2", "S3", "HQ"], 'S');
    check_winner("S", 'N', ["HA", "S3", "S2", "HQ"], 'E');
    check_winner("S", 'N', ["HA", "HK", "HQ", "S2"], 'W');
    check_winner("S", 'W', ["S2", "HA", "HK", "S3"], 'S');
    check_winner("S", 'W', ["S2", "HA", "HK", "CA"], 'W');
    // The same cards with another trump suit, and without.
    check_winner("H", 'N', ["HA", "S2", "S3", "HQ"], 'N');
    check_winner("NT", 'N', ["HA", "S2", "S3", "HQ"], 'N');
    check_winner("D", 'N', ["HA", "S2", "D2", "DK"], 'W');
}

#[test]
fn players_must_follow_suit_if_they_can() {
    let deal = "N:A2.3.. K.K.K. Q5.4.. J..7.6 ";
    check_legal(&format!("{deal} NT N -"), "SA S2 H3");
    // East has one spade; south has two, and keeps the heart; west has one.
    check_legal("N:A.3.. K.K.K. Q5.4.. J..7.6 NT N S2", "SK");
    check_legal("N:A.3.. .K.K. Q5.4.. J..7.6 NT N S2,SK", "SQ S5");
    check_legal("N:A.3.. .K.K. Q.4.. J..7.6 NT N S2,SK,S5", "SJ");
    // Without a card of the suit led, any card is legal, including trumps.
    check_legal("N:A2... K.K.K. Q5.4.. J..7.6 S N H3", "HK");
    check_legal("N:A2... K..KA. Q5.4.. J..7.6 S N H3", "SK DA DK");
    check_legal("N:A2... K..A. Q5.4.. J..7.6 H N H3,DK", "H4");
    check_legal("N:A2... K..A. Q5... J..7.6 H N H3,DK,H4", "SJ D7 C6");
}

#[test]
fn illegal_cards_are_refused_with_a_reason() {
    let check = |position: &str, card: &str, expected: &str| {
        let mut game = read(position);
        let before = game.clone();
        let refusal = game.play(card).expect_err("not a legal card");
        assert_eq!(refusal.reason, expected, "{position}, {card}");
        assert_eq!(game, before);
    };
    let deal = "N:A.3.. .K.K. Q5.4.. J..7.6 NT N S2,SK";
    check(deal, "H4", "south has spades and must follow suit");
    check(deal, "SA", "south is to play, but SA is north's");
    check(deal, "DK", "south is to play, but DK is east's");
    check(deal, "S2", "S2 is in no hand");
    check(deal, "C2", "C2 is in no hand");
    let over = "N:... ... ... ... S W - won=1-2";
    check(over, "S2", "the game is over: all tricks are played");
    check(over, "", "the game is over: all tricks are played");
}

#[test]
fn the_winner_leads_to_the_next_trick() {
    let deal = "N:A2... K3... Q4... J5... NT W -";
    check_play(deal, "SJ", "N:A2... K3... Q4... 5... NT W SJ");
    check_play(deal, "SJ S2", "N:A... K3... Q4... 5... NT W SJ,S2");
    check_play(deal, "S5 S2 S3", "N:A... K... Q4... J... NT W S5,S2,S3");
    check_play(deal, "SJ SA S3 S4", "N:2... K... Q... 5... NT N - won=1-0");
    check_play(deal, "SJ S2 S3 S4", "N:A... K... Q... 5... NT W - won=0-1");
    check_play(deal, "SJ S2 SK SQ", "N:A... 3... 4... 5... NT E - won=0-1");
    check_play(deal, "SJ S2 S3 SQ S4 S5 SA SK", "N:... ... ... ... NT N - won=2-0");
    // Tricks won before are added, and the double-dummy value stays.
    check_play(
        "N:A2... K3... Q4... 5... S W SJ won=3-2 dd=4",
        "SA S3 S4",
        "N:2... K... Q... 5... S N - won=4-2 dd=4",
    );
    check_play(
        "N:.2.. .3.. ..2. ..3. C S - won=0-3",
        "D2 D3 H2 H3",
        "N:... ... ... ... C W - won=0-4",
    );
}

#[test]
fn turns_follow_the_winner_of_the_trick() {
    let mut game = read("N:A2... K3... Q4... J5... NT W -");
    let mut seats = String::new();
    for card in ["SJ", "SA", "S3", "S4", "S2", "SK", "SQ", "S5"] {
        seats.push(Compass::ALL[usize::from(game.to_move().0)].letter());
        game.play(card).unwrap();
    }
    assert_eq!(seats, "WNESNESW");
    let sides: Vec<u8> = (0..4).map(|seat| Bridge::side(crate::Seat(seat)).0).collect();
    assert_eq!(sides, [0, 1, 0, 1]);
    assert_eq!([0, 1].map(|side| game.side_name(crate::Side(side))), ["NS", "EW"]);
}

#[test]
fn the_last_trick_ends_the_game() {
    let check = |position: &str, expected: &str| {
        let game = read(position);
        let found = game.outcome().map_or("-".to_owned(), |outcome| {
            let winner = outcome.winner.map_or("draw", |side| game.side_name(side));
            format!("{winner} {}: {}", outcome.score, outcome.reason)
        });
        assert_eq!(found, expected, "{position}");
        assert_eq!(generated(&game, MoveSet::All).is_empty(), game.outcome().is_some());
    };
    let over = |rest: &str| format!("N:... ... ... ... S W - {rest}");
    check(&over("won=7-6"), "NS 1: NS took more tricks");
    check(&over("won=0-13"), "EW -13: EW took more tricks");
    check(&over("won=2-2"), "draw 0: both sides took equally many tricks");
    // Relative to the double-dummy value, the same tricks may be many or few.
    check(&over("won=7-6 dd=6"), "NS 1: NS took more tricks than with perfect play");
    check(&over("won=7-6 dd=7"), "draw 1: NS took as many tricks as with perfect play");
    check(&over("won=7-6 dd=8"), "EW 1: NS took fewer tricks than with perfect play");
    check(&over("won=0-13 dd=0"), "draw -13: NS took as many tricks as with perfect play");
    check(&over("won=1-12 dd=0"), "NS -11: NS took more tricks than with perfect play");
    // One card is left; then none.
    check("N:... ... ... A... S N S2,S3,S4 won=6-6 dd=7", "-");
    check("N:2... 3... 4... A... S N - won=6-6", "-");
}

#[test]
fn scores_are_the_tricks_that_decide() {
    let check = |rest: &str, expected: [i32; 4]| {
        let position = format!("N:... ... ... ... S W - {rest}");
        let variant = Variant { id: INFO.variants[0].id, size: None, setting: None };
        let game = (INFO.new)(&variant, Some(&position)).unwrap();
        assert_eq!(game.ending().unwrap().scores, expected, "{position}");
    };
    check("won=7-6", [1, -1, 1, -1]);
    check("won=2-2", [0, 0, 0, 0]);
    check("won=7-6 dd=6", [1, -1, 1, -1]);
    check("won=7-6 dd=7", [0, 0, 0, 0]);
    check("won=7-6 dd=9", [-2, 2, -2, 2]);
    check("won=1-12 dd=0", [1, -1, 1, -1]);
}

#[test]
fn outcomes_of_unfinished_deals() {
    let check = |position: &str, ns: u8, expected: &str| {
        let outcome = read(position).outcome_with_tricks(ns);
        let winner = |side: u8| INFO.sides[usize::from(side)];
        let found = outcome.map(|it| (it.winner.map_or("draw", |side| winner(side.0)), it.score));
        let found = found.map_or("none".to_owned(), |(winner, score)| format!("{winner} {score}"));
        assert_eq!(found, expected, "{position}, {ns}");
    };
    let deal = "N:A2... K3... Q4... J5... NT N -";
    check(deal, 0, "EW -2");
    check(deal, 1, "draw 0");
    check(deal, 2, "NS 2");
    check(deal, 3, "none");
    check(&format!("{deal} dd=2"), 1, "EW 0");
    check(&format!("{deal} dd=2"), 2, "draw 2");
    check(&format!("{deal} dd=0"), 1, "NS 0");
    let later = "N:2... 3... 4... 5... NT N - won=1-0";
    check(later, 0, "none");
    check(later, 1, "draw 0");
    check("N:2... 3... 4... 5... NT N - won=0-1", 2, "none");
}

#[test]
fn noisy_moves_are_the_cards_of_an_unfinished_trick() {
    let check = |position: &str| {
        let game = read(position);
        let noisy = generated(&game, MoveSet::Noisy);
        let expected = match game.table().trick().count() {
            0 => Vec::new(),
            _ => generated(&game, MoveSet::All),
        };
        assert_eq!(noisy, expected, "{position}");
    };
    check("N:A2... K3... Q4... J5... NT W -");
    check("N:A2... K3... Q4... 5... NT W SJ");
    check("N:A... K... Q4... J... NT W S5,S2,S3");
    check("N:... ... ... ... NT W - won=1-0");
    assert!(read("N:A2... K3... Q4... 5... NT W SJ").make_null().is_none());
}

#[test]
fn deals_depend_only_on_seed_and_size() {
    let deal = INFO.deal.expect("bridge has random deals");
    let mut seen = HashSet::new();
    for size in 1..=13 {
        let sized = variant(&format!("double-dummy-{size}"));
        for seed in [0, 1, 2, u64::MAX] {
            let text = deal(&sized, seed);
            assert_eq!(deal(&sized, seed), text);
            let game = Bridge::parse_position(&sized, &text).expect("a position");
            assert_eq!((game.size(), game.tricks_won(), game.dd()), (size, [0, 0], None));
            assert_eq!(game.table().trick().count(), 0);
            assert!(seen.insert(text), "size {size}, seed {seed}");
        }
    }
    assert_eq!(deal(&variant("double-dummy"), 7), deal(&variant("double-dummy-13"), 7));
    assert_eq!(
        text_of(&Bridge::start(&variant("double-dummy"))),
        deal(&variant("double-dummy"), 0)
    );
}

/// Every strain, leader and holder of a card is about equally frequent.
#[test]
fn deals_are_uniform() {
    let deals = 13_000u32;
    let mut counts: HashMap<String, u32> = HashMap::new();
    for seed in 0..deals.into() {
        let game = Bridge::from_seed(2, seed);
        let mut count = |key: String| *counts.entry(key).or_default() += 1;
        count(format!("trump {}", game.table().strain()));
        count(format!("leader {}", game.table().leader().letter()));
        for of in Compass::ALL {
            for card in game.table().hand(of).iter() {
                count(format!("{} {card}", of.letter()));
            }
        }
    }
    assert_eq!(counts.len(), 5 + 4 + 4 * 52);
    for (key, count) in counts {
        let expected = match key.split(' ').next().expect("a word") {
            "trump" => deals / 5,
            "leader" => deals / 4,
            _ => deals / 26,
        };
        // About five standard deviations; the seeds are fixed, so the result is reproducible.
        let deviation = f64::from(expected).sqrt() * 5.0;
        assert!((f64::from(count) - f64::from(expected)).abs() < deviation, "{key}: {count}");
    }
}

#[test]
fn hashes_of_different_positions_differ() {
    let mut seen = HashMap::new();
    let mut layer = HashSet::from([text_of(&Bridge::from_seed(6, 3))]);
    for _ in 0..9 {
        let mut next = HashSet::new();
        for text in &layer {
            let game = read(text);
            // Tricks won are not part of the hash.
            let without_tricks = text.split(" won=").next().expect("a text").to_owned();
            let other = seen.insert(game.hash(), without_tricks.clone());
            assert!(
                other.as_ref().is_none_or(|other| *other == without_tricks),
                "{other:?} and {without_tricks}"
            );
            for card in generated(&game, MoveSet::All) {
                let mut after = game.clone();
                after.play(&card).unwrap();
                next.insert(text_of(&after));
            }
        }
        layer = next;
    }
    assert!(seen.len() > 10_000, "{}", seen.len());
    let hash = |text: &str| read(text).hash();
    let deal = "N:A2... K3... Q4... J5...";
    let strains: HashSet<u64> = ["S", "H", "D", "C", "NT"]
        .iter()
        .flat_map(|strain| {
            ["N", "E", "S", "W"].map(|leader| hash(&format!("{deal} {strain} {leader} -")))
        })
        .collect();
    assert_eq!(strains.len(), 20);
    let bare = hash(&format!("{deal} S N -"));
    assert_eq!(hash(&format!("{deal} S N - won=3-4 dd=5")), bare);
    // The same trick in another order, and one more card in the hand instead.
    let trick = |trick: &str| hash(&format!("N:.2.. .3.. .4.. 5.6.. NT N {trick}"));
    assert_ne!(trick("S2,S3,S4"), trick("S2,S4,S3"));
}

#[test]
fn a_move_has_at_most_8_bytes() {
    assert!(size_of::<Card>() <= 8);
}
