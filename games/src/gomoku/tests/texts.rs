//! Move texts, position texts and diagrams: valid ones, and the errors of invalid ones.

use super::{read, text_of, variant};
use crate::gomoku::{Gomoku, Move, Point};
use crate::rules::Rules;

#[track_caller]
fn check_point(variant_text: &str, text: &str, expected: &str) {
    let game = Gomoku::start(&variant(variant_text));
    let found = match game.parse_move(text) {
        Ok(point) => point.to_string(),
        Err(reason) => reason,
    };
    assert_eq!(found, expected, "`{text}`");
}

#[test]
fn points_are_read() {
    check_point("freestyle", "h8", "h8");
    check_point("freestyle", "H8", "h8");
    check_point("freestyle", "a1", "a1");
    check_point("freestyle", "o15", "o15");
    check_point("freestyle-22", "V22", "v22");
    check_point("freestyle-5", "e5", "e5");
}

#[test]
fn invalid_move_texts_are_refused_with_a_reason() {
    let form = "a point is a column a to o and a row 1 to 15, like h8";
    let no_letter = format!("it does not start with a column letter; {form}");
    check_point("freestyle", "", &format!("it is empty; {form}"));
    check_point("freestyle", " h8", &no_letter);
    check_point("freestyle", "8h", &no_letter);
    check_point("freestyle", "é8", &no_letter);
    check_point("freestyle", "h", "the row is missing; the rows are 1 to 15");
    check_point(
        "freestyle",
        "hh8",
        "the text after the column is not a number; the rows are 1 to 15",
    );
    check_point(
        "freestyle",
        "h8 ",
        "the text after the column is not a number; the rows are 1 to 15",
    );
    check_point(
        "freestyle",
        "h-8",
        "the text after the column is not a number; the rows are 1 to 15",
    );
    check_point(
        "freestyle",
        "h٣",
        "the text after the column is not a number; the rows are 1 to 15",
    );
    check_point("freestyle", "z9", "there is no column z; the columns are a to o");
    check_point("freestyle", "p9", "there is no column p; the columns are a to o");
    check_point("freestyle-5", "f5", "there is no column f; the columns are a to e");
    check_point("freestyle", "h16", "there is no row 16; the rows are 1 to 15");
    check_point("freestyle", "h999", "there is no row 999; the rows are 1 to 15");
    check_point("freestyle", "h08", "the row starts with 0; the rows are 1 to 15");
    check_point("freestyle", "h0", "the row starts with 0; the rows are 1 to 15");
    let long = format!("h{}", "1".repeat(10_000_000));
    check_point("freestyle", &long, "there is no such row; the rows are 1 to 15");
}

#[test]
fn illegal_moves_are_refused_and_change_nothing() {
    let check = |position, text, expected| {
        let mut game = read("freestyle", position);
        let refusal = game.play(text).expect_err("not legal");
        assert_eq!(refusal.to_string(), expected);
        assert_eq!(game, read("freestyle", position));
    };
    check("5/5/2x2/5/5 w", "c3", "`c3` is refused: a black stone is on c3");
    check("5/5/2o2/5/5 w", "C3", "`C3` is refused: a white stone is on c3");
    check("xxxxx/oooo1/5/5/5 w", "e4", "`e4` is refused: the game is over: five in a row");
}

#[track_caller]
fn check_position(variant_text: &str, text: &str, expected: &str) {
    let found = match Gomoku::parse_position(&variant(variant_text), text) {
        Ok(game) => text_of(&game),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "`{}`", text.get(..80).unwrap_or(text));
}

#[test]
fn positions_are_read_and_written_canonically() {
    for text in ["5/5/5/5/5 b", "x3o/5/1xo2/5/o3x w", "22/".repeat(21).as_str()] {
        let text = if text.starts_with("22") { format!("{text}22 b") } else { text.to_owned() };
        check_position("freestyle", &text, &text);
        check_position("standard", &text, &text);
    }
    check_position("freestyle-5", "5/5/5/5/5 b", "5/5/5/5/5 b");
    check_position("freestyle", "  5/5/5/5/5   w ", "5/5/5/5/5 w");
    // The first row of the text is the top row.
    assert!(!read("freestyle", "x4/5/5/5/5 w").is_empty(Point::new(0, 4).expect("a5")));
    assert_eq!(text_of(&Gomoku::start(&variant("standard"))), "15/".repeat(14) + "15 b");
}

#[test]
fn any_number_of_stones_is_valid_but_not_two_winners() {
    check_position("freestyle", "xxxxx/5/5/5/5 b", "xxxxx/5/5/5/5 b");
    check_position("freestyle", "oooo1/oooo1/5/5/5 w", "oooo1/oooo1/5/5/5 w");
    check_position("freestyle", "xxxxx/ooooo/5/5/5 b", "at byte 0: both colours have won");
    check_position("freestyle", "6/xxxxxx/ooooo1/6/6/6 b", "at byte 0: both colours have won");
    let overline_and_five = "6/xxxxxx/ooooo1/6/6/6 b";
    check_position("standard", overline_and_five, overline_and_five);
}

#[test]
fn all_faults_are_reported_with_their_offsets() {
    check_position(
        "freestyle",
        "5/4/x?3/6/05 r x",
        "at byte 2: row 4 has 4 points instead of 5; \
         at byte 5: `?` is neither x nor o nor a number; \
         at byte 8: row 2 has 6 points instead of 5; \
         at byte 10: the number of empty points starts with 0; \
         at byte 13: the side to move is neither b nor w; \
         at byte 15: unexpected text after the side to move",
    );
    check_position(
        "freestyle",
        "5//5/5/300 b",
        "at byte 2: row 4 has 0 points instead of 5; \
         at byte 7: row 1 has too many points instead of 5",
    );
}

#[test]
fn an_invalid_field_or_size_is_a_fault() {
    let missing = "the side to move is missing; expected b or w";
    check_position("freestyle", "", "at byte 0: the text is empty; expected rows and side");
    check_position("freestyle", " ", "at byte 0: the text is empty; expected rows and side");
    check_position("freestyle", "5/5/5/5/5", &format!("at byte 9: {missing}"));
    check_position("freestyle", "5/5/5/5 b", "at byte 0: 4 rows; boards have 5 to 22");
    let rows = |count: usize| vec![count.to_string(); count].join("/") + " b";
    check_position("freestyle", &rows(23), "at byte 0: 23 rows; boards have 5 to 22");
    check_position("freestyle-15", &rows(15), &rows(15));
    let faults = Gomoku::parse_position(&variant("freestyle-15"), &rows(14)).expect_err("14 rows");
    assert_eq!(faults.0[0].reason, "14 rows on a board of 15");
    for side in ["B", "x", "bw", "é"] {
        let text = format!("5/5/5/5/5 {side}");
        check_position("freestyle", &text, "at byte 10: the side to move is neither b nor w");
    }
    check_position("freestyle", "5/5/éx3/5/5 b", "at byte 4: `é` is neither x nor o nor a number");
    check_position(
        "freestyle",
        "5/5/5/5/5 b moves c3 d3",
        "at byte 12: move lists are not supported: the rules of gomoku need no history",
    );
}

#[test]
fn huge_texts_are_rejected_unread() {
    for text in ["x".repeat(10_000_000), "/".repeat(10_000_000), " ".repeat(10_000_000)] {
        let expected = "at byte 4096: the text has 10000000 bytes; the limit is 4096";
        check_position("freestyle", &text, expected);
    }
}

#[track_caller]
fn check_diagram(position: &str, last: &str, expected: &str) {
    let game = read("freestyle", position);
    let last = game.stones(crate::gomoku::Color::Black).find(|point| point.to_string() == last);
    let mut diagram = String::new();
    game.write_diagram(last.map(Move::Stone), &mut diagram);
    assert_eq!(diagram, expected.trim_start_matches('\n'), "\n{diagram}");
}

#[test]
fn the_diagram_marks_the_last_move() {
    check_diagram(
        "4x/5/1xo2/5/x4 w",
        "b3",
        "
   a b c d e
 5 . . . . x
 4 . . . . .
 3 .[x]o . .
 2 . . . . .
 1 x . . . .
   a b c d e
",
    );
    check_diagram(
        "4x/5/5/5/5 w",
        "e5",
        "
   a b c d e
 5 . . . .[x]
 4 . . . . .
 3 . . + . .
 2 . . . . .
 1 . . . . .
   a b c d e
",
    );
}

#[test]
fn the_diagram_of_a_large_board_has_star_points() {
    let rows = "15/".repeat(14) + "15 b";
    check_diagram(
        &rows,
        "",
        "
   a b c d e f g h i j k l m n o
15 . . . . . . . . . . . . . . .
14 . . . . . . . . . . . . . . .
13 . . . . . . . . . . . . . . .
12 . . . + . . . . . . . + . . .
11 . . . . . . . . . . . . . . .
10 . . . . . . . . . . . . . . .
 9 . . . . . . . . . . . . . . .
 8 . . . . . . . + . . . . . . .
 7 . . . . . . . . . . . . . . .
 6 . . . . . . . . . . . . . . .
 5 . . . . . . . . . . . . . . .
 4 . . . + . . . . . . . + . . .
 3 . . . . . . . . . . . . . . .
 2 . . . . . . . . . . . . . . .
 1 . . . . . . . . . . . . . . .
   a b c d e f g h i j k l m n o
",
    );
}

/// Compares the hashes of two boards that may be symmetric to each other.
#[track_caller]
fn check_symmetric(one: &str, other: &str, expected: bool) {
    let hash = |text| read("freestyle", text).symmetric_hash();
    assert_eq!(hash(one) == hash(other), expected, "{one} and {other}");
}

#[test]
fn symmetric_boards_share_a_hash() {
    let one = "5/1x3/2o2/4x/5 w";
    for other in [
        "5/1x3/2o2/4x/5 w",
        "5/3x1/2o2/x4/5 w",
        "5/4x/2o2/1x3/5 w",
        "5/x4/2o2/3x1/5 w",
        "5/3x1/2o2/5/1x3 w",
        "1x3/5/2o2/3x1/5 w",
        "3x1/5/2o2/1x3/5 w",
        "5/1x3/2o2/5/3x1 w",
    ] {
        check_symmetric(one, other, true);
    }
    check_symmetric(one, "5/1x3/2o2/4x/5 b", false);
    check_symmetric(one, "5/1o3/2x2/4x/5 w", false);
    check_symmetric(one, "5/1x3/2o2/3x1/5 w", false);
    // A translated pattern is a different position.
    check_symmetric("6/6/1xo3/6/6/6 b", "6/6/2xo2/6/6/6 b", false);
    check_symmetric("6/6/1xo3/6/6/6 b", "6/6/3ox1/6/6/6 b", true);
}
