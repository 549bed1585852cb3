//! Equal moves are those of plain minimax if the best move is proved, and the best move alone if
//! not.

use proptest::prelude::*;
use sandboard_games::reversi::Reversi;

use super::equality::minimax;
use super::row_game::Row;
use super::team::{Discs, LEAD, TO_THE_END, ending};
use super::*;
use crate::analyzer::AllMoves;

/// The best moves that are not barred, by minimax.
fn best_moves<R: Rules, E>(position: &R, evaluator: &E, barred: &[R::Move]) -> Vec<R::Move>
where
    E: Evaluator<R> + Clone,
{
    let mut moves = Vec::new();
    position.generate(sandboard_games::MoveSet::All, &mut moves);
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

fn search_equal_moves<R: Rules, E>(
    position: &R,
    evaluator: &E,
    limits: &Limits,
    barred: &[R::Move],
) -> Vec<R::Move>
where
    E: Evaluator<R> + Clone + Send,
{
    let mut search = Search::with_parts(AllMoves, evaluator.clone(), Switches::CLASSIC, 1 << 16);
    let task = SearchTask { limits, barred, host: &Host::null() };
    let result = search.run(position, task);
    search.equal_moves(position, task, &result)
}

/// Checks the equal moves of a game that is searched to its end, with and without its first best
/// move.
fn check_equal_moves<R: Rules, E>(position: &R, evaluator: &E)
where
    E: Evaluator<R> + Clone + Send,
{
    let mut barred = Vec::new();
    for _ in 0..2 {
        let mut expected = best_moves(position, evaluator, &barred);
        let mut equals = search_equal_moves(position, evaluator, &Limits::default(), &barred);
        barred.extend(expected.first().copied());
        for moves in [&mut expected, &mut equals] {
            moves.sort_by_key(|mv| sandboard_games::MoveCode::code(*mv));
        }
        assert_eq!(equals, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 32,
        ..ProptestConfig::default()
    })]

    #[test]
    fn equal_moves_of_the_row_game_are_those_of_minimax(
        numbers in prop::collection::vec(0u8..5, 1..12),
    ) {
        check_equal_moves(&Row::new(&numbers), &LEAD);
    }

    #[test]
    fn equal_moves_of_an_endgame_are_those_of_minimax(
        choices in prop::collection::vec(any::<u8>(), 40),
    ) {
        let position = ending(&choices, 6);
        if position.outcome().is_none() {
            check_equal_moves(&position, &Discs);
        }
    }
}

/// An endgame with several best moves.
fn endgame_with_equal_moves() -> Reversi {
    let endings = (0..=255).map(|choice| ending(&[choice; 60], 6));
    let has_several = |position: &Reversi| {
        position.outcome().is_none() && best_moves(position, &Discs, &[]).len() > 1
    };
    endings.into_iter().find(has_several).expect("some endgame has several best moves")
}

#[test]
fn an_estimate_has_no_equal_moves() {
    let check = |depth: u32, expected: bool| {
        let equals = search_equal_moves(&endgame_with_equal_moves(), &Discs, &to_depth(depth), &[]);
        assert_eq!(equals.len() > 1, expected, "depth {depth}: {equals:?}");
    };
    check(1, false);
    check(2, false);
    check(10, true);
}

#[test]
fn without_nodes_left_only_the_best_move_is_returned() {
    let (position, host) = (endgame_with_equal_moves(), Host::null());
    let mut search = Search::with_parts(AllMoves, Discs, Switches::CLASSIC, 1 << 16);
    let all = Limits::default();
    let task = SearchTask { limits: &all, barred: &[], host: &host };
    let result = search.run(&position, task);
    let nodes = result.line.nodes;
    let mut check = |most: u64, expected: bool| {
        let limits = Limits { nodes: Some(most), ..Limits::default() };
        let task = SearchTask { limits: &limits, barred: &[], host: &host };
        let equals = search.equal_moves(&position, task, &result);
        assert_eq!((equals.first(), equals.len() > 1), (result.best.as_ref(), expected), "{most}");
    };
    check(nodes, false);
    check(2 * nodes, true);
}

#[test]
fn the_seed_selects_one_of_the_equal_moves() {
    let (position, limits, host) = (endgame_with_equal_moves(), Limits::default(), Host::null());
    let expected = best_moves(&position, &Discs, &[]);
    let choose = |seed| {
        let mut search = Search::with_parts(AllMoves, Discs, Switches::CLASSIC, 1 << 16);
        let mut turn = crate::Turn {
            position: &position,
            limits: &limits,
            barred: &[],
            host: &host,
            random: &mut crate::Random::seeded(seed),
            moves: &mut Vec::new(),
        };
        let result = search.run_varied(&mut turn, &limits);
        let mv = result.best.expect("there is a move");
        let mut text = String::new();
        position.write_move(mv, &mut text);
        assert!(result.line.moves.starts_with(&text) && result.expected[0] == mv, "seed {seed}");
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
