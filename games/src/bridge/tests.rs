//! Tests of bridge: the rules case by case, each with its near miss. Texts are in `texts`,
//! random deals in `properties`, the slow rules in `twin`, positions that another program
//! solved in `fixtures`.

mod fixtures;
mod properties;
mod scores;
mod texts;
mod twin;

use std::collections::{HashMap, HashSet};

use super::{Bridge, Card, Compass, INFO, Strain, Table};
use crate::info::Variant;
use crate::rules::{Generate, Rules};

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

fn generated(game: &Bridge, what: Generate) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(what, &mut moves);
    moves.iter().map(Card::to_string).collect()
}

/// Plays cards and looks at the position after them.
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
    let legal = generated(&read(position), Generate::All);
    assert_eq!(legal.join(" "), expected, "{position}");
}

/// Who wins a trick.
#[track_caller]
fn check_winner(strain: &str, leader: char, cards: [&str; 4], expected: char) {
    let strain = Strain::of_text(strain).expect("a strain");
    let mut table = Table::empty(strain, Compass::of_letter(leader).expect("a seat"));
    let cards = cards.map(|card| Card::of_text(card).expect("a card"));
    let winners = cards.map(|card| table.play(card));
    let expected = Compass::of_letter(expected);
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
        // Seats go round from the leader.
        check_winner(strain, 'W', ["D2", "D3", "D5", "D4"], 'E');
        check_winner(strain, 'S', ["D2", "D3", "D4", "D5"], 'E');
        check_winner(strain, 'E', ["D6", "D3", "D4", "D5"], 'E');
    }
}

#[test]
fn the_highest_trump_wins_where_one_was_played() {
    check_winner("S", 'N', ["HA", "S2", "HK", "HQ"], 'E');
    // A trump is beaten by a higher one only, wherever it lies.
    check_winner("S", 'N', ["HA", "S2", "S3", "HQ"], 'S');
    check_winner("S", 'N', ["HA", "S3", "S2", "HQ"], 'E');
    check_winner("S", 'N', ["HA", "HK", "HQ", "S2"], 'W');
    check_winner("S", 'W', ["S2", "HA", "HK", "S3"], 'S');
    check_winner("S", 'W', ["S2", "HA", "HK", "CA"], 'W');
    // The same cards with another suit as trump, and with none.
    check_winner("H", 'N', ["HA", "S2", "S3", "HQ"], 'N');
    check_winner("NT", 'N', ["HA", "S2", "S3", "HQ"], 'N');
    check_winner("D", 'N', ["HA", "S2", "D2", "DK"], 'W');
}

#[test]
fn who_can_follow_suit_must() {
    let deal = "N:A2.3.. K.K.K. Q5.4.. J..7.6 ";
    check_legal(&format!("{deal} NT N -"), "SA S2 H3");
    // East has but one spade; south has two, and keeps the heart; west has one.
    check_legal("N:A.3.. K.K.K. Q5.4.. J..7.6 NT N S2", "SK");
    check_legal("N:A.3.. .K.K. Q5.4.. J..7.6 NT N S2,SK", "SQ S5");
    check_legal("N:A.3.. .K.K. Q.4.. J..7.6 NT N S2,SK,S5", "SJ");
    // Without the suit that was led anything goes, trumps among it.
    check_legal("N:A2... K.K.K. Q5.4.. J..7.6 S N H3", "HK");
    check_legal("N:A2... K..KA. Q5.4.. J..7.6 S N H3", "SK DA DK");
    check_legal("N:A2... K..A. Q5.4.. J..7.6 H N H3,DK", "H4");
    check_legal("N:A2... K..A. Q5... J..7.6 H N H3,DK,H4", "SJ D7 C6");
}

#[test]
fn refusals_say_why() {
    let check = |position: &str, card: &str, expected: &str| {
        let mut game = read(position);
        let before = game.clone();
        let refusal = game.play(card).expect_err("no legal card");
        assert_eq!(refusal.reason, expected, "{position}, {card}");
        assert_eq!(game, before);
    };
    let deal = "N:A.3.. .K.K. Q5.4.. J..7.6 NT N S2,SK";
    check(deal, "H4", "south has spades and must follow suit");
    check(deal, "SA", "south plays, and SA is north's");
    check(deal, "DK", "south plays, and DK is east's");
    check(deal, "S2", "south plays and has no S2, nor has anybody");
    check(deal, "C2", "south plays and has no C2, nor has anybody");
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
    // What was won before counts on, and the double-dummy value stays.
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
fn turns_are_not_the_parity_of_plies() {
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
        let told = game.outcome().map_or("-".to_owned(), |outcome| {
            let winner = outcome.winner.map_or("draw", |side| game.side_name(side));
            format!("{winner} {}: {}", outcome.score, outcome.reason)
        });
        assert_eq!(told, expected, "{position}");
        assert_eq!(generated(&game, Generate::All).is_empty(), game.outcome().is_some());
    };
    let over = |rest: &str| format!("N:... ... ... ... S W - {rest}");
    check(&over("won=7-6"), "NS 1: NS took more tricks");
    check(&over("won=0-13"), "EW -13: EW took more tricks");
    check(&over("won=2-2"), "draw 0: both sides took as many tricks");
    // Against the double-dummy value the same tricks may be much or little.
    check(&over("won=7-6 dd=6"), "NS 1: NS took more than perfect play gives them");
    check(&over("won=7-6 dd=7"), "draw 1: both sides took what perfect play gives them");
    check(&over("won=7-6 dd=8"), "EW 1: EW kept NS below what perfect play gives them");
    check(&over("won=0-13 dd=0"), "draw -13: both sides took what perfect play gives them");
    check(&over("won=1-12 dd=0"), "NS -11: NS took more than perfect play gives them");
    // One card is left, and then none.
    check("N:... ... ... A... S N S2,S3,S4 won=6-6 dd=7", "-");
    check("N:2... 3... 4... A... S N - won=6-6", "-");
}

#[test]
fn ends_that_are_not_played_out() {
    let check = |position: &str, ns: u8, expected: &str| {
        let outcome = read(position).ended_with(ns);
        let winner = |side: u8| INFO.sides[usize::from(side)];
        let told = outcome.map(|it| (it.winner.map_or("nobody", |side| winner(side.0)), it.score));
        let told = told.map_or("none".to_owned(), |(who, score)| format!("{who} {score}"));
        assert_eq!(told, expected, "{position}, {ns}");
    };
    let deal = "N:A2... K3... Q4... J5... NT N -";
    check(deal, 0, "EW -2");
    check(deal, 1, "nobody 0");
    check(deal, 2, "NS 2");
    check(deal, 3, "none");
    check(&format!("{deal} dd=2"), 1, "EW 0");
    check(&format!("{deal} dd=2"), 2, "nobody 2");
    check(&format!("{deal} dd=0"), 1, "NS 0");
    let later = "N:2... 3... 4... 5... NT N - won=1-0";
    check(later, 0, "none");
    check(later, 1, "nobody 0");
    check("N:2... 3... 4... 5... NT N - won=0-1", 2, "none");
}

#[test]
fn noisy_are_the_cards_of_an_unfinished_trick() {
    let check = |position: &str| {
        let game = read(position);
        let noisy = generated(&game, Generate::Noisy);
        let expected = match game.table().trick().count() {
            0 => Vec::new(),
            _ => generated(&game, Generate::All),
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
fn deals_are_those_of_their_seeds() {
    let deal = INFO.deal.expect("it begins by chance");
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

/// Every strain, leader and holder of a card comes about as often as it should.
#[test]
fn deals_are_even() {
    let deals = 13_000u32;
    let mut counts: HashMap<String, u32> = HashMap::new();
    for seed in 0..deals.into() {
        let game = Bridge::dealt(2, seed);
        let mut count = |what: String| *counts.entry(what).or_default() += 1;
        count(format!("trump {}", game.table().strain()));
        count(format!("leader {}", game.table().leader().letter()));
        for of in Compass::ALL {
            for card in game.table().hand(of).iter() {
                count(format!("{} {card}", of.letter()));
            }
        }
    }
    assert_eq!(counts.len(), 5 + 4 + 4 * 52);
    for (what, count) in counts {
        let expected = match what.split(' ').next().expect("a word") {
            "trump" => deals / 5,
            "leader" => deals / 4,
            _ => deals / 26,
        };
        // Some five standard deviations; the seeds are fixed, so it is always the same.
        let deviation = f64::from(expected).sqrt() * 5.0;
        assert!((f64::from(count) - f64::from(expected)).abs() < deviation, "{what}: {count}");
    }
}

#[test]
fn a_hash_is_of_one_position() {
    let mut seen = HashMap::new();
    let mut layer = HashSet::from([text_of(&Bridge::dealt(6, 3))]);
    for _ in 0..9 {
        let mut next = HashSet::new();
        for text in &layer {
            let game = read(text);
            // Tricks that were won are no part of it.
            let shown = text.split(" won=").next().expect("a text").to_owned();
            let other = seen.insert(game.hash(), shown.clone());
            assert!(other.as_ref().is_none_or(|other| *other == shown), "{other:?} and {shown}");
            for card in generated(&game, Generate::All) {
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
    // The same cards on the table in another order, and one more card in hand instead.
    let trick = |trick: &str| hash(&format!("N:.2.. .3.. .4.. 5.6.. NT N {trick}"));
    assert_ne!(trick("S2,S3,S4"), trick("S2,S4,S3"));
}

#[test]
fn a_move_is_small() {
    assert!(size_of::<Card>() <= 8);
}
