//! Move texts, position texts, diagrams and facts: valid and invalid ones.

use super::{read, text_of, variant};
use crate::bridge::{Bridge, Card};
use crate::rules::Rules;

#[test]
fn invalid_move_texts_are_refused_with_a_reason() {
    let game = read("N:A2... K3... Q4... J5... NT W -");
    let check = |text: &str, expected: &str| {
        let form = "; a move is a card: its suit S, H, D or C, then its rank A, K, Q, J, T or 9 to 2, \
                    like SJ";
        assert_eq!(game.parse_move(text).expect_err(text), format!("{expected}{form}"), "{text}");
    };
    check("", "it is empty");
    check("JS", "it does not start with a suit letter");
    check("éJ", "it does not start with a suit letter");
    check("S", "the rank is missing");
    check("S1", "the suit is not followed by a rank letter");
    check("Sé", "the suit is not followed by a rank letter");
    check("S10", "the suit is not followed by a rank letter");
    check("SJ ", "unexpected text after suit and rank");
    check("SJx", "unexpected text after suit and rank");
    let card = |text: &str| Card::from_text(text).expect("a card");
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
    // From any first seat, in lower case, with extra white space, with ranks in any order.
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
fn all_faults_of_a_position_text_are_reported() {
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
            "at byte 0: the strain (S, H, D, C or NT) is missing",
            "at byte 0: the leader of the trick (N, E, S or W) is missing",
            "at byte 0: the trick (- or cards such as SJ,H3) is missing",
        ],
    );
    check(
        "N:A2... K3... Q4...",
        &[
            "at byte 19: 3 hands instead of four",
            "at byte 19: the strain (S, H, D, C or NT) is missing",
            "at byte 19: the leader of the trick (N, E, S or W) is missing",
            "at byte 19: the trick (- or cards such as SJ,H3) is missing",
        ],
    );
    let deal = "N:A2... K3... Q4... J5...";
    check(
        &format!("{deal} NT W"),
        &["at byte 30: the trick (- or cards such as SJ,H3) is missing"],
    );
    check(
        "A2... K3... Q4... J5... NT W -",
        &["at byte 0: the first hand does not start with its seat, such as `N:`"],
    );
    check(
        "X:A2... K3... Q4... J5... NT W -",
        &[
            "at byte 0: the first hand does not start with its seat, such as `N:`",
            "at byte 0: `X` is not a rank",
            "at byte 1: `:` is not a rank",
        ],
    );
    // Several at once, in the order of the text.
    check(
        "N:A1... K3.. Q4.... J5... X Y S1 won=1 dd=14 more",
        &[
            "at byte 3: `1` is not a rank",
            "at byte 8: east's hand has 3 suits instead of four",
            "at byte 13: south's hand has 5 suits instead of four",
            "at byte 26: the strain is not S, H, D, C or NT",
            "at byte 28: the leader of the trick is not N, E, S or W",
            "at byte 30: not a card; the trick is - or cards such as SJ,H3",
            "at byte 33: won= needs the tricks of NS and EW, such as won=3-2",
            "at byte 39: dd= needs a number of tricks from 0 to 13, such as dd=7",
            "at byte 45: only won= and then dd= may follow the trick",
        ],
    );
    check("N:A2... A3... Q4... J5... NT W -", &["at byte 8: SA occurs twice"]);
    check("N:AA... K3... Q4... J5... NT W -", &["at byte 3: SA occurs twice"]);
    let counts = "including the trick, the hands have";
    check(
        "N:A2... K3... Q... J5... NT W -",
        &[&format!("at byte 0: {counts} 2, 2, 1 and 2 cards; all must have the same number")],
    );
    check(
        "N:A2... K3... Q4... J5... NT W S6",
        &[&format!("at byte 0: {counts} 2, 2, 2 and 3 cards; all must have the same number")],
    );
    check("N:A2... K3... Q4... J5... NT W SA", &["at byte 31: SA occurs twice"]);
    check("N:2... K3... Q4... 5... NT W SA,SA", &["at byte 32: SA occurs twice"]);
    check(
        "N:.2.. K3... Q4... 5... NT W SJ,S6,S7,S8",
        &["at byte 38: an unfinished trick has at most three cards"],
    );
}

#[test]
fn impossible_positions_are_rejected() {
    let check_in = |variant_text: &str, text: &str, expected: &str| {
        let found = Bridge::parse_position(&variant(variant_text), text);
        assert_eq!(found.expect_err(text).to_string(), expected, "{text}");
    };
    let check = |text: &str, expected: &str| check_in("double-dummy", text, expected);
    // North revoked; without the spade in hand it is valid.
    check(
        "N:A... K3... Q4... 5... NT W SJ,H2",
        "at byte 32: north played H2 but holds spades, which were led",
    );
    read("N:.A.. K3... Q4... 5... NT W SJ,H2");
    check("N:... ... ... ... NT W -", "at byte 0: there are no cards and no tricks won");
    let deal = "N:A2... K3... Q4... J5... NT W -";
    check(
        &format!("{deal} won=6-6"),
        "at byte 33: 2 tricks left and 12 won; a deal has at most 13",
    );
    read(&format!("{deal} won=5-6"));
    check(&format!("{deal} dd=3"), "at byte 33: dd= exceeds the 2 tricks of the deal");
    read(&format!("{deal} won=0-1 dd=3"));
    check_in(
        "double-dummy-3",
        deal,
        "at byte 0: 2 tricks left and 0 won do not make a deal of 3 tricks",
    );
    check_in(
        "double-dummy-3",
        &format!("{deal} won=1-1"),
        "at byte 33: 2 tricks left and 2 won do not make a deal of 3 tricks",
    );
    check(
        &format!("{deal} dd=1 won=0-1"),
        "at byte 38: only won= and then dd= may follow the trick",
    );
    check(
        &format!("{deal}{}", " ".repeat(5000)),
        "at byte 4096: the text has 5032 bytes; the limit is 4096",
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
fn the_diagram_shows_hands_around_the_trick() {
    let check = |position: &str, last: &str, expected: &str| {
        let mut diagram = String::new();
        read(position).write_diagram(Card::from_text(last), &mut diagram);
        assert_eq!(diagram, expected, "{position}");
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
fn facts_have_trick_and_totals() {
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
