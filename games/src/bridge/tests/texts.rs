//! Move texts, position texts, pictures and facts, right and wrong ones.

use super::{read, text_of, variant};
use crate::bridge::{Bridge, Card};
use crate::rules::Rules;

#[test]
fn wrong_move_texts_say_why() {
    let game = read("N:A2... K3... Q4... J5... NT W -");
    let check = |text: &str, expected: &str| {
        let form = "; a move is a card: its suit S, H, D or C, then its rank A, K, Q, J, T or 9 to 2, \
                    like SJ";
        assert_eq!(game.parse_move(text).expect_err(text), format!("{expected}{form}"), "{text}");
    };
    check("", "it is empty");
    check("JS", "it does not begin with the letter of a suit");
    check("éJ", "it does not begin with the letter of a suit");
    check("S", "no rank follows its suit");
    check("S1", "the letter of no rank follows its suit");
    check("Sé", "the letter of no rank follows its suit");
    check("S10", "the letter of no rank follows its suit");
    check("SJ ", "nothing should follow its suit and rank");
    check("SJx", "nothing should follow its suit and rank");
    let card = |text: &str| Card::of_text(text).expect("a card");
    assert_eq!(game.parse_move("SJ"), Ok(card("SJ")));
    assert_eq!(game.parse_move("sj"), Ok(card("SJ")));
}

#[test]
fn positions_are_read_and_written() {
    let check = |text: &str, expected: &str| {
        let game = read(text);
        assert_eq!(format!("{} {}", game.variant().text(), text_of(&game)), expected, "{text}");
    };
    let deal = "N:A2... K3... Q4... J5...";
    check(&format!("{deal} NT W -"), &format!("double-dummy-2 {deal} NT W -"));
    // From any seat on, in small letters, with more blanks, in any order of ranks.
    check("S:Q4... J5... A2... K3... NT W -", &format!("double-dummy-2 {deal} NT W -"));
    check(" n:2a...\tk3... q4... j5... n w - ", &format!("double-dummy-2 {deal} NT W -"));
    check(&format!("{deal} S W - won=0-0"), &format!("double-dummy-2 {deal} S W -"));
    let marked = format!("{deal} S W - won=3-8 dd=13");
    check(&marked, &format!("double-dummy-13 {marked}"));
    let trick = "N:A... K... Q4... J5... S N S2,S3 dd=0";
    check(trick, &format!("double-dummy-2 {trick}"));
    let over = "N:... ... ... ... C E - won=0-1";
    check(over, &format!("double-dummy-1 {over}"));
}

#[test]
fn wrong_position_texts_are_told_in_full() {
    let check_in = |variant_text: &str, text: &str, expected: &[&str]| {
        let found = Bridge::parse_position(&variant(variant_text), text);
        let found = found.expect_err(text).to_string();
        assert_eq!(found, expected.join("; "), "{text}");
    };
    let check = |text: &str, expected: &[&str]| check_in("double-dummy", text, expected);
    check(
        "",
        &[
            "at byte 0: the text is empty; hands are missing",
            "at byte 0: the strain, S, H, D, C or NT, is missing",
            "at byte 0: who leads to the trick, N, E, S or W, is missing",
            "at byte 0: the trick, - or cards like SJ,H3, is missing",
        ],
    );
    check(
        "N:A2... K3... Q4...",
        &[
            "at byte 19: 3 hands instead of four",
            "at byte 19: the strain, S, H, D, C or NT, is missing",
            "at byte 19: who leads to the trick, N, E, S or W, is missing",
            "at byte 19: the trick, - or cards like SJ,H3, is missing",
        ],
    );
    let deal = "N:A2... K3... Q4... J5...";
    check(&format!("{deal} NT W"), &["at byte 30: the trick, - or cards like SJ,H3, is missing"]);
    check(
        "A2... K3... Q4... J5... NT W -",
        &["at byte 0: the first hand does not begin with whose it is, like `N:`"],
    );
    check(
        "X:A2... K3... Q4... J5... NT W -",
        &[
            "at byte 0: the first hand does not begin with whose it is, like `N:`",
            "at byte 0: `X` is no rank",
            "at byte 1: `:` is no rank",
        ],
    );
    // Several at once, in the order of the text.
    check(
        "N:A1... K3.. Q4.... J5... X Y S1 won=1 dd=14 more",
        &[
            "at byte 3: `1` is no rank",
            "at byte 8: east's hand has 3 suits instead of four",
            "at byte 13: south's hand has 5 suits instead of four",
            "at byte 26: the strain is none of S, H, D, C and NT",
            "at byte 28: who leads to the trick is none of N, E, S and W",
            "at byte 30: no card of the trick: it is - or cards like SJ,H3",
            "at byte 33: won= is followed by the tricks of NS and EW, like won=3-2",
            "at byte 39: dd= is followed by a number of tricks from 0 to 13, like dd=7",
            "at byte 45: behind the trick stand won= and then dd=, each once, or nothing",
        ],
    );
    check("N:A2... A3... Q4... J5... NT W -", &["at byte 8: SA is there twice"]);
    check("N:AA... K3... Q4... J5... NT W -", &["at byte 3: SA is there twice"]);
    let counts = "with the cards of the trick the hands have";
    check(
        "N:A2... K3... Q... J5... NT W -",
        &[&format!("at byte 0: {counts} 2, 2, 1 and 2 cards, and not all as many")],
    );
    check(
        "N:A2... K3... Q4... J5... NT W S6",
        &[&format!("at byte 0: {counts} 2, 2, 2 and 3 cards, and not all as many")],
    );
    check("N:A2... K3... Q4... J5... NT W SA", &["at byte 31: SA is there twice"]);
    check("N:2... K3... Q4... 5... NT W SA,SA", &["at byte 32: SA is there twice"]);
    check(
        "N:.2.. K3... Q4... 5... NT W SJ,S6,S7,S8",
        &["at byte 38: an unfinished trick has three cards at most"],
    );
}

#[test]
fn positions_that_cannot_be_are_refused() {
    let check_in = |variant_text: &str, text: &str, expected: &str| {
        let found = Bridge::parse_position(&variant(variant_text), text);
        assert_eq!(found.expect_err(text).to_string(), expected, "{text}");
    };
    let check = |text: &str, expected: &str| check_in("double-dummy", text, expected);
    // North revoked; with the heart gone from the hand it is right.
    check(
        "N:A... K3... Q4... 5... NT W SJ,H2",
        "at byte 32: north played H2 and holds spades, which were led",
    );
    read("N:.A.. K3... Q4... 5... NT W SJ,H2");
    check("N:... ... ... ... NT W -", "at byte 0: there is no card, and no trick is won");
    let deal = "N:A2... K3... Q4... J5... NT W -";
    check(
        &format!("{deal} won=6-6"),
        "at byte 33: 2 tricks are left and 12 are won; no deal has more than 13",
    );
    read(&format!("{deal} won=5-6"));
    check(&format!("{deal} dd=3"), "at byte 33: dd= is more than the 2 tricks of the deal");
    read(&format!("{deal} won=0-1 dd=3"));
    check_in(
        "double-dummy-3",
        deal,
        "at byte 0: 2 tricks are left and 0 are won, which makes no deal of 3 tricks",
    );
    check_in(
        "double-dummy-3",
        &format!("{deal} won=1-1"),
        "at byte 33: 2 tricks are left and 2 are won, which makes no deal of 3 tricks",
    );
    check(
        &format!("{deal} dd=1 won=0-1"),
        "at byte 38: behind the trick stand won= and then dd=, each once, or nothing",
    );
    check(
        &format!("{deal}{}", " ".repeat(5000)),
        "at byte 4096: a text of 5032 bytes; none has more than 4096",
    );
    assert_eq!(
        Bridge::parse_position(&variant("double-dummy"), &"?".repeat(4000))
            .expect_err("nonsense")
            .0
            .len(),
        16
    );
}

#[test]
fn the_picture_shows_hands_round_the_trick() {
    let check = |position: &str, last: &str, expected: &str| {
        let mut picture = String::new();
        read(position).write_board(Card::of_text(last), &mut picture);
        assert_eq!(picture, expected, "{position}");
    };
    check(
        "N:AK... Q.Q.Q. J32... .54.. H W H6,H7 won=3-2 dd=5",
        "H7",
        "                 north
                 S AK
                 H
                 D
                 C
west                              > east
S                    [H7]         S Q
H 54              H6              H Q
D                                 D Q
C                                 C
                 south
                 S J32
                 H
                 D
                 C
hearts are trump; west leads; tricks: NS 3, EW 2; double dummy NS 5 of 8
",
    );
    check(
        "N:2... K... Q... 5... NT N - won=1-0",
        "S4",
        "                 > north
                 S 2
                 H
                 D
                 C
west                              east
S 5                               S K
H                                 H
D                                 D
C                                 C
                 south
                 S Q
                 H
                 D
                 C
no trump; S4 ended the trick, which north won; tricks: NS 1, EW 0
",
    );
}

#[test]
fn facts_are_told() {
    let facts = |position: &str| {
        let facts = read(position).facts();
        facts.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        facts("N:.A.. K3... Q4... 5... NT W SJ,H2 won=3-2 dd=5"),
        "strain \"NT\"; leader \"W\"; plays \"E\"; trick [\"SJ\",\"H2\"]; \
         tricks_won {\"NS\":3,\"EW\":2}; tricks_left 2; double_dummy_ns 5"
    );
    assert_eq!(
        facts("N:A2... K3... Q4... J5... H W -"),
        "strain \"H\"; leader \"W\"; plays \"W\"; trick []; tricks_won {\"NS\":0,\"EW\":0}; \
         tricks_left 2; double_dummy_ns null"
    );
}
