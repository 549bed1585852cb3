//! The planner of matches, gauntlets and round robins: each two players who meet in the format play
//! one pair per cycle. No round waits for results. A player who joins late catches up, one cycle
//! after the other.

use std::collections::{BTreeMap, VecDeque};

use super::planning::{NextRound, Pairing, PlannerInput};

/// Plans the rounds of all cycles.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    cycles: u32,
    /// The number of challengers, who do not meet each other; `None` if all players meet.
    challengers: Option<u32>,
    /// The cycle being planned, from 1.
    cycle: u32,
    pairs_met: BTreeMap<[u32; 2], u32>,
    rounds: VecDeque<Vec<[u32; 2]>>,
}

impl RoundRobin {
    pub(super) fn new(cycles: u32, challengers: Option<u32>) -> Self {
        Self { cycles, challengers, cycle: 1, pairs_met: BTreeMap::new(), rounds: VecDeque::new() }
    }

    pub(super) fn next(&mut self, input: &PlannerInput) -> NextRound {
        loop {
            while let Some(round) = self.rounds.pop_front() {
                // Players who withdrew after the cycle was planned have no more pairs in it.
                let is_active =
                    |[a, b]: &[u32; 2]| !input.is_withdrawn(*a) && !input.is_withdrawn(*b);
                let round: Vec<[u32; 2]> = round.into_iter().filter(is_active).collect();
                if round.is_empty() {
                    continue;
                }
                for [a, b] in &round {
                    *self.pairs_met.entry([*a.min(b), *a.max(b)]).or_default() += 1;
                }
                // All rounds of a gauntlet cycle share an opening. In other formats each round has
                // its own.
                let opening = if self.challengers.is_some() { self.cycle - 1 } else { input.round };
                let pairing = |players| Pairing { players, opening };
                return NextRound::Pairings(input.round, round.into_iter().map(pairing).collect());
            }
            if self.cycle > self.cycles {
                return NextRound::Finished;
            }
            self.rounds = self.missing_rounds(&input.active()).into();
            if self.rounds.is_empty() {
                self.cycle += 1;
            }
        }
    }

    /// The largest number of pairs left, without those already planned.
    pub(super) fn pairs_left(&self, active: &[u32]) -> u64 {
        let mut pairs_left = 0;
        for (i, a) in active.iter().enumerate() {
            for b in &active[i + 1..] {
                if self.can_meet(*a, *b) {
                    pairs_left += u64::from(self.cycles.saturating_sub(self.times_met(*a, *b)));
                }
            }
        }
        pairs_left
    }

    fn can_meet(&self, a: u32, b: u32) -> bool {
        self.challengers.is_none_or(|challengers| (a < challengers) != (b < challengers))
    }

    fn times_met(&self, a: u32, b: u32) -> u32 {
        self.pairs_met.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0)
    }

    /// The rounds of the players who have not yet met as often as the current cycle requires.
    fn missing_rounds(&self, active: &[u32]) -> Vec<Vec<[u32; 2]>> {
        let is_missing =
            |[a, b]: &[u32; 2]| self.can_meet(*a, *b) && self.times_met(*a, *b) < self.cycle;
        let rounds = match self.challengers {
            None => circle_method(active),
            Some(challengers) => {
                let (challengers, opponents): (Vec<u32>, Vec<u32>) =
                    active.iter().partition(|player| **player < challengers);
                let against = |other: &u32| {
                    challengers.iter().map(|challenger| [*challenger, *other]).collect::<Vec<_>>()
                };
                vec![opponents.iter().flat_map(against).collect()]
            }
        };
        let kept = rounds.into_iter().map(|round| round.into_iter().filter(is_missing).collect());
        kept.filter(|round: &Vec<_>| !round.is_empty()).collect()
    }
}

/// The circle method: one player stays in place and the others rotate (R. Schurig's tables, 1886).
/// Each player plays at most once per round; with an odd number of players one has a bye.
fn circle_method(players: &[u32]) -> Vec<Vec<[u32; 2]>> {
    let mut seats: Vec<Option<u32>> = players.iter().copied().map(Some).collect();
    if seats.len() % 2 == 1 {
        seats.push(None);
    }
    let n = seats.len();
    let mut rounds = Vec::new();
    for _ in 1..n {
        let opposite = |i: usize| Some([seats[i]?, seats[n - 1 - i]?]);
        rounds.push((0..n / 2).filter_map(opposite).collect());
        seats[1..].rotate_right(1);
    }
    rounds
}
