//! Moves charges between segments so that as few as possible remain in loops. No call, check or
//! result changes: the counter in the local only has to be right where it is written to the global,
//! and where it is checked.
//!
//! Between those points the counter may differ by an amount that depends on the place: its
//! *advance* is what has been charged too early. A segment with the price `p` between places with
//! the advances `a` (before) and `b` (after) is charged `p - a + b`. Seen as a graph, places are
//! vertices and segments are edges. If the segments of a spanning tree determine the advances, all
//! of them are charged nothing. This is the placement of counters of Knuth, and of Ball and Larus,
//! "Optimally profiling and tracing programs" (1994).

/// A place between segments. Segments meet at a place if control goes from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// Where the counter in the local is the exact one: entry and ends of a function, and after a call.
pub(crate) const EXACT: Place = Place(0);

/// Sums above this are charged where they are, so that no advance overflows.
const MOVED_MAX: i64 = 1 << 50;

/// The places of a function and their advances, as far as they are known: a union-find structure
/// with differences.
#[derive(Debug)]
pub(crate) struct Places {
    /// For each place a lower one whose advance differs by a known amount, or itself.
    parents: Vec<u32>,
    /// The advance of each place minus that of its parent.
    differences: Vec<i64>,
}

/// A segment as an edge of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The place before it.
    pub before: Place,
    /// The place after it.
    pub after: Place,
    /// Its price in parts of a unit, without charges by size.
    pub parts: i64,
    /// Number of loops around it.
    pub loops: u32,
    /// It ends with a call that does not return.
    pub cold: bool,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { parents: vec![EXACT.0], differences: vec![0] }
    }

    /// A new place.
    pub(crate) fn add(&mut self) -> Place {
        let place = self.parents.len() as u32;
        self.parents.push(place);
        self.differences.push(0);
        Place(place)
    }

    /// Makes two places the same. All calls come before [`choose`](Self::choose).
    pub(crate) fn join(&mut self, one: Place, other: Place) {
        self.relate(one, other, 0);
    }

    /// Chooses the advances so that as few charges as possible remain, first in the innermost
    /// loops. The segments that decide about an advance form a spanning forest.
    pub(crate) fn choose(&mut self, segments: &[Segment]) {
        let sum = segments.iter().fold(0_i64, |sum, s| sum.saturating_add(s.parts));
        if sum <= MOVED_MAX {
            let mut order: Vec<&Segment> = segments.iter().collect();
            order.sort_by_key(|s| (s.cold, std::cmp::Reverse(s.loops)));
            order.iter().for_each(|s| self.relate(s.before, s.after, s.parts));
        }
    }

    /// The advance of a place.
    pub(crate) fn advance(&mut self, place: Place) -> i64 {
        self.find(place).1
    }

    /// What is charged for a segment.
    pub(crate) fn charge(&mut self, segment: &Segment) -> i64 {
        segment.parts - self.advance(segment.before) + self.advance(segment.after)
    }

    /// Gives `one` the advance of `other` and this much more, if their difference is not known.
    fn relate(&mut self, one: Place, other: Place, more: i64) {
        let (root, advance) = self.find(one);
        let (other_root, other_advance) = self.find(other);
        let difference = other_advance + more - advance;
        // The lower one remains, so that the advance of `EXACT` is always 0.
        if root > other_root {
            self.parents[root as usize] = other_root;
            self.differences[root as usize] = difference;
        } else if root < other_root {
            self.parents[other_root as usize] = root;
            self.differences[other_root as usize] = -difference;
        }
    }

    /// The lowest place whose difference is known, and the difference to it.
    fn find(&mut self, place: Place) -> (u32, i64) {
        let mut at = place.0 as usize;
        let mut difference = 0;
        while self.parents[at] as usize != at {
            // Shortens the way for the next time.
            let parent = self.parents[at] as usize;
            self.differences[at] += self.differences[parent];
            self.parents[at] = self.parents[parent];
            difference += self.differences[at];
            at = self.parents[at] as usize;
        }
        (at as u32, difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is charged for segments, each given by the places before and after it, its price
    /// and the number of loops around it. Place 0 is exact.
    #[track_caller]
    fn check(segments: &[(u32, u32, i64, u32)], expected: &[i64]) {
        let mut places = Places::new();
        let last = segments.iter().map(|s| s.0.max(s.1)).max().unwrap();
        for _ in 0..last {
            places.add();
        }
        let segments: Vec<_> = segments
            .iter()
            .map(|&(before, after, parts, loops)| Segment {
                before: Place(before),
                after: Place(after),
                parts,
                loops,
                cold: false,
            })
            .collect();
        places.choose(&segments);
        let charges: Vec<_> = segments.iter().map(|s| places.charge(s)).collect();
        assert_eq!(charges, expected);
        assert_eq!(places.advance(EXACT), 0);
    }

    #[test]
    fn a_sequence_is_charged_once() {
        check(&[(0, 0, 5, 0)], &[5]);
        check(&[(0, 1, 5, 0), (1, 2, 6, 0), (2, 0, 7, 0)], &[0, 0, 18]);
    }

    #[test]
    fn arms_are_charged_their_difference() {
        // Before, two arms, after.
        check(&[(0, 1, 5, 0), (1, 2, 3, 0), (1, 2, 4, 0), (2, 0, 7, 0)], &[0, 0, 1, 15]);
    }

    #[test]
    fn a_loop_is_charged_once() {
        // Before, head, rest of the loop, after.
        check(&[(0, 1, 5, 0), (1, 2, 3, 1), (2, 1, 4, 1), (2, 0, 6, 0)], &[0, 0, 7, 14]);
    }

    #[test]
    fn huge_prices_stay_where_they_are() {
        check(&[(0, 1, 1 << 50, 0), (1, 0, 5, 0)], &[1 << 50, 5]);
    }
}
