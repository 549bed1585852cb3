//! The planner of a ladder: in each round the players with the fewest pairs choose opponents of
//! similar strength. A round waits for the results of the round before the last one, so that no
//! worker is idle because of the slowest game of a round.
//!
//! Strengths are integers, so that the schedule is the same on every machine. They are not ratings
//! to be shown; `stats` computes those.

use super::planning::{NextRound, Pairing, PlannerInput};
use super::players::Players;
use super::tables::{Meetings, add_meeting, times_met};

/// Strengths are measured in thousandths of an Elo.
const MILLI: i64 = 1000;
/// The number of nearest players among which a player chooses an opponent.
const NEAREST: usize = 3;

/// Plans the rounds of a ladder.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pairs: u32,
    /// The strength by player, in thousandths of an Elo.
    strength: Vec<i64>,
    played: Vec<u64>,
    met: Meetings,
    /// Results of pairs below this number are included in `strength`.
    rated_pairs: usize,
    /// The first pair numbers of the last two rounds.
    last_round_starts: [usize; 2],
}

impl Ladder {
    pub(super) fn new(pairs: u32) -> Self {
        Self {
            pairs,
            strength: Vec::new(),
            played: Vec::new(),
            met: Meetings::new(),
            rated_pairs: 0,
            last_round_starts: [0; 2],
        }
    }

    /// The next round can be planned when all pairs below this number are finished.
    pub(super) fn required_results(&self) -> usize {
        self.last_round_starts[1]
    }

    pub(super) fn extend(&mut self, pairs: u32) {
        self.pairs = pairs;
    }

    pub(super) fn pairs_left(&self, planned: usize) -> u64 {
        u64::from(self.pairs).saturating_sub(planned as u64)
    }

    pub(super) fn next(&mut self, input: &PlannerInput) -> NextRound {
        for player in self.strength.len()..input.entrants.len() {
            self.strength.push(i64::from(input.rating(player as u32)) * MILLI);
            self.played.push(0);
        }
        self.update_strengths(input);
        let pairs_left = self.pairs_left(input.pairs.len()) as usize;
        let mut pairs = self.pair_up(input);
        pairs.truncate(pairs_left);
        if pairs.is_empty() {
            return NextRound::Finished;
        }
        for players in &pairs {
            add_meeting(&mut self.met, players);
            players.iter().for_each(|player| self.played[*player as usize] += 1);
        }
        let first = input.pairs.len();
        self.last_round_starts = [self.last_round_starts[1], first];
        let pairing = |(i, players)| Pairing { players, opening: (first + i) as u32 };
        NextRound::Pairings(input.round, pairs.into_iter().enumerate().map(pairing).collect())
    }

    /// Updates the strengths with the results of all rounds but the last, in the order of the
    /// schedule.
    fn update_strengths(&mut self, input: &PlannerInput) {
        while self.rated_pairs < self.last_round_starts[1] {
            let planned = input.pairs[self.rated_pairs];
            self.rated_pairs += 1;
            let Some(points) = planned.points() else { continue };
            let before: Vec<i64> =
                planned.pair.players.iter().map(|player| self.strength[*player as usize]).collect();
            let opponents = before.len() as i64 - 1;
            let points_max = 2 * before.len() as i64 * opponents;
            for (index, player) in planned.pair.players.iter().enumerate() {
                let player = *player as usize;
                // A linear approximation of the Elo curve: ½ plus 1/700 per Elo, from 5 % to 95 %;
                // in millionths. The opponents include the player itself, which is level.
                let ahead = |other: &i64| {
                    (before[index] - other).clamp(-315 * MILLI, 315 * MILLI) * 1000 / 700
                };
                let expected = 500_000 + before.iter().map(ahead).sum::<i64>() / opponents;
                let surprise = i64::from(points[index]) * 1_000_000 / points_max - expected;
                // New players move by up to 160 Elo, experienced ones by 16.
                let step = 16 + 160 / (1 + self.played[player] as i64 / 2);
                self.strength[player] += step * surprise / MILLI;
            }
        }
    }

    /// Puts the player with the fewest pairs at a table with the nearest players, of which it takes
    /// those that the table has met least often; then the remaining players in the same way.
    fn pair_up(&self, input: &PlannerInput) -> Vec<Players> {
        let seats = usize::from(input.seats);
        let mut open = input.active();
        open.sort_by_key(|player| {
            (std::cmp::Reverse(self.strength[*player as usize]), input.random_key(*player))
        });
        let mut pairs = Vec::new();
        while open.len() >= seats {
            let played = |index: &usize| (self.played[open[*index] as usize], *index);
            let Some(index) = (0..open.len()).min_by_key(played) else { break };
            let player = open.remove(index);
            let distance = |other: &u32| {
                self.strength[*other as usize].abs_diff(self.strength[player as usize])
            };
            let mut table = vec![player];
            while table.len() < seats {
                let mut near = open.clone();
                near.sort_by_key(distance);
                let meetings =
                    |other: &u32| (times_met(&self.met, *other, &table), distance(other));
                let Some(opponent) = near.into_iter().take(NEAREST).min_by_key(meetings) else {
                    break;
                };
                open.retain(|other| *other != opponent);
                table.push(opponent);
            }
            pairs.push(table.into_iter().collect());
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::super::planning::PlannedPair;
    use super::super::setup::{Entrant, Outcome, Pair};
    use super::*;

    /// Checks the strengths, in thousandths of an Elo, after one table of new players with these
    /// strengths and half points.
    fn check(strengths: &[i64], half_points: &[u16], expected: &[i64]) {
        let players: Players = (0..strengths.len() as u32).collect();
        let planned = PlannedPair {
            pair: Pair { number: 0, round: 0, players, opening: 0 },
            cancelled: false,
            outcome: Some(Outcome::HalfPoints(half_points.iter().copied().collect())),
            at_fault: None,
        };
        let mut ladder = Ladder::new(9);
        (ladder.strength, ladder.played) = (strengths.to_vec(), vec![0; strengths.len()]);
        ladder.last_round_starts = [1, 1];
        ladder.update_strengths(&PlannerInput {
            seed: 0,
            seats: strengths.len() as u8,
            entrants: &[Entrant::default(); 3],
            withdrawn: &[false; 3],
            pairs: &[planned],
            round: 1,
        });
        assert_eq!(ladder.strength, expected, "{strengths:?} {half_points:?}");
    }

    #[test]
    fn strengths_follow_from_what_was_expected() {
        // A new player moves by 176 Elo for the whole of the points: half of them were expected.
        check(&[0, 0], &[4, 0], &[88_000, -88_000]);
        check(&[0, 0], &[2, 2], &[0, 0]);
        check(&[0, 0], &[1, 3], &[-44_000, 44_000]);
        // 70 Elo ahead, six tenths were expected.
        check(&[70_000, 0], &[2, 2], &[70_000 - 17_600, 17_600]);
        // Tables of three: the winner of all games moves as far as in a pair.
        check(&[0, 0, 0], &[12, 6, 0], &[88_000, 0, -88_000]);
        check(&[0, 0, 0], &[6, 6, 6], &[0, 0, 0]);
        // The first is 70 Elo ahead of one of two, and expected 0.55.
        check(&[70_000, 0, 70_000], &[6, 6, 6], &[61_200, 17_600, 61_200]);
    }
}
