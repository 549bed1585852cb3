//! Tests of max^n against plain recursions.

use proptest::prelude::*;
use sandboard_abi::Limits;
use sandboard_games::general::{Actor, GeneralRules, TwoSided, step};
use sandboard_games::gomoku::{self, Gomoku};
use sandboard_games::{Ending, Rules, Seat};

use super::random_tree::RandomTree;
use super::with_task;
use crate::general::{MaxN, MaxNResult, SeatEvaluator, relative_scores};
use crate::host::Host;
use crate::random::Random;

/// Values a position by a hash of its text, the same number for a seat whenever it comes.
#[derive(Clone, Copy, Debug, Default)]
struct TextHash;

fn hash_scores<G: GeneralRules>(position: &G) -> Vec<f64> {
    let mut text = String::new();
    position.write_position(&mut text);
    let hash = sandboard_games::splitmix::hash_text(&text);
    let score = |seat: u8| f64::from((hash >> (8 * seat)) as u8 % 9) - 4.0;
    (0..position.seats()).map(score).collect()
}

impl<G: GeneralRules> SeatEvaluator<G> for TextHash {
    fn scores(&mut self, position: &mut G, _random: &mut Random) -> Vec<f64> {
        hash_scores(position)
    }
}

fn run<G: GeneralRules, E: SeatEvaluator<G>>(
    evaluator: E,
    position: &G,
    limits: Limits,
    barred: &[G::Move],
) -> MaxNResult<G::Move> {
    let random = &mut Random::seeded(1);
    with_task(position, &limits, barred, &Host::null(), |task| {
        MaxN::new(evaluator).run(task, random)
    })
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// The scores of a position, and the first best move if a seat is to move.
fn slow_max_n<G: GeneralRules>(position: &G, depth: u32) -> (Vec<f64>, Option<G::Move>) {
    if let Some(ending) = position.ending() {
        return (relative_scores(&ending), None);
    }
    if depth == 0 {
        return (hash_scores(position), None);
    }
    let (actor, moves) = step(position).swap_remove(0);
    let after = |mv: &G::Move| {
        let mut after = position.clone();
        after.play(actor, mv);
        slow_max_n(&after, depth - 1).0
    };
    let values: Vec<Vec<f64>> = moves.iter().map(|(mv, _)| after(mv)).collect();
    match actor {
        Actor::Seat(Seat(seat)) => {
            let own: Vec<f64> = values.iter().map(|scores| scores[usize::from(seat)]).collect();
            let highest = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let first = own.iter().position(|it| *it == highest).unwrap();
            (values[first].clone(), Some(moves[first].0.clone()))
        }
        Actor::Chance => {
            let all: f64 = moves.iter().map(|(_, weight)| f64::from(*weight)).sum();
            let mean = |seat: usize| {
                let weighted = values.iter().zip(&moves);
                weighted.map(|(scores, (_, weight))| scores[seat] * f64::from(*weight)).sum::<f64>()
                    / all
            };
            ((0..usize::from(position.seats())).map(mean).collect(), None)
        }
    }
}

proptest! {
    #[test]
    fn it_agrees_with_a_plain_recursion(seed: u64, plies in 1_u32..7, seats in 2_u8..=3) {
        let tree = RandomTree::of_seed(seed, seats);
        let (scores, mv) = slow_max_n(&tree, plies);
        let result = run(TextHash, &tree, depth(plies), &[]);
        prop_assert_eq!((result.best, result.scores), (mv, scores));
    }
}

fn gomoku(moves: &str) -> TwoSided<Gomoku> {
    let mut position = Gomoku::start(&gomoku::INFO.variant("freestyle-5").unwrap());
    for text in moves.split_ascii_whitespace() {
        position.play(text).unwrap();
    }
    TwoSided(position)
}

/// The best result for the side to move, 0 where the depth ends.
fn negamax(position: &TwoSided<Gomoku>, depth: u32) -> f64 {
    let seat = position.0.to_move();
    if let Some(ending) = position.ending() {
        return f64::from(ending.scores[usize::from(seat.0)]);
    }
    if depth == 0 {
        return 0.0;
    }
    let mut moves = Vec::new();
    position.generate(seat, &mut moves);
    let value = |mv| {
        let mut after = position.clone();
        after.play(Actor::Seat(seat), mv);
        -negamax(&after, depth - 1)
    };
    moves.iter().map(value).fold(f64::NEG_INFINITY, f64::max)
}

/// Says that nothing is known.
struct Zero;

impl<G: GeneralRules> SeatEvaluator<G> for Zero {
    fn scores(&mut self, position: &mut G, _random: &mut Random) -> Vec<f64> {
        vec![0.0; position.seats().into()]
    }
}

#[test]
fn with_two_sides_the_score_is_that_of_negamax() {
    let check = |moves: &str, plies: u32, expected: f64| {
        let position = gomoku(moves);
        let seat = usize::from(position.0.to_move().0);
        let scores = run(Zero, &position, depth(plies), &[]).scores;
        assert_eq!((scores[seat], negamax(&position, plies)), (expected, expected), "{moves}");
        assert_eq!(scores[0], -scores[1]);
    };
    // A row of four wins in one ply, also after an answer elsewhere.
    check("a1 a5 b1 b5 c1 c5 d1 d5", 1, 1.0);
    check("a1 a5 b1 b5 c1 c5 d1 d5 e3", 1, 1.0);
    // Two rows of four cannot both be stopped; one can.
    check("a1 c3 a2 d4 a3 b5 a4 e2 b1 e3 c1 c2 d1", 2, -1.0);
    check("a1 c3 a2 d4 a3 a5 a4 e2 b1 e3 c1 c2 d1", 2, 0.0);
}

#[test]
fn it_keeps_to_its_limits() {
    let position = gomoku("");
    let nodes = |limits: Limits| run(Zero, &position, limits, &[]);
    let limits = |nodes: u64| Limits { nodes: Some(nodes), ..Limits::default() };
    // The first iteration has 25 nodes, the second 25 + 25 · 24.
    let check = |count: u64, depth: u32, nodes_expected: u64| {
        let result = nodes(limits(count));
        assert_eq!((result.line.depth, result.line.nodes), (depth, nodes_expected), "{count}");
        assert_eq!(result.scores.is_empty(), depth == 0);
        assert!(result.best.is_some());
    };
    check(0, 0, 0);
    check(24, 0, 24);
    check(25, 1, 25);
    check(649, 1, 649);
    check(650, 2, 650);
    assert_eq!(nodes(depth(2)).line.nodes, 650);
}

#[test]
fn barred_moves_are_not_chosen() {
    let position = gomoku("a1 a5 b1 b5 c1 c5 d1 d5");
    let best = run(Zero, &position, depth(1), &[]).best.unwrap();
    assert_eq!(position.0.parse_move("e1"), Ok(best));
    assert_ne!(run(Zero, &position, depth(1), &[best]).best, Some(best));
    let mut all = Vec::new();
    position.generate(Seat(0), &mut all);
    assert_eq!(run(Zero, &position, depth(1), &all).best, None);
}

#[test]
fn relative_scores_add_up_to_zero() {
    let check = |scores: &[i32], expected: &[f64]| {
        let ending = Ending { scores: scores.to_vec(), reason: "test".into() };
        assert_eq!(relative_scores(&ending), expected);
    };
    check(&[1, -1], &[1.0, -1.0]);
    check(&[7, 3], &[2.0, -2.0]);
    check(&[3, 0, 0], &[2.0, -1.0, -1.0]);
    check(&[-2, -2, -2, -2], &[0.0; 4]);
}
