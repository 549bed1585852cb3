//! The pattern analyzer compared with slow implementations by the rules, and candidate lists.

mod forced_wins;

use proptest::prelude::*;
use sandboard_abi::Limits;
use sandboard_games::gomoku::{Color, Gomoku, INFO, Move, Point};
use sandboard_games::{MoveSet, Rules};

use super::*;
use crate::gomoku::StrongGomokuSearch;
use crate::search::tests::random_game;
use crate::{Host, Random, SearchTask, Switches};

pub(super) fn position(variant: &str, text: &str) -> Gomoku {
    Gomoku::parse_position(&INFO.variant(variant).unwrap(), text).unwrap()
}

fn analyzer(position: &Gomoku) -> PatternAnalyzer {
    let mut analyzer = PatternAnalyzer::default();
    analyzer.reset(position);
    analyzer
}

/// What a stone of this colour makes, found by trying it with the rules alone: whether it makes a
/// five, and how many fives are possible after it.
fn slow_result(position: &Gomoku, color: Color, point: Point) -> (bool, usize) {
    let mut after = position.clone();
    if after.color_to_move() != color && after.make_null().is_none() {
        return (false, 0);
    }
    let wins = after.winning_points(color).contains(point);
    after.make(Move::Stone(point));
    let fives = if wins { 0 } else { after.winning_points(color).len() };
    (wins, fives)
}

const VARIANTS: [&str; 6] =
    ["freestyle-6", "standard-6", "freestyle-7", "standard-8", "renju-7", "renju-8"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn kinds_agree_with_the_rules(
        choices in prop::collection::vec(any::<u8>(), 4..24),
        variant in prop::sample::select(&VARIANTS[..]),
    ) {
        let position = random_game(variant, &choices);
        let analyzer = analyzer(&position);
        for color in Color::ALL {
            // If a five is already possible, it remains so after every stone.
            let fives = position.winning_points(color);
            for point in position.empty_points() {
                let kind = analyzer.threat_map.kind(color, point);
                let (wins, possible_fives) = slow_result(&position, color, point);
                prop_assert_eq!(kind == PointKind::Five, wins, "{} {:?}", point, color);
                if fives.is_empty() {
                    let is_four = wins || possible_fives > 0;
                    prop_assert_eq!(kind.is_four(), is_four, "{} {:?}", point, color);
                    let is_winning = kind == PointKind::Winning;
                    prop_assert_eq!(is_winning, possible_fives > 1, "{} {:?}", point, color);
                    let after = analyzer.threat_map.fives_after(color, point);
                    prop_assert!(wins || after.len() as usize == possible_fives);
                }
            }
        }
    }

    #[test]
    fn updated_state_equals_recomputed_state(
        choices in prop::collection::vec((any::<u8>(), 0u8..4), 1..60),
        variant in prop::sample::select(
            &["freestyle-5", "standard-7", "caro-9", "renju-15", "freestyle-22"][..],
        ),
    ) {
        let mut board = Gomoku::start(&INFO.variant(variant).unwrap());
        let mut analyzer = analyzer(&board);
        let mut undos = Vec::new();
        for (choice, back) in choices {
            if back == 0 || board.outcome().is_some() {
                if let Some((undo, mv)) = undos.pop() {
                    analyzer.unmade(&board, mv);
                    board.unmake(undo);
                }
            } else {
                let empty: Vec<_> = board.empty_points().collect();
                let at = empty.len() / 2 + usize::from(choice / 16);
                let mv = Move::Stone(empty[at % empty.len()]);
                undos.push((board.make(mv), mv));
                analyzer.made(&board, mv);
            }
            prop_assert!(analyzer.threat_map.is_up_to_date(&board));
        }
    }
}

#[track_caller]
fn check(variant: &str, text: &str, scope: Scope, expected: &str) {
    let position = position(variant, text);
    let mut list = Vec::new();
    let mut analyzer = analyzer(&position);
    assert_eq!(analyzer.candidates(&position, &mut list), scope);
    let points: Vec<_> = list.iter().map(|candidate| candidate.mv.to_string()).collect();
    assert_eq!(points.join(" "), expected);
    let must = analyzer.must_answer(&position);
    assert!(!must || scope == Scope::Answers);
}

#[test]
fn threats_are_answered_in_order() {
    let answers = Scope::Answers;
    check("freestyle", "9/9/1xxxx4/1oooo4/9/9/9/9/9 b", answers, "a7");
    check("freestyle", "9/9/1xxxx4/9/2ooo4/9/9/9/9 w", answers, "a7 f7");
    check("freestyle", "9/9/9/2xxx4/9/2ooo4/9/9/9 b", answers, "b6");
    check("freestyle", "9/9/9/2xxx4/9/9/9/9/9 w", answers, "b6 f6");
    check("freestyle", "9/9/9/1xxx5/9/9/9/9/9 w", answers, "a6 e6 f6");
    check("freestyle", "9/9/9/2xxx4/9/9/xooo5/9/9 w", answers, "e3 f3 b6 f6");
    // A near miss: the three has a closed end and no room at the other.
    check("freestyle", "6/6/oxxx1o/6/6/6 w", Scope::Quiet, QUIET);
    check("freestyle", "7/7/7/7/7/7/7 b", Scope::Quiet, "d4");
}

const QUIET: &str = "a2 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3 e4 a5 b5 c5 d5 e5 f5 a6 b6 c6 d6 e6 f6";

/// Every opening procedure and the game after it, with a search of few nodes.
#[test]
fn the_search_plays_legal_moves_in_all_opening_procedures() {
    for variant in INFO.variants {
        let mut game = Gomoku::start(&INFO.variant(variant.id).unwrap());
        let mut analyzer = analyzer(&game);
        for ply in 0..40 {
            let mut moves = Vec::new();
            game.generate(MoveSet::All, &mut moves);
            moves.retain(|&mv| game.is_legal(mv));
            let Some(&mv) = moves.get(ply * 31 % moves.len().max(1)) else { break };
            let mut list = Vec::new();
            analyzer.candidates(&game, &mut list);
            let near = |candidate: &Candidate<Move>| {
                !game.is_legal(candidate.mv) || moves.contains(&candidate.mv)
            };
            assert!(list.iter().all(near), "{} {ply}: {list:?}", variant.id);
            let best = best_move(&game);
            assert!(best.is_some_and(|mv| moves.contains(&mv)), "{} {ply}", variant.id);
            game.make(mv);
            analyzer.made(&game, mv);
            assert!(analyzer.threat_map.is_up_to_date(&game), "{} {mv}", variant.id);
            if game.outcome().is_some() {
                break;
            }
        }
    }
}

fn best_move(game: &Gomoku) -> Option<Move> {
    let limits = Limits { nodes: Some(300), ..Limits::default() };
    let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
    StrongGomokuSearch::new(Switches::ALL, 1 << 14).run(game, task).best
}

#[test]
fn forbidden_points_are_no_threat() {
    // In renju, black's straight four at f8 would be a double-four with the column and is
    // forbidden. In standard it is a threat.
    let text = "15/15/15/5x9/5x9/5x9/15/2xxx10/15/15/15/15/15/15/15 w";
    let renju = position("renju", text);
    let standard = position("standard", text);
    let point = renju.parse_move("f8").unwrap().point().unwrap();
    assert!(renju.forbidden(point).is_some());
    assert!(analyzer(&standard).winning_points(&standard, Color::Black).any(|p| p == point));
    assert!(analyzer(&renju).winning_points(&renju, Color::Black).all(|p| p != point));
}

/// Positions of random games, the same in every run.
fn positions() -> Vec<Gomoku> {
    let mut random = Random::seeded(1);
    let mut game = |_| {
        let choices: Vec<u8> = (0..6 + random.below(24)).map(|_| random.below(256) as u8).collect();
        random_game("freestyle-8", &choices)
    };
    (0..400).map(&mut game).collect()
}

#[test]
fn every_weight_changes_values() {
    let positions = positions();
    let values = |weights: &Weights| -> Vec<i32> {
        let mut analyzer = PatternAnalyzer::new(weights, Skill::ALL, 1 << 10);
        let mut value = |position: &Gomoku| {
            analyzer.reset(position);
            analyzer.value(position)
        };
        positions.iter().map(&mut value).collect()
    };
    let initial = values(&Weights::new(&PATTERN_WEIGHTS));
    for weight in &PATTERN_WEIGHTS {
        let mut weights = Weights::new(&PATTERN_WEIGHTS);
        weights.set(weight.name, weight.initial + 1).unwrap();
        assert_ne!(values(&weights), initial, "`{}` has no effect", weight.name);
    }
}
