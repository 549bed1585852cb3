//! Normalised Elo: the difference of two players in units of the noise of a game. The same
//! difference needs the same number of games, whatever the draw rate and however unbalanced the
//! openings.
//!
//! - M. Van den Bergh, *A practical introduction to normalized Elo* (normalized_elo_practical.pdf):
//!   t = (s − ½) / σ, where s is the expected score of a game and σ the standard deviation of one;
//!   of observations of n games each (pairs: 2), σ² is n times the variance of their mean score.
//!   Normalised Elo is 800 / ln 10 · t, which is Elo near 0 where half of the points are shared out
//!   by coin tosses.
//! - Errors by the delta method: the estimate is a function of mean and variance, whose own
//!   variances and covariance are moments, so that with N observations its variance is (1 − γτ + (κ
//!   − 1) τ² / 4) / N in units of τ = (s − ½) / √variance, with the skewness γ and the kurtosis κ
//!   (H. Cramér, *Mathematical Methods of Statistics*, 1946, 27.7 and 28.4). Near τ = 0 it is 1 /
//!   N, which is what fishtest and fastchess print for all differences.

use super::normal::Z95;

/// Normalised Elo per unit of the t-value: 800 / ln 10.
pub(crate) const NELO_PER_T: f64 = 347.435_585_522_601_46;

/// An estimate of the difference in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalizedElo {
    /// The most likely difference.
    pub nelo: f64,
    /// Half of the symmetric 95 % interval.
    pub error: f64,
}

/// The number of games per observation: results of `n` games have `2n + 1` kinds.
pub(crate) fn games_per_observation(kinds: usize) -> f64 {
    (kinds.saturating_sub(1).max(1) as f64 / 2.0).max(0.5)
}

impl NormalizedElo {
    /// Estimates from counts of results that are evenly spaced from 0 to 1: three counts for games,
    /// five for pairs. `None` if all results are equal, since there is no noise to measure by.
    pub fn new(counts: &[u64]) -> Option<Self> {
        let observations = counts.iter().sum::<u64>() as f64;
        let last = counts.len().saturating_sub(1).max(1) as f64;
        let moment = |around: f64, power| {
            let term = |(i, n): (usize, &u64)| *n as f64 * (i as f64 / last - around).powi(power);
            counts.iter().enumerate().map(term).sum::<f64>() / observations
        };
        let mean = moment(0.0, 1);
        let variance = moment(mean, 2);
        // This also covers the case without observations, where the variance is NaN.
        if variance.is_nan() || variance <= 0.0 {
            return None;
        }
        let skewness = moment(mean, 3) / variance.powf(1.5);
        let kurtosis = moment(mean, 4) / variance.powi(2);
        let t = (mean - 0.5) / variance.sqrt();
        let spread = (1.0 - skewness * t + (kurtosis - 1.0) * t * t / 4.0).max(0.0);
        let scale = NELO_PER_T / games_per_observation(counts.len()).sqrt();
        Some(Self { nelo: scale * t, error: scale * Z95 * (spread / observations).sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the estimate and its error, the latter within the relative `tolerance`.
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
        // Source: fastchess, app/tests/elo_test.cpp: "EloWDL 1" to "3", "EloPentanomial 1" to "3"
        // (which counts drawn pairs in two kinds). Its errors are those at no difference: 3.4 % too
        // small in the fourth.
        check(&[89, 123, 76], Some([-20.76, 40.13]), 0.02);
        check(&[96, 111, 136], Some([49.77, 36.77]), 0.02);
        check(&[34, 54, 31 + 32, 64, 75], Some([57.94, 28.28]), 0.035);
        check(&[332, 433, 457 + 41, 333, 334], Some([-9.17, 10.96]), 0.02);
        check(&[7895, 8757, 5485 + 200, 568, 9999], Some([-19.01, 2.65]), 0.02);
    }

    #[test]
    fn the_error_accounts_for_large_differences() {
        // 34 wins and 356 losses of 390 ("EloWDL 3", where the error is ±34.48). With p = 34/390
        // the t-value is (p − ½) / √(pq), its derivative ¼ / (pq)^1.5, and so the error 1.96 ·
        // 347.4 · ¼ / (pq · √390).
        let (p, q) = (34.0 / 390.0, 356.0 / 390.0);
        let error = 1.959_964 * 347.435_59 * 0.25 / (p * q * 390.0_f64.sqrt());
        check(&[356, 0, 34], Some([-508.44, error]), 1e-6);
    }

    #[test]
    fn equal_results_have_no_estimate() {
        check(&[0; 5], None, 0.0);
        check(&[], None, 0.0);
        check(&[0, 0, 9, 0, 0], None, 0.0);
        // One of ten results is a quarter above the rest: a mean of 1/40 and a deviation of 3/40.
        let error = 1.959_964 * 347.435_59 / 20.0_f64.sqrt();
        check(&[0, 0, 9, 1, 0], Some([347.435_59 / 18.0_f64.sqrt(), error]), 0.5);
    }

    #[test]
    fn pairs_of_independent_games_agree_with_their_games() {
        // Coin tosses: pairs in the ratio 1 : 2 : 1, shifted. Games won and lost in the same
        // numbers.
        let shifted = [1_000, 2_600, 1_690].map(|n| n * 10);
        let pairs = NormalizedElo::new(&[shifted[0], 0, shifted[1], 0, shifted[2]]);
        let games =
            NormalizedElo::new(&[2 * shifted[0] + shifted[1], 0, 2 * shifted[2] + shifted[1]]);
        let (pairs, games) = (pairs.unwrap(), games.unwrap());
        assert!((pairs.nelo - games.nelo).abs() < 1e-6, "{pairs:?} {games:?}");
        assert!((pairs.error - games.error).abs() < 1e-2, "{pairs:?} {games:?}");
    }
}
