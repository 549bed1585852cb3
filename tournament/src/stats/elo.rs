//! From counts of results to strength: Elo difference, its 95 % interval and
//! the likelihood of superiority. Pure arithmetic, with its sources.
//!
//! - Elo from the score s: the logistic curve of A. E. Elo, *The Rating of
//!   Chessplayers, Past and Present* (1978), 8.4: s = 1 / (1 + 10^(−d/400)),
//!   hence d = −400 · log10(1/s − 1).
//! - Interval: the score is the mean of independent observations (pairs of
//!   games, or games), so its standard error is √(variance / observations), and
//!   the bounds s ± 1.96 standard errors go through the curve, as `get_elo`
//!   does in fishtest (`server/fishtest/stats/stat_util.py`). The two games of a
//!   pair share an opening; taking the pair as the observation, with five
//!   results (0, ½, 1, 1½, 2 points), keeps what they have in common out of the
//!   error: the *pentanomial* model.
//! - Likelihood of superiority: Φ((s − ½) / standard error), *ibidem*.
//! - Where all observations are equal, the variance says nothing. The "rule of
//!   three" does (J. A. Hanley, A. Lippman-Hand, *If nothing goes wrong, is
//!   everything all right?*, JAMA 249, 1983): after n equal ones, at least the
//!   share q = 0.05^(1/n) of all is like them with 95 % confidence, the rest may
//!   be anything. For superiority then counts the share of won observations
//!   under a uniform prior: 1 − ½^(n+1).

use super::normal::{Z95, normal};

/// Independent observations of a score between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// How many.
    pub observations: u64,
    /// Their mean; ½ where there are none.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
}

/// An estimate of the Elo difference between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The most likely difference; infinite where every point was won or lost.
    pub elo: f64,
    /// The lower bound of the 95 % interval; −∞ where there is none.
    pub low: f64,
    /// The upper bound; +∞ where there is none.
    pub high: f64,
    /// How likely it is that the first player is the stronger one, 0 to 1.
    pub superiority: f64,
}

impl Sample {
    /// From counts of results that are evenly spaced from 0 to 1: three for
    /// games (lost, drawn, won), five for pairs.
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

    /// What it says of strength; none where there are no observations.
    pub fn elo(&self) -> Option<Elo> {
        let (low, high) = self.bounds()?;
        Some(Elo {
            elo: elo_of(self.mean),
            low: elo_of(low),
            high: elo_of(high),
            superiority: self.superiority(),
        })
    }

    /// The 95 % interval of the score, as far as there are such scores; none where there are no
    /// observations.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.bounds().map(|(low, high)| [low.max(0.0), high.min(1.0)])
    }

    /// The 95 % interval of the score, which may reach beyond 0 and 1.
    fn bounds(&self) -> Option<(f64, f64)> {
        match self.observations {
            0 => None,
            n if self.variance == 0.0 => {
                let like_these = 0.05_f64.powf(1.0 / n as f64);
                let least = like_these * self.mean;
                Some((least, least + (1.0 - like_these)))
            }
            _ => {
                let reach = Z95 * self.error();
                Some((self.mean - reach, self.mean + reach))
            }
        }
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
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
        normal((self.mean - 0.5) / self.error())
    }
}

impl Elo {
    /// Half the interval, as error bars are usually written; none where a bound
    /// is missing.
    pub fn error(&self) -> Option<f64> {
        let error = (self.high - self.low) / 2.0;
        error.is_finite().then_some(error)
    }
}

/// The score that is expected at this Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The Elo difference at which this score is expected; infinite from 0 downwards and from 1 upwards.
pub fn elo_of(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        // Not −0 for an even score.
        score => 0.0 - 400.0 * (1.0 / score - 1.0).log10(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `elo error superiority`, to as many digits as the expectation has.
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
        // fastchess, app/tests/elo_test.cpp: "EloWDL 2", "EloPentanomial 1" and "2"
        // (there, the drawn pairs come in two kinds).
        check(&[96, 111, 136], [40.70, 30.43, 99.60], 2);
        check(&[34, 54, 31 + 32, 64, 75], [55.58, 27.65, 100.00], 2);
        check(&[332, 433, 457 + 41, 333, 334], [-8.64, 10.33, 5.05], 2);
    }

    #[test]
    fn examples_of_fishtest_by_its_formula() {
        // The counts are those of `stat_util.py`'s own tests; the results were
        // worked out in Python with its formula, without its regularisation.
        check(&[1187, 7410, 13475, 7378, 1164], [-0.4426, 1.7299, 30.8014], 4);
        check(&[10789, 19328, 33806, 19402, 10543], [-0.7736, 1.2776, 11.7659], 4);
        check(&[39, 2226, 31451, 2412, 40], [0.9030, 0.6625, 99.6222], 4);
        check(&[13624, 34333, 13543], [-0.4576, 1.8250, 31.1560], 4);
        check(&[591, 2163, 716], [12.5211, 7.0926, 99.9733], 4);
    }

    #[test]
    fn worked_out_by_hand() {
        // 1 of 2 points each, twice half a point apart: s = ½, variance 1/16, standard
        // error √(1/32); ½ ± 0.34648 is 0.15352 and 0.84648, which is ∓296.6.
        check(&[0, 1, 0, 1, 0], [0.0, 296.5753, 50.0], 4);
        // 7 won, 3 lost: s = 0.7, 400 · log10(7/3) = 147.19.
        check(&[3, 0, 7], [147.19, 387.39, 91.62], 2);
    }

    /// The bounds of the score in thousandths.
    fn check_interval(counts: &[u64], expected: Option<[f64; 2]>) {
        let found = Sample::new(counts).interval().map(|it| it.map(|bound| (bound * 1e3).round()));
        assert_eq!(found, expected, "{counts:?}");
    }

    #[test]
    fn intervals_of_the_score() {
        // As above: ½ ± 0.346.
        check_interval(&[0, 1, 0, 1, 0], Some([154.0, 846.0]));
        // 0.7 ± 1.96 · √0.021 = 0.7 ± 0.284; of one game less the upper bound is beyond all points.
        check_interval(&[3, 0, 7], Some([416.0, 984.0]));
        check_interval(&[2, 0, 5], Some([380.0, 1000.0]));
        check_interval(&[5, 0, 2], Some([0.0, 620.0]));
        // The rule of three: 0.05 to the power of 1/10 is 0.741.
        check_interval(&[0, 0, 0, 0, 10], Some([741.0, 1000.0]));
        check_interval(&[0; 5], None);
    }

    /// `elo low high superiority` in text.
    fn check_edge(counts: &[u64], expected: Option<&str>) {
        let text = |elo: Elo| {
            format!("{:.0} {:.0} {:.0} {:.4}", elo.elo, elo.low, elo.high, elo.superiority)
        };
        assert_eq!(Sample::new(counts).elo().map(text).as_deref(), expected, "{counts:?}");
    }

    #[test]
    fn edges() {
        check_edge(&[0; 5], None);
        check_edge(&[0; 3], None);
        // One pair says next to nothing: q = 0.05, the score is 0.05 to 1.
        check_edge(&[0, 0, 0, 0, 1], Some("inf -512 inf 0.7500"));
        check_edge(&[1, 0, 0, 0, 0], Some("-inf -inf 512 0.2500"));
        // 0.025 to 0.975.
        check_edge(&[0, 0, 1, 0, 0], Some("0 -636 636 0.5000"));
        // q = 0.05^(1/10) = 0.7411.
        check_edge(&[0, 0, 0, 0, 10], Some("inf 183 inf 0.9995"));
        check_edge(&[10, 0, 0, 0, 0], Some("-inf -inf -183 0.0005"));
        check_edge(&[0, 0, 0, 10, 0], Some("191 39 257 0.9995"));
        // The normal bound leaves the range of scores: no bound.
        check_edge(&[0, 0, 0, 1, 1], Some("338 149 inf 1.0000"));
        check_edge(&[1, 0, 1], Some("0 -inf inf 0.5000"));
    }

    #[test]
    fn both_players_see_the_same_difference() {
        for counts in [[1, 2, 3, 4, 5], [0, 7, 1, 0, 2], [3, 0, 0, 0, 1], [0, 9, 0, 0, 0]] {
            let mut turned = counts;
            turned.reverse();
            let (a, b) = (Sample::new(&counts).elo().unwrap(), Sample::new(&turned).elo().unwrap());
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
