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

/// Which places are the same. A union-find structure.
#[derive(Debug)]
pub(crate) struct Places {
    /// For each place another one that is the same, or itself.
    parents: Vec<u32>,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { parents: vec![EXACT.0] }
    }

    /// A new place.
    pub(crate) fn add(&mut self) -> Place {
        let place = self.parents.len() as u32;
        self.parents.push(place);
        Place(place)
    }

    /// Makes two places the same. Returns whether they were different.
    pub(crate) fn join(&mut self, one: Place, other: Place) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        // The lower one remains, so that `EXACT` represents itself.
        self.parents[one.0.max(other.0) as usize] = one.0.min(other.0);
        one != other
    }

    /// The representative of a place.
    fn find(&mut self, place: Place) -> Place {
        let mut at = place.0;
        while self.parents[at as usize] != at {
            // Shortens the way for the next time.
            let parent = self.parents[at as usize];
            self.parents[at as usize] = self.parents[parent as usize];
            at = self.parents[at as usize];
        }
        Place(at)
    }
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

/// The advance of each place.
#[derive(Debug)]
pub(crate) struct Advances {
    places: Places,
    advances: Vec<i64>,
}

impl Advances {
    /// Chooses advances that leave as few charges as possible, first in the innermost loops.
    pub(crate) fn choose(mut places: Places, segments: &[Segment]) -> Self {
        let count = places.parents.len();
        let sum = segments.iter().fold(0_i64, |sum, s| sum.saturating_add(s.parts));
        let mut advances = vec![0; count];
        if sum > MOVED_MAX {
            return Self { places, advances };
        }
        let ends = |s: &Segment, places: &mut Places| (places.find(s.before), places.find(s.after));
        // The neighbours of each place in the spanning forest, and the advance of the neighbour
        // minus that of the place.
        let mut neighbours = vec![Vec::new(); count];
        let mut order: Vec<&Segment> = segments.iter().collect();
        order.sort_by_key(|s| (s.cold, std::cmp::Reverse(s.loops)));
        let mut trees = Places { parents: (0..count as u32).collect() };
        for segment in order {
            let (before, after) = ends(segment, &mut places);
            if trees.join(before, after) {
                neighbours[before.0 as usize].push((after, -segment.parts));
                neighbours[after.0 as usize].push((before, segment.parts));
            }
        }
        let mut known = vec![false; count];
        let mut stack = Vec::new();
        for root in 0..count as u32 {
            if !known[root as usize] {
                known[root as usize] = true;
                stack.push(Place(root));
            }
            while let Some(place) = stack.pop() {
                for &(next, difference) in &neighbours[place.0 as usize] {
                    if !known[next.0 as usize] {
                        known[next.0 as usize] = true;
                        advances[next.0 as usize] = advances[place.0 as usize] + difference;
                        stack.push(next);
                    }
                }
            }
        }
        Self { places, advances }
    }

    /// The advance of a place.
    pub(crate) fn of(&mut self, place: Place) -> i64 {
        let place = self.places.find(place);
        self.advances[place.0 as usize]
    }

    /// What is charged for a segment.
    pub(crate) fn charge(&mut self, segment: &Segment) -> i64 {
        segment.parts - self.of(segment.before) + self.of(segment.after)
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
        let mut advances = Advances::choose(places, &segments);
        let charges: Vec<_> = segments.iter().map(|s| advances.charge(s)).collect();
        assert_eq!(charges, expected);
        assert_eq!(advances.of(EXACT), 0);
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
