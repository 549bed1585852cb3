//! Normalised Elo: how far apart two players are in units of the noise of a game, so that the same
//! difference needs as many games whatever the share of draws and however lopsided the openings.
//! Pure arithmetic, with its sources.
//!
//! - M. Van den Bergh, *A practical introduction to normalized Elo* (normalized_elo_practical.pdf):
//!   t = (s − ½) / σ, where s is the expected score of a game and σ the standard deviation of one; of
//!   observations of n games each (pairs: 2), σ² is n times the variance of their mean score.
//!   Normalised Elo is 800 / ln 10 · t, which is Elo near 0 where half of the points are shared out by
//!   coin tosses.
//! - Bars by the delta method: the estimate is a function of mean and variance, whose own variances and
//!   covariance are moments, so that with N observations its variance is (1 − γτ + (κ − 1) τ² / 4) / N
//!   in units of τ = (s − ½) / √variance, with the skewness γ and the kurtosis κ (H. Cramér,
//!   *Mathematical Methods of Statistics*, 1946, 27.7 and 28.4). Near τ = 0 it is 1 / N, which
//!   is what fishtest and fastchess print for all differences.

use super::normal::Z95;

/// Normalised Elo of a t-value of 1: 800 / ln 10.
pub const NELO_OF_T: f64 = 347.435_585_522_601_46;

/// An estimate of the difference in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalizedElo {
    /// The most likely difference.
    pub nelo: f64,
    /// Half of the 95 % interval, which lies evenly around it.
    pub error: f64,
}

/// How many games an observation of so many kinds of results is made of: `2n + 1` kinds come of `n`
/// games of three results.
pub(crate) fn games_each(kinds: usize) -> f64 {
    (kinds.saturating_sub(1).max(1) as f64 / 2.0).max(0.5)
}

impl NormalizedElo {
    /// From counts of results that are evenly spaced from 0 to 1 (three for games, five for
    /// pairs); none where there are no two different results, which have no noise to measure by.
    pub fn new(counts: &[u64]) -> Option<Self> {
        let observations = counts.iter().sum::<u64>() as f64;
        let last = counts.len().saturating_sub(1).max(1) as f64;
        let moment = |around: f64, power| {
            let term = |(i, n): (usize, &u64)| *n as f64 * (i as f64 / last - around).powi(power);
            counts.iter().enumerate().map(term).sum::<f64>() / observations
        };
        let mean = moment(0.0, 1);
        let variance = moment(mean, 2);
        // Also where there are no observations: it is not a number then.
        if variance.is_nan() || variance <= 0.0 {
            return None;
        }
        let skewness = moment(mean, 3) / variance.powf(1.5);
        let kurtosis = moment(mean, 4) / variance.powi(2);
        let t = (mean - 0.5) / variance.sqrt();
        let spread = (1.0 - skewness * t + (kurtosis - 1.0) * t * t / 4.0).max(0.0);
        let scale = NELO_OF_T / games_each(counts.len()).sqrt();
        Some(Self { nelo: scale * t, error: scale * Z95 * (spread / observations).sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `nelo error`, the error within `tolerance`, a part of it.
    fn check(counts: &[u64], expected: Option<[f64; 2]>, tolerance: f64) {
        let found = NormalizedElo::new(counts);
        match (found, expected) {
            (Some(found), Some([nelo, error])) => {
                assert!((found.nelo - nelo).abs() <= 0.0051, "{counts:?}: {found:?}");
                assert!((found.error / error - 1.0).abs() <= tolerance, "{counts:?}: {found:?}");
            }
            (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{counts:?}"),
        }
    }

    #[test]
    fn published_examples() {
        // fastchess, app/tests/elo_test.cpp: "EloWDL 1" to "3", "EloPentanomial 1" to "3" (there, the
        // drawn pairs come in two kinds). Their errors are those at no difference: 3.4 % too small
        // in the fourth.
        check(&[89, 123, 76], Some([-20.76, 40.13]), 0.02);
        check(&[96, 111, 136], Some([49.77, 36.77]), 0.02);
        check(&[34, 54, 31 + 32, 64, 75], Some([57.94, 28.28]), 0.035);
        check(&[332, 433, 457 + 41, 333, 334], Some([-9.17, 10.96]), 0.02);
        check(&[7895, 8757, 5485 + 200, 568, 9999], Some([-19.01, 2.65]), 0.02);
    }

    #[test]
    fn where_the_difference_is_large_the_bars_are_its_own() {
        // 34 won, 356 lost of 390 ("EloWDL 3"; there ±34.48). With p = 34/390 the t-value is
        // (p − ½) / √(pq), its derivative ¼ / (pq)^1.5, and so the error 1.96 · 347.4 · ¼ / (pq · √390).
        let (p, q) = (34.0 / 390.0, 356.0 / 390.0);
        let error = 1.959_964 * 347.435_59 * 0.25 / (p * q * 390.0_f64.sqrt());
        check(&[356, 0, 34], Some([-508.44, error]), 1e-6);
    }

    #[test]
    fn without_noise_there_is_none() {
        check(&[0; 5], None, 0.0);
        check(&[], None, 0.0);
        check(&[0, 0, 9, 0, 0], None, 0.0);
        // One of ten a quarter above the rest: a mean of 1/40 and a deviation of 3/40.
        let error = 1.959_964 * 347.435_59 / 20.0_f64.sqrt();
        check(&[0, 0, 9, 1, 0], Some([347.435_59 / 18.0_f64.sqrt(), error]), 0.5);
    }

    #[test]
    fn pairs_of_independent_games_say_what_the_games_say() {
        // Of coin tosses: 1 : 2 : 1 pairs. The games won and lost in the same numbers.
        let shifted = [1_000, 2_600, 1_690].map(|n| n * 10);
        let pairs = NormalizedElo::new(&[shifted[0], 0, shifted[1], 0, shifted[2]]);
        let games =
            NormalizedElo::new(&[2 * shifted[0] + shifted[1], 0, 2 * shifted[2] + shifted[1]]);
        let (pairs, games) = (pairs.unwrap(), games.unwrap());
        assert!((pairs.nelo - games.nelo).abs() < 1e-6, "{pairs:?} {games:?}");
        assert!((pairs.error - games.error).abs() < 1e-2, "{pairs:?} {games:?}");
    }
}
