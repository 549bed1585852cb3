//! The planner of matches, gauntlets and round robins: each two players who meet in the format play
//! one pair per cycle; in games of more players, each set of as many does. No round waits for
//! results. A player who joins late catches up, one cycle after the other.

use std::collections::{BTreeMap, VecDeque};

use sandboard_games::splitmix::SplitMix64;

use super::planning::{NextRound, Pairing, PlannerInput};
use super::players::Players;
use super::setup::sets_of;
use super::tables;

/// Plans the rounds of all cycles.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    cycles: u32,
    /// The number of challengers, who do not meet each other; `None` if all players meet.
    challengers: Option<u32>,
    /// The cycle being planned, from 1.
    cycle: u32,
    /// How often each set of players has met; the sets are in ascending order.
    sets_met: BTreeMap<Players, u32>,
    rounds: VecDeque<Vec<Players>>,
}

impl RoundRobin {
    pub(super) fn new(cycles: u32, challengers: Option<u32>) -> Self {
        Self { cycles, challengers, cycle: 1, sets_met: BTreeMap::new(), rounds: VecDeque::new() }
    }

    pub(super) fn extend(&mut self, cycles: u32) {
        self.cycles = cycles;
    }

    pub(super) fn next(&mut self, input: &PlannerInput) -> NextRound {
        loop {
            while let Some(round) = self.rounds.pop_front() {
                // Players who withdrew after the cycle was planned have no more pairs in it.
                let is_active =
                    |players: &Players| !players.iter().any(|player| input.is_withdrawn(*player));
                let round: Vec<Players> = round.into_iter().filter(is_active).collect();
                if round.is_empty() {
                    continue;
                }
                for players in &round {
                    *self.sets_met.entry(tables::sorted(players)).or_default() += 1;
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
            self.rounds = self.missing_rounds(input).into();
            if self.rounds.is_empty() {
                self.cycle += 1;
            }
        }
    }

    /// The largest number of pairs left, without those already planned.
    pub(super) fn pairs_left(&self, input: &PlannerInput) -> u64 {
        let active = input.active();
        let sets = match self.challengers {
            None => sets_of(active.len() as u64, input.seats.into()),
            Some(challengers) => {
                let of_them = active.iter().filter(|player| **player < challengers).count() as u64;
                of_them * (active.len() as u64 - of_them)
            }
        };
        let is_active =
            |(set, _): &(&Players, &u32)| !set.iter().any(|player| input.is_withdrawn(*player));
        let met = self.sets_met.iter().filter(is_active);
        let met: u64 = met.map(|(_, times)| u64::from(*times.min(&self.cycles))).sum();
        (sets * u64::from(self.cycles)).saturating_sub(met)
    }

    fn can_meet(&self, players: &[u32]) -> bool {
        self.challengers.is_none_or(|challengers| {
            players.iter().filter(|player| **player < challengers).count() == 1
        })
    }

    fn times_met(&self, players: &[u32]) -> u32 {
        self.sets_met.get(&tables::sorted(players)).copied().unwrap_or(0)
    }

    /// The rounds of the players who have not yet met as often as the current cycle requires.
    fn missing_rounds(&self, input: &PlannerInput) -> Vec<Vec<Players>> {
        let active = input.active();
        let is_missing =
            |players: &Players| self.can_meet(players) && self.times_met(players) < self.cycle;
        let rounds = match self.challengers {
            None if input.seats > 2 => {
                let sets = tables::sets(&active, input.seats.into());
                let missing = sets.into_iter().filter(is_missing).collect();
                let mut random = SplitMix64::new(input.seed ^ u64::from(self.cycle));
                return tables::rounds_of(missing, &mut random);
            }
            None => circle_method(&active),
            Some(challengers) => {
                let (challengers, opponents): (Vec<u32>, Vec<u32>) =
                    active.iter().partition(|player| **player < challengers);
                let against = |other: &u32| {
                    challengers.iter().map(|challenger| [*challenger, *other]).collect::<Vec<_>>()
                };
                vec![opponents.iter().flat_map(against).collect()]
            }
        };
        let kept = rounds.into_iter().map(|round| {
            round.into_iter().map(Players::from).filter(is_missing).collect::<Vec<_>>()
        });
        kept.filter(|round| !round.is_empty()).collect()
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
