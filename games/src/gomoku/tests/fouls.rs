//! Forbidden points: fixture records on which several programs agree, and hand-made cases, each
//! with a near miss.

use std::fs;

use serde_json::Value;

use super::{outcome_of, read};
use crate::gomoku::forbidden::foul_within;
use crate::gomoku::{Foul, Gomoku};
use crate::rules::Rules;

fn records() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/forbidden.json");
    let text = fs::read_to_string(path).expect(path);
    let fixture: Value = serde_json::from_str(&text).expect(path);
    fixture["records"].as_array().expect("records").clone()
}

/// `k3: double-three, l3: double-three`, in the order of points.
fn forbidden_of(game: &Gomoku) -> String {
    let text = |(point, foul): (_, Foul)| format!("{point}: {}", foul.name());
    game.forbidden_points().map(text).collect::<Vec<_>>().join(", ")
}

fn expected_of(game: &Gomoku, record: &Value) -> String {
    let kinds = record["kinds"].as_object().expect("kinds");
    let text = |point| {
        let kind = kinds.get(&format!("{point}"))?.as_str()?;
        Some(format!("{point}: {kind}"))
    };
    let all: Vec<String> = game.empty_points().filter_map(text).collect();
    assert_eq!(all.len(), kinds.len(), "{record}");
    all.join(", ")
}

#[test]
fn forbidden_points_match_the_fixture() {
    let records = records();
    assert_eq!(records.len(), 600);
    for record in &records {
        let game = read("renju", record["position"].as_str().expect("a position"));
        assert_eq!(forbidden_of(&game), expected_of(&game, record), "{}", record["id"]);
        for (trap, why) in record["legal_traps"].as_object().into_iter().flatten() {
            let point = game.parse_move(trap).expect(trap).point().expect(trap);
            assert_eq!(game.forbidden(point), None, "{trap} of {}: {why}", record["id"]);
        }
    }
}

#[test]
fn the_trial_stone_limit_is_generous_and_zero_finds_no_threes() {
    for record in &records() {
        let game = read("renju", record["position"].as_str().expect("a position"));
        for point in game.empty_points() {
            let foul = game.forbidden(point);
            assert_eq!(foul_within(&game.board, point, 100), foul, "{point} of {}", record["id"]);
            let seen = foul.filter(|&foul| foul != Foul::DoubleThree);
            assert_eq!(foul_within(&game.board, point, 0), seen, "{point} of {}", record["id"]);
        }
    }
}

/// Compares the outcome of a black stone; `-` means the game is in progress.
#[track_caller]
fn check(rows: &str, text: &str, expected: &str) {
    let mut game = read("renju", &format!("{rows} b"));
    let point = game.parse_move(text).expect(text);
    assert_eq!(game.is_legal(point), !expected.ends_with("foul"), "{rows} {text}");
    game.play(text).expect("it can be played");
    assert_eq!(outcome_of(&game), expected, "{rows} {text}");
}

const FIVE: &str = "black: five in a row";
const OVERLINE: &str = "white: overline foul";
const FOURS: &str = "white: double-four foul";
const THREES: &str = "white: double-three foul";

#[test]
fn an_overline_is_a_foul_unless_the_stone_makes_a_five() {
    check("9/9/9/9/1xxx1xx2/9/9/9/9", "e5", OVERLINE);
    check("9/9/9/9/1xxx1x3/9/9/9/9", "e5", FIVE);
    // The column has a five.
    check("4x4/4x4/4x4/4x4/1xxx1xx2/9/9/9/9", "e5", FIVE);
    check("4x4/4x4/4x4/9/1xxx1xx2/9/9/9/9", "e5", OVERLINE);
    // White may have more than five.
    let mut game = read("renju", "9/9/9/9/1ooo1oo2/9/9/9/9 w");
    game.play("e5").expect("legal");
    assert_eq!(outcome_of(&game), "white: more than five in a row");
}

#[test]
fn two_fours_are_a_foul_in_two_lines_or_in_one() {
    check("4x4/4x4/4x4/9/1xxx5/9/9/9/9", "e5", FOURS);
    check("4x4/4x4/4x4/4o4/1xxx5/9/9/9/9", "e5", "-");
    check("9/4x4/4x4/4x4/1xxx5/9/9/9/9", "e5", FOURS);
    check("9/4x4/4x4/4x4/oxxx5/9/9/9/9", "e5", FOURS);
    check("9/4x4/4x4/4x4/oxxx1o3/9/9/9/9", "e5", "-");
    // In one line: two sets of four stones.
    let row = |row: &str| format!("11/11/11/11/11/{row}/11/11/11/11/11");
    check(&row("1xx2x1xx2"), "e6", FOURS);
    check(&row("1xx2x1x3"), "e6", "-");
    check(&row("1xx2x1xo2"), "e6", "-");
    check(&row("1x2xx1x3"), "d6", FOURS);
    check(&row("1x2xx5"), "d6", "-");
    check(&row("xx2xx1x3"), "d6", "-");
    check(&row("1xxx3xxx1"), "f6", FOURS);
    check(&row("1xxx3xx2"), "f6", "-");
    check(&row("1xxx2oxxx1"), "f6", "-");
    // A straight four has two gaps but is one four.
    check("11/11/11/11/11/3xxx5/11/11/11/11/11", "g6", "-");
    // A four and a three are not a foul.
    check("9/9/4x4/4x4/1xxx5/9/9/9/9", "e5", "-");
}

#[test]
fn two_threes_are_a_foul_if_both_can_become_straight_fours() {
    check("9/9/4x4/4x4/2xx5/9/9/9/9", "e5", THREES);
    check("9/9/4x4/4x4/1x1x5/9/9/9/9", "e5", THREES);
    // A three that is closed at one end or has no room does not count.
    check("9/9/4x4/4x4/1oxx5/9/9/9/9", "e5", "-");
    check("9/4o4/4x4/4x4/2xx5/9/9/9/9", "e5", "-");
    check("9/9/4x4/4x4/xx7/9/9/9/9", "c5", "-");
    check("9/9/4x4/4x4/o1xx1o3/9/9/9/9", "e5", "-");
    // The point that would complete the straight four makes an overline.
    check("11/11/11/5x5/5x5/x2xx6/11/11/11/11/11", "f6", THREES);
    check("11/11/11/5x5/5x5/x2xx2x3/11/11/11/11/11", "f6", "-");
}

#[test]
fn other_rules_forbid_nothing() {
    for variant in ["freestyle", "standard", "caro"] {
        let game = read(variant, "9/9/4x4/4x4/2xx5/9/9/9/9 b");
        assert_eq!(forbidden_of(&game), "", "{variant}");
    }
}

#[test]
fn white_may_play_on_points_forbidden_to_black() {
    let mut game = read("renju", "9/9/4x4/4x4/2xx5/9/9/9/9 w");
    assert_eq!(forbidden_of(&game), "e5: double-three");
    let point = game.parse_move("e5").expect("a point");
    assert!(game.is_legal(point));
    game.play("e5").expect("legal");
    assert_eq!(outcome_of(&game), "-");
}

#[test]
fn the_diagram_marks_forbidden_points_when_black_is_to_move() {
    let marks = |side: &str| {
        let game = read("renju", &format!("9/9/4x4/4x4/2xx5/9/9/9/9 {side}"));
        let mut diagram = String::new();
        game.write_diagram(None, &mut diagram);
        diagram.matches('*').count()
    };
    assert_eq!([marks("b"), marks("w")], [1, 0]);
}
