//! Endgame requests of the player on 8×8: they become tasks of the solver, and the solutions become
//! moves with scores. Solves nothing itself.

use sandboard_sdk::abi::{Bound, Line, Score};
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::reversi::{Move, Reversi, Square};

use crate::endgame::{OrderingEvaluator, Solution, Solver, SolverTask};

/// The result for the allowed moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndgameResult {
    /// The move to play.
    pub best: Move,
    /// Its score, in final discs.
    pub score: Score,
    /// The expected moves, `best` first.
    pub expected: Vec<Move>,
    /// The number of visited positions.
    pub nodes: u64,
}

/// An endgame to solve.
#[derive(Clone, Copy, Debug)]
pub struct EndgameRequest<'a> {
    /// The position, on an 8×8 board.
    pub position: &'a Reversi,
    /// Moves that must not be chosen.
    pub barred: &'a [Move],
    /// The move that a search found best.
    pub first: Option<Move>,
    /// The expected score, in discs.
    pub expected: Option<i32>,
    /// Scores up to the first bound, and from the second one on, need not be distinguished.
    pub window: (i32, i32),
}

/// Solves a request; `None` if `stop` returned true before a move was proved best.
pub fn solve<G: OrderingEvaluator + Sync>(
    solver: &mut Solver<G>,
    request: EndgameRequest<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<EndgameResult> {
    let (own, opponent) = request.position.discs()?;
    if !request.barred.is_empty() {
        return solve_allowed_moves(solver, request, stop);
    }
    let (alpha, beta) = request.window;
    let first = request.first.and_then(Move::square).map(Square::bit);
    let task = SolverTask { own, opponent, alpha, beta, expected: request.expected, first };
    let solution = solver.solve(&task, stop);
    result_of(&solution, beta, None)
}

/// The same if moves are barred: solves the other moves one by one.
fn solve_allowed_moves<G: OrderingEvaluator + Sync>(
    solver: &mut Solver<G>,
    request: EndgameRequest<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<EndgameResult> {
    let mut moves = Vec::new();
    request.position.generate(sandboard_sdk::games::MoveSet::All, &mut moves);
    moves.retain(|mv| !request.barred.contains(mv));
    moves.sort_by_key(|&mv| Some(mv) != request.first);
    let (mut alpha, beta) = request.window;
    let (mut best, mut nodes) = (None::<EndgameResult>, 0);
    for mv in moves {
        let mut after = request.position.clone();
        after.make(mv);
        let result = match after.outcome() {
            Some(outcome) => {
                let score = -crate::midgame::final_discs(&after, outcome);
                let score = Score { value: score, bound: Bound::Exact };
                EndgameResult { best: mv, score, expected: vec![mv], nodes: 0 }
            }
            None => {
                let (own, opponent) = after.discs()?;
                let expected = request.expected.map(|score| -score);
                let task =
                    SolverTask { own, opponent, alpha: -beta, beta: -alpha, expected, first: None };
                let solution = solver.solve(&task, stop);
                result_of(&solution, -alpha, Some(mv))?
            }
        };
        nodes += result.nodes;
        if best.as_ref().is_none_or(|best| result.score.value > best.score.value) {
            alpha = alpha.max(result.score.value);
            best = Some(result);
        }
        if alpha >= beta {
            break;
        }
    }
    best.map(|best| EndgameResult { nodes, ..best })
}

/// The result of a complete solution; `None` if the solver was stopped. `made` is the move from the
/// request's position to the task's.
fn result_of(solution: &Solution, beta: i32, made: Option<Move>) -> Option<EndgameResult> {
    let (value, bound) = match solution {
        solution if solution.lower == solution.upper => (solution.lower, Bound::Exact),
        solution if solution.lower >= beta => (solution.lower, Bound::AtLeast),
        solution => (solution.upper, Bound::AtMost),
    };
    let score = match made {
        None => Score { value, bound },
        Some(_) => Score { value: -value, bound: opposite(bound) },
    };
    let line = solution.line.iter().map(|square| match square {
        Some(bit) => Move::Disc(Square::from_bit(*bit)),
        None => Move::Pass,
    });
    let expected: Vec<Move> = made.into_iter().chain(line).collect();
    let best = expected.first().copied().filter(|_| solution.complete)?;
    Some(EndgameResult { best, score, expected, nodes: solution.nodes })
}

fn opposite(bound: Bound) -> Bound {
    match bound {
        Bound::AtLeast => Bound::AtMost,
        Bound::AtMost => Bound::AtLeast,
        bound => bound,
    }
}

/// A result as a line for the host, with the cost of the whole choice.
pub fn line(position: &Reversi, result: &EndgameResult, nodes: u64, spent: u64) -> Line {
    let mut after = position.clone();
    let mut moves = String::new();
    for &mv in &result.expected {
        if !moves.is_empty() {
            moves.push(' ');
        }
        after.write_move(mv, &mut moves);
        after.make(mv);
    }
    Line { rank: 1, score: Some(result.score), depth: position.empties(), nodes, spent, moves }
}
