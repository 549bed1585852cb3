//! The evaluator on whole boards: the number of rows, updated counts, symmetry, exchanged colours,
//! and pairs of patterns.

use proptest::prelude::*;
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::gomoku::{Color, Gomoku, INFO, Point};
use sandboard_sdk::{Evaluator, SearchBoard, Weights};

use crate::pattern::PatternCounts;
use crate::row_evaluator::{RowEvaluator, count_patterns};
use crate::weights::WEIGHTS;

fn start(variant: &str) -> Gomoku {
    Gomoku::start(&INFO.variant(variant).unwrap())
}

fn position(variant: &str, text: &str) -> Gomoku {
    Gomoku::parse_position(&INFO.variant(variant).unwrap(), text).unwrap()
}

fn value(position: &Gomoku) -> i32 {
    let mut evaluator = RowEvaluator::default();
    evaluator.reset(position);
    evaluator.value(position)
}

#[test]
fn rows_of_five_points_or_more_are_72_and_96() {
    for (variant, count) in [("freestyle-15", 72), ("freestyle-19", 96), ("standard-5", 12)] {
        let position = start(variant);
        let length = |(direction, first)| position.line(Color::Black, direction, first).length;
        let lengths: Vec<u32> = position.lines().map(length).collect();
        assert_eq!(lengths.len(), count, "{variant}");
        assert!(lengths.iter().all(|&length| length >= 5), "{variant}");
    }
}

/// Checks that the value is the sum of the own weights, named by words, minus the opponent's.
#[track_caller]
fn check(text: &str, own: &str, other: &str) {
    let sum = |words: &str| -> i32 {
        let initial = |word: &str| WEIGHTS.iter().find(|weight| weight.name == word).unwrap();
        words.split_ascii_whitespace().map(|word| initial(word).initial).sum()
    };
    assert_eq!(value(&position("freestyle", text)), sum(own) - sum(other), "{text}");
}

#[test]
fn a_value_is_the_own_patterns_minus_the_opponents() {
    check("9/9/9/9/4x4/9/9/9/9 w", "", "");
    check("9/9/9/9/3xx4/9/9/9/9 b", "open-two", "");
    check("9/9/9/9/3xx4/9/9/9/9 w", "", "open-two");
    check("9/9/9/9/2oxxx3/9/9/o8/o8 b", "closed-three", "closed-two");
    // Two threes that meet, and two that do not.
    check("9/9/9/4x4/4x4/2xxx4/9/9/9 b", "open-three open-three three-three open-two open-two", "");
    check("9/2xxx4/9/9/9/9/9/2xxx4/9 b", "open-three open-three three-three", "");
    check("9/oxxxx4/9/9/9/9/9/2xxx4/9 b", "closed-four open-three four-three", "");
    check("9/oxxxx4/9/9/9/9/9/oxxxx4/9 b", "closed-four closed-four four-four", "");
    // Near misses of pairs: a closed three, an open four, a three of the opponent.
    check("9/oxxxx4/9/9/9/9/9/oxxx5/9 b", "closed-four closed-three", "");
    check("9/1xxxx4/9/9/9/9/9/2xxx4/9 b", "open-four open-three", "");
    check("9/oxxxx4/9/9/9/9/9/2ooo4/9 b", "closed-four", "open-three");
    // Several threes give one bonus; different bonuses add up.
    check(
        "21/oxxxx16/21/21/21/21/21/2xxx16/21/21/21/21/21/2xxx16/21/21/21/21/21/2xxx16/21 b",
        "closed-four open-three open-three open-three three-three four-three",
        "",
    );
}

/// Makes and unmakes moves by `choices`, mostly in the middle where rows meet, and calls `visit`
/// after each one.
fn random_walk(
    variant: &str,
    choices: &[(u8, u8)],
    visit: &mut dyn FnMut(&SearchBoard<Gomoku, RowEvaluator>),
) {
    let mut board = SearchBoard::new(start(variant), RowEvaluator::default());
    for &(choice, back) in choices {
        if back == 0 || board.position().outcome().is_some() {
            board.unmake();
        } else {
            let empty: Vec<Point> = board.position().empty_points().collect();
            let at = empty.len() / 2 + usize::from(choice / 12);
            board.make(empty[at % empty.len()].into());
        }
        visit(&board);
    }
}

/// The position with every stone moved by `to`, and with exchanged colours if `exchange`.
fn moved(
    position: &Gomoku,
    variant: &str,
    to: &dyn Fn(Point, u8) -> Point,
    exchange: bool,
) -> Gomoku {
    let size = usize::from(position.size());
    let mut rows = vec![vec!['_'; size]; size];
    for (color, letter) in
        Color::ALL.into_iter().zip(if exchange { ['o', 'x'] } else { ['x', 'o'] })
    {
        for point in position.stones(color).map(|point| to(point, position.size())) {
            rows[size - 1 - usize::from(point.row())][usize::from(point.column())] = letter;
        }
    }
    let text = |row: &Vec<char>| -> String {
        row.chunk_by(|a, b| a == b)
            .map(|run| match run[0] {
                '_' => run.len().to_string(),
                _ => run.iter().collect(),
            })
            .collect()
    };
    let rows: Vec<String> = rows.iter().map(text).collect();
    let black = (position.color_to_move() == Color::Black) != exchange;
    self::position(variant, &format!("{} {}", rows.join("/"), if black { "b" } else { "w" }))
}

const VARIANTS: &[&str] =
    &["freestyle-5", "standard-7", "freestyle-9", "standard-15", "freestyle-19", "freestyle-22"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn updated_counts_equal_recomputed_ones(
        choices in prop::collection::vec((any::<u8>(), 0u8..5), 1..80),
        variant in prop::sample::select(VARIANTS),
    ) {
        random_walk(variant, &choices, &mut |board| {
            assert_eq!(board.evaluator().counts(), count_patterns(board.position()));
        });
    }

    #[test]
    fn values_are_the_same_after_mirroring_turning_and_exchanging_colours(
        choices in prop::collection::vec((any::<u8>(), 1u8..5), 8..40),
        variant in prop::sample::select(VARIANTS),
    ) {
        let mut last = None;
        random_walk(variant, &choices, &mut |board| last = Some(board.position().clone()));
        let position = last.filter(|position| position.outcome().is_none());
        prop_assume!(position.is_some());
        let position = position.unwrap();
        let at = |column, row| Point::new(column, row).unwrap();
        let mirror = |point: Point, size: u8| at(size - 1 - point.column(), point.row());
        let turn = |point: Point, size: u8| at(point.row(), size - 1 - point.column());
        let stay = |point: Point, _: u8| point;
        let expected = value(&position);
        prop_assert_eq!(value(&moved(&position, variant, &mirror, false)), expected);
        prop_assert_eq!(value(&moved(&position, variant, &turn, false)), expected);
        // Exchanging colours also exchanges the mover, so the value stays.
        prop_assert_eq!(value(&moved(&position, variant, &stay, true)), expected);
        let mut passed = position.clone();
        if passed.make_null().is_some() {
            prop_assert_eq!(value(&passed), -expected, "after a null move");
        }
    }
}

#[test]
fn every_weight_changes_values() {
    let games = "h8 i9 h9 i8 i7 g9 h10 h11 g10 j9 f11 k10 e12 l11 h7 h6 g7 f7 j7 k7 g8 f9";
    let mut position = start("freestyle-15");
    let mut seen = vec![false; WEIGHTS.len()];
    let mut positions = vec![
        self::position("freestyle", "9/oxxxx4/9/9/9/9/9/oxxxx4/9 b"),
        self::position("freestyle", "9/1xxxx4/9/9/9/9/9/2xxx4/9 b"),
        self::position("freestyle", "9/2xxx4/9/9/9/9/9/2xxx4/9 b"),
        self::position("freestyle", "9/oxxxx4/9/9/9/9/9/2xxx4/9 b"),
    ];
    for text in games.split(' ') {
        if position.outcome().is_none() {
            position.play(text).unwrap();
            positions.push(position.clone());
        }
    }
    for (seen, weight) in seen.iter_mut().zip(&WEIGHTS) {
        let mut weights = Weights::new(&WEIGHTS);
        weights.set(weight.name, weight.initial + 1).unwrap();
        *seen = positions.iter().any(|position| {
            let mut evaluator = RowEvaluator::new(&weights);
            evaluator.reset(position);
            evaluator.value(position) != value(position)
        });
    }
    let without_effect: Vec<_> = WEIGHTS.iter().zip(seen).filter(|(_, seen)| !seen).collect();
    assert!(without_effect.is_empty(), "{without_effect:?}");
}

#[test]
fn counts_do_not_overflow_on_any_board() {
    for size in 5..=22 {
        let position = start(&format!("freestyle-{size}"));
        let length = |(direction, first)| position.line(Color::Black, direction, first).length;
        // A stretch takes five points and a stone.
        let stretches: u32 = position.lines().map(length).map(|length| (length + 1) / 6).sum();
        assert!(stretches <= PatternCounts::MAX, "{size}: {stretches}");
    }
}
