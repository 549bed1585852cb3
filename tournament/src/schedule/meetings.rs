//! Everybody, or the heroes, against everybody else so many times: matches, gauntlets, round robins. No
//! round waits for a result. Who joins catches up, one fold after the other.

use std::collections::{BTreeMap, VecDeque};

use super::state::{Next, Pairing, State};

/// The planner.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    folds: u32,
    /// Players with a lower number are heroes, who do not meet each other; none: everybody meets.
    heroes: Option<u32>,
    /// The fold that is being planned, from 1.
    fold: u32,
    met: BTreeMap<[u32; 2], u32>,
    rounds: VecDeque<Vec<[u32; 2]>>,
}

impl Meetings {
    pub fn new(folds: u32, heroes: Option<u32>) -> Self {
        Self { folds, heroes, fold: 1, met: BTreeMap::new(), rounds: VecDeque::new() }
    }

    pub fn next(&mut self, state: &State) -> Next {
        loop {
            while let Some(round) = self.rounds.pop_front() {
                // Whoever left since the fold was laid out has no pairs in it any more.
                let stays = |[a, b]: &[u32; 2]| !state.is_withdrawn(*a) && !state.is_withdrawn(*b);
                let round: Vec<[u32; 2]> = round.into_iter().filter(stays).collect();
                if round.is_empty() {
                    continue;
                }
                for [a, b] in &round {
                    *self.met.entry([*a.min(b), *a.max(b)]).or_default() += 1;
                }
                // A fold of a gauntlet is one round; the opening of a round is its own.
                let opening = if self.heroes.is_some() { self.fold - 1 } else { state.round };
                let pairing = |players| Pairing { players, opening };
                return Next::Round(state.round, round.into_iter().map(pairing).collect());
            }
            if self.fold > self.folds {
                return Next::End;
            }
            self.rounds = self.lacking(&state.active()).into();
            if self.rounds.is_empty() {
                self.fold += 1;
            }
        }
    }

    /// The most pairs that are left, not counting those planned.
    pub fn left(&self, active: &[u32]) -> u64 {
        let mut left = 0;
        for (i, a) in active.iter().enumerate() {
            for b in &active[i + 1..] {
                if self.meets(*a, *b) {
                    left += u64::from(self.folds.saturating_sub(self.times(*a, *b)));
                }
            }
        }
        left
    }

    fn meets(&self, a: u32, b: u32) -> bool {
        self.heroes.is_none_or(|heroes| (a < heroes) != (b < heroes))
    }

    fn times(&self, a: u32, b: u32) -> u32 {
        self.met.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0)
    }

    /// Rounds of those who have not met as often as the fold wants.
    fn lacking(&self, active: &[u32]) -> Vec<Vec<[u32; 2]>> {
        let lacks = |[a, b]: &[u32; 2]| self.meets(*a, *b) && self.times(*a, *b) < self.fold;
        let rounds = match self.heroes {
            None => circle(active),
            Some(heroes) => {
                let (heroes, field): (Vec<u32>, Vec<u32>) =
                    active.iter().partition(|player| **player < heroes);
                let against =
                    |other: &u32| heroes.iter().map(|hero| [*hero, *other]).collect::<Vec<_>>();
                vec![field.iter().flat_map(against).collect()]
            }
        };
        let kept = rounds.into_iter().map(|round| round.into_iter().filter(lacks).collect());
        kept.filter(|round: &Vec<_>| !round.is_empty()).collect()
    }
}

/// The circle method: one stays, the others go round (R. Schurig's tables, 1886). Nobody plays
/// twice in a round; with an odd number one rests.
fn circle(players: &[u32]) -> Vec<Vec<[u32; 2]>> {
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
