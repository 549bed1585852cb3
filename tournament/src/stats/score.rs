//! Counts of results: wins, draws and losses of games, and the pentanomial counts of pairs. `elo`
//! turns counts into estimates of strength.

use serde::{Deserialize, Serialize};

use super::elo::Sample;

/// The wins, draws and losses of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The number of games won.
    pub wins: u64,
    /// The number of games drawn.
    pub draws: u64,
    /// The number of games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts a game by its half points, 0 to 2.
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// The same games from the view of the opponent.
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The sum of these games and others.
    pub fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Twice the number of points.
    pub fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }
}

/// The score of the first player against the second, game by game in the order
/// of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchScore {
    games: Tally,
    /// Pairs by the half points that they brought, 0 to 4.
    pairs: [u64; 5],
    /// The half points of a game whose pair is incomplete.
    open: Option<u8>,
}

impl MatchScore {
    /// Counts the next game of the schedule by its half points, 0 to 2.
    pub fn add(&mut self, half_points: u8) {
        let half_points = half_points.min(2);
        self.games.add(half_points);
        match self.open.take() {
            None => self.open = Some(half_points),
            Some(first) => self.pairs[usize::from(first + half_points)] += 1,
        }
    }

    /// The wins, draws and losses.
    pub fn games(&self) -> Tally {
        self.games
    }

    /// The number of complete pairs by their half points, 0 to 4 (pentanomial counts).
    pub fn pairs(&self) -> [u64; 5] {
        self.pairs
    }

    /// The sample from which strength is estimated: the pairs, because the two games of a pair
    /// share an opening and are not independent. Single games while a pair is incomplete.
    pub fn sample(&self) -> Sample {
        match self.open {
            None => Sample::new(&self.pairs),
            Some(_) => Sample::new(&[self.games.losses, self.games.draws, self.games.wins]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(half_points: &[u8], [wins, draws, losses]: [u64; 3], pairs: [u64; 5]) {
        let mut score = MatchScore::default();
        half_points.iter().for_each(|half_points| score.add(*half_points));
        assert_eq!(score.games(), Tally { wins, draws, losses }, "{half_points:?}");
        assert_eq!(score.pairs(), pairs, "{half_points:?}");
        assert_eq!(score.games().games(), half_points.len() as u64);
        let sum: u64 = half_points.iter().map(|half_points| u64::from(*half_points)).sum();
        assert_eq!(score.games().half_points(), sum);
    }

    #[test]
    fn games_and_pairs_are_counted() {
        check(&[], [0, 0, 0], [0; 5]);
        check(&[2], [1, 0, 0], [0; 5]);
        check(&[2, 2], [2, 0, 0], [0, 0, 0, 0, 1]);
        check(&[2, 0], [1, 0, 1], [0, 0, 1, 0, 0]);
        check(&[1, 1], [0, 2, 0], [0, 0, 1, 0, 0]);
        check(&[0, 0, 0, 1, 1, 2], [1, 2, 3], [1, 1, 0, 1, 0]);
        check(&[0, 0, 2], [1, 0, 2], [1, 0, 0, 0, 0]);
    }

    #[test]
    fn an_incomplete_pair_falls_back_to_single_games() {
        let mut score = MatchScore::default();
        [2, 0, 2].into_iter().for_each(|half_points| score.add(half_points));
        assert_eq!(score.sample(), Sample::new(&[1, 0, 2]));
        score.add(1);
        assert_eq!(score.sample(), Sample::new(&[0, 0, 1, 1, 0]));
    }
}
