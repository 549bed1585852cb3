//! Tests of the solver: positions with known scores, comparison with a slow implementation, and
//! results of a stopped solver.

mod parts;
mod slow_solver;

use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use super::move_ordering::Children;
use super::*;
use crate::eval::Weights;
use sandboard_sdk::games::reversi::bits::moves;

/// A position of a file with its known score and best moves.
struct KnownPosition {
    id: String,
    own: u64,
    opponent: u64,
    empties: u64,
    score: i32,
    best: Vec<u32>,
}

fn known_positions(file: &str) -> Vec<KnownPosition> {
    let path = format!("{}/../../tests/fixtures/reversi/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let positions = file["positions"].as_array().expect("positions");
    positions.iter().map(parse_position).collect()
}

fn parse_position(value: &Value) -> KnownPosition {
    let text = |name: &str| value[name].as_str().expect("a text");
    let discs = |side: char| {
        let of = |(at, cell): (usize, char)| u64::from(cell == side) << at;
        text("board").chars().enumerate().map(of).sum()
    };
    let (own, opponent) = if text("side") == "X" { ('X', 'O') } else { ('O', 'X') };
    let best = value["best_moves"].as_array().expect("best moves");
    KnownPosition {
        id: text("id").into(),
        own: discs(own),
        opponent: discs(opponent),
        empties: value["empties"].as_u64().expect("a number"),
        score: value["score"].as_i64().expect("a score") as i32,
        best: best.iter().map(|text| square(text.as_str().expect("a square"))).collect(),
    }
}

fn square(text: &str) -> u32 {
    let [column, row] = text.as_bytes() else { panic!("`{text}` is not a square") };
    u32::from(row - b'1') * 8 + u32::from(column - b'a')
}

/// The score after `line` is played to the end, for the side that begins.
fn score_after(mut own: u64, mut opponent: u64, line: &[Option<u32>]) -> i32 {
    let mut sign = 1;
    for square in line {
        let legal = moves(own, opponent);
        if let Some(square) = square {
            assert_ne!(legal >> square & 1, 0, "{square} is not legal");
            let child = Children::<34>::of(own, opponent, 1 << square).next(0);
            (own, opponent) = (child.own, child.opponent);
        } else {
            assert_eq!(legal, 0, "the line passes with a legal move");
            (own, opponent) = (opponent, own);
        }
        sign = -sign;
    }
    assert_eq!(
        (moves(own, opponent), moves(opponent, own)),
        (0, 0),
        "the line does not reach the end"
    );
    sign * last_squares::final_score(own, opponent)
}

/// Checks the exact score, the best move, and the line.
fn check<G: OrderingEvaluator + Sync>(solver: &mut Solver<G>, position: &KnownPosition) {
    let KnownPosition { id, own, opponent, .. } = position;
    let solution = solver.solve(&SolverTask::exact(*own, *opponent), &mut || false);
    assert!(solution.complete, "{id}");
    assert_eq!((solution.lower, solution.upper), (position.score, position.score), "{id}");
    assert_eq!(score_after(*own, *opponent, &solution.line), position.score, "{id}");
    let first = solution.line[0].expect("a move");
    assert!(position.best.contains(&first), "{id}: {first} is not among {:?}", position.best);
}

fn runs_slow_tests() -> bool {
    std::env::var_os("SLOW").is_some()
}

#[test]
fn positions_of_games_are_solved() {
    let mut solver = Solver::new(16 << 20, Weights::built_in());
    let positions = known_positions("endgame.json");
    assert_eq!(positions.len(), 300);
    let empties_max = if runs_slow_tests() { 20 } else { 16 };
    for position in positions.iter().filter(|position| position.empties <= empties_max) {
        check(&mut solver, position);
    }
}

#[test]
fn the_ffo_suite_is_solved() {
    let mut solver = Solver::new(32 << 20, Weights::built_in());
    let positions = known_positions("ffo.json");
    assert_eq!(positions.len(), 79);
    let some = if runs_slow_tests() { &positions[..45] } else { &positions[..20] };
    for position in some {
        check(&mut solver, position);
    }
}

/// A position of a random game with this many empty squares; `None` if the game ends before.
fn random_position(choices: &[u8], empties: u32) -> Option<(u64, u64)> {
    let (mut own, mut opponent) = (0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000u64);
    let mut choices = choices.iter();
    while (own | opponent).count_zeros() > empties {
        let legal = moves(own, opponent);
        if legal == 0 {
            if moves(opponent, own) == 0 {
                return None;
            }
            (own, opponent) = (opponent, own);
            continue;
        }
        let mut children = Children::<34>::of(own, opponent, legal);
        let children = children.all();
        let child = children[usize::from(*choices.next()?) % children.len()];
        (own, opponent) = (child.own, child.opponent);
    }
    Some((own, opponent))
}

/// Random discs on a board that is full except for some squares; no game need reach it.
fn random_board(own: u64, holes: &[u32]) -> (u64, u64) {
    let empty = holes.iter().fold(0, |empty, hole| empty | 1u64 << hole);
    (own & !empty, !own & !empty)
}

fn check_with_slow_solver(own: u64, opponent: u64, alpha: i32, beta: i32) {
    let score = slow_solver::score(own, opponent);
    let mut solver = Solver::new(1 << 12, MobilityEvaluator);
    let exact = solver.solve(&SolverTask::exact(own, opponent), &mut || false);
    assert_eq!((exact.lower, exact.upper), (score, score));
    assert_eq!(score_after(own, opponent, &exact.line), score);
    let mut solver = Solver::new(0, MobilityEvaluator);
    let task = SolverTask { alpha, beta, ..SolverTask::exact(own, opponent) };
    let bounded = solver.solve(&task, &mut || false);
    assert!(bounded.lower <= score && score <= bounded.upper, "{score}: {bounded:?}");
    assert!(bounded.complete);
    let settled = bounded.lower == bounded.upper || score >= beta || score <= alpha;
    assert!(settled, "{score} within {alpha}..{beta}: {bounded:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_games_have_the_scores_of_the_slow_solver(
        choices in prop::collection::vec(any::<u8>(), 60), empties in 0u32..=8,
        alpha in -33..32i32, width in 1..20i32,
    ) {
        if let Some((own, opponent)) = random_position(&choices, empties) {
            check_with_slow_solver(own, opponent, 2 * alpha, 2 * (alpha + width));
        }
    }

    #[test]
    fn random_boards_have_the_scores_of_the_slow_solver(
        own in any::<u64>(), holes in prop::collection::vec(0..64u32, 0..9), alpha in -33..32i32,
        width in 1..20i32,
    ) {
        let (own, opponent) = random_board(own, &holes);
        check_with_slow_solver(own, opponent, 2 * alpha, 2 * (alpha + width));
    }

    /// With enough empty squares to use the table: a filled table gives the same result as none.
    #[test]
    fn a_filled_table_does_not_change_results(
        choices in prop::collection::vec(any::<u8>(), 60), expected in -64..=64i32,
    ) {
        let Some((own, opponent)) = random_position(&choices, 11) else { return Ok(()) };
        let task = SolverTask::exact(own, opponent);
        let alone = Solver::new(0, MobilityEvaluator).solve(&task, &mut || false);
        let mut solver = Solver::new(1 << 16, MobilityEvaluator);
        let mut children = Children::<34>::of(own, opponent, moves(own, opponent));
        for child in children.all() {
            solver.solve(&SolverTask::exact(child.own, child.opponent), &mut || false);
        }
        let first = children.all().last().map(|child| child.square.into());
        let expected = Some(expected);
        let task = SolverTask { expected, first, ..SolverTask::exact(own, opponent) };
        let again = solver.solve(&task, &mut || false);
        prop_assert_eq!((alone.lower, alone.upper), (again.lower, again.upper));
        prop_assert_eq!(score_after(own, opponent, &again.line), alone.lower);
    }
}

/// Scores and lines do not depend on the number of threads.
#[test]
fn threads_prove_the_same_scores() {
    let positions = known_positions("endgame.json");
    for threads in [2, 3, 8] {
        let mut solver = Solver::new(1 << 20, MobilityEvaluator).with_threads(threads);
        for position in positions.iter().filter(|position| (15..=16).contains(&position.empties)) {
            check(&mut solver, position);
        }
    }
}

/// A solver that is stopped at any point returns correct bounds and a legal move.
#[test]
fn a_stopped_solver_says_what_it_has_proved() {
    [1, 3].into_iter().for_each(check_stopped);
}

fn check_stopped(threads: usize) {
    let positions = known_positions("endgame.json");
    let hard = positions.iter().filter(|position| position.empties == 16).take(4);
    for position in hard {
        let mut complete = false;
        for stop_checks in (0..).map(|power| 1 << power) {
            let mut left = stop_checks;
            let mut solver = Solver::new(1 << 16, MobilityEvaluator).with_threads(threads);
            let task = SolverTask::exact(position.own, position.opponent);
            let solution = solver.solve(&task, &mut || {
                left -= 1;
                left == 0
            });
            assert!(solution.lower <= position.score && position.score <= solution.upper);
            assert_eq!(solution.complete, solution.lower == solution.upper);
            let first = solution.line[0].expect("a move");
            assert_ne!(moves(position.own, position.opponent) >> first & 1, 0);
            if solution.complete {
                complete = true;
                break;
            }
        }
        assert!(complete, "{}", position.id);
    }
}

#[test]
fn node_counts_are_repeatable() {
    let positions = known_positions("endgame.json");
    for position in positions.iter().filter(|position| position.empties == 14).take(5) {
        let solve = || {
            let task = SolverTask::exact(position.own, position.opponent);
            Solver::new(1 << 18, MobilityEvaluator).solve(&task, &mut || false)
        };
        assert_eq!(solve(), solve());
    }
}
