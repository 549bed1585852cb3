//! The search max^n for any number of seats, in games of perfect information. Knows no game, and
//! reads no clock but the host's.
//!
//! C. Luckhardt and K. Irani, "An Algorithmic Solution of N-Person Games", AAAI 1986: each seat
//! chooses the move that is best for itself. A chance node has the expected scores.

use sandboard_abi::{Bound, Line, Score};
use sandboard_games::Seat;
use sandboard_games::general::{Actor, GeneralRules, Next};

use super::chooser::GeneralTask;
use super::evaluator::SeatEvaluator;
use crate::random::Random;
use crate::search::budget::Budget;

/// The largest depth of an iteration, in plies.
const DEPTH_MAX: u32 = 256;

/// The search max^n: a depth-first search with iterative deepening, and a score for each seat at
/// the leaves from a [`SeatEvaluator`].
///
/// It sees the whole position, so it is for games of perfect information. The seats of a step
/// choose one after the other, and each knows what those before it chose. Nothing is pruned, so
/// the order of moves does not matter; of moves that are equally good for a seat, it takes the
/// first one in the game's order.
#[derive(Clone, Debug, Default)]
pub struct MaxN<E> {
    evaluator: E,
}

/// The result of a search by max^n.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxNResult<M> {
    /// The best move; `None` if every legal move is barred.
    pub best: Option<M>,
    /// The scores of all seats after the best move, in the unit of the [`SeatEvaluator`]; empty if
    /// no iteration was finished.
    pub scores: Vec<f64>,
    /// Value, depth, nodes and the best move, for the host.
    pub line: Line,
}

impl<E> MaxN<E> {
    /// A search with this evaluator.
    pub fn new(evaluator: E) -> Self {
        Self { evaluator }
    }

    /// Chooses a move for the seat of the task in the position `task.world`.
    ///
    /// A node is a position after a move or an outcome of chance; both count as plies of the depth.
    /// The result is that of the last finished iteration. Without one it is the first legal move.
    /// The search ends when an iteration meets no leaf but ends of the game, or at depth 256. It
    /// reports each finished iteration. The value of the line is the score of the seat.
    ///
    /// Without time limits, the result depends on the position, the limits, the evaluator and the
    /// seed alone.
    pub fn run<G>(&mut self, task: GeneralTask<'_, G>, random: &mut Random) -> MaxNResult<G::Move>
    where
        G: GeneralRules,
        E: SeatEvaluator<G>,
    {
        let mut budget = Budget::new(task.limits, task.host);
        let moves = task.legal_moves();
        let mut result = report(task, moves.first(), Vec::new(), 0, &mut budget);
        let depth_max = task.limits.depth.unwrap_or(DEPTH_MAX).min(DEPTH_MAX);
        for depth in 1..=depth_max {
            if moves.is_empty() || !budget.may_begin() {
                break;
            }
            let evaluator = &mut self.evaluator;
            let mut iteration =
                Iteration { evaluator, random, budget: &mut budget, has_leaves: false };
            let best = iteration.best_move(task.world, task.seat, &moves, depth);
            let has_leaves = iteration.has_leaves;
            let Some((index, scores)) = best else { break };
            result = report(task, moves.get(index), scores, depth, &mut budget);
            if !has_leaves {
                break;
            }
        }
        // Those of an unfinished iteration, too.
        (result.line.nodes, result.line.spent) = (budget.nodes, budget.spent());
        result
    }
}

/// One iteration of a search.
struct Iteration<'a, E> {
    evaluator: &'a mut E,
    random: &'a mut Random,
    budget: &'a mut Budget,
    /// Whether a position was valued in which the game is in progress.
    has_leaves: bool,
}

impl<E> Iteration<'_, E> {
    /// The index of the first of the moves that is best for the seat, with the scores after it.
    /// `None`: the budget is spent, or there is no move.
    fn best_move<G>(
        &mut self,
        position: &G,
        seat: Seat,
        moves: &[G::Move],
        depth: u32,
    ) -> Option<(usize, Vec<f64>)>
    where
        G: GeneralRules,
        E: SeatEvaluator<G>,
    {
        let own = |scores: &[f64]| scores.get(usize::from(seat.0)).copied();
        let mut best: Option<(usize, Vec<f64>)> = None;
        for (index, mv) in moves.iter().enumerate() {
            let scores = self.after(position, Actor::Seat(seat), mv, depth)?;
            if best.as_ref().is_none_or(|(_, best)| own(&scores) > own(best)) {
                best = Some((index, scores));
            }
        }
        best
    }

    /// The scores after a move, searched to a depth that counts the move. `None`: the budget is
    /// spent.
    fn after<G>(&mut self, position: &G, actor: Actor, mv: &G::Move, depth: u32) -> Option<Vec<f64>>
    where
        G: GeneralRules,
        E: SeatEvaluator<G>,
    {
        if !self.budget.take_node() {
            return None;
        }
        let mut after = position.clone();
        after.play(actor, mv);
        if let Some(ending) = after.ending() {
            return Some(self.evaluator.ending_scores(&ending));
        }
        if depth <= 1 {
            self.has_leaves = true;
            return Some(self.evaluator.scores(&mut after, self.random));
        }
        match after.next() {
            Next::Chance => self.expected_scores(&after, depth - 1),
            next => {
                let seat = next.seats().lowest()?;
                let mut moves = Vec::new();
                after.generate(seat, &mut moves);
                self.best_move(&after, seat, &moves, depth - 1).map(|(_, scores)| scores)
            }
        }
    }

    /// The expected scores of a position in which chance is next. `None`: the budget is spent.
    fn expected_scores<G>(&mut self, position: &G, depth: u32) -> Option<Vec<f64>>
    where
        G: GeneralRules,
        E: SeatEvaluator<G>,
    {
        let mut outcomes = Vec::new();
        position.chance(&mut outcomes);
        let all: u64 = outcomes.iter().map(|(_, weight)| u64::from(*weight)).sum();
        let mut expected = vec![0.0; position.seats().into()];
        for (mv, weight) in &outcomes {
            let scores = self.after(position, Actor::Chance, mv, depth)?;
            let weight = f64::from(*weight);
            expected.iter_mut().zip(scores).for_each(|(sum, score)| *sum += weight * score);
        }
        expected.iter_mut().for_each(|sum| *sum /= all as f64);
        Some(expected)
    }
}

/// The result of a finished iteration, which is also reported to the host.
fn report<G: GeneralRules>(
    task: GeneralTask<'_, G>,
    best: Option<&G::Move>,
    scores: Vec<f64>,
    depth: u32,
    budget: &mut Budget,
) -> MaxNResult<G::Move> {
    let mut moves = String::new();
    if let Some(mv) = best {
        task.world.write_move(Actor::Seat(task.seat), mv, &mut moves);
    }
    let own = scores.get(usize::from(task.seat.0));
    let score = own.map(|own| Score { value: own.round() as i32, bound: Bound::Estimate });
    let (nodes, spent) = (budget.nodes, budget.spent());
    let line = Line { rank: 1, score, depth, nodes, spent, moves };
    if best.is_some() {
        task.host.report(&line);
    }
    MaxNResult { best: best.cloned(), scores, line }
}
