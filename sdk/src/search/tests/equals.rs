//! The moves that are as good as the best are those of plain minimax, where the best is proved,
//! and it alone where it is not.

use proptest::prelude::*;
use sandboard_games::reversi::Reversi;

use super::equality::minimax;
use super::row::Row;
use super::team::{Discs, LEAD, TO_THE_END, ending};
use super::*;
use crate::analyzer::AllMoves;

/// The moves whose value is the best there is, by minimax; the best that are not barred.
fn best_moves<R: Rules, E>(position: &R, evaluator: &E, barred: &[R::Move]) -> Vec<R::Move>
where
    E: Evaluator<R> + Clone,
{
    let mut moves = Vec::new();
    position.generate(sandboard_games::Generate::All, &mut moves);
    moves.retain(|mv| position.is_legal(*mv) && !barred.contains(mv));
    let value = |&mv: &R::Move| {
        let mut after = position.clone();
        after.make(mv);
        let value = minimax(&after, TO_THE_END, 1, &(AllMoves, evaluator.clone()));
        if R::side(after.to_move()) == R::side(position.to_move()) { value } else { -value }
    };
    let best = moves.iter().map(value).max();
    moves.retain(|mv| Some(value(mv)) == best);
    moves
}

fn found_equals<R: Rules, E>(
    position: &R,
    evaluator: &E,
    limits: &Limits,
    barred: &[R::Move],
) -> Vec<R::Move>
where
    E: Evaluator<R> + Clone + Send,
{
    let mut search = Search::with(AllMoves, evaluator.clone(), Switches::CLASSIC, 1 << 16);
    let task = Task { limits, barred, host: &Host::none() };
    let found = search.run(position, task);
    search.equals(position, task, &found)
}

/// The equals of a game that is searched to its end, with and without its first best move.
fn check_equals<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send,
{
    let mut barred = Vec::new();
    for _ in 0..2 {
        let mut expected = best_moves(position, evaluator, &barred);
        let mut equals = found_equals(position, evaluator, &Limits::default(), &barred);
        barred.extend(expected.first().copied());
        for moves in [&mut expected, &mut equals] {
            moves.sort_by_key(|mv| sandboard_games::Coded::code(*mv));
        }
        assert_eq!(equals, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn the_equals_of_a_row_are_those_of_minimax(numbers in prop::collection::vec(0u8..5, 1..12)) {
        check_equals(&Row::new(&numbers), &LEAD);
    }

    #[test]
    fn the_equals_of_an_ending_are_those_of_minimax(choices in prop::collection::vec(any::<u8>(), 40)) {
        let position = ending(&choices, 6);
        if position.outcome().is_none() {
            check_equals(&position, &Discs);
        }
    }
}

/// An ending with several best moves.
fn several() -> Reversi {
    let endings = (0..=255).map(|choice| ending(&[choice; 60], 6));
    let has_several = |position: &Reversi| {
        position.outcome().is_none() && best_moves(position, &Discs, &[]).len() > 1
    };
    endings.into_iter().find(has_several).expect("some ending has several best moves")
}

#[test]
fn of_an_estimate_nothing_is_equal() {
    let check = |depth: u32, expected: bool| {
        let equals = found_equals(&several(), &Discs, &to_depth(depth), &[]);
        assert_eq!(equals.len() > 1, expected, "depth {depth}: {equals:?}");
    };
    check(1, false);
    check(2, false);
    check(10, true);
}

#[test]
fn without_nodes_left_only_the_best_is_known() {
    let (position, host) = (several(), Host::none());
    let mut search = Search::with(AllMoves, Discs, Switches::CLASSIC, 1 << 16);
    let all = Limits::default();
    let task = Task { limits: &all, barred: &[], host: &host };
    let found = search.run(&position, task);
    let nodes = found.line.nodes;
    let mut check = |most: u64, expected: bool| {
        let limits = Limits { nodes: Some(most), ..Limits::default() };
        let task = Task { limits: &limits, barred: &[], host: &host };
        let equals = search.equals(&position, task, &found);
        assert_eq!((equals.first(), equals.len() > 1), (found.best.as_ref(), expected), "{most}");
    };
    check(nodes, false);
    check(2 * nodes, true);
}

#[test]
fn one_of_the_equals_is_chosen_by_the_seed() {
    let (position, limits, host) = (several(), Limits::default(), Host::none());
    let expected = best_moves(&position, &Discs, &[]);
    let choose = |seed| {
        let mut search = Search::with(AllMoves, Discs, Switches::CLASSIC, 1 << 16);
        let mut turn = crate::Turn {
            position: &position,
            limits: &limits,
            barred: &[],
            host: &host,
            random: &mut crate::Random::seeded(seed),
            moves: &mut Vec::new(),
        };
        let found = search.vary(&mut turn, &limits);
        let mv = found.best.expect("there is a move");
        let mut text = String::new();
        position.write_move(mv, &mut text);
        assert!(found.line.moves.starts_with(&text) && found.expected[0] == mv, "seed {seed}");
        mv
    };
    let mut chosen: Vec<_> = (0..64).map(choose).collect();
    assert_eq!(chosen, (0..64).map(choose).collect::<Vec<_>>());
    for mv in &expected {
        assert!(chosen.contains(mv), "{mv:?} is never chosen");
    }
    chosen.retain(|mv| !expected.contains(mv));
    assert_eq!(chosen, []);
}
