//! A ladder: round after round everybody is a challenger in turn and meets somebody near him. Rounds
//! wait for the results of the round before the last one, so that nobody is idle for the slowest
//! game of a round. Whole numbers only: what the schedule takes for strength is no rating
//! to be shown (`stats` has those), and is the same on every machine.

use std::collections::BTreeMap;

use super::state::{Next, Pairing, State};

/// Thousandths of an Elo.
const MILLI: i64 = 1000;
/// How many of the nearest a challenger chooses from.
const REACH: usize = 3;

/// The planner.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pairs: u32,
    /// In thousandths of an Elo, by player.
    strength: Vec<i64>,
    played: Vec<u64>,
    met: BTreeMap<[u32; 2], u32>,
    /// Results below this number are in `strength`.
    rated: usize,
    /// Where the last two rounds began.
    begun: [usize; 2],
}

impl Ladder {
    pub fn new(pairs: u32) -> Self {
        Self {
            pairs,
            strength: Vec::new(),
            played: Vec::new(),
            met: BTreeMap::new(),
            rated: 0,
            begun: [0; 2],
        }
    }

    /// The pairs below this number must be over before the next round is planned.
    pub fn needs(&self) -> usize {
        self.begun[1]
    }

    pub fn left(&self, planned: usize) -> u64 {
        u64::from(self.pairs).saturating_sub(planned as u64)
    }

    pub fn next(&mut self, state: &State) -> Next {
        for player in self.strength.len()..state.entrants.len() {
            self.strength.push(i64::from(state.rating(player as u32)) * MILLI);
            self.played.push(0);
        }
        self.rate(state);
        let left = self.left(state.slots.len()) as usize;
        let mut pairs = self.round(state);
        pairs.truncate(left);
        if pairs.is_empty() {
            return Next::End;
        }
        for [a, b] in &pairs {
            *self.met.entry([*a.min(b), *a.max(b)]).or_default() += 1;
            [a, b].into_iter().for_each(|player| self.played[*player as usize] += 1);
        }
        let first = state.slots.len();
        self.begun = [self.begun[1], first];
        let pairing = |(i, players)| Pairing { players, opening: (first + i) as u32 };
        Next::Round(state.round, pairs.into_iter().enumerate().map(pairing).collect())
    }

    /// Takes in the results of all rounds but the last, in the order of the schedule.
    fn rate(&mut self, state: &State) {
        while self.rated < self.begun[1] {
            let slot = state.slots[self.rated];
            self.rated += 1;
            let Some([won, _]) = slot.points() else { continue };
            let [a, b] = slot.pair.players.map(|player| player as usize);
            // The curve as a straight line: ½ and 1/700 for each Elo, from 5 % to 95 %; in millionths.
            let ahead = (self.strength[a] - self.strength[b]).clamp(-315 * MILLI, 315 * MILLI);
            let expected = 500_000 + ahead * 1000 / 700;
            let surprise = won as i64 * 250_000 - expected;
            for (player, sign) in [(a, 1), (b, -1)] {
                // Newcomers move by up to 160 Elo, old hands by 16.
                let step = 16 + 160 / (1 + self.played[player] as i64 / 2);
                self.strength[player] += sign * step * surprise / MILLI;
            }
        }
    }

    /// Who has played least challenges first, and of those near him meets whom he met least.
    fn round(&self, state: &State) -> Vec<[u32; 2]> {
        let mut open = state.active();
        open.sort_by_key(|player| {
            (std::cmp::Reverse(self.strength[*player as usize]), state.lot(*player))
        });
        let mut pairs = Vec::new();
        while open.len() >= 2 {
            let least = |place: &usize| (self.played[open[*place] as usize], *place);
            let Some(place) = (0..open.len()).min_by_key(least) else { break };
            let challenger = open.remove(place);
            let distance = |other: &u32| {
                self.strength[*other as usize].abs_diff(self.strength[challenger as usize])
            };
            let mut near = open.clone();
            near.sort_by_key(distance);
            let times = |other: &u32| {
                let key = [challenger.min(*other), challenger.max(*other)];
                (self.met.get(&key).copied().unwrap_or(0), distance(other))
            };
            let Some(chosen) = near.into_iter().take(REACH).min_by_key(times) else { break };
            open.retain(|player| *player != chosen);
            pairs.push([challenger, chosen]);
        }
        pairs
    }
}
