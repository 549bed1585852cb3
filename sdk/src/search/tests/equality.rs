//! With any switches but those that change what is searched, a search to a fixed depth finds the value that plain
//! minimax finds. In both games a position fixes how many moves led to it, so
//! that the table never holds a deeper result than was asked for.

use std::fmt::Debug;

use proptest::prelude::*;
use sandboard_games::Generate;
use sandboard_games::gomoku::{Gomoku, INFO};

use super::row::{Lead, Row};
use super::*;
use crate::analyzer::AllMoves;
use crate::gomoku::{Lines, Windows};

/// Minimax without any technique, with state made anew at every position.
pub(super) fn minimax<R: Rules, A, E>(position: &R, depth: u32, ply: u32, knows: &(A, E)) -> i32
where
    A: Analyzer<R> + Clone,
    E: Evaluator<R> + Clone,
{
    let mut evaluator = knows.1.clone();
    evaluator.reset(position);
    if let Some(outcome) = position.outcome() {
        return evaluator.final_value(position, outcome, ply);
    }
    if depth == 0 {
        return evaluator.value(position);
    }
    let mut analyzer = knows.0.clone();
    analyzer.reset(position);
    let mut list = Vec::new();
    analyzer.candidates(position, &mut list);
    let mut moves: Vec<_> = list.iter().map(|candidate| candidate.mv).collect();
    if moves.is_empty() {
        position.generate(Generate::All, &mut moves);
    }
    let value = |mv| {
        let mut after = position.clone();
        after.make(mv);
        let value = minimax(&after, depth - 1, ply + 1, knows);
        if R::side(after.to_move()) == R::side(position.to_move()) { value } else { -value }
    };
    moves.into_iter().map(value).max().unwrap()
}

/// What changes nothing but the way to the result.
const EXACT: Switches = Switches { aspiration: true, ..Switches::CLASSIC };

/// All these switches, none, each alone, and all but each.
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

fn check<R: Rules, A, E>(position: &R, depth: u32, knows: &(A, E))
where
    A: Analyzer<R> + Clone + Send + Debug,
    E: Evaluator<R> + Clone + Send + Debug,
{
    let expected = minimax(position, depth, 0, knows);
    let limits = to_depth(depth);
    for switches in settings() {
        // A small table, so that results are lost too.
        let mut search = Search::with(knows.0.clone(), knows.1.clone(), switches, 1 << 12);
        let task = Task { limits: &limits, barred: &[], host: &Host::none() };
        let found = search.run(position, task);
        assert_eq!(found.line.score.unwrap().value, expected, "{switches:?}");
        let mut after = position.clone();
        after.make(found.best.unwrap());
        let value = minimax(&after, depth - 1, 1, knows);
        let same = R::side(after.to_move()) == R::side(position.to_move());
        assert_eq!(if same { value } else { -value }, expected, "the move, {switches:?}");
    }
}

/// A game on a small board of random moves, mostly near the last one, that is
/// not over.
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
    fn in_a_game_where_a_side_may_move_twice(
        numbers in prop::collection::vec(0u8..20, 1..12),
        depth in 1u32..9,
        exact_end: bool,
    ) {
        check(&Row::new(&numbers), depth, &(AllMoves, Lead { exact_end }));
    }

    #[test]
    fn in_gomoku(
        choices in prop::collection::vec(any::<u8>(), 4..24),
        variant in prop::sample::select(&["freestyle-6", "standard-6", "standard-7"][..]),
    ) {
        check(&random_game(variant, &choices), 2, &(Lines::default(), Windows::default()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn in_gomoku_deeper(choices in prop::collection::vec(any::<u8>(), 10..20)) {
        let knows = (Lines::default(), Windows::default());
        check(&random_game("freestyle-5", &choices), 4, &knows);
    }
}
