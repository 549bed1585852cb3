//! Move texts, position texts, diagrams and facts: valid and invalid ones.

use super::{read, variant};
use crate::reversi::{Reversi, Square};
use crate::rules::Rules;

#[test]
fn invalid_move_texts_are_refused_with_a_reason() {
    let check = |size: u8, text: &str, expected: &str| {
        let game = Reversi::start(&variant(&format!("standard-{size}")));
        let found = game.parse_move(text);
        assert_eq!(found.expect_err(text), expected);
    };
    let form = "a move is pass or a column a to h and a row 1 to 8, like b3";
    check(8, "", &format!("it is empty; {form}"));
    check(8, "33", &format!("it does not start with a column letter; {form}"));
    check(8, "é3", &format!("it does not start with a column letter; {form}"));
    check(8, "d", &format!("the column letter is not followed by a row number; {form}"));
    check(8, "d3 ", &format!("the column letter is not followed by a row number; {form}"));
    check(8, "d+3", &format!("the column letter is not followed by a row number; {form}"));
    check(8, "Pass", &format!("the column letter is not followed by a row number; {form}"));
    check(8, "i3", "there is no column i; the columns are a to h");
    check(8, "d9", "there is no row 9; the rows are 1 to 8");
    check(8, "d0", "the row starts with 0; the rows are 1 to 8");
    check(8, "d03", "the row starts with 0; the rows are 1 to 8");
    check(8, "d999", "there is no row 999; the rows are 1 to 8");
    check(8, "d99999999999999999999", "there is no such row; the rows are 1 to 8");
    check(16, "q1", "there is no column q; the columns are a to p");
    check(16, "a17", "there is no row 17; the rows are 1 to 16");
    check(16, "a16", "a disc on a16 would flip nothing");
    check(8, "d4", "a white disc is on d4");
    check(8, "e4", "a black disc is on e4");
    check(8, "a1", "a disc on a1 would flip nothing");
}

#[test]
fn all_faults_of_a_position_text_are_reported() {
    let check = |variant_text: &str, text: &str, expected: &str| {
        let found = Reversi::parse_position(&variant(variant_text), text);
        let found = found.map_or_else(|error| error.to_string(), |game| game.variant().text());
        assert_eq!(found, expected, "{text}");
    };
    check("standard", "-----OX--XO----- X", "standard-4");
    check("standard-4", "-----OX--XO----- O", "standard-4");
    check("standard", " -----OX--XO-----\tX ", "standard-4");
    let wanted = "16 squares instead of 64 on a board of 8";
    check("standard-8", "-----OX--XO----- X", &format!("at byte 0: {wanted}"));
    let empty = "the text is empty; expected the squares from a1 on and the side";
    check("standard", "  ", &format!("at byte 0: {empty}"));
    let no_side = "the side to move is missing; expected X or O";
    check("standard", "-----OX--XO-----", &format!("at byte 16: {no_side}"));
    // The side must be separated from the discs.
    let sizes = "boards have n×n with an even n from 4 to 16";
    check(
        "standard",
        "-----OX--XO-----X",
        &format!("at byte 0: 17 squares; {sizes}; at byte 17: {no_side}"),
    );
    let side = "the side to move is neither X nor O";
    check("standard", "-----OX--XO----- x", &format!("at byte 17: {side}"));
    check("standard", "-----OX--XO----- XO", &format!("at byte 17: {side}"));
    check("standard", "-----OX--XO----- X X", "at byte 19: unexpected text after the side to move");
    check(
        "standard",
        "-----ox--XO-.é- ?",
        "at byte 5: `o` is neither X nor O nor -; at byte 6: `x` is neither X nor O nor -; \
         at byte 12: `.` is neither X nor O nor -; at byte 13: `é` is neither X nor O nor -; \
         at byte 0: 15 squares; boards have n×n with an even n from 4 to 16; \
         at byte 17: the side to move is neither X nor O",
    );
    let odd = "-".repeat(25);
    check("standard", &format!("{odd} X"), &format!("at byte 0: 25 squares; {sizes}"));
    let large = "-".repeat(18 * 18);
    check("standard", &format!("{large} X"), &format!("at byte 0: 324 squares; {sizes}"));
    let long = "-".repeat(5000);
    let unread = "the text has 5000 bytes; the limit is 4096";
    check("standard", &long, &format!("at byte 4096: {unread}"));
}

#[test]
fn diagrams_show_discs_legal_moves_and_the_last_move() {
    let check = |position: &str, last: Option<(u8, u8)>, expected: &str| {
        let mut diagram = String::new();
        let last = last.and_then(|(column, row)| Square::new(column, row)).map(Into::into);
        read(position).write_diagram(last, &mut diagram);
        assert_eq!(diagram, expected, "{position}");
    };
    check(
        "---- -OX- -XO- ---- X",
        None,
        "   a b c d\n 1 - . - -\n 2 . O X -\n 3 - X O .\n 4 - - . -\n   a b c d\n",
    );
    check(
        "---- XXX- -XO- ---- O",
        Some((0, 1)),
        "   a b c d\n 1 . - . -\n 2[X]X X -\n 3 . X O -\n 4 - - - -\n   a b c d\n",
    );
    check(
        "---- -OX- -XOO ---- X",
        Some((3, 2)),
        "   a b c d\n 1 - . - -\n 2 . O X -\n 3 - X O[O]\n 4 - - . -\n   a b c d\n",
    );
}

#[test]
fn facts_have_counts() {
    let check = |position: &str, expected: &[&str]| {
        let facts = read(position).facts();
        let found: Vec<String> =
            facts.iter().map(|(name, json)| format!("{name} {json}")).collect();
        assert_eq!(found, expected, "{position}");
    };
    check(
        "---- XXX- -XO- ---- O",
        &[
            r#"discs {"black":4,"white":1}"#,
            "empties 11",
            r#"mobility {"black":3,"white":3}"#,
            "must_pass false",
        ],
    );
    check(
        "XO-- ---- ---- ---- O",
        &[
            r#"discs {"black":1,"white":1}"#,
            "empties 14",
            r#"mobility {"black":1,"white":0}"#,
            "must_pass true",
        ],
    );
    // After the end of the game no side must pass.
    check(
        "XX-- ---- ---- ---- O",
        &[
            r#"discs {"black":2,"white":0}"#,
            "empties 14",
            r#"mobility {"black":0,"white":0}"#,
            "must_pass false",
        ],
    );
}
