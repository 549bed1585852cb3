//! Information-set Monte-Carlo tree search, for games with hidden information, chance, several
//! seats, and seats that decide at the same time. Knows no game, and reads no clock but the host's.
//!
//! The algorithm is MO-ISMCTS of P. I. Cowling, E. J. Powley and D. Whitehouse, "Information Set
//! Monte Carlo Tree Search", IEEE TCIAIG 4(2), 2012. Each iteration samples a world and plays a
//! game from it. A node is an information set of the seat to move: what it has seen since the root.
//! So a seat cannot answer a move that it has not seen. The selection rule is UCT (L. Kocsis and C.
//! Szepesvári, "Bandit Based Monte-Carlo Planning", ECML 2006) with the number of iterations in
//! which a move was available in place of the visits of the parent.

mod tree;

use std::mem;

use sandboard_abi::{Bound, Line, Score};
use sandboard_games::Seat;
use sandboard_games::general::{Actor, GeneralRules, Next, Observer, draw};
use sandboard_games::splitmix::{hash_text, mix};

use super::chooser::GeneralTask;
use super::determinize::Determinize;
use super::evaluator::{RandomGames, SeatEvaluator};
use crate::mcts::{MctsParams, value_of_result};
use crate::random::Random;
use crate::search::budget::Budget;
use tree::{Key, ROOT, SelectionRule, Tree};

/// Iterations for each ply of a limit of depth, where the nodes are not limited.
const ITERATIONS_PER_PLY: u64 = 1_000;

/// An information-set Monte-Carlo tree search. Each search begins with an empty tree.
///
/// The scores of the seats come from a [`SeatEvaluator`]; default: random games. The seats of one
/// step choose one after the other, each without knowing what the others chose.
#[derive(Clone, Debug)]
pub struct IsMcts<G: GeneralRules, E = RandomGames> {
    params: MctsParams,
    evaluator: E,
    tree: Tree<G::Move>,
    /// What each seat has seen in this iteration, as a hash.
    seen: Vec<u64>,
    /// The smallest and the largest score of each seat so far.
    ranges: Vec<[f64; 2]>,
    path: Vec<(Key, usize)>,
    text: String,
}

/// The result of an information-set Monte-Carlo tree search.
#[derive(Clone, Debug, PartialEq)]
pub struct IsMctsResult<M> {
    /// The move with the most visits; `None` if every legal move is barred.
    pub best: Option<M>,
    /// The legal moves that are not barred, in the game's fixed order.
    pub moves: Vec<MoveStatistics<M>>,
    /// Value, number of iterations, and the best move, for the host.
    pub line: Line,
}

/// What a search found out about a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics<M> {
    /// A legal move of the seat that chooses.
    pub mv: M,
    /// The number of iterations that began with it.
    pub visits: u32,
    /// The mean of their scores for the seat that chooses, in the unit of the [`SeatEvaluator`]; 0
    /// without a visit.
    pub score: f64,
}

impl<G: GeneralRules> Default for IsMcts<G> {
    fn default() -> Self {
        Self::new(RandomGames, MctsParams::default())
    }
}

impl<G: GeneralRules, E: SeatEvaluator<G>> IsMcts<G, E> {
    /// A search with this evaluator.
    pub fn new(evaluator: E, params: MctsParams) -> Self {
        Self {
            params,
            evaluator,
            tree: Tree::new(params.tree_bytes),
            seen: Vec::new(),
            ranges: Vec::new(),
            path: Vec::new(),
            text: String::new(),
        }
    }

    /// Chooses a move for the seat of the task: the one with the most visits, of equal ones the one
    /// with the best score. A single legal move is returned at once.
    ///
    /// One iteration is one node of [`Limits::nodes`](sandboard_abi::Limits::nodes). A limit of
    /// depth without one of nodes is read as 1000 iterations for each ply. Without any limit, the
    /// search runs until the host's `left()` is 0. It also ends if `worlds` finds no world that
    /// [fits](super::Knowledge::fits).
    ///
    /// For the selection rule, scores are mapped to -1 to 1, by the smallest and the largest score
    /// of the seat in this search so far. The search reports a move before its first iteration, and
    /// then at 16, 32, 64, … iterations. The value of the line is the mean score of the move, or in
    /// games with scores from -1 to 1 that of [`Mcts::run`](crate::Mcts::run).
    ///
    /// Without time limits, the result depends on what the player knows, the limits and the seed
    /// alone. It is the same on every platform.
    pub fn run<W: Determinize<G> + ?Sized>(
        &mut self,
        task: GeneralTask<'_, G>,
        worlds: &mut W,
        random: &mut Random,
    ) -> IsMctsResult<G::Move> {
        let mut limits = task.limits.clone();
        let by_depth = limits.depth.map(|depth| u64::from(depth) * ITERATIONS_PER_PLY);
        limits.nodes = limits.nodes.or(by_depth);
        let mut budget = Budget::new(&limits, task.host).with_slow_nodes();
        self.tree = Tree::new(self.params.tree_bytes);
        let seats = task.world.seats().into();
        self.seen.resize(seats, ROOT);
        self.ranges.clear();
        self.ranges.resize(seats, [f64::INFINITY, f64::NEG_INFINITY]);
        let allowed = task.legal_moves();
        let first = self.result(task, &allowed, &mut budget);
        if allowed.len() < 2 {
            return first;
        }
        task.host.report(&first.line);
        while !budget.is_soft_spent() && budget.take_node() {
            let world = worlds.sample(task.knowledge, random);
            let Some(world) = world.filter(|world| task.knowledge.fits(world)) else { break };
            self.iterate(world, task.seat, &allowed, random);
            if budget.nodes >= 16 && budget.nodes.is_power_of_two() {
                task.host.report(&self.result(task, &allowed, &mut budget).line);
            }
        }
        self.result(task, &allowed, &mut budget)
    }

    /// One iteration: selection until a move is new, a playout, and the update of the moves on the
    /// path.
    fn iterate(&mut self, mut world: G, own: Seat, allowed: &[G::Move], random: &mut Random) {
        self.seen.fill(ROOT);
        self.path.clear();
        let mut moves = Vec::new();
        let mut is_leaf = false;
        let scores = loop {
            if let Some(ending) = world.ending() {
                break self.evaluator.ending_scores(&ending);
            }
            if is_leaf {
                break self.evaluator.scores(&mut world, random);
            }
            let mut step = Vec::new();
            match world.next() {
                Next::Over => break vec![0.0; self.seen.len()],
                Next::Chance => {
                    let mut outcomes = Vec::new();
                    world.chance(&mut outcomes);
                    let outcome = draw(&outcomes, random.generator()).cloned();
                    step.extend(outcome.map(|mv| (Actor::Chance, mv)));
                }
                Next::Seats(seats) => {
                    for seat in seats.iter() {
                        moves.clear();
                        world.generate(seat, &mut moves);
                        // Only moves of the root are barred.
                        if self.path.is_empty() && seat == own {
                            moves.retain(|mv| allowed.contains(mv));
                        }
                        if let Some((mv, is_first)) =
                            self.select(seat, &moves, seats.len() > 1, random)
                        {
                            is_leaf |= is_first;
                            step.push((Actor::Seat(seat), mv));
                        }
                    }
                }
            }
            if step.is_empty() {
                break vec![0.0; self.seen.len()];
            }
            self.observe(&world, &step);
            step.iter().for_each(|(actor, mv)| world.play(*actor, mv));
        };
        self.add(&scores);
    }

    /// A move of a seat, and whether no iteration has chosen it before; `None`: there are none.
    fn select(
        &mut self,
        seat: Seat,
        moves: &[G::Move],
        is_shared: bool,
        random: &mut Random,
    ) -> Option<(G::Move, bool)> {
        let index = usize::from(seat.0);
        let key = (seat.0, *self.seen.get(index)?);
        let (exploration, range) = (self.params.exploration, self.ranges[index]);
        let rule = SelectionRule { exploration, range, is_shared };
        moves.first()?;
        let selection = self.tree.select(key, moves, rule, random);
        self.path.extend(selection.child.map(|child| (key, child)));
        Some((moves[selection.index].clone(), selection.is_first))
    }

    /// Adds the moves of a step to what the seats have seen.
    fn observe(&mut self, before: &G, step: &[(Actor, G::Move)]) {
        // Without hidden information, all see the same.
        let seats = if G::INFO.features.hidden_information { self.seen.len() } else { 1 };
        let mut text = mem::take(&mut self.text);
        for (index, seen) in (0..).zip(&mut self.seen[..seats]) {
            for (actor, mv) in step {
                text.clear();
                before.write_seen(Observer::Seat(Seat(index)), *actor, mv, &mut text);
                if !text.is_empty() {
                    *seen = mix(*seen ^ hash_text(&text));
                }
            }
        }
        self.text = text;
        if seats == 1 {
            let seen = self.seen[0];
            self.seen.fill(seen);
        }
    }

    /// Adds the scores of an iteration to the moves on its path.
    fn add(&mut self, scores: &[f64]) {
        for ([low, high], score) in self.ranges.iter_mut().zip(scores) {
            (*low, *high) = (low.min(*score), high.max(*score));
        }
        for (key, child) in &self.path {
            let score = scores.get(usize::from(key.0)).copied().unwrap_or_default();
            self.tree.add(*key, *child, score);
        }
    }

    /// The result so far.
    fn result(
        &self,
        task: GeneralTask<'_, G>,
        allowed: &[G::Move],
        budget: &mut Budget,
    ) -> IsMctsResult<G::Move> {
        let children = self.tree.children((task.seat.0, ROOT));
        let statistics = |mv: &G::Move| {
            let child = children.iter().find(|child| child.mv == *mv);
            let visits = child.map_or(0, |child| child.visits);
            let score = child.map_or(0.0, |child| child.mean());
            MoveStatistics { mv: mv.clone(), visits, score }
        };
        let moves: Vec<_> = allowed.iter().map(statistics).collect();
        let better = |best: &MoveStatistics<_>, other: &MoveStatistics<_>| {
            (other.visits, other.score) > (best.visits, best.score)
        };
        let best = moves.iter().reduce(|a, b| if better(a, b) { b } else { a });
        let mut text = String::new();
        if let Some(best) = best {
            task.world.write_move(Actor::Seat(task.seat), &best.mv, &mut text);
        }
        let line = Line {
            rank: 1,
            score: best
                .filter(|best| best.visits > 0)
                .map(|best| self.value(task.seat, best.score)),
            depth: 1,
            nodes: budget.nodes,
            spent: budget.spent(),
            moves: text,
        };
        IsMctsResult { best: best.map(|best| best.mv.clone()), moves, line }
    }

    /// The number of nodes of the last search.
    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        self.tree.len()
    }

    /// A mean score of a seat as a value for the host.
    fn value(&self, seat: Seat, score: f64) -> Score {
        let [low, high] = self.ranges[usize::from(seat.0)];
        let has_margins = low < -1.0 || high > 1.0;
        let value = if has_margins { score } else { value_of_result(score) };
        Score { value: value.round() as i32, bound: Bound::Estimate }
    }
}
