//! The tree of [`IsMcts`](super::IsMcts): one node for each information set of a seat, found by the
//! seat and a hash of what it has seen. Knows no rules.

use std::collections::BTreeMap;

use crate::mcts::selection::ln;
use crate::random::Random;

/// The size of a node without its moves, in bytes: its share of the map, and a vector.
const NODE_BYTES: usize = 96;

/// An information set: a seat, and a hash of what it has seen since the root.
pub(super) type Key = (u8, u64);

/// A move of a node, with the results of the iterations that chose it.
#[derive(Clone, Debug)]
pub(super) struct Child<M> {
    pub(super) mv: M,
    /// The number of iterations that chose it.
    pub(super) visits: u32,
    /// The number of iterations that could have chosen it.
    available: u32,
    /// The sum of the results for the seat of the node.
    sum: f64,
}

impl<M> Child<M> {
    /// The mean of the results; 0 without a visit.
    pub(super) fn mean(&self) -> f64 {
        self.sum / f64::from(self.visits.max(1))
    }
}

/// The hash of a seat that has seen nothing since the root.
pub(super) const ROOT: u64 = 0;

/// The parameters of the selection rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectionRule {
    /// The weight of exploration.
    pub(super) exploration: f64,
    /// The smallest and the largest result of the seat so far.
    pub(super) range: [f64; 2],
    /// Whether other seats choose at the same time.
    pub(super) is_shared: bool,
}

impl SelectionRule {
    /// A mean result on a scale from -1, the smallest so far, to 1, the largest.
    fn normalize(&self, mean: f64) -> f64 {
        let [low, high] = self.range;
        if high > low { 2.0 * (mean - low) / (high - low) - 1.0 } else { 0.0 }
    }

    /// The upper bound of a move; infinite if it was never chosen.
    ///
    /// If several seats choose at the same time, the weight of exploration is random, from half to
    /// one and a half of the parameter. With a fixed weight the seats get into step with each
    /// other: in matching pennies one of them then wins two rounds of three. Stochastic rules are
    /// better there (P. Perick et al., "Comparison of Different Selection Strategies in Monte-Carlo
    /// Tree Search for the Game of Tron", IEEE CIG 2012).
    fn bound<M>(&self, child: &Child<M>, ln_available: f64, random: &mut Random) -> f64 {
        if child.visits == 0 {
            return f64::INFINITY;
        }
        let spread = ln_available / f64::from(child.visits);
        let factor = if self.is_shared { 0.5 + random.unit() } else { 1.0 };
        self.normalize(child.mean()) + factor * self.exploration * spread.sqrt()
    }
}

/// A move to play in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// The index of the move among those that are available.
    pub(super) index: usize,
    /// The index among the moves of the node; `None`: there is no room for a node.
    pub(super) child: Option<usize>,
    /// Whether no iteration chose it before.
    pub(super) is_first: bool,
}

/// The nodes of one search.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    nodes: BTreeMap<Key, Vec<Child<M>>>,
    bytes: usize,
    bytes_max: usize,
}

impl<M: Clone + PartialEq> Tree<M> {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { nodes: BTreeMap::new(), bytes: 0, bytes_max }
    }

    /// The moves of a node; none: no iteration was there.
    pub(super) fn children(&self, key: Key) -> &[Child<M>] {
        self.nodes.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Chooses one of the available moves, of which there is at least one: the one with the largest
    /// upper bound, which is infinite for a move that was never chosen. Of equal ones it takes one
    /// at random.
    pub(super) fn select(
        &mut self,
        key: Key,
        available: &[M],
        rule: SelectionRule,
        random: &mut Random,
    ) -> Selection {
        let size = NODE_BYTES + available.len() * size_of::<Child<M>>();
        if !self.nodes.contains_key(&key) {
            if key.1 != ROOT && self.bytes + size > self.bytes_max {
                let index = random.below(available.len());
                return Selection { index, child: None, is_first: true };
            }
            self.bytes += NODE_BYTES;
        }
        let children = self.nodes.entry(key).or_default();
        let known = children.len();
        let mut best: Option<(f64, Selection)> = None;
        // The number of moves with the best bound so far: one of them is chosen at random.
        let mut equal = 0;
        let mut place = 0;
        // Nearly all moves of a node were available equally often.
        let mut last_ln = (1, 0.0);
        for (index, mv) in available.iter().enumerate() {
            let child = find_or_add(children, mv, place);
            place = child + 1;
            let entry = &mut children[child];
            entry.available = entry.available.saturating_add(1);
            if entry.available != last_ln.0 {
                last_ln = (entry.available, ln(entry.available));
            }
            let bound = rule.bound(entry, last_ln.1, random);
            match best {
                Some((best, _)) if bound < best => continue,
                Some((best, _)) if bound == best => equal += 1,
                _ => equal = 1,
            }
            if equal == 1 || random.below(equal) == 0 {
                let is_first = entry.visits == 0;
                best = Some((bound, Selection { index, child: Some(child), is_first }));
            }
        }
        // In other worlds a seat may have other moves.
        self.bytes += (children.len() - known) * size_of::<Child<M>>();
        best.map_or(Selection { index: 0, child: None, is_first: true }, |(_, it)| it)
    }

    /// Adds the result of an iteration to a move.
    pub(super) fn add(&mut self, key: Key, child: usize, result: f64) {
        if let Some(child) = self.nodes.get_mut(&key).and_then(|node| node.get_mut(child)) {
            child.visits = child.visits.saturating_add(1);
            child.sum += result;
        }
    }

    /// The size of all nodes with their moves, in bytes.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let moves = |node: &Vec<Child<M>>| node.len() * size_of::<Child<M>>();
        self.nodes.values().map(|node| NODE_BYTES + moves(node)).sum()
    }

    /// The number of nodes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// The index of a move among the moves of a node, which gets the move if it is not there. The moves
/// come nearly always in the same order, so the search begins at `place`.
fn find_or_add<M: Clone + PartialEq>(children: &mut Vec<Child<M>>, mv: &M, place: usize) -> usize {
    let (before, after) = children.split_at(place.min(children.len()));
    let found = after.iter().position(|child| child.mv == *mv).map(|index| before.len() + index);
    found.or_else(|| before.iter().position(|child| child.mv == *mv)).unwrap_or_else(|| {
        children.push(Child { mv: mv.clone(), visits: 0, available: 0, sum: 0.0 });
        children.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_come_later_count_for_the_size() {
        let rule = SelectionRule { exploration: 1.0, range: [0.0, 1.0], is_shared: false };
        let mut random = Random::seeded(1);
        let mut tree = Tree::new(3 * NODE_BYTES);
        for moves in [[1, 2], [2, 3], [4, 5]] {
            assert!(tree.select((0, ROOT), &moves, rule, &mut random).child.is_some());
            assert_eq!(tree.bytes, tree.bytes());
        }
        // The node of the root has used the room of another one.
        assert_eq!(tree.select((0, 7), &[1], rule, &mut random).child, None);
        assert_eq!((tree.len(), tree.children((0, ROOT)).len()), (1, 5));
    }
}
