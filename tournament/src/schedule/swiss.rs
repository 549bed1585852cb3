//! The Swiss system, after the principles of FIDE's Dutch one (*FIDE Handbook*, C.04.3): groups of like
//! scores, in each the first of the upper half against the first of the lower half and so on, who is left
//! goes down; nobody meets the same opponent twice; with an odd number the lowest who had none has a bye,
//! which counts as a pair won. Seats are exchanged within a pair, so colours need no rule.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::Matching;
use super::state::{Next, Pairing, State};

/// Half points of a bye, or of a pair that fell out with the opponent.
const BYE: u64 = 4;

/// The planner.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    rounds: u32,
    byes: BTreeMap<u32, u64>,
}

impl Swiss {
    pub fn new(rounds: u32) -> Self {
        Self { rounds, byes: BTreeMap::new() }
    }

    pub fn next(&mut self, state: &State) -> Next {
        if state.round >= self.rounds {
            return Next::End;
        }
        let points = self.points(state);
        let mut order = state.active();
        order.sort_by_key(|player| {
            let points = points.get(player).copied().unwrap_or(0);
            (std::cmp::Reverse((points, state.rating(*player))), state.lot(*player))
        });
        let of = |player: &u32| points.get(player).copied().unwrap_or(0);
        let scores: Vec<u64> = order.iter().map(of).collect();
        let byes: Vec<u64> = order.iter().map(|p| self.byes.get(p).copied().unwrap_or(0)).collect();
        let (pairs, resting) = pair_up(&order, &scores, &byes, &met(state));
        if pairs.is_empty() {
            return Next::End;
        }
        resting.into_iter().for_each(|player| *self.byes.entry(player).or_default() += 1);
        let pairing = |players| Pairing { players, opening: state.round };
        Next::Round(state.round, pairs.into_iter().map(pairing).collect())
    }

    /// Half points of everybody without a game: byes, and pairs that fell out with the opponent.
    pub fn byes(&self, state: &State) -> BTreeMap<u32, u64> {
        let mut free: BTreeMap<u32, u64> =
            self.byes.iter().map(|(player, n)| (*player, BYE * n)).collect();
        for slot in state.slots.iter().filter(|slot| slot.out) {
            let [a, b] = slot.pair.players;
            let stayed = match (state.is_withdrawn(a), state.is_withdrawn(b)) {
                (true, false) => Some(b),
                (false, true) => Some(a),
                _ => None,
            };
            stayed.into_iter().for_each(|player| *free.entry(player).or_default() += BYE);
        }
        free
    }

    fn points(&self, state: &State) -> BTreeMap<u32, u64> {
        let mut points = self.byes(state);
        for slot in state.slots {
            for (player, won) in
                slot.pair.players.into_iter().zip(slot.points().unwrap_or_default())
            {
                *points.entry(player).or_default() += won;
            }
        }
        points
    }
}

/// Who was paired, be it that the pair fell out.
fn met(state: &State) -> BTreeSet<[u32; 2]> {
    let both = state.slots.iter().map(|slot| slot.pair.players);
    both.flat_map(|[a, b]| [[a, b], [b, a]]).collect()
}

/// Pairs of players in the order of their places, and who rests. As many as can be are paired; of
/// those ways the one in which the first has the partner he should have, then the next, and so on.
fn pair_up(
    order: &[u32],
    scores: &[u64],
    byes: &[u64],
    met: &BTreeSet<[u32; 2]>,
) -> (Vec<[u32; 2]>, Vec<u32>) {
    let n = order.len();
    let may = |a: usize, b: usize| a != b && !met.contains(&[order[a], order[b]]);
    let allowed = (0..n).map(|a| (0..n).map(|b| may(a, b)).collect()).collect();
    let mut matching = Matching::new(allowed);
    let mut open: Vec<usize> = (0..n).collect();
    let mut resting = Vec::new();
    if n % 2 == 1 {
        let mut lowest = open.clone();
        lowest.sort_by_key(|place| (byes[*place], std::cmp::Reverse(*place)));
        let single = matching.single();
        let without = |place: &usize| {
            let mut rest = matching.clone();
            rest.remove(*place);
            (rest.single() < single).then_some((*place, rest))
        };
        if let Some((place, rest)) = lowest.iter().find_map(without) {
            matching = rest;
            open.retain(|other| *other != place);
            resting.push(order[place]);
        }
    }
    let mut pairs = Vec::new();
    while let Some(first) = open.first().copied() {
        let wished = wishes(&open, scores);
        let found = wished.into_iter().find(|other| matching.settle(first, *other));
        open.retain(|place| *place != first && Some(*place) != found);
        match found {
            Some(other) => pairs.push([order[first], order[other]]),
            None => {
                matching.remove(first);
                resting.push(order[first]);
            }
        }
    }
    (pairs, resting)
}

/// Partners of the first, the best one first: the lower half of his group from its first on, the
/// upper half from its last on, the groups below.
fn wishes(open: &[usize], scores: &[u64]) -> Vec<usize> {
    let group = open.iter().take_while(|place| scores[**place] == scores[open[0]]).count();
    let half = (group / 2).max(1);
    let lower = open[half.min(group)..group].iter();
    let upper = open[1..half.min(group)].iter().rev();
    lower.chain(upper).chain(&open[group..]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Players by place with their scores; who met; `a-b` for pairs, a number for who rests.
    fn check(scores: &[u64], byes: &[u64], met: &[[u32; 2]], expected: &str) {
        let order: Vec<u32> = (0..scores.len() as u32).collect();
        let met = met.iter().flat_map(|[a, b]| [[*a, *b], [*b, *a]]).collect();
        let (pairs, resting) = pair_up(&order, scores, byes, &met);
        let pairs = pairs.iter().map(|[a, b]| format!("{a}-{b}"));
        let text: Vec<String> = pairs.chain(resting.iter().map(u32::to_string)).collect();
        assert_eq!(text.join(" "), expected, "{scores:?} {met:?}");
    }

    #[test]
    fn rounds() {
        let none = [0; 8];
        check(&[0; 8], &none, &[], "0-4 1-5 2-6 3-7");
        check(&[4, 4, 4, 4, 0, 0, 0, 0], &none, &[], "0-2 1-3 4-6 5-7");
        // Who should meet has met: the next of the lower half.
        check(&[4, 4, 4, 4, 0, 0, 0, 0], &none, &[[0, 2]], "0-3 1-2 4-6 5-7");
        // A group of three: the last goes down.
        check(&[4, 4, 4, 2, 0, 0], &none, &[], "0-1 2-3 4-5");
        // All of a group have met: they go down.
        check(&[4, 4, 0, 0], &none, &[[0, 1]], "0-2 1-3");
        // 0-2 would leave 1 and 3, who have met.
        check(&[4, 4, 4, 4], &none, &[[1, 3]], "0-3 1-2");
        // The lowest has the bye, but for one who had one.
        check(&[4, 2, 0], &[0, 0, 0], &[], "0-1 2");
        check(&[4, 2, 0], &[0, 0, 1], &[], "0-2 1");
        // Without 2 the others could not be paired.
        check(&[4, 2, 0], &[0, 0, 0], &[[0, 1]], "0-2 1");
        // Two triangles are left: nobody can be paired across them.
        let across = [[0, 3], [0, 4], [0, 5], [1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]];
        check(&[0; 6], &none, &across, "0-2 3-4 1 5");
        check(&[0; 2], &none, &[[0, 1]], "0 1");
    }
}
