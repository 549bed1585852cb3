//! Maximum matchings in general graphs, used for Swiss pairings: J. Edmonds, *Paths, trees, and
//! flowers*, Canad. J. Math. 17 (1965). Knows no players or scores.

use std::collections::VecDeque;

/// A graph of allowed pairs with a maximum matching.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    allowed: Vec<Vec<bool>>,
    /// The vertices that are still in the graph.
    present: Vec<bool>,
    mate: Vec<Option<usize>>,
}

impl Matching {
    /// Finds a maximum matching of a symmetric graph.
    pub(super) fn new(allowed: Vec<Vec<bool>>) -> Self {
        let n = allowed.len();
        let mut matching = Self { allowed, present: vec![true; n], mate: vec![None; n] };
        (0..n).for_each(|vertex| {
            matching.augment(vertex);
        });
        matching
    }

    /// The number of unmatched vertices.
    pub(super) fn unmatched(&self) -> usize {
        (0..self.mate.len()).filter(|it| self.present[*it] && self.mate[*it].is_none()).count()
    }

    /// Removes a vertex and restores a maximum matching of the rest.
    pub(super) fn remove(&mut self, vertex: usize) {
        self.present[vertex] = false;
        if let Some(mate) = self.mate[vertex].take() {
            self.mate[mate] = None;
            self.augment(mate);
        }
    }

    /// Removes two vertices as a matched pair, if the rest then has no more unmatched vertices than
    /// before. Otherwise returns false and changes nothing.
    pub(super) fn fix_pair(&mut self, a: usize, b: usize) -> bool {
        if !(self.allowed[a][b] && self.present[a] && self.present[b]) {
            return false;
        }
        let before = (self.mate.clone(), self.unmatched());
        for vertex in [a, b] {
            self.present[vertex] = false;
            if let Some(mate) = self.mate[vertex].take() {
                self.mate[mate] = None;
            }
        }
        for vertex in 0..self.mate.len() {
            self.augment(vertex);
        }
        // The pair itself may have been two of the unmatched vertices.
        if self.unmatched() <= before.1 {
            return true;
        }
        self.mate = before.0;
        (self.present[a], self.present[b]) = (true, true);
        false
    }

    /// Searches an augmenting path from an unmatched vertex.
    fn augment(&mut self, root: usize) -> bool {
        if !self.present[root] || self.mate[root].is_some() {
            return false;
        }
        let n = self.mate.len();
        let mut parent: Vec<Option<usize>> = vec![None; n];
        let mut base: Vec<usize> = (0..n).collect();
        let mut outer = vec![false; n];
        outer[root] = true;
        let mut open = VecDeque::from([root]);
        while let Some(from) = open.pop_front() {
            for to in 0..n {
                let usable = self.allowed[from][to] && self.present[to];
                if !usable || base[from] == base[to] || self.mate[from] == Some(to) {
                    continue;
                }
                let mate_is_outer = self.mate[to].is_some_and(|mate| parent[mate].is_some());
                if to == root || mate_is_outer {
                    // A blossom: an odd cycle, which is contracted to its base.
                    let stem = self.common_base(&base, &parent, from, to);
                    let mut blossom = vec![false; n];
                    self.mark_blossom(&mut blossom, &base, &mut parent, from, stem, to);
                    self.mark_blossom(&mut blossom, &base, &mut parent, to, stem, from);
                    for vertex in 0..n {
                        if blossom[base[vertex]] {
                            base[vertex] = stem;
                            if !outer[vertex] {
                                outer[vertex] = true;
                                open.push_back(vertex);
                            }
                        }
                    }
                } else if parent[to].is_none() {
                    parent[to] = Some(from);
                    match self.mate[to] {
                        None => {
                            self.flip(&parent, to);
                            return true;
                        }
                        Some(mate) => {
                            outer[mate] = true;
                            open.push_back(mate);
                        }
                    }
                }
            }
        }
        false
    }

    /// Swaps matched and unmatched edges along the augmenting path that ends here.
    fn flip(&mut self, parent: &[Option<usize>], end: usize) {
        let mut at = Some(end);
        while let Some(to) = at {
            let Some(from) = parent[to] else { break };
            at = self.mate[from];
            self.mate[to] = Some(from);
            self.mate[from] = Some(to);
        }
    }

    /// The lowest common base of two vertices on their paths to the root.
    fn common_base(&self, base: &[usize], parent: &[Option<usize>], a: usize, b: usize) -> usize {
        let up = |vertex: usize| self.mate[vertex].and_then(|mate| parent[mate]);
        let mut seen = vec![false; base.len()];
        let mut at = base[a];
        loop {
            seen[at] = true;
            match up(at) {
                Some(next) => at = base[next],
                None => break,
            }
        }
        let mut at = base[b];
        while !seen[at] {
            match up(at) {
                Some(next) => at = base[next],
                None => break,
            }
        }
        at
    }

    fn mark_blossom(
        &self,
        blossom: &mut [bool],
        base: &[usize],
        parent: &mut [Option<usize>],
        from: usize,
        stem: usize,
        child: usize,
    ) {
        let (mut at, mut child) = (from, child);
        while base[at] != stem {
            let Some(mate) = self.mate[at] else { break };
            (blossom[base[at]], blossom[base[mate]]) = (true, true);
            parent[at] = Some(child);
            child = mate;
            match parent[mate] {
                Some(next) => at = next,
                None => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut allowed = vec![vec![false; n]; n];
        for (a, b) in edges {
            if a != b {
                (allowed[*a][*b], allowed[*b][*a]) = (true, true);
            }
        }
        allowed
    }

    /// The smallest possible number of unmatched vertices, by exhaustive search.
    fn fewest_unmatched(allowed: &[Vec<bool>], present: &mut Vec<bool>) -> usize {
        let Some(first) = present.iter().position(|it| *it) else { return 0 };
        present[first] = false;
        let mut best = 1 + fewest_unmatched(allowed, present);
        for other in 0..present.len() {
            if present[other] && allowed[first][other] {
                present[other] = false;
                best = best.min(fewest_unmatched(allowed, present));
                present[other] = true;
            }
        }
        present[first] = true;
        best
    }

    #[test]
    fn cycles_and_stars() {
        let check = |n, edges: &[(usize, usize)], unmatched| {
            assert_eq!(Matching::new(graph(n, edges)).unmatched(), unmatched, "{edges:?}");
        };
        check(4, &[(0, 1), (1, 2), (2, 3)], 0);
        check(4, &[(0, 1), (0, 2), (0, 3)], 2);
        check(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], 1);
        // Two triangles joined by an edge: only a matching through both blossoms is perfect.
        check(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], 0);
        check(6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], 2);
    }

    proptest! {
        #[test]
        fn matchings_are_maximum_and_stay_so(
            n in 1..9_usize,
            edges in proptest::collection::vec((0..9_usize, 0..9_usize), 0..20),
        ) {
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % n, b % n)).collect();
            let allowed = graph(n, &edges);
            let mut matching = Matching::new(allowed.clone());
            let mut present = vec![true; n];
            let least = fewest_unmatched(&allowed, &mut present);
            prop_assert_eq!(matching.unmatched(), least);
            for a in 0..n {
                for b in a + 1..n {
                    if present[a] && present[b] && allowed[a][b] {
                        let mut rest = present.clone();
                        (rest[a], rest[b]) = (false, false);
                        let possible = fewest_unmatched(&allowed, &mut rest) == least;
                        prop_assert_eq!(matching.fix_pair(a, b), possible, "{} {}", a, b);
                        if possible {
                            present = rest;
                        }
                    }
                }
            }
        }
    }
}
