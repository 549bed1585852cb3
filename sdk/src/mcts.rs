//! Monte-Carlo tree search: a second search beside [`Search`](crate::Search), which needs no
//! evaluator. It plays games to their end, at random or by a [`Playout`] of yours, and searches
//! more where they went well. Knows no game, and reads no clock but the host's.
//!
//! The selection rule is UCT (L. Kocsis and C. Szepesvári, "Bandit Based Monte-Carlo Planning",
//! ECML 2006). The phases of an iteration and the final choice of the move with the most visits are
//! those of C. Browne et al., "A Survey of Monte Carlo Tree Search Methods", IEEE TCIAIG 4 (2012).
//!
//! Without time limits, the result depends on the position, the limits, the seed and the kept tree
//! alone. It is the same on every platform.

mod playout;
pub(crate) mod selection;
mod tree;

use sandboard_abi::{Bound, Line, Score};
use sandboard_games::{MoveSet, Rules};

use crate::random::Random;
use crate::search::budget::Budget;
use crate::search::{SearchResult, SearchTask};
pub use playout::{Playout, PlayoutResult, RandomPlayout};
use tree::{NodeId, Tree};

/// Parameters of a Monte-Carlo tree search, [`Mcts`] or [`IsMcts`](crate::IsMcts).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsParams {
    /// The weight C of exploration in the selection rule: mean result + C · √(ln N / n), with
    /// results from -1 to 1, N visits of the parent and n of the child. At least 0; default 1.
    pub exploration: f64,
    /// The largest size of all nodes of the tree, in bytes, at about 40 bytes a node; default 16
    /// MiB. A full tree gets no new nodes, but counts the results of further iterations. The memory
    /// reserved for the nodes can be twice their size, and [`Mcts::advance`] needs up to as much
    /// again while it copies the nodes that it keeps. In [`IsMcts`](crate::IsMcts) a node has about
    /// 100 bytes, and 40 for each move.
    pub tree_bytes: usize,
}

impl Default for MctsParams {
    fn default() -> Self {
        Self { exploration: 1.0, tree_bytes: 16 << 20 }
    }
}

/// The largest value that is reported in games without a margin; [`Mcts::run`] has the formula.
const VALUE_MAX: f64 = 9_999.0;

/// A Monte-Carlo tree search, with the tree that it keeps from one move to the next.
///
/// ```
/// use sandboard_sdk::abi::Limits;
/// use sandboard_sdk::games::{Rules, reversi::{INFO, Reversi}};
/// use sandboard_sdk::{Host, Mcts, Random, SearchTask};
///
/// let mut position = Reversi::start(&INFO.variant("").unwrap());
/// let mut search = Mcts::<Reversi>::default();
/// let limits = Limits { nodes: Some(200), ..Limits::default() };
/// let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
/// let result = search.run(&position, task, &mut Random::seeded(1));
///
/// let best = result.best.unwrap();
/// position.make(best);
/// search.advance(&position, best);
/// assert_eq!(result.line.nodes, 200);
/// ```
#[derive(Clone, Debug)]
pub struct Mcts<R: Rules, P = RandomPlayout> {
    params: MctsParams,
    playout: P,
    tree: Tree<R::Move>,
    /// The position at the root of the tree; none: the tree is empty.
    position: Option<R>,
    /// Whether a result so far had a margin of more than 1.
    has_margins: bool,
    moves: Vec<R::Move>,
    path: Vec<NodeId>,
}

impl<R: Rules, P: Playout<R> + Default> Mcts<R, P> {
    /// A search with default playouts and an empty tree. Use one for one game.
    pub fn new(params: MctsParams) -> Self {
        Self::with_playout(P::default(), params)
    }
}

impl<R: Rules, P: Playout<R> + Default> Default for Mcts<R, P> {
    fn default() -> Self {
        Self::new(MctsParams::default())
    }
}

impl<R: Rules, P: Playout<R>> Mcts<R, P> {
    /// A search with these playouts, like [`new`](Self::new) otherwise.
    pub fn with_playout(playout: P, params: MctsParams) -> Self {
        let tree = Tree::new(params.tree_bytes);
        let (moves, path) = (Vec::new(), Vec::new());
        Self { params, playout, tree, position: None, has_margins: false, moves, path }
    }

    /// Keeps the part of the tree below a move that was played, and drops the rest. `position` is
    /// the one after the move. Call it from [`Chooser::played`](crate::Chooser::played). Without
    /// it, the next search begins with an empty tree.
    pub fn advance(&mut self, position: &R, mv: R::Move) {
        if self.position.as_ref() == Some(position) {
            // The search has pondered on it.
            return;
        }
        if let (Some(child), Some(root)) = (self.tree.child(mv), &mut self.position) {
            root.make(mv);
            if root == position {
                return self.tree.keep_below(child);
            }
        }
        self.clear();
    }

    /// Empties the tree.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.position = None;
    }

    /// Chooses a move: the one with the most visits.
    ///
    /// One iteration is one node of [`Limits::nodes`](sandboard_abi::Limits::nodes). Without any
    /// limit, the search runs until the host's `left()` is 0. A limit of depth ends the search when
    /// the expected line has that number of moves or ends the game, or when the tree is full. The
    /// result has no move if the game is over or every legal move is barred.
    ///
    /// The search reports a move before its first iteration, and then at 16, 32, 64, … iterations.
    /// The value of a line is in the game's unit. With margins it is the mean margin of the
    /// playouts through the first move. Without, for the mean result q from -1 to 1, it is
    /// 100 · q / (1 - |q|), at most 9999: 100 means three wins in four games.
    pub fn run(
        &mut self,
        position: &R,
        task: SearchTask<'_, R>,
        random: &mut Random,
    ) -> SearchResult<R::Move> {
        let mut budget = Budget::new(task.limits, task.host).with_slow_nodes();
        if self.position.as_ref() != Some(position) {
            self.clear();
            self.position = Some(position.clone());
        }
        if position.outcome().is_none() {
            self.expand(Tree::<R::Move>::ROOT, position, random);
        }
        let Some(first) = self.best(task.barred) else {
            return SearchResult { best: None, expected: Vec::new(), line: Line::default() };
        };
        let first = self.tree.node(first).mv;
        let moves = line_text(position, first.as_slice());
        task.host.report(&Line { rank: 1, moves, ..Line::default() });
        while !budget.is_soft_spent() && budget.take_node() {
            self.iterate(position, task.barred, random);
            if budget.nodes >= 16 && budget.nodes.is_power_of_two() {
                let result = self.result(position, task.barred, &mut budget);
                task.host.report(&result.line);
                if task.limits.depth.is_some_and(|depth| self.reaches(depth, position, &result)) {
                    return result;
                }
            }
        }
        self.result(position, task.barred, &mut budget)
    }

    /// Whether the expected line has `depth` moves, or cannot get so long.
    fn reaches(&self, depth: u32, position: &R, result: &SearchResult<R::Move>) -> bool {
        let mut last = position.clone();
        result.expected.iter().for_each(|mv| drop(last.make(*mv)));
        result.line.depth >= depth || last.outcome().is_some() || self.tree.is_full()
    }

    /// One iteration: selection, expansion, playout, and the update of the nodes on the path.
    fn iterate(&mut self, root: &R, barred: &[R::Move], random: &mut Random) {
        let mut position = root.clone();
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.push(Tree::<R::Move>::ROOT);
        let mut barred = barred;
        let result = loop {
            let last = path[path.len() - 1];
            if let Some(outcome) = position.outcome() {
                break PlayoutResult::of(&position, &outcome);
            }
            let node = self.tree.node(last);
            if path.len() > 1 && node.visits == 0 {
                break self.playout.play(&mut position, random);
            }
            if node.children.is_empty() {
                self.expand(last, &position, random);
            }
            let sign = if R::side(position.to_move()).0 == 0 { 1.0 } else { -1.0 };
            let exploration = self.params.exploration;
            let Some(child) = selection::select(&self.tree, last, sign, exploration, barred) else {
                // The tree is full.
                break self.playout.play(&mut position, random);
            };
            if let Some(mv) = self.tree.node(child).mv {
                position.make(mv);
            }
            path.push(child);
            // Only moves of the root are barred.
            barred = &[];
        };
        self.has_margins |= result.margin.abs() > 1.0;
        for node in &path {
            self.tree.add(*node, result);
        }
        self.path = path;
    }

    /// Gives a node its children, in random order, if the tree has room.
    fn expand(&mut self, node: NodeId, position: &R, random: &mut Random) {
        if !self.tree.node(node).children.is_empty() {
            return;
        }
        self.moves.clear();
        position.generate(MoveSet::All, &mut self.moves);
        self.moves.retain(|mv| position.is_legal(*mv));
        for last in (1..self.moves.len()).rev() {
            self.moves.swap(last, random.below(last + 1));
        }
        self.tree.expand(node, &self.moves);
    }

    /// The root's child with the most visits, the better one of equal ones; none: all are barred.
    fn best(&self, barred: &[R::Move]) -> Option<NodeId> {
        let root = Tree::<R::Move>::ROOT;
        let allowed =
            |child: &NodeId| self.tree.node(*child).mv.is_some_and(|mv| !barred.contains(&mv));
        self.most_visited(root, allowed)
    }

    fn most_visited(&self, node: NodeId, allowed: impl Fn(&NodeId) -> bool) -> Option<NodeId> {
        let mut best: Option<NodeId> = None;
        for child in self.tree.node(node).child_ids().filter(|child| allowed(child)) {
            let visits = |id: NodeId| self.tree.node(id).visits;
            if best.is_none_or(|best| visits(child) > visits(best)) {
                best = Some(child);
            }
        }
        best
    }

    /// The result so far.
    fn result(
        &self,
        position: &R,
        barred: &[R::Move],
        budget: &mut Budget,
    ) -> SearchResult<R::Move> {
        let Some(best) = self.best(barred) else {
            return SearchResult { best: None, expected: Vec::new(), line: Line::default() };
        };
        let mut expected = Vec::new();
        let mut next = Some(best);
        // A first visit says little.
        while let Some(node) = next.filter(|node| expected.is_empty() || self.is_known(*node)) {
            expected.extend(self.tree.node(node).mv);
            next = self.most_visited(node, |_| true);
        }
        let sign = if R::side(position.to_move()).0 == 0 { 1.0 } else { -1.0 };
        let score = self.tree.node(best).mean().map(|mean| Score {
            value: (sign * self.value(mean)).round() as i32,
            bound: Bound::Estimate,
        });
        let line = Line {
            rank: 1,
            score,
            depth: expected.len() as u32,
            nodes: budget.nodes,
            spent: budget.spent(),
            moves: line_text(position, &expected),
        };
        SearchResult { best: expected.first().copied(), expected, line }
    }

    fn is_known(&self, node: NodeId) -> bool {
        self.tree.node(node).visits > 1
    }

    /// A mean result as a value in the game's unit, from the view of side 0.
    fn value(&self, mean: PlayoutResult) -> f64 {
        if self.has_margins { mean.margin } else { value_of_result(mean.result) }
    }
}

/// The value of a mean result q from -1 to 1 in a game without margins.
pub(crate) fn value_of_result(q: f64) -> f64 {
    (100.0 * q / (1.0 - q.abs()).max(f64::MIN_POSITIVE)).clamp(-VALUE_MAX, VALUE_MAX)
}

/// The texts of moves that are played one after the other, separated by blanks.
fn line_text<R: Rules>(position: &R, moves: &[R::Move]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for (index, mv) in moves.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        position.write_move(*mv, &mut text);
        position.make(*mv);
    }
    text
}

#[cfg(test)]
mod tests;
