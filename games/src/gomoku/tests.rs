//! Tests of gomoku: the rules case by case, each with a near miss. Texts are in `texts`, forbidden
//! points in `fouls`, procedures in `procedures` and `procedure_texts`, random games in
//! `properties`, a slow reference implementation in `reference`.

mod fouls;
mod names;
mod procedure_texts;
mod procedures;
mod properties;
mod reference;
mod texts;

use std::fs;

use serde_json::Value;

use super::variants::RuleSet;
use super::{Color, Direction, Gomoku, INFO, Move, Point, Procedure, Rule};
use crate::info::Variant;
use crate::rules::{MoveSet, Rules, Side};
use reference::Reference;

fn variant(text: &str) -> Variant {
    INFO.variant(text).expect("a variant")
}

fn read(variant_text: &str, position: &str) -> Gomoku {
    Gomoku::parse_position(&variant(variant_text), position).expect("a position")
}

fn variant_of(reference: &Reference) -> Variant {
    Variant { id: reference.rule().id(), size: None, setting: None }
}

fn gomoku(reference: &Reference) -> Gomoku {
    Gomoku::parse_position(&variant_of(reference), &reference.text()).expect("a position")
}

fn text_of(game: &Gomoku) -> String {
    let mut text = String::new();
    game.write_position(&mut text);
    text
}

fn generated(game: &Gomoku, set: MoveSet) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(set, &mut moves);
    moves.iter().map(Move::to_string).collect()
}

fn legal_moves(game: &Gomoku) -> Vec<String> {
    let mut moves = Vec::new();
    game.generate(MoveSet::All, &mut moves);
    moves.retain(|&mv| game.is_legal(mv));
    moves.iter().map(Move::to_string).collect()
}

fn noisy_moves(reference: &Reference) -> Vec<String> {
    generated(&gomoku(reference), MoveSet::Noisy)
}

/// Plays one move and compares the outcome; `-` means the game is in progress.
#[track_caller]
fn check_move(variant: &str, position: &str, text: &str, expected: &str) {
    let mut game = read(variant, position);
    game.play(text).expect("a legal move");
    assert_eq!(outcome_of(&game), expected, "{variant}: {position} {text}");
}

/// Plays the same move under both rules.
#[track_caller]
fn check_both(position: &str, text: &str, freestyle: &str, standard: &str) {
    check_move("freestyle", position, text, freestyle);
    check_move("standard", position, text, standard);
}

fn outcome_of(game: &Gomoku) -> String {
    match game.outcome() {
        None => "-".to_owned(),
        Some(outcome) => match outcome.winner {
            None => outcome.reason.to_owned(),
            Some(side) => format!("{}: {}", game.side_name(side), outcome.reason),
        },
    }
}

const FIVE: &str = "black: five in a row";
const MORE: &str = "black: more than five in a row";

#[test]
fn five_wins_in_every_direction() {
    check_both("7/7/7/xxxx3/7/7/7 b", "e4", FIVE, FIVE);
    check_both("7/7/7/3xxxx/7/7/7 b", "c4", FIVE, FIVE);
    check_both("7/7/7/xx1xx2/7/7/7 b", "c4", FIVE, FIVE);
    check_both("6x/6x/7/6x/6x/7/7 b", "g5", FIVE, FIVE);
    check_both("7/7/4x2/3x3/7/1x5/x6 b", "c3", FIVE, FIVE);
    check_both("7/7/x6/1x5/7/3x3/4x2 b", "c3", FIVE, FIVE);
    check_both("7/7/7/oooo3/7/7/7 w", "e4", "white: five in a row", "white: five in a row");
}

#[test]
fn four_does_not_win() {
    check_both("7/7/7/xxx4/7/7/7 b", "d4", "-", "-");
    check_both("7/7/7/xx1x3/7/7/7 b", "c4", "-", "-");
    check_both("7/7/7/xxxx3/7/7/7 b", "f4", "-", "-");
    check_both("7/7/7/xxoxx2/7/7/7 b", "f4", "-", "-");
    // Four and one on different lines: the end of a row and the start of the next.
    check_both("7/7/7/3xxxx/x6/7/7 b", "b3", "-", "-");
    check_both("7/7/5xx/2o4/2x4/1x5/7 b", "a1", "-", "-");
}

#[test]
fn five_wins_on_the_shortest_diagonals() {
    check_both("4x/3x1/2x2/1x3/5 b", "a1", FIVE, FIVE);
    check_both("x4/1x3/2x2/3x1/5 b", "e1", FIVE, FIVE);
    check_both("6/4x1/3x2/2x3/1x4/6 b", "a1", FIVE, FIVE);
    check_both("1x4/2x3/3x2/4x1/6/6 b", "f2", FIVE, FIVE);
    // The next diagonal outwards has only four points.
    check_both("5/4x/3x1/2x2/5 b", "b1", "-", "-");
}

#[test]
fn more_than_five_win_only_in_freestyle() {
    check_both("7/7/7/xxx1xx1/7/7/7 b", "d4", MORE, "-");
    check_both("7/7/7/xxx1xxx/7/7/7 b", "d4", MORE, "-");
    check_both("6o/5o1/4o2/7/2o4/1o5/7 w", "d4", "white: more than five in a row", "-");
    check_both("9/9/9/9/xxxx1xxxx/9/9/9/9 b", "e5", MORE, "-");
}

#[test]
fn in_caro_a_five_blocked_at_both_ends_does_not_win() {
    let check = |position, text, expected| check_move("caro", position, text, expected);
    check("7/7/7/oxxxx1o/7/7/7 b", "f4", "-");
    check("7/7/7/oxxxx2/7/7/7 b", "f4", FIVE);
    check("7/7/7/1xxxx1o/7/7/7 b", "f4", FIVE);
    check("7/7/7/oxx1xxo/7/7/7 b", "d4", "-");
    check("7/7/7/oxx1xx1/7/7/7 b", "d4", FIVE);
    // The edge does not block, nor does a stone one step further.
    check("7/7/7/xxxx1o1/7/7/7 b", "e4", FIVE);
    check("7/7/7/xxxx2o/7/7/7 b", "e4", FIVE);
    check("7/7/7/1oooo1x/7/7/7 w", "f4", "white: five in a row");
    check("7/7/7/xoooo1x/7/7/7 w", "f4", "-");
    check("7/7/7/xx1xxx1/7/7/7 b", "c4", "-");
    check("o6/1x5/2x4/3x3/4x2/7/6o b", "f2", "-");
    check("7/1x5/2x4/3x3/4x2/7/6o b", "f2", FIVE);
    // The row is blocked, the column is not.
    check("5x1/5x1/5x1/oxxxx1o/5x1/7/7 b", "f4", FIVE);
}

#[test]
fn a_five_beside_an_overline_wins() {
    check_both("1x5/1x5/1x5/1x5/x1xxxx1/7/7 b", "b3", MORE, FIVE);
    check_both("1x5/1x5/1x5/1x5/x1xxx2/7/7 b", "b3", FIVE, FIVE);
}

#[test]
fn a_full_board_is_a_draw() {
    check_both("xxoxo/ooxox/xxoxo/ooxox/xoxo1 b", "e1", "board full", "board full");
    check_both("xxoxo/ooxox/xxoxo/ooxox/xox2 b", "e1", "-", "-");
    // A stone on the last point can still win.
    check_both("xxoxo/ooxox/xxoxo/ooxox/xxxx1 b", "e1", FIVE, FIVE);
}

#[test]
fn finished_positions_are_recognised() {
    let check = |variant, position, expected: &str| {
        let game = read(variant, position);
        assert_eq!(outcome_of(&game), expected, "{variant}: {position}");
        assert_eq!(legal_moves(&game).is_empty(), expected != "-");
        assert_eq!(generated(&game, MoveSet::Noisy).is_empty(), expected != "-");
        assert_eq!(game.clone().make_null().is_none(), expected != "-");
    };
    check("freestyle", "xxxxx/oooo1/5/5/5 w", FIVE);
    check("freestyle", "xxxxx/oooo1/5/5/5 b", FIVE);
    check("freestyle", "6/xxxxxx/oooo2/6/6/6 w", MORE);
    check("standard", "6/xxxxxx/oooo2/6/6/6 w", "-");
    check("freestyle", "xxoxo/ooxox/xxoxo/ooxox/xoxox w", "board full");
    check("freestyle", "xxxxx/xxxxx/xxxxx/xxxxx/xxxxx w", FIVE);
    check("freestyle", "ooooo/xxx2/5/5/5 b", "white: five in a row");
}

#[test]
fn noisy_moves_win_block_or_make_fours() {
    let check = |variant, position, expected: &str| {
        let moves = generated(&read(variant, position), MoveSet::Noisy);
        assert_eq!(moves.join(" "), expected, "{variant}: {position}");
    };
    check("freestyle", "7/7/7/7/7/7/7 b", "");
    check("freestyle", "7/7/7/1xxxx2/7/7/7 b", "a4 f4");
    check("freestyle", "7/7/7/1xxxx2/7/oooo3/7 b", "a4 f4");
    check("freestyle", "7/7/7/1xxxx2/7/7/7 w", "a4 f4");
    check("freestyle", "7/7/7/1xxxx2/7/ooo4/7 w", "a4 f4");
    check("freestyle", "7/7/7/oxxx3/7/7/7 b", "e4 f4");
    check("freestyle", "7/7/7/2xx3/7/7/7 b", "");
    // d4 makes six; with f4 two stones would still be missing.
    check("freestyle", "7/7/7/xxx1xx1/7/7/7 b", "d4");
    check("standard", "7/7/7/xxx1xx1/7/7/7 b", "");
    check("standard", "7/7/7/xx1xx2/7/7/7 b", "c4");
    // An end of the five can be blocked too, where that matters.
    check("caro", "7/7/7/oxxxx2/7/7/7 w", "f4 g4");
    check("standard", "7/7/7/oxxxx2/7/7/7 w", "f4");
    check("caro", "7/7/7/1xxxx2/7/7/7 w", "a4 f4");
    check("caro", "7/7/7/xxxx3/7/7/7 w", "e4");
    check("caro", "7/7/7/oxxxx1o/7/7/7 b", "");
    check("renju", "7/7/7/xxx1xx1/7/7/7 b", "");
    check("renju", "7/7/7/ooo1oo1/7/7/7 w", "d4");
}

#[test]
fn a_null_move_only_changes_the_turn() {
    let mut game = read("freestyle", "7/7/7/1xxxx2/7/7/7 w");
    let before = game.clone();
    let undo = game.make_null().expect("allowed");
    assert_eq!(game, read("freestyle", "7/7/7/1xxxx2/7/7/7 b"));
    game.unmake(undo);
    assert_eq!(game, before);
}

#[test]
fn hashes_differ_by_variant_size_stones_and_side() {
    let hash = |variant, position| read(variant, position).hash();
    let one = hash("freestyle", "5/5/2x2/5/5 w");
    assert_ne!(one, hash("standard", "5/5/2x2/5/5 w"));
    assert_ne!(one, hash("freestyle", "5/5/2x2/5/5 b"));
    assert_ne!(one, hash("freestyle", "5/5/2o2/5/5 w"));
    assert_ne!(one, hash("freestyle", "5/5/3x1/5/5 w"));
    assert_ne!(one, hash("freestyle", "6/6/6/2x3/6/6 w"));
    // The same in every build, because data is stored by hash. Computed independently of this code.
    assert_eq!(one, 8_656_673_792_102_721_887);
}

#[test]
fn points_are_ordered_from_a1_upwards() {
    let game = read("freestyle", "5/5/5/5/1x3 w");
    assert_eq!(legal_moves(&game)[..6].join(" "), "a1 c1 d1 e1 a2 b2");
    let mut points: Vec<Point> = game.empty_points().collect();
    assert!(points.is_sorted());
    points.extend(game.stones(Color::Black));
    assert_eq!(points.len(), 25);
    assert!(points.iter().all(|point| point.index() < Point::INDICES));
}

#[test]
fn steps_stay_on_the_largest_board() {
    let point = |column, row| Point::new(column, row).expect("on the board");
    assert_eq!(point(3, 3).step(Direction::Falling, 2), Point::new(5, 1));
    assert_eq!(point(3, 3).step(Direction::Falling, -3), Point::new(0, 6));
    assert_eq!(point(3, 3).step(Direction::Falling, 4), None);
    assert_eq!(point(21, 3).step(Direction::Row, 1), None);
    assert_eq!(point(3, 3).step(Direction::Rising, i32::MIN), None);
    assert_eq!(Point::new(22, 0), None);
    assert_eq!(Point::new(0, 22), None);
}

#[test]
fn black_is_side_0_and_moves_first() {
    let game = Gomoku::start(&variant("freestyle"));
    assert_eq!((game.size(), game.empties(), game.rule()), (15, 225, Rule::Freestyle));
    assert_eq!(game.color_to_move(), Color::Black);
    assert_eq!(Gomoku::side(game.to_move()), Side(0));
    assert_eq!(game.side_name(Side(0)), "black");
    assert_eq!(game.variant(), variant("freestyle-15"));
}

#[test]
fn perft_fixtures_match_the_reference() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/perft.json");
    let text = fs::read_to_string(path).expect(path);
    let fixture: Value = serde_json::from_str(&text).expect(path);
    for record in fixture["records"].as_array().expect("records") {
        check_reference_perft(record);
    }
}

fn check_reference_perft(record: &Value) {
    let variant = variant(record["variant"].as_str().expect("a variant"));
    let rule_set = RuleSet::of_variant(&variant);
    if rule_set.procedure != Procedure::None {
        // The reference has no procedures: these counts are arithmetic.
        return;
    }
    let position = match record["position"].as_str() {
        Some(position) => position.to_owned(),
        None => text_of(&Gomoku::start(&variant)),
    };
    let reference = Reference::read(rule_set.rule, &position);
    for (depth, games) in record["perft"].as_object().expect("counts") {
        let games = games.as_u64().expect("a count");
        // The reference is slow.
        if games < 30_000 {
            assert_eq!(reference.perft(depth.parse().expect("a depth")), games, "{record}");
        }
    }
}
