//! Largest matchings in any graph, and the first one in an order of wishes: J. Edmonds, *Paths, trees, and
//! flowers*, Canad. J. Math. 17 (1965). Pure.

use std::collections::VecDeque;

/// Who may be paired with whom, and who is.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    allowed: Vec<Vec<bool>>,
    /// Who is still to be paired.
    here: Vec<bool>,
    mate: Vec<Option<usize>>,
}

impl Matching {
    /// A largest matching of a symmetric graph.
    pub fn new(allowed: Vec<Vec<bool>>) -> Self {
        let n = allowed.len();
        let mut matching = Self { allowed, here: vec![true; n], mate: vec![None; n] };
        (0..n).for_each(|place| {
            matching.extend(place);
        });
        matching
    }

    /// How many are here and without a mate.
    pub fn single(&self) -> usize {
        (0..self.mate.len()).filter(|it| self.here[*it] && self.mate[*it].is_none()).count()
    }

    /// Takes somebody out; the rest are matched as largely as they can be.
    pub fn remove(&mut self, place: usize) {
        self.here[place] = false;
        if let Some(mate) = self.mate[place].take() {
            self.mate[mate] = None;
            self.extend(mate);
        }
    }

    /// Takes two out as a pair, if the rest can then be matched as largely as before. False,
    /// and nothing changes, if not.
    pub fn settle(&mut self, a: usize, b: usize) -> bool {
        if !(self.allowed[a][b] && self.here[a] && self.here[b]) {
            return false;
        }
        let before = (self.mate.clone(), self.single());
        for place in [a, b] {
            self.here[place] = false;
            if let Some(mate) = self.mate[place].take() {
                self.mate[mate] = None;
            }
        }
        for place in 0..self.mate.len() {
            self.extend(place);
        }
        // Two of those without a mate may have been the pair itself.
        if self.single() <= before.1 {
            return true;
        }
        self.mate = before.0;
        (self.here[a], self.here[b]) = (true, true);
        false
    }

    /// Finds a mate for somebody who has none, by changing others' mates where that is needed.
    fn extend(&mut self, root: usize) -> bool {
        if !self.here[root] || self.mate[root].is_some() {
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
                let usable = self.allowed[from][to] && self.here[to];
                if !usable || base[from] == base[to] || self.mate[from] == Some(to) {
                    continue;
                }
                let mate_is_outer = self.mate[to].is_some_and(|mate| parent[mate].is_some());
                if to == root || mate_is_outer {
                    // A blossom: an odd circle, which shrinks to its base.
                    let stem = self.common(&base, &parent, from, to);
                    let mut blossom = vec![false; n];
                    self.mark(&mut blossom, &base, &mut parent, from, stem, to);
                    self.mark(&mut blossom, &base, &mut parent, to, stem, from);
                    for place in 0..n {
                        if blossom[base[place]] {
                            base[place] = stem;
                            if !outer[place] {
                                outer[place] = true;
                                open.push_back(place);
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

    /// Exchanges matched and unmatched along the path that ends here.
    fn flip(&mut self, parent: &[Option<usize>], end: usize) {
        let mut at = Some(end);
        while let Some(to) = at {
            let Some(from) = parent[to] else { break };
            at = self.mate[from];
            self.mate[to] = Some(from);
            self.mate[from] = Some(to);
        }
    }

    /// The nearest base that both have on their way to the root.
    fn common(&self, base: &[usize], parent: &[Option<usize>], a: usize, b: usize) -> usize {
        let up = |place: usize| self.mate[place].and_then(|mate| parent[mate]);
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

    fn mark(
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

    /// How few stay single, by trying everything.
    fn fewest(allowed: &[Vec<bool>], here: &mut Vec<bool>) -> usize {
        let Some(first) = here.iter().position(|it| *it) else { return 0 };
        here[first] = false;
        let mut best = 1 + fewest(allowed, here);
        for other in 0..here.len() {
            if here[other] && allowed[first][other] {
                here[other] = false;
                best = best.min(fewest(allowed, here));
                here[other] = true;
            }
        }
        here[first] = true;
        best
    }

    #[test]
    fn circles_and_stars() {
        let check = |n, edges: &[(usize, usize)], single| {
            assert_eq!(Matching::new(graph(n, edges)).single(), single, "{edges:?}");
        };
        check(4, &[(0, 1), (1, 2), (2, 3)], 0);
        check(4, &[(0, 1), (0, 2), (0, 3)], 2);
        check(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], 1);
        // Two triangles by a bridge: a matching only through both blossoms.
        check(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)], 0);
        check(6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], 2);
    }

    proptest! {
        #[test]
        fn largest_and_kept_so(n in 1..9_usize, edges in proptest::collection::vec((0..9_usize, 0..9_usize), 0..20)) {
            let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % n, b % n)).collect();
            let allowed = graph(n, &edges);
            let mut matching = Matching::new(allowed.clone());
            let mut here = vec![true; n];
            let least = fewest(&allowed, &mut here);
            prop_assert_eq!(matching.single(), least);
            for a in 0..n {
                for b in a + 1..n {
                    if here[a] && here[b] && allowed[a][b] {
                        let mut rest = here.clone();
                        (rest[a], rest[b]) = (false, false);
                        let possible = fewest(&allowed, &mut rest) == least;
                        prop_assert_eq!(matching.settle(a, b), possible, "{} {}", a, b);
                        if possible {
                            here = rest;
                        }
                    }
                }
            }
        }
    }
}
