//! Racing: stops measuring a candidate once it is unlikely to reach a threshold. For candidates
//! whose exact share is not needed.
//!
//! A sequential test (A. Wald, *Sequential Tests of Statistical Hypotheses*, Ann. Math. Stat. 16,
//! 1945) that assumes no distribution. A bettor bets on each pair scoring below the threshold, with
//! a stake that depends only on earlier pairs. If the true share is at or above the threshold, the
//! bettor gains nothing on average. The capital then reaches 1/ε with probability at most ε
//! (Ville's inequality), whatever the distribution of the pairs and however often it is checked.
//!
//! Source: I. Waudby-Smith, A. Ramdas, *Estimating Means of Bounded Random Variables by Betting*,
//! J. R. Stat. Soc. B 86, 2024; the stakes are their "approximate GRAPA". The test ends sooner than
//! the bounds of O. Maron and A. Moore, *Hoeffding Races*, NIPS 1993. It uses basic arithmetic
//! only.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::error::{SettingsError, check_range};
use super::measurement::Fitness;

/// The largest number of half points of a pair of games.
const HALF_POINTS_MAX: u8 = 4;

/// The largest part of the capital that one pair can lose; a larger stake could ruin the bettor
/// with a single pair.
const STAKE_MAX: f64 = 0.75;

/// The settings of a race.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceSetup {
    /// The share of the points that the candidate must reach, 0 to 1.
    pub threshold: f64,
    /// The probability of eliminating a candidate that is good enough, above 0 to 0.5.
    pub error_rate: f64,
    /// The number of pairs of games after which the race ends in any case, at least 1.
    pub pairs_max: u32,
}

/// The state of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceStatus {
    /// The candidate plays on.
    Continue,
    /// The candidate was eliminated: it is below the threshold.
    Eliminated,
    /// All pairs are played.
    Complete,
}

/// Why a race refuses its input.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RaceError {
    /// A setting is out of range.
    #[error("race: {0}")]
    Setup(#[from] SettingsError),
    /// A pair of games cannot score this many half points.
    #[error("a pair of games scores 0 to 4 half points, not {half_points}")]
    HalfPoints {
        /// The invalid number of half points.
        half_points: u8,
    },
}

/// The race of one candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    setup: RaceSetup,
    pairs: u32,
    /// The sum of the shares of the pairs, and the sum of their squares.
    sum: f64,
    squares: f64,
    /// The capital of the bettor, who started with 1.
    capital: f64,
    eliminated: bool,
}

impl Race {
    /// Starts a race.
    pub fn new(setup: RaceSetup) -> Result<Self, RaceError> {
        check_range("threshold", setup.threshold, [0.0, 1.0])?;
        check_range("error_rate", setup.error_rate, [1e-9, 0.5])?;
        check_range("pairs_max", setup.pairs_max.into(), [1.0, u32::MAX.into()])?;
        Ok(Self { setup, pairs: 0, sum: 0.0, squares: 0.0, capital: 1.0, eliminated: false })
    }

    /// Records the half points, 0 to 4, of the next pair of games and returns the state of the
    /// race. Pairs that were still being played when the race was decided only contribute to the
    /// fitness.
    pub fn add(&mut self, half_points: u8) -> Result<RaceStatus, RaceError> {
        if half_points > HALF_POINTS_MAX {
            return Err(RaceError::HalfPoints { half_points });
        }
        let share = f64::from(half_points) / f64::from(HALF_POINTS_MAX);
        self.capital *= 1.0 + self.stake() * (self.setup.threshold - share);
        self.eliminated |= self.capital >= 1.0 / self.setup.error_rate;
        self.pairs = self.pairs.saturating_add(1);
        self.sum += share;
        self.squares += share * share;
        Ok(self.status())
    }

    /// The state of the race.
    pub fn status(&self) -> RaceStatus {
        match self {
            Self { eliminated: true, .. } => RaceStatus::Eliminated,
            _ if self.pairs >= self.setup.pairs_max => RaceStatus::Complete,
            _ => RaceStatus::Continue,
        }
    }

    /// The fitness measured so far; `None` before the first pair. The standard error is that of the
    /// mean of the pairs, with one added pair that deviates by half a point per game, so that a few
    /// equal pairs do not look certain.
    pub fn fitness(&self) -> Option<Fitness> {
        if self.pairs == 0 {
            return None;
        }
        let [mean, variance] = self.moments(self.sum / f64::from(self.pairs));
        let standard_error = (variance / f64::from(self.pairs)).sqrt();
        Some(Fitness { share: mean, standard_error, games: self.pairs.saturating_mul(2) })
    }

    /// The mean and variance of the pairs and one added pair, whose share is `prior` for the mean
    /// and whose deviation is ½.
    fn moments(&self, prior: f64) -> [f64; 2] {
        let (pairs, all) = (f64::from(self.pairs), f64::from(self.pairs) + 1.0);
        let mean = (self.sum + prior) / all;
        let deviations = self.squares - 2.0 * mean * self.sum + pairs * mean * mean;
        [mean, (deviations.max(0.0) + 0.25) / all]
    }

    /// The stake on the next pair, for each point below the threshold.
    fn stake(&self) -> f64 {
        let threshold = self.setup.threshold;
        let [mean, variance] = self.moments(threshold);
        let shortfall = threshold - mean;
        let stake = shortfall / (variance + shortfall * shortfall);
        stake.max(0.0).min(STAKE_MAX / (1.0 - threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The probabilities of 0 to 4 half points.
    type Chances = [f64; 5];

    fn pair(chances: Chances, rng: &mut Rng) -> u8 {
        let mut left = rng.uniform();
        let half_points = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        half_points.unwrap_or(4) as u8
    }

    fn share(chances: Chances) -> f64 {
        (0..).zip(chances).map(|(half_points, chance)| f64::from(half_points) * chance / 4.0).sum()
    }

    /// The fraction of 2000 candidates that are eliminated, and the mean number of pairs played.
    fn simulate(setup: RaceSetup, chances: Chances) -> (f64, f64) {
        let mut rng = Rng::new(11);
        let (mut eliminated, mut pairs) = (0.0, 0.0);
        for _ in 0..2000 {
            let mut race = Race::new(setup).unwrap();
            while race.status() == RaceStatus::Continue {
                race.add(pair(chances, &mut rng)).unwrap();
            }
            eliminated += f64::from(race.status() == RaceStatus::Eliminated);
            pairs += f64::from(race.pairs);
        }
        (eliminated / 2000.0, pairs / 2000.0)
    }

    /// About two standard errors of a fraction of 5 % among 2000 candidates.
    const SLACK: f64 = 0.01;

    #[test]
    fn a_good_candidate_is_rarely_eliminated() {
        let drawish = [0.02, 0.08, 0.8, 0.08, 0.02];
        let wild = [0.5, 0.0, 0.0, 0.0, 0.5];
        let usual = [0.1, 0.2, 0.4, 0.2, 0.1];
        let weak = [0.6, 0.2, 0.1, 0.05, 0.05];
        let strong = [0.02, 0.02, 0.06, 0.1, 0.8];
        for chances in [drawish, wild, usual, weak, strong] {
            for error_rate in [0.05, 0.2] {
                let setup = RaceSetup { threshold: share(chances), error_rate, pairs_max: 400 };
                let (eliminated, _) = simulate(setup, chances);
                assert!(eliminated <= error_rate + SLACK, "{chances:?} {error_rate}: {eliminated}");
                // The test must have power: a race that never stops would also pass.
                assert!(eliminated >= error_rate / 10.0, "{chances:?} {error_rate}: {eliminated}");
            }
        }
    }

    /// Checks elimination and the mean number of pairs at a threshold of ½, with at most
    /// `pairs_max` pairs.
    fn check_savings(chances: Chances, pairs_max: u32, eliminated: f64, pairs: f64) {
        let found = simulate(RaceSetup { threshold: 0.5, error_rate: 0.05, pairs_max }, chances);
        assert!(found.0 >= eliminated && found.1 <= pairs, "{chances:?}: {found:?}");
    }

    #[test]
    fn racing_saves_games_of_weak_candidates() {
        // The candidate loses every game.
        check_savings([1.0, 0.0, 0.0, 0.0, 0.0], 200, 1.0, 8.0);
        // A share of 0.3, which is 0.2 below the threshold.
        check_savings([0.3, 0.35, 0.25, 0.05, 0.05], 200, 0.999, 40.0);
        // A share of 0.4, which is 0.1 below the threshold.
        check_savings([0.2, 0.3, 0.3, 0.1, 0.1], 200, 0.8, 140.0);
        // A share of 0.45.
        check_savings([0.15, 0.25, 0.35, 0.15, 0.1], 1000, 0.95, 400.0);
    }

    fn check(pairs: &[u8], expected: RaceStatus, fitness: Option<[f64; 2]>) {
        let mut race =
            Race::new(RaceSetup { threshold: 0.5, error_rate: 0.05, pairs_max: 20 }).unwrap();
        pairs.iter().for_each(|half_points| {
            race.add(*half_points).unwrap();
        });
        assert_eq!(race.status(), expected, "{pairs:?}");
        let found = race.fitness();
        assert_eq!(found.is_some(), fitness.is_some());
        if let (Some(found), Some([share, standard_error])) = (found, fitness) {
            assert!((found.share - share).abs() < 1e-12, "{found:?}");
            assert!((found.standard_error - standard_error).abs() < 1e-12, "{found:?}");
            assert_eq!(found.games, 2 * pairs.len() as u32);
        }
    }

    #[test]
    fn status_and_fitness() {
        check(&[], RaceStatus::Continue, None);
        check(&[4], RaceStatus::Continue, Some([1.0, (0.125_f64).sqrt()]));
        check(&[2; 3], RaceStatus::Continue, Some([0.5, (0.25_f64 / 12.0).sqrt()]));
        // Variance (4 · 1/4 + 1/4) / 5.
        check(&[0, 4, 0, 4], RaceStatus::Continue, Some([0.5, 0.25]));
        check(&[4; 20], RaceStatus::Complete, Some([1.0, (0.25_f64 / 420.0).sqrt()]));
        check(&[0; 20], RaceStatus::Eliminated, Some([0.0, (0.25_f64 / 420.0).sqrt()]));
        // A candidate stays eliminated, whatever pairs were still being played.
        check(
            &[[0; 15].as_slice(), &[4; 10]].concat(),
            RaceStatus::Eliminated,
            Some([0.4, (6.25_f64 / 26.0 / 25.0).sqrt()]),
        );
    }

    fn check_refused(threshold: f64, error_rate: f64, pairs_max: u32, expected: &str) {
        let refused =
            Race::new(RaceSetup { threshold, error_rate, pairs_max }).unwrap_err().to_string();
        assert_eq!(refused, expected);
    }

    #[test]
    fn invalid_settings_and_points_are_refused() {
        check_refused(
            1.5,
            0.05,
            1,
            "race: setting `threshold` is 1.5, which is not between 0 and 1",
        );
        check_refused(
            f64::NAN,
            0.05,
            1,
            "race: setting `threshold` is NaN, which is not between 0 and 1",
        );
        check_refused(
            0.5,
            0.0,
            1,
            "race: setting `error_rate` is 0, which is not between 0.000000001 and 0.5",
        );
        check_refused(
            0.5,
            0.05,
            0,
            "race: setting `pairs_max` is 0, which is not between 1 and 4294967295",
        );
        let mut race =
            Race::new(RaceSetup { threshold: 1.0, error_rate: 0.05, pairs_max: 2 }).unwrap();
        assert_eq!(race.add(5), Err(RaceError::HalfPoints { half_points: 5 }));
        // A threshold at either end of the range works.
        assert_eq!(race.add(4), Ok(RaceStatus::Continue));
        let mut race =
            Race::new(RaceSetup { threshold: 0.0, error_rate: 0.5, pairs_max: 2 }).unwrap();
        assert_eq!(
            [race.add(0), race.add(0)],
            [Ok(RaceStatus::Continue), Ok(RaceStatus::Complete)]
        );
    }
}
