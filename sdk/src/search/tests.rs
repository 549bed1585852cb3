//! The search against plain minimax and against scripted clocks, over a small
//! game made for it and over gomoku on small boards.

mod clock;
mod equality;
mod equals;
mod pondering;
mod team;
mod techniques;
pub(crate) use equality::random_game;
mod row;

use sandboard_abi::Limits;
use sandboard_games::gomoku::{Gomoku, INFO, Move};

use super::*;
use crate::gomoku::GomokuSearch;

/// A gomoku position by its text.
pub(crate) fn gomoku(text: &str) -> Gomoku {
    Gomoku::parse_position(&INFO.variant("freestyle").unwrap(), text).unwrap()
}

fn point(text: &str) -> Move {
    gomoku("5/5/5/5/5 b").parse_move(text).unwrap()
}

fn to_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn search(position: &Gomoku, limits: &Limits, barred: &[Move]) -> Found<Move> {
    let task = Task { limits, barred, host: &Host::none() };
    GomokuSearch::new(Switches::CLASSIC, 1 << 16).run(position, task)
}

#[test]
fn a_winning_root_move_is_returned_unsearched() {
    let found = search(&gomoku("5/1xxxx/1ooo1/5/5 b"), &to_depth(9), &[]);
    assert_eq!(found.best, Some(point("a4")));
    assert_eq!((found.line.nodes, found.line.depth), (1, 1));
    assert_eq!(found.line.moves, "a4");
    let score = found.line.score.unwrap();
    assert_eq!((score.value, score.bound), (29_999, sandboard_abi::Bound::Exact));
}

#[track_caller]
fn check_barred(position: &str, barred: &[&str], expected: Option<&str>) {
    let barred: Vec<_> = barred.iter().map(|text| point(text)).collect();
    let found = search(&gomoku(position), &to_depth(2), &barred);
    assert_eq!(found.best, expected.map(point));
}

#[test]
fn barred_moves_are_never_chosen() {
    check_barred("5/xxxx1/oooo1/5/5 b", &[], Some("e4"));
    // The only candidate is barred: all other legal moves are searched.
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
    let found = search(&gomoku("7/7/7/7/7/7/7 b"), &to_depth(1), &[]);
    assert_eq!(found.line.moves, "d4");
}

#[test]
fn a_node_limit_is_kept_exactly_and_repeats() {
    let position = gomoku("9/9/9/3xo4/3oxx3/4o4/9/9/9 b");
    for nodes in [0, 1, 31, 32, 33, 1_000, 12_345] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = search(&position, &limits, &[]);
        assert_eq!(found.line.nodes, nodes);
        assert!(found.best.is_some());
        assert_eq!(found, search(&position, &limits, &[]));
    }
}
