//! Racing: a candidate that cannot be good enough any more plays no more games. After each pair of games this
//! says whether it goes on; only for candidates whose exact share nobody needs.
//!
//! The test is Wald's idea without his distribution (A. Wald, *Sequential Tests of Statistical
//! Hypotheses*, Ann. Math. Stat. 16, 1945): whoever bets on each pair being worth less than the bar, with a stake that depends on
//! the pairs before it alone, does not gain on average if the true share is at the bar or above it; so his capital ever reaches
//! 1/ε with a probability of ε at most (Ville's inequality), whatever the distribution of the pairs, and however often one looks.
//! (I. Waudby-Smith, A. Ramdas, *Estimating Means of Bounded Random Variables by Betting*, J. R. Stat. Soc. B 86, 2024; the stakes are their
//! "approximate GRAPA". It ends sooner than the bounds of the races by O. Maron and A. Moore, *Hoeffding Races*, NIPS
//! 1993.) It takes basic operations only.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::answer::Fitness;
use super::error::{SettingsError, between};

/// Half points of a pair of games.
const HALF_POINTS_MAX: u8 = 4;

/// The part of the capital that may be lost with one pair: with all of it one pair could ruin the bettor for good.
const STAKE: f64 = 0.75;

/// What a candidate runs against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceSetup {
    /// The share of points that it must reach, 0 to 1.
    pub bar: f64,
    /// How often one that is good enough may be called hopeless, above 0 to 0.5.
    pub error: f64,
    /// How many pairs of games it plays if it does not fall behind, one at least.
    pub pairs: u32,
}

/// How a candidate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It plays on.
    Continue,
    /// It is below the bar.
    Hopeless,
    /// All its pairs are played.
    Enough,
}

/// What a race refuses.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RaceError {
    /// A number of its setup.
    #[error("race: {0}")]
    Setup(#[from] SettingsError),
    /// Points that a pair of games cannot bring.
    #[error("a pair of games brings 0 to 4 half points, not {half_points}")]
    Points {
        /// How many.
        half_points: u8,
    },
}

/// A race of one candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    setup: RaceSetup,
    pairs: u32,
    /// The sum of the shares of the pairs, and that of their squares.
    sum: f64,
    squares: f64,
    /// What has become of 1 that was bet against the candidate.
    capital: f64,
    hopeless: bool,
}

impl Race {
    /// A race that has not begun.
    pub fn new(setup: RaceSetup) -> Result<Self, RaceError> {
        between("bar", setup.bar, [0.0, 1.0])?;
        between("error", setup.error, [1e-9, 0.5])?;
        between("pairs", setup.pairs.into(), [1.0, u32::MAX.into()])?;
        Ok(Self { setup, pairs: 0, sum: 0.0, squares: 0.0, capital: 1.0, hopeless: false })
    }

    /// Counts the half points, 0 to 4, of the candidate's next pair of games, and says how it stands. Pairs that were
    /// under way when the race was decided count for the fitness and change nothing else.
    pub fn add(&mut self, half_points: u8) -> Result<Standing, RaceError> {
        if half_points > HALF_POINTS_MAX {
            return Err(RaceError::Points { half_points });
        }
        let share = f64::from(half_points) / f64::from(HALF_POINTS_MAX);
        self.capital *= 1.0 + self.stake() * (self.setup.bar - share);
        self.hopeless |= self.capital >= 1.0 / self.setup.error;
        self.pairs = self.pairs.saturating_add(1);
        self.sum += share;
        self.squares += share * share;
        Ok(self.standing())
    }

    /// How the candidate stands.
    pub fn standing(&self) -> Standing {
        match self {
            Self { hopeless: true, .. } => Standing::Hopeless,
            _ if self.pairs >= self.setup.pairs => Standing::Enough,
            _ => Standing::Continue,
        }
    }

    /// Its fitness by the pairs so far; none before the first. The standard error is that of the mean of the
    /// pairs, with one pair more that is half a point per game off it, so that a few equal pairs do not pass
    /// for certainty.
    pub fn fitness(&self) -> Option<Fitness> {
        if self.pairs == 0 {
            return None;
        }
        let [mean, variance] = self.moments(self.sum / f64::from(self.pairs));
        let error = (variance / f64::from(self.pairs)).sqrt();
        Some(Fitness { share: mean, error, games: self.pairs.saturating_mul(2) })
    }

    /// Mean and variance of the pairs and one more, whose share is given for the mean and whose deviation is ½.
    fn moments(&self, prior: f64) -> [f64; 2] {
        let (pairs, all) = (f64::from(self.pairs), f64::from(self.pairs) + 1.0);
        let mean = (self.sum + prior) / all;
        let deviations = self.squares - 2.0 * mean * self.sum + pairs * mean * mean;
        [mean, (deviations.max(0.0) + 0.25) / all]
    }

    /// How much is bet on the next pair, for each point that it is below the bar.
    fn stake(&self) -> f64 {
        let bar = self.setup.bar;
        let [mean, variance] = self.moments(bar);
        let behind = bar - mean;
        let stake = behind / (variance + behind * behind);
        stake.max(0.0).min(STAKE / (1.0 - bar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draws;

    /// Chances of 0 to 4 half points.
    type Chances = [f64; 5];

    fn pair(chances: Chances, draws: &mut Draws) -> u8 {
        let mut left = draws.unit();
        let place = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        place.unwrap_or(4) as u8
    }

    fn share(chances: Chances) -> f64 {
        (0..).zip(chances).map(|(half_points, chance)| f64::from(half_points) * chance / 4.0).sum()
    }

    /// How many of 2000 candidates are called hopeless, and how many pairs they all play on average.
    fn simulate(setup: RaceSetup, chances: Chances) -> (f64, f64) {
        let mut draws = Draws::new(11);
        let (mut hopeless, mut pairs) = (0.0, 0.0);
        for _ in 0..2000 {
            let mut race = Race::new(setup).unwrap();
            while race.standing() == Standing::Continue {
                race.add(pair(chances, &mut draws)).unwrap();
            }
            hopeless += f64::from(race.standing() == Standing::Hopeless);
            pairs += f64::from(race.pairs);
        }
        (hopeless / 2000.0, pairs / 2000.0)
    }

    /// Several standard errors of a share of 2000 at 5 %.
    const SLACK: f64 = 0.01;

    #[test]
    fn one_that_is_good_enough_is_rarely_called_hopeless() {
        let drawish = [0.02, 0.08, 0.8, 0.08, 0.02];
        let wild = [0.5, 0.0, 0.0, 0.0, 0.5];
        let usual = [0.1, 0.2, 0.4, 0.2, 0.1];
        let weak = [0.6, 0.2, 0.1, 0.05, 0.05];
        let strong = [0.02, 0.02, 0.06, 0.1, 0.8];
        for chances in [drawish, wild, usual, weak, strong] {
            for error in [0.05, 0.2] {
                let setup = RaceSetup { bar: share(chances), error, pairs: 400 };
                let (hopeless, _) = simulate(setup, chances);
                assert!(hopeless <= error + SLACK, "{chances:?} {error}: {hopeless}");
                // It does bet: a race that stops nobody would pass, too.
                assert!(hopeless >= error / 10.0, "{chances:?} {error}: {hopeless}");
            }
        }
    }

    /// Against a bar of ½: of so many pairs at most, no more than these on average.
    fn check_saves(chances: Chances, most: u32, hopeless: f64, pairs: f64) {
        let found = simulate(RaceSetup { bar: 0.5, error: 0.05, pairs: most }, chances);
        assert!(found.0 >= hopeless && found.1 <= pairs, "{chances:?}: {found:?}");
    }

    #[test]
    fn hopeless_ones_cost_a_part_of_the_games() {
        // Loses everything.
        check_saves([1.0, 0.0, 0.0, 0.0, 0.0], 200, 1.0, 8.0);
        // A share of 0.3, 0.2 behind.
        check_saves([0.3, 0.35, 0.25, 0.05, 0.05], 200, 0.999, 40.0);
        // A share of 0.4, 0.1 behind.
        check_saves([0.2, 0.3, 0.3, 0.1, 0.1], 200, 0.8, 140.0);
        // A share of 0.45.
        check_saves([0.15, 0.25, 0.35, 0.15, 0.1], 1000, 0.95, 400.0);
    }

    fn check(pairs: &[u8], expected: Standing, fitness: Option<[f64; 2]>) {
        let mut race = Race::new(RaceSetup { bar: 0.5, error: 0.05, pairs: 20 }).unwrap();
        pairs.iter().for_each(|half_points| {
            race.add(*half_points).unwrap();
        });
        assert_eq!(race.standing(), expected, "{pairs:?}");
        let found = race.fitness();
        assert_eq!(found.is_some(), fitness.is_some());
        if let (Some(found), Some([share, error])) = (found, fitness) {
            assert!((found.share - share).abs() < 1e-12, "{found:?}");
            assert!((found.error - error).abs() < 1e-12, "{found:?}");
            assert_eq!(found.games, 2 * pairs.len() as u32);
        }
    }

    #[test]
    fn a_race_and_its_fitness() {
        check(&[], Standing::Continue, None);
        check(&[4], Standing::Continue, Some([1.0, (0.125_f64).sqrt()]));
        check(&[2; 3], Standing::Continue, Some([0.5, (0.25_f64 / 12.0).sqrt()]));
        // Variance (4 · 1/4 + 1/4) / 5.
        check(&[0, 4, 0, 4], Standing::Continue, Some([0.5, 0.25]));
        check(&[4; 20], Standing::Enough, Some([1.0, (0.25_f64 / 420.0).sqrt()]));
        check(&[0; 20], Standing::Hopeless, Some([0.0, (0.25_f64 / 420.0).sqrt()]));
        // Hopeless is hopeless, whatever was still under way.
        check(
            &[[0; 15].as_slice(), &[4; 10]].concat(),
            Standing::Hopeless,
            None.or(Some([0.4, (6.25_f64 / 26.0 / 25.0).sqrt()])),
        );
    }

    fn check_refused(bar: f64, error: f64, pairs: u32, expected: &str) {
        let refused = Race::new(RaceSetup { bar, error, pairs }).unwrap_err().to_string();
        assert_eq!(refused, expected);
    }

    #[test]
    fn a_race_that_makes_no_sense_is_refused() {
        check_refused(1.5, 0.05, 1, "race: setting `bar` is 1.5, which is not between 0 and 1");
        check_refused(
            f64::NAN,
            0.05,
            1,
            "race: setting `bar` is NaN, which is not between 0 and 1",
        );
        check_refused(
            0.5,
            0.0,
            1,
            "race: setting `error` is 0, which is not between 0.000000001 and 0.5",
        );
        check_refused(
            0.5,
            0.05,
            0,
            "race: setting `pairs` is 0, which is not between 1 and 4294967295",
        );
        let mut race = Race::new(RaceSetup { bar: 1.0, error: 0.05, pairs: 2 }).unwrap();
        assert_eq!(race.add(5), Err(RaceError::Points { half_points: 5 }));
        // A bar at either end is no trouble.
        assert_eq!(race.add(4), Ok(Standing::Continue));
        let mut race = Race::new(RaceSetup { bar: 0.0, error: 0.5, pairs: 2 }).unwrap();
        assert_eq!([race.add(0), race.add(0)], [Ok(Standing::Continue), Ok(Standing::Enough)]);
    }
}
