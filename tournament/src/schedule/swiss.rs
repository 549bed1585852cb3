//! The planner of the Swiss system, following the principles of FIDE's Dutch system (*FIDE
//! Handbook*, C.04.3). Players are grouped by score; in each group the first of the upper half
//! meets the first of the lower half and so on, and unpaired players float down. No two players
//! meet twice. With an odd number of players the lowest one without a bye gets a bye, which counts
//! as a pair won. Seats are exchanged within a pair, so there are no colour rules.
//!
//! In games of more than two players, the players sit at tables in ranking order, and those meet
//! that have met least often. Those who are left over have a bye, which counts as half of all
//! points.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::Matching;
use super::planning::{NextRound, Pairing, PlannerInput};
use super::players::Players;
use super::tables::{Meetings, add_meeting, ranked_tables};

/// Plans the rounds of a Swiss system.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    rounds: u32,
    byes: BTreeMap<u32, u64>,
}

impl Swiss {
    pub(super) fn new(rounds: u32) -> Self {
        Self { rounds, byes: BTreeMap::new() }
    }

    pub(super) fn extend(&mut self, rounds: u32) {
        self.rounds = rounds;
    }

    /// The rounds that are not planned yet.
    pub(super) fn rounds_left(&self, planned: u32) -> u32 {
        self.rounds.saturating_sub(planned)
    }

    pub(super) fn next(&mut self, input: &PlannerInput) -> NextRound {
        if input.round >= self.rounds {
            return NextRound::Finished;
        }
        let points = self.points(input);
        let mut order = input.active();
        order.sort_by_key(|player| {
            let points = points.get(player).copied().unwrap_or(0);
            (std::cmp::Reverse((points, input.rating(*player))), input.random_key(*player))
        });
        let of = |player: &u32| points.get(player).copied().unwrap_or(0);
        let scores: Vec<u64> = order.iter().map(of).collect();
        let byes: Vec<u64> = order.iter().map(|p| self.byes.get(p).copied().unwrap_or(0)).collect();
        let (pairs, unpaired) = match input.seats {
            2 => pair_up(&order, &scores, &byes, &pairings(input)),
            seats => ranked_tables(&order, &self.byes, &meetings(input), seats.into()),
        };
        if pairs.is_empty() {
            return NextRound::Finished;
        }
        unpaired.into_iter().for_each(|player| *self.byes.entry(player).or_default() += 1);
        let pairing = |players| Pairing { players, opening: input.round };
        NextRound::Pairings(input.round, pairs.into_iter().map(pairing).collect())
    }

    /// The half points that players received without a game: byes, and pairs cancelled because the
    /// opponent withdrew.
    pub(super) fn byes(&self, input: &PlannerInput) -> BTreeMap<u32, u64> {
        let bye = bye_half_points(input.seats);
        let mut byes: BTreeMap<u32, u64> =
            self.byes.iter().map(|(player, n)| (*player, bye * n)).collect();
        for planned in input.pairs.iter().filter(|planned| planned.cancelled) {
            let (withdrawn, remaining): (Vec<u32>, Vec<u32>) =
                planned.pair.players.iter().partition(|player| input.is_withdrawn(**player));
            if !withdrawn.is_empty() {
                remaining.into_iter().for_each(|player| *byes.entry(player).or_default() += bye);
            }
        }
        byes
    }

    fn points(&self, input: &PlannerInput) -> BTreeMap<u32, u64> {
        let mut points = self.byes(input);
        for planned in input.pairs {
            let won = planned.points();
            let won = won.iter().flat_map(|won| won.iter());
            for (player, won) in planned.pair.players.iter().zip(won) {
                *points.entry(*player).or_default() += u64::from(*won);
            }
        }
        points
    }
}

/// The half points of a bye, or of a pair cancelled because an opponent withdrew: a pair of two
/// won, or half of the points of a player who wins everything at a table of more.
fn bye_half_points(seats: u8) -> u64 {
    let seats = u64::from(seats);
    if seats == 2 { 4 } else { seats * (seats - 1) }
}

/// All pairings so far, including cancelled pairs.
fn pairings(input: &PlannerInput) -> BTreeSet<[u32; 2]> {
    let both = input.pairs.iter().filter_map(|planned| planned.pair.players.both());
    both.flat_map(|[a, b]| [[a, b], [b, a]]).collect()
}

/// How often players have met so far, including at cancelled tables.
fn meetings(input: &PlannerInput) -> Meetings {
    let mut met = Meetings::new();
    input.pairs.iter().for_each(|planned| add_meeting(&mut met, &planned.pair.players));
    met
}

/// Pairs the players, who are given in ranking order, and returns those left without an opponent.
/// As many as possible are paired. Among the ways to do so, the first player gets the best possible
/// opponent, then the next player, and so on.
fn pair_up(
    order: &[u32],
    scores: &[u64],
    byes: &[u64],
    met: &BTreeSet<[u32; 2]>,
) -> (Vec<Players>, Vec<u32>) {
    let n = order.len();
    let may = |a: usize, b: usize| a != b && !met.contains(&[order[a], order[b]]);
    let allowed = (0..n).map(|a| (0..n).map(|b| may(a, b)).collect()).collect();
    let mut matching = Matching::new(allowed);
    let mut open: Vec<usize> = (0..n).collect();
    let mut unpaired = Vec::new();
    if n % 2 == 1 {
        let mut lowest = open.clone();
        lowest.sort_by_key(|index| (byes[*index], std::cmp::Reverse(*index)));
        let unmatched = matching.unmatched();
        let without = |index: &usize| {
            let mut rest = matching.clone();
            rest.remove(*index);
            (rest.unmatched() < unmatched).then_some((*index, rest))
        };
        if let Some((index, rest)) = lowest.iter().find_map(without) {
            matching = rest;
            open.retain(|other| *other != index);
            unpaired.push(order[index]);
        }
    }
    let mut pairs = Vec::new();
    while let Some(first) = open.first().copied() {
        let candidates = preferences(&open, scores);
        let opponent = candidates.into_iter().find(|other| matching.fix_pair(first, *other));
        open.retain(|index| *index != first && Some(*index) != opponent);
        match opponent {
            Some(other) => pairs.push([order[first], order[other]].into()),
            None => {
                matching.remove(first);
                unpaired.push(order[first]);
            }
        }
    }
    (pairs, unpaired)
}

/// The candidates for the first player in order of preference: the lower half of its score group
/// from the top, the upper half from the bottom, then the lower groups.
fn preferences(open: &[usize], scores: &[u64]) -> Vec<usize> {
    let group = open.iter().take_while(|index| scores[**index] == scores[open[0]]).count();
    let half = (group / 2).max(1);
    let lower = open[half.min(group)..group].iter();
    let upper = open[1..half.min(group)].iter().rev();
    lower.chain(upper).chain(&open[group..]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the pairings (`a-b`) and the unpaired players (a single number) of players given by
    /// their scores and earlier opponents.
    fn check(scores: &[u64], byes: &[u64], met: &[[u32; 2]], expected: &str) {
        let order: Vec<u32> = (0..scores.len() as u32).collect();
        let met = met.iter().flat_map(|[a, b]| [[*a, *b], [*b, *a]]).collect();
        let (pairs, unpaired) = pair_up(&order, scores, byes, &met);
        let pairs = pairs.iter().map(|pair| format!("{}-{}", pair[0], pair[1]));
        let text: Vec<String> = pairs.chain(unpaired.iter().map(u32::to_string)).collect();
        assert_eq!(text.join(" "), expected, "{scores:?} {met:?}");
    }

    #[test]
    fn round_pairings() {
        let none = [0; 8];
        check(&[0; 8], &none, &[], "0-4 1-5 2-6 3-7");
        check(&[4, 4, 4, 4, 0, 0, 0, 0], &none, &[], "0-2 1-3 4-6 5-7");
        // The preferred pairing was already played: the next of the lower half.
        check(&[4, 4, 4, 4, 0, 0, 0, 0], &none, &[[0, 2]], "0-3 1-2 4-6 5-7");
        // A group of three: the last floats down.
        check(&[4, 4, 4, 2, 0, 0], &none, &[], "0-1 2-3 4-5");
        // All of a group have met: they float down.
        check(&[4, 4, 0, 0], &none, &[[0, 1]], "0-2 1-3");
        // 0-2 would leave 1 and 3, who have met.
        check(&[4, 4, 4, 4], &none, &[[1, 3]], "0-3 1-2");
        // The lowest player without a bye gets it.
        check(&[4, 2, 0], &[0, 0, 0], &[], "0-1 2");
        check(&[4, 2, 0], &[0, 0, 1], &[], "0-2 1");
        // A bye for player 2 would leave the others unpaired.
        check(&[4, 2, 0], &[0, 0, 0], &[[0, 1]], "0-2 1");
        // Two triangles of possible pairings are left, with none between them.
        let across = [[0, 3], [0, 4], [0, 5], [1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]];
        check(&[0; 6], &none, &across, "0-2 3-4 1 5");
        check(&[0; 2], &none, &[[0, 1]], "0 1");
    }
}
