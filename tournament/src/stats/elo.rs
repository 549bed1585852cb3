//! Estimates of strength from counts of results: the Elo difference, its 95 % interval and the
//! likelihood of superiority (LOS).
//!
//! Sources:
//!
//! - Elo from the score s: the logistic curve of A. E. Elo, *The Rating of
//!   Chessplayers, Past and Present* (1978), 8.4: s = 1 / (1 + 10^(−d/400)),
//!   hence d = −400 · log10(1/s − 1).
//! - Interval: the score is the mean of independent observations (pairs of
//!   games, or games), so its standard error is √(variance / observations), and
//!   the bounds s ± 1.96 standard errors go through the curve, as `get_elo`
//!   does in fishtest (`server/fishtest/stats/stat_util.py`). The two games of a
//!   pair share an opening; taking the pair as the observation, with five
//!   results (0, ½, 1, 1½, 2 points), excludes its effect from the error: the
//!   *pentanomial* model.
//! - Likelihood of superiority: Φ((s − ½) / standard error), *ibidem*.
//! - If all observations are equal, the variance is 0 and gives no interval. The "rule of
//!   three" is used instead (J. A. Hanley, A. Lippman-Hand, *If nothing goes wrong, is
//!   everything all right?*, JAMA 249, 1983): after n equal ones, at least the
//!   share q = 0.05^(1/n) of all observations equals them with 95 % confidence,
//!   and the rest is unknown. The likelihood of superiority is then that of a
//!   uniform prior for the share of wins: 1 − ½^(n+1).

use super::normal::{Z95, normal_cdf};

/// A sample of independent observations of a score between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number of observations.
    pub observations: u64,
    /// The mean; ½ without observations.
    pub mean: f64,
    /// The variance of the observations.
    pub variance: f64,
}

/// An estimate of the Elo difference between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The most likely difference; infinite if all points were won or lost.
    pub elo: f64,
    /// The lower bound of the 95 % interval; −∞ if there is none.
    pub low: f64,
    /// The upper bound of the 95 % interval; +∞ if there is none.
    pub high: f64,
    /// The likelihood of superiority: the probability that the first player is stronger.
    pub superiority: f64,
}

impl Sample {
    /// A sample from counts of results that are evenly spaced from 0 to 1: three counts for games
    /// (losses, draws, wins), five for pairs.
    pub fn new(counts: &[u64]) -> Self {
        let observations: u64 = counts.iter().sum();
        let last = counts.len().saturating_sub(1).max(1) as f64;
        let each = || counts.iter().enumerate().map(|(i, n)| (i as f64 / last, *n as f64));
        if observations == 0 {
            return Self { observations, mean: 0.5, variance: 0.0 };
        }
        let number = observations as f64;
        let mean = each().map(|(value, n)| n * value).sum::<f64>() / number;
        let variance = each().map(|(value, n)| n * (value - mean).powi(2)).sum::<f64>() / number;
        Self { observations, mean, variance }
    }

    /// The Elo difference; `None` without observations.
    pub fn elo(&self) -> Option<Elo> {
        let (low, high) = self.bounds()?;
        Some(Elo {
            elo: elo_of(self.mean),
            low: elo_of(low),
            high: elo_of(high),
            superiority: self.superiority(),
        })
    }

    /// The 95 % interval of the score, clamped to 0 to 1; `None` without observations.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.bounds().map(|(low, high)| [low.max(0.0), high.min(1.0)])
    }

    /// The 95 % interval of the score, not clamped to 0 to 1.
    fn bounds(&self) -> Option<(f64, f64)> {
        match self.observations {
            0 => None,
            n if self.variance == 0.0 => {
                let unknown = unknown_share(n);
                let least = (1.0 - unknown) * self.mean;
                Some((least, least + unknown))
            }
            _ => {
                let half_width = Z95 * self.standard_error();
                Some((self.mean - half_width, self.mean + half_width))
            }
        }
    }

    /// The standard error of the mean.
    fn standard_error(&self) -> f64 {
        (self.variance / self.observations as f64).sqrt()
    }

    fn superiority(&self) -> f64 {
        if self.mean == 0.5 {
            return 0.5;
        }
        if self.variance == 0.0 {
            let doubt = 0.5_f64.powf(self.observations as f64 + 1.0);
            return if self.mean > 0.5 { 1.0 - doubt } else { doubt };
        }
        normal_cdf((self.mean - 0.5) / self.standard_error())
    }
}

impl Elo {
    /// Half the interval, as error bars are usually given; `None` if a bound is infinite.
    pub fn error(&self) -> Option<f64> {
        let error = (self.high - self.low) / 2.0;
        error.is_finite().then_some(error)
    }
}

/// The share of all observations that may differ from `n` equal ones, with 95 % confidence: the
/// rule of three.
pub(crate) fn unknown_share(n: u64) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / n as f64)
}

/// The expected score at this Elo difference.
pub(crate) fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The Elo difference at which this score is expected; infinite outside of 0 to 1.
pub(crate) fn elo_of(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        // Avoids −0 for an even score.
        score => 0.0 - 400.0 * (1.0 / score - 1.0).log10(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks Elo, error and likelihood of superiority to this number of digits.
    fn check(counts: &[u64], expected: [f64; 3], digits: i32) {
        let elo = Sample::new(counts).elo().unwrap();
        let found = [elo.elo, elo.error().unwrap(), 100.0 * elo.superiority];
        for (found, expected) in found.into_iter().zip(expected) {
            let limit = 0.51 * 10.0_f64.powi(-digits);
            assert!((found - expected).abs() <= limit, "{counts:?}: {found}, not {expected}");
        }
    }

    #[test]
    fn published_examples() {
        // Source: fastchess, app/tests/elo_test.cpp: "EloWDL 2", "EloPentanomial 1" and "2" (which
        // count drawn pairs in two kinds).
        check(&[96, 111, 136], [40.70, 30.43, 99.60], 2);
        check(&[34, 54, 31 + 32, 64, 75], [55.58, 27.65, 100.00], 2);
        check(&[332, 433, 457 + 41, 333, 334], [-8.64, 10.33, 5.05], 2);
    }

    #[test]
    fn examples_of_fishtest_by_its_formula() {
        // The counts are from the tests of `stat_util.py`. The results were computed in Python with
        // its formula, without its regularisation.
        check(&[1187, 7410, 13475, 7378, 1164], [-0.4426, 1.7299, 30.8014], 4);
        check(&[10789, 19328, 33806, 19402, 10543], [-0.7736, 1.2776, 11.7659], 4);
        check(&[39, 2226, 31451, 2412, 40], [0.9030, 0.6625, 99.6222], 4);
        check(&[13624, 34333, 13543], [-0.4576, 1.8250, 31.1560], 4);
        check(&[591, 2163, 716], [12.5211, 7.0926, 99.9733], 4);
    }

    #[test]
    fn examples_computed_by_hand() {
        // 1 of 2 points each, twice half a point apart: s = ½, variance 1/16, standard error
        // √(1/32); ½ ± 0.34648 is 0.15352 and 0.84648, which is ∓296.6.
        check(&[0, 1, 0, 1, 0], [0.0, 296.5753, 50.0], 4);
        // 7 wins, 3 losses: s = 0.7, 400 · log10(7/3) = 147.19.
        check(&[3, 0, 7], [147.19, 387.39, 91.62], 2);
    }

    /// Checks the bounds of the score in thousandths.
    fn check_interval(counts: &[u64], expected: Option<[f64; 2]>) {
        let found = Sample::new(counts).interval().map(|it| it.map(|bound| (bound * 1e3).round()));
        assert_eq!(found, expected, "{counts:?}");
    }

    #[test]
    fn intervals_of_the_score() {
        // As above: ½ ± 0.346.
        check_interval(&[0, 1, 0, 1, 0], Some([154.0, 846.0]));
        // 0.7 ± 1.96 · √0.021 = 0.7 ± 0.284; with fewer games the upper bound exceeds 1.
        check_interval(&[3, 0, 7], Some([416.0, 984.0]));
        check_interval(&[2, 0, 5], Some([380.0, 1000.0]));
        check_interval(&[5, 0, 2], Some([0.0, 620.0]));
        // The rule of three: 0.05 to the power of 1/10 is 0.741.
        check_interval(&[0, 0, 0, 0, 10], Some([741.0, 1000.0]));
        check_interval(&[0; 5], None);
    }

    /// Checks Elo, bounds and superiority as text.
    fn check_edge(counts: &[u64], expected: Option<&str>) {
        let text = |elo: Elo| {
            format!("{:.0} {:.0} {:.0} {:.4}", elo.elo, elo.low, elo.high, elo.superiority)
        };
        assert_eq!(Sample::new(counts).elo().map(text).as_deref(), expected, "{counts:?}");
    }

    #[test]
    fn edge_cases() {
        check_edge(&[0; 5], None);
        check_edge(&[0; 3], None);
        // One pair says almost nothing: q = 0.05, and the score is 0.05 to 1.
        check_edge(&[0, 0, 0, 0, 1], Some("inf -512 inf 0.7500"));
        check_edge(&[1, 0, 0, 0, 0], Some("-inf -inf 512 0.2500"));
        // 0.025 to 0.975.
        check_edge(&[0, 0, 1, 0, 0], Some("0 -636 636 0.5000"));
        // q = 0.05^(1/10) = 0.7411.
        check_edge(&[0, 0, 0, 0, 10], Some("inf 183 inf 0.9995"));
        check_edge(&[10, 0, 0, 0, 0], Some("-inf -inf -183 0.0005"));
        check_edge(&[0, 0, 0, 10, 0], Some("191 39 257 0.9995"));
        // The normal bound exceeds the range of scores: there is no bound.
        check_edge(&[0, 0, 0, 1, 1], Some("338 149 inf 1.0000"));
        check_edge(&[1, 0, 1], Some("0 -inf inf 0.5000"));
    }

    #[test]
    fn the_difference_is_symmetric_in_the_players() {
        for counts in [[1, 2, 3, 4, 5], [0, 7, 1, 0, 2], [3, 0, 0, 0, 1], [0, 9, 0, 0, 0]] {
            let mut reversed = counts;
            reversed.reverse();
            let (a, b) =
                (Sample::new(&counts).elo().unwrap(), Sample::new(&reversed).elo().unwrap());
            for (a, b) in [
                (a.elo, -b.elo),
                (a.low, -b.high),
                (a.high, -b.low),
                (a.superiority, 1.0 - b.superiority),
            ] {
                assert!(a == b || (a - b).abs() < 1e-6, "{counts:?}: {a}, {b}");
            }
        }
    }
}
