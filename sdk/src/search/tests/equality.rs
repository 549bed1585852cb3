//! A search to a fixed depth has the value of plain minimax, with any switches except those that
//! prune, reduce or extend. In both games a position determines the number of moves before it, so
//! that the table never has a deeper result than the search needs.

use std::fmt::Debug;

use proptest::prelude::*;
use sandboard_games::MoveSet;
use sandboard_games::gomoku::{Gomoku, INFO};

use super::row_game::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::gomoku::{LineAnalyzer, WindowEvaluator};

/// Minimax without any technique, with analyzer and evaluator reset at every position.
pub(super) fn minimax<R: Rules, A, E>(position: &R, depth: u32, ply: u32, parts: &(A, E)) -> i32
where
    A: Analyzer<R> + Clone,
    E: Evaluator<R> + Clone,
{
    let mut evaluator = parts.1.clone();
    evaluator.reset(position);
    if let Some(outcome) = position.outcome() {
        return evaluator.final_value(position, outcome, ply);
    }
    if depth == 0 {
        return evaluator.value(position);
    }
    let mut analyzer = parts.0.clone();
    analyzer.reset(position);
    let mut list = Vec::new();
    analyzer.candidates(position, &mut list);
    let mut moves: Vec<_> = list.iter().map(|candidate| candidate.mv).collect();
    if moves.is_empty() {
        position.generate(MoveSet::All, &mut moves);
    }
    let value = |mv| {
        let mut after = position.clone();
        after.make(mv);
        let value = minimax(&after, depth - 1, ply + 1, parts);
        if R::side(after.to_move()) == R::side(position.to_move()) { value } else { -value }
    };
    moves.into_iter().map(value).max().unwrap()
}

/// All techniques that do not change the value.
const EXACT: Switches = Switches { aspiration_windows: true, ..Switches::CLASSIC };

/// All these switches on, none, each one alone, and all but each one.
fn settings() -> Vec<Switches> {
    let mut settings = vec![EXACT, Switches::NONE];
    for switch in SWITCHES.iter().filter(|switch| switch.is_on(&EXACT)) {
        for (mut switches, on) in [(Switches::NONE, true), (EXACT, false)] {
            switches.set(switch.name, on);
            settings.push(switches);
        }
    }
    settings
}

fn check<R: Rules, A, E>(position: &R, depth: u32, parts: &(A, E))
where
    A: Analyzer<R> + Clone + Send + Debug,
    E: Evaluator<R> + Clone + Send + Debug,
{
    let expected = minimax(position, depth, 0, parts);
    let limits = to_depth(depth);
    for switches in settings() {
        // A small table, so that entries are replaced.
        let mut search = Search::with_parts(parts.0.clone(), parts.1.clone(), switches, 1 << 12);
        let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
        let result = search.run(position, task);
        assert_eq!(result.line.score.unwrap().value, expected, "{switches:?}");
        let mut after = position.clone();
        after.make(result.best.unwrap());
        let value = minimax(&after, depth - 1, 1, parts);
        let same = R::side(after.to_move()) == R::side(position.to_move());
        assert_eq!(if same { value } else { -value }, expected, "value of the move, {switches:?}");
    }
}

/// A position after random moves on a small board, in which the game is not over.
pub(crate) fn random_game(variant: &str, choices: &[u8]) -> Gomoku {
    let mut position = Gomoku::start(&INFO.variant(variant).unwrap());
    let mut empty = Vec::new();
    for &choice in choices {
        empty.clear();
        empty.extend(position.empty_points());
        let mv = empty[usize::from(choice) * empty.len() / 256].into();
        let undo = position.make(mv);
        if position.outcome().is_some() {
            position.unmake(undo);
        }
    }
    position
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn values_equal_minimax_in_a_game_with_repeated_turns(
        numbers in prop::collection::vec(0u8..20, 1..12),
        depth in 1u32..9,
        exact_end: bool,
    ) {
        check(&Row::new(&numbers), depth, &(AllMoves, Lead { exact_end }));
    }

    #[test]
    fn values_equal_minimax_in_gomoku(
        choices in prop::collection::vec(any::<u8>(), 4..24),
        variant in prop::sample::select(&["freestyle-6", "standard-6", "standard-7"][..]),
    ) {
        let parts = (LineAnalyzer::default(), WindowEvaluator::default());
        check(&random_game(variant, &choices), 2, &parts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn values_equal_minimax_in_gomoku_at_a_higher_depth(
        choices in prop::collection::vec(any::<u8>(), 10..20),
    ) {
        let parts = (LineAnalyzer::default(), WindowEvaluator::default());
        check(&random_game("freestyle-5", &choices), 4, &parts);
    }
}
