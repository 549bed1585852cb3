//! The exact end of a game on 8×8 as the engine plays it: what the solver is
//! asked, and what its answer is worth to who asked. Solves nothing itself.

use sandboard_sdk::abi::{Bound, Line, Score};
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::reversi::{Move, Reversi, Square};

use crate::endgame::{Guess, Solution, Solver, Task};

/// What was found out about the moves in question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The move to play.
    pub best: Move,
    /// What it is worth, in final discs.
    pub score: Score,
    /// How play goes on, `best` first.
    pub expected: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position, on 8×8.
    pub position: &'a Reversi,
    /// Moves that must not be chosen.
    pub barred: &'a [Move],
    /// The move that looks best.
    pub first: Option<Move>,
    /// About the score that it looks like.
    pub expected: Option<i32>,
    /// Scores up to this, and from the other on, need not be told apart.
    pub window: (i32, i32),
}

/// The answer; none if `stop` said so before a move was proved best.
pub fn solve<G: Guess + Sync>(
    solver: &mut Solver<G>,
    question: Question<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Ended> {
    let (own, opponent) = question.position.discs()?;
    if !question.barred.is_empty() {
        return solve_open(solver, question, stop);
    }
    let (alpha, beta) = question.window;
    let first = question.first.and_then(Move::square).map(Square::bit);
    let task = Task { own, opponent, alpha, beta, expected: question.expected, first };
    let solution = solver.solve(&task, stop);
    ended(&solution, beta, None)
}

/// The same where moves are barred: the others one by one.
fn solve_open<G: Guess + Sync>(
    solver: &mut Solver<G>,
    question: Question<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Ended> {
    let mut moves = Vec::new();
    question.position.generate(sandboard_sdk::games::Generate::All, &mut moves);
    moves.retain(|mv| !question.barred.contains(mv));
    moves.sort_by_key(|&mv| Some(mv) != question.first);
    let (mut alpha, beta) = question.window;
    let (mut best, mut nodes) = (None::<Ended>, 0);
    for mv in moves {
        let mut after = question.position.clone();
        after.make(mv);
        let found = match after.outcome() {
            Some(outcome) => {
                let score = -crate::midgame::final_discs(&after, outcome);
                let score = Score { value: score, bound: Bound::Exact };
                Ended { best: mv, score, expected: vec![mv], nodes: 0 }
            }
            None => {
                let (own, opponent) = after.discs()?;
                let expected = question.expected.map(|score| -score);
                let task =
                    Task { own, opponent, alpha: -beta, beta: -alpha, expected, first: None };
                let solution = solver.solve(&task, stop);
                ended(&solution, -alpha, Some(mv))?
            }
        };
        nodes += found.nodes;
        if best.as_ref().is_none_or(|best| found.score.value > best.score.value) {
            alpha = alpha.max(found.score.value);
            best = Some(found);
        }
        if alpha >= beta {
            break;
        }
    }
    best.map(|best| Ended { nodes, ..best })
}

/// A complete solution of a task with this window as an answer; none of one that
/// was stopped. `made` led from the question to the task.
fn ended(solution: &Solution, beta: i32, made: Option<Move>) -> Option<Ended> {
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
        Some(bit) => Move::Disc(Square::of_bit(*bit)),
        None => Move::Pass,
    });
    let expected: Vec<Move> = made.into_iter().chain(line).collect();
    let best = expected.first().copied().filter(|_| solution.complete)?;
    Some(Ended { best, score, expected, nodes: solution.nodes })
}

fn opposite(bound: Bound) -> Bound {
    match bound {
        Bound::AtLeast => Bound::AtMost,
        Bound::AtMost => Bound::AtLeast,
        bound => bound,
    }
}

/// An answer as a line for the border, with what it has cost with all before it.
pub fn line(position: &Reversi, ended: &Ended, nodes: u64, spent: u64) -> Line {
    let mut after = position.clone();
    let mut moves = String::new();
    for &mv in &ended.expected {
        if !moves.is_empty() {
            moves.push(' ');
        }
        after.write_move(mv, &mut moves);
        after.make(mv);
    }
    Line { rank: 1, score: Some(ended.score), depth: position.empties(), nodes, spent, moves }
}
