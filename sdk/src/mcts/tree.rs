//! The tree: nodes in one vector, the children of a node side by side. Knows no rules.

use std::ops::Range;

use super::playout::PlayoutResult;

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

/// A position that the search has reached, and the results of the iterations through it.
#[derive(Clone, Debug)]
pub(super) struct Node<M> {
    /// The move that leads to it; none: it is the root.
    pub(super) mv: Option<M>,
    /// The number of iterations through it.
    pub(super) visits: u32,
    /// Indices of its children; empty if it has not been expanded.
    pub(super) children: Range<u32>,
    /// The sum of the results, from the view of side 0.
    sum: PlayoutResult,
}

impl<M> Node<M> {
    fn new(mv: Option<M>) -> Self {
        Self { mv, visits: 0, children: 0..0, sum: PlayoutResult::default() }
    }

    /// The ids of its children.
    pub(super) fn child_ids(&self) -> impl Iterator<Item = NodeId> + use<M> {
        self.children.clone().map(NodeId)
    }

    /// The mean of the results, from the view of side 0; none: it was not visited.
    pub(super) fn mean(&self) -> Option<PlayoutResult> {
        let visits = f64::from(self.visits);
        let PlayoutResult { result, margin } = self.sum;
        (self.visits > 0)
            .then(|| PlayoutResult { result: result / visits, margin: margin / visits })
    }
}

/// The nodes of one search.
#[derive(Clone, Debug)]
pub(super) struct Tree<M> {
    nodes: Vec<Node<M>>,
    nodes_max: usize,
    /// Whether a node got no children for lack of room.
    is_full: bool,
}

impl<M: Copy + PartialEq> Tree<M> {
    /// The node of the position to search.
    pub(super) const ROOT: NodeId = NodeId(0);

    /// A tree with a root, which may grow to this size.
    pub(super) fn new(bytes: usize) -> Self {
        let nodes_max = (bytes / size_of::<Node<M>>()).min(u32::MAX as usize);
        Self { nodes: vec![Node::new(None)], nodes_max, is_full: false }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes.push(Node::new(None));
        self.is_full = false;
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<M> {
        &self.nodes[id.0 as usize]
    }

    /// The root's child with this move.
    pub(super) fn child(&self, mv: M) -> Option<NodeId> {
        self.node(Self::ROOT).child_ids().find(|id| self.node(*id).mv == Some(mv))
    }

    /// Adds the result of an iteration to a node.
    pub(super) fn add(&mut self, id: NodeId, PlayoutResult { result, margin }: PlayoutResult) {
        let node = &mut self.nodes[id.0 as usize];
        node.visits = node.visits.saturating_add(1);
        node.sum.result += result;
        node.sum.margin += margin;
    }

    /// Gives a node a child for each of these moves if there is room; the root always gets them.
    pub(super) fn expand(&mut self, id: NodeId, moves: &[M]) {
        let first = self.nodes.len();
        if id != Self::ROOT && first + moves.len() > self.nodes_max {
            self.is_full = true;
            return;
        }
        self.nodes.extend(moves.iter().map(|mv| Node::new(Some(*mv))));
        self.nodes[id.0 as usize].children = first as u32..(first + moves.len()) as u32;
    }

    /// Makes this node the root, and drops all nodes that are not below it.
    pub(super) fn keep_below(&mut self, id: NodeId) {
        let root = Node { mv: None, ..self.node(id).clone() };
        let mut kept = vec![root];
        let mut next = 0;
        while next < kept.len() {
            let children = kept[next].children.clone();
            let first = kept.len() as u32;
            kept.extend(children.map(|child| self.nodes[child as usize].clone()));
            kept[next].children = first..kept.len() as u32;
            next += 1;
        }
        self.nodes = kept;
        self.is_full = false;
    }

    /// Whether a node got no children for lack of room.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The number of nodes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The most nodes, the children of the root excepted.
    #[cfg(test)]
    pub(super) fn nodes_max(&self) -> usize {
        self.nodes_max
    }
}
