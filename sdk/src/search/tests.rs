//! The search compared with plain minimax and tested with scripted clocks, in a small game made for
//! these tests and in gomoku on small boards.

mod clock;
mod equal_moves;
mod equality;
mod pondering;
mod row_game;
mod team;
mod techniques;

use sandboard_abi::Limits;
use sandboard_games::gomoku::{Gomoku, INFO, Move};

use super::*;
use crate::gomoku::GomokuSearch;
pub(crate) use equality::random_game;

/// A gomoku position from its text.
pub(crate) fn gomoku(text: &str) -> Gomoku {
    Gomoku::parse_position(&INFO.variant("freestyle").unwrap(), text).unwrap()
}

fn point(text: &str) -> Move {
    gomoku("5/5/5/5/5 b").parse_move(text).unwrap()
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search(position: &Gomoku, limits: &Limits, barred: &[Move]) -> SearchResult<Move> {
    let task = SearchTask { limits, barred, host: &Host::null() };
    GomokuSearch::new(Switches::CLASSIC, 1 << 16).run(position, task)
}

#[test]
fn a_winning_root_move_is_returned_unsearched() {
    let result = search(&gomoku("5/1xxxx/1ooo1/5/5 b"), &to_depth(9), &[]);
    assert_eq!(result.best, Some(point("a4")));
    assert_eq!((result.line.nodes, result.line.depth), (1, 1));
    assert_eq!(result.line.moves, "a4");
    let score = result.line.score.unwrap();
    assert_eq!((score.value, score.bound), (29_999, sandboard_abi::Bound::Exact));
}

#[track_caller]
fn check_barred(position: &str, barred: &[&str], expected: Option<&str>) {
    let barred: Vec<_> = barred.iter().map(|text| point(text)).collect();
    let result = search(&gomoku(position), &to_depth(2), &barred);
    assert_eq!(result.best, expected.map(point));
}

#[test]
fn barred_moves_are_never_chosen() {
    check_barred("5/xxxx1/oooo1/5/5 b", &[], Some("e4"));
    // If the only candidate is barred, all other legal moves are searched.
    check_barred("5/xxxx1/oooo1/5/5 b", &["e4"], Some("e3"));
    check_barred("xoxox/oxoxo/xoxo1/1ooxo/xoxo1 b", &["e1", "a2"], Some("e3"));
    check_barred("xoxox/oxoxo/xoxo1/1ooxo/xoxo1 b", &["e1", "a2", "e3"], None);
}

#[test]
fn a_game_that_is_over_has_no_best_move() {
    check_barred("5/xxxxx/oooo1/5/5 w", &[], None);
}

#[test]
fn the_first_move_is_the_centre() {
    let result = search(&gomoku("7/7/7/7/7/7/7 b"), &to_depth(1), &[]);
    assert_eq!(result.line.moves, "d4");
}

#[test]
fn a_node_limit_is_kept_exactly_and_repeats() {
    let position = gomoku("9/9/9/3xo4/3oxx3/4o4/9/9/9 b");
    for nodes in [0, 1, 31, 32, 33, 1_000, 12_345] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let result = search(&position, &limits, &[]);
        assert_eq!(result.line.nodes, nodes);
        assert!(result.best.is_some());
        assert_eq!(result, search(&position, &limits, &[]));
    }
}
