//! The analyzer and the evaluator of gomoku: tables of positions, comparison with slow
//! implementations by the rules, and tactics with known solutions.

use proptest::prelude::*;
use sandboard_abi::Limits;
use sandboard_games::Rules;
use sandboard_games::gomoku::{Gomoku, INFO, Move, Point};

use super::*;
use crate::analyzer::{Analyzer, Candidate, Scope};
use crate::search::tests::random_game;
use crate::{Evaluator, Host, SearchBoard, SearchTask, Switches, WIN_BOUND};

fn position(variant: &str, text: &str) -> Gomoku {
    Gomoku::parse_position(&INFO.variant(variant).unwrap(), text).unwrap()
}

fn candidates(position: &Gomoku) -> (Scope, Vec<Candidate<Move>>) {
    let mut analyzer = LineAnalyzer::default();
    analyzer.reset(position);
    let mut list = Vec::new();
    let scope = analyzer.candidates(position, &mut list);
    (scope, list)
}

/// The points with this score; all points if the score is 0, as in a quiet list.
fn points(list: &[Candidate<Move>], score: i32) -> String {
    let chosen = list.iter().filter(|candidate| score == 0 || candidate.score == score);
    chosen.map(|candidate| candidate.mv.to_string()).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(variant: &str, text: &str, expected: &[(i32, &str)]) {
    let (scope, list) = candidates(&position(variant, text));
    let count: usize = expected.iter().map(|(_, points)| points.split(' ').count()).sum();
    let found: Vec<_> = expected.iter().map(|&(score, _)| (score, points(&list, score))).collect();
    let wanted: Vec<_> = expected.iter().map(|&(s, points)| (s, points.to_owned())).collect();
    assert_eq!(found, wanted, "of {list:?}");
    assert_eq!(count, list.len(), "{list:?}");
    assert_eq!(scope, if expected[0].0 == 0 { Scope::Quiet } else { Scope::Answers });
}

#[test]
fn a_five_comes_before_everything() {
    check("freestyle", "9/9/1xxxx4/1oooo4/9/9/9/9/9 b", &[(MAKE_FIVE, "a7 f7")]);
    check("freestyle", "9/9/oxxxx4/1oooo4/9/9/9/9/9 w", &[(MAKE_FIVE, "a6 f6")]);
    // Gaps in different lines, by row.
    check("freestyle", "9/9/oxxxx4/9/4x4/3x5/2x6/9/9 b", &[(MAKE_FIVE, "f7")]);
}

#[test]
fn a_five_of_the_opponent_is_blocked_even_if_that_does_not_help() {
    check("freestyle", "9/9/oxxxx4/9/2ooo4/9/9/9/9 w", &[(BLOCK_FIVE, "f7")]);
    check("freestyle", "9/9/1xxxx4/9/2ooo4/9/9/9/9 w", &[(BLOCK_FIVE, "a7 f7")]);
}

#[test]
fn only_exactly_five_counts_in_standard() {
    check("freestyle", "9/9/xx1xxx3/9/2ooo4/9/9/9/9 b", &[(MAKE_FIVE, "c7")]);
    let answers = [(BLOCK_FOUR, "b5 f5"), (COUNTER_FOUR, "g7 h7")];
    check("standard", "9/9/xx1xxx3/9/2ooo4/9/9/9/9 b", &answers);
}

#[test]
fn a_straight_four_or_two_fours_win() {
    check("freestyle", "9/9/9/2xxx4/9/2ooo4/9/9/9 b", &[(STRAIGHT_FOUR, "b6 f6")]);
    // A near miss: one end is closed, so that the opponent's three comes first.
    check("freestyle", "9/9/9/1oxxx4/9/2ooo4/9/9/9 w", &[(STRAIGHT_FOUR, "b4 f4")]);
    // Two closed threes meet.
    check("freestyle", "9/9/9/oxxx5/9/4x3o/4x4/4x4/4o4 b", &[(STRAIGHT_FOUR, "e6")]);
}

#[test]
fn an_open_three_is_stopped_or_answered_with_fours() {
    check("freestyle", "9/9/9/2xxx4/9/9/9/9/9 w", &[(BLOCK_FOUR, "b6 f6")]);
    // Closer to the edge there is a third point.
    check("freestyle", "9/9/9/1xxx5/9/9/9/9/9 w", &[(BLOCK_FOUR, "a6 e6 f6")]);
    check("freestyle", "9/9/9/1x1xx4/9/9/9/9/9 w", &[(BLOCK_FOUR, "a6 c6 f6")]);
    let own_three = [(BLOCK_FOUR, "b6 f6"), (COUNTER_FOUR, "e3 f3")];
    check("freestyle", "9/9/9/2xxx4/9/9/xooo5/9/9 w", &own_three);
    // A near miss: the three has a closed end and no room at the other.
    check("freestyle", "7/7/7/oxxx2o/7/7/7 w", &[(0, QUIET)]);
}

const QUIET: &str =
    "a2 b2 c2 d2 e2 f2 g2 a3 b3 c3 d3 e3 f3 g3 e4 f4 a5 b5 c5 d5 e5 f5 g5 a6 b6 c6 d6 e6 f6 g6";

#[test]
fn a_quiet_list_has_every_empty_point_within_two_steps_of_a_stone() {
    check("freestyle", "7/7/7/7/7/7/x6 w", &[(0, "b1 c1 a2 b2 c2 a3 b3 c3")]);
    check("freestyle", "7/7/7/7/7/7/7 b", &[(0, "d4")]);
    check("freestyle", "8/8/8/8/8/8/8/8 b", &[(0, "e5")]);
}

/// The points on which the side to move would make two fives possible at once.
fn doubles(position: &Gomoku) -> Vec<Point> {
    let mover = position.color_to_move();
    let is_double = |&point: &Point| {
        let mut after = position.clone();
        after.make(point.into());
        after.outcome().is_none() && after.winning_points(mover).len() > 1
    };
    position.empty_points().filter(is_double).collect()
}

/// The analyzer's answers, found by trying moves with the rules alone.
fn slow_answers(position: &Gomoku) -> Option<(i32, Vec<Point>)> {
    let mover = position.color_to_move();
    for (color, score) in [(mover, MAKE_FIVE), (mover.other(), BLOCK_FIVE)] {
        let fives = position.winning_points(color);
        if !fives.is_empty() {
            return Some((score, fives.iter().collect()));
        }
    }
    let own = doubles(position);
    if !own.is_empty() {
        return Some((STRAIGHT_FOUR, own));
    }
    let mut passed = position.clone();
    passed.make_null()?;
    if doubles(&passed).is_empty() {
        return None;
    }
    let stops = |&point: &Point| {
        let mut after = position.clone();
        after.make(point.into());
        doubles(&after).is_empty()
    };
    Some((BLOCK_FOUR, position.empty_points().filter(stops).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn lists_agree_with_the_rules(
        choices in prop::collection::vec(any::<u8>(), 6..22),
        variant in prop::sample::select(
            &["freestyle-6", "standard-6", "freestyle-7", "standard-8"][..],
        ),
    ) {
        let position = random_game(variant, &choices);
        let (scope, list) = candidates(&position);
        prop_assert!(position.outcome().is_some() || list.is_sorted_by_key(|c| c.mv));
        match slow_answers(&position) {
            None => prop_assert_eq!(scope, Scope::Quiet),
            Some((score, points)) => {
                prop_assert_eq!(scope, Scope::Answers);
                let listed = |c: &&Candidate<Move>| c.score == score;
                let found = list.iter().filter(listed).filter_map(|c| c.mv.point());
                let found: Vec<_> = found.collect();
                // A threat that cannot be stopped is answered all the same.
                prop_assert!(found == points || points.is_empty() && !found.is_empty());
                let fours = position.four_points(position.color_to_move());
                let listed = list.iter().filter_map(|c| c.mv.point());
                let others = listed.filter(|point| !found.contains(point));
                let wanted = fours.iter().filter(|p| score == BLOCK_FOUR && !found.contains(p));
                prop_assert!(others.eq(wanted));
            }
        }
    }

    #[test]
    fn updated_state_equals_recomputed_state(
        choices in prop::collection::vec((any::<u8>(), 0u8..4), 1..60),
        variant in prop::sample::select(
            &["freestyle-5", "standard-7", "standard-15", "freestyle-22"][..],
        ),
    ) {
        let start = Gomoku::start(&INFO.variant(variant).unwrap());
        let mut board = SearchBoard::new(start.clone(), WindowEvaluator::default());
        let mut analyzer = LineAnalyzer::default();
        analyzer.reset(&start);
        for (choice, back) in choices {
            if back == 0 || board.position().outcome().is_some() {
                if let Some(last) = board.last_move() {
                    analyzer.unmade(board.position(), last);
                    board.unmake();
                }
            } else {
                let empty: Vec<_> = board.position().empty_points().collect();
                // Mostly in the middle, where lines meet.
                let at = empty.len() / 2 + usize::from(choice / 16);
                let mv = empty[at % empty.len()].into();
                let expected = board.evaluator().move_value(board.position(), mv);
                let before = waiting_value(&board);
                board.make(mv);
                analyzer.made(board.position(), mv);
                if board.position().outcome().is_none() {
                    prop_assert_eq!(-board.evaluator().value(board.position()) - before, expected);
                }
            }
            prop_assert!(board.evaluator().is_up_to_date(board.position()));
            prop_assert!(analyzer.is_up_to_date(board.position()));
        }
    }
}

/// The value for the side to move after a null move.
fn waiting_value(board: &SearchBoard<Gomoku, WindowEvaluator>) -> i32 {
    let mut passed = board.position().clone();
    passed.make_null().map_or(0, |_| -board.evaluator().value(&passed))
}

#[test]
fn forced_wins_of_up_to_seven_plies_are_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/tactics.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let fixture: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut checked = 0;
    for record in fixture["records"].as_array().unwrap() {
        let short = record["mate_in_plies"].as_i64().unwrap() <= 7 && record["kind"] == "vcf";
        if !short || record["rule"] == "renju" {
            continue;
        }
        check_tactic(record);
        checked += 1;
    }
    assert_eq!(checked, 16);
}

#[track_caller]
fn check_tactic(record: &serde_json::Value) {
    let id = &record["id"];
    let variant = INFO.variant(record["rule"].as_str().unwrap()).unwrap();
    let mut position = Gomoku::start(&variant);
    for mv in record["moves"].as_array().unwrap() {
        position.play(mv.as_str().unwrap()).unwrap();
    }
    let limits = Limits { nodes: Some(30_000), ..Limits::default() };
    let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
    let found = GomokuSearch::new(Switches::CLASSIC, 1 << 22).run(&position, task);
    let score = found.line.score.unwrap().value;
    let plies = record["mate_in_plies"].as_i64().unwrap() as i32;
    assert!(score >= WIN_BOUND && 30_000 - score <= plies, "{id}: {:?}", found.line);
    let best = found.best.unwrap().to_string();
    let known = record["best"].as_array().unwrap();
    assert!(known.iter().any(|mv| mv.as_str() == Some(&best)), "{id}: {:?}", found.line);
}
