//! The sequential probability ratio test (SPRT) of a match: after each pair it decides whether to
//! continue.
//!
//! Sources:
//!
//! - A. Wald, *Sequential Tests of Statistical Hypotheses*, Ann. Math. Stat. 16 (1945): continue
//!   while the log-likelihood ratio (LLR) of H1 "the difference is elo1" to H0 "it is elo0" is
//!   between ln(β / (1 − α)) and ln((1 − β) / α).
//! - The other parameters of the distribution (draw rate, unbalanced openings) are set to their
//!   most likely values under either hypothesis, as in fishtest (`LLRcalc.py`): the generalised
//!   test (GSPRT) of X. Li, J. Liu, Z. Ying, *Generalized Sequential Probability Ratio Test for
//!   Separate Families of Hypotheses*, Seq. Anal. 33 (2014). The error rates hold as the number of
//!   pairs grows. There is no correction for the overshoot: rates are a little below α and β.
//! - Expected length: the LLR is a Brownian motion, for small differences with the drift and
//!   variance (s1 − s0)(2s − s0 − s1) / 2v and (s1 − s0)² / v per observation (M. Van den Bergh,
//!   GSPRT_approximation.pdf). Wald's identity gives the mean time until it leaves the interval.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elo::score_of;
use super::likelihood::Observations;
use super::nelo::{NELO_PER_T, games_per_observation};

/// The largest magnitude of a bound in Elo.
const ELO_MAX: f64 = 1000.0;

/// The unit of the bounds of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Logistic Elo, the usual scale.
    Logistic,
    /// Normalised Elo: the same bounds take the same number of games, whatever the draw rate.
    Normalized,
}

/// The settings of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtSetup {
    /// The unit of the bounds.
    pub model: EloModel,
    /// The difference under H0, the lower one.
    pub elo0: f64,
    /// The difference under H1, the upper one.
    pub elo1: f64,
    /// The probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// The probability of accepting H0 if H1 is true.
    pub beta: f64,
}

/// The settings of a test are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The bounds are not in ascending order.
    #[error("the lower bound of the test, {elo0} Elo, must be below the upper bound, {elo1} Elo")]
    Bounds {
        /// The lower bound, elo0.
        elo0: f64,
        /// The upper bound, elo1.
        elo1: f64,
    },
    /// A bound is out of range, or NaN.
    #[error("a bound of the test must be between -{ELO_MAX} and {ELO_MAX} Elo, not {elo}")]
    BoundOutOfRange {
        /// The invalid bound.
        elo: f64,
    },
    /// An error rate is out of range.
    #[error("the error rate {name} must be above 0 and below 0.5, not {rate}")]
    ErrorRate {
        /// The name: `alpha` or `beta`.
        name: &'static str,
        /// The invalid rate.
        rate: f64,
    },
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Not decided: continue.
    Open,
    /// H0 is accepted: the difference is elo0 or less.
    Lower,
    /// H1 is accepted: the difference is elo1 or more.
    Upper,
}

/// The state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The bound at or below which H0 is accepted.
    pub lower: f64,
    /// The bound at or above which H1 is accepted.
    pub upper: f64,
    /// The decision so far.
    pub verdict: Verdict,
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    setup: SprtSetup,
}

impl Sprt {
    /// Creates a test after checking its bounds and error rates.
    pub fn new(setup: SprtSetup) -> Result<Self, SprtError> {
        let SprtSetup { elo0, elo1, alpha, beta, .. } = setup;
        for elo in [elo0, elo1] {
            // NaN is refused, too.
            if !(-ELO_MAX..=ELO_MAX).contains(&elo) {
                return Err(SprtError::BoundOutOfRange { elo });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Bounds { elo0, elo1 });
        }
        for (name, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::ErrorRate { name, rate });
            }
        }
        Ok(Self { setup })
    }

    /// The settings of the test.
    pub fn setup(&self) -> SprtSetup {
        self.setup
    }

    /// The lower and upper bound of the log-likelihood ratio.
    pub fn bounds(&self) -> [f64; 2] {
        let SprtSetup { alpha, beta, .. } = self.setup;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The state of the test after these counts of results, which are evenly spaced from 0 to 1:
    /// three counts for games (losses, draws, wins), five for pairs.
    pub fn state(&self, counts: &[u64]) -> SprtState {
        let (llr, [lower, upper]) = (self.llr(counts), self.bounds());
        let verdict = match llr {
            llr if llr >= upper => Verdict::Upper,
            llr if llr <= lower => Verdict::Lower,
            _ => Verdict::Open,
        };
        SprtState { llr, lower, upper, verdict }
    }

    /// The log-likelihood ratio; 0 without observations.
    pub fn llr(&self, counts: &[u64]) -> f64 {
        let Some(observations) = Observations::new(counts) else { return 0.0 };
        let max_log_likelihood = |elo| match self.setup.model {
            EloModel::Logistic => observations.max_log_likelihood_for_mean(score_of(elo)),
            EloModel::Normalized => observations.max_log_likelihood_for_t(t_of(elo, counts.len())),
        };
        let llr_per_observation =
            match (max_log_likelihood(self.setup.elo0), max_log_likelihood(self.setup.elo1)) {
                (Some(lower), Some(upper)) => upper - lower,
                // The iteration does not converge for extreme bounds: use the approximation of
                // normalized_elo_practical.pdf, 4.2.
                _ => self.approximate_llr(&observations),
            };
        observations.count * llr_per_observation
    }

    fn approximate_llr(&self, observations: &Observations) -> f64 {
        let (mean, variance) = observations.moments(&observations.shares);
        let t = (mean - 0.5) / variance.sqrt();
        let distance = |elo| 1.0 + (t - t_of(elo, observations.values.len())).powi(2);
        (distance(self.setup.elo0) / distance(self.setup.elo1)).ln() / 2.0
    }

    /// The expected number of further observations if they are on average like those so far; 0 once
    /// the test is decided, `None` without observations.
    pub fn expected_left(&self, counts: &[u64]) -> Option<f64> {
        let observations = Observations::new(counts)?;
        let state = self.state(counts);
        if state.verdict != Verdict::Open {
            return Some(0.0);
        }
        let (mean, variance) = observations.moments(&observations.shares);
        let score = |elo| match self.setup.model {
            EloModel::Logistic => score_of(elo),
            EloModel::Normalized => 0.5 + t_of(elo, counts.len()) * variance.sqrt(),
        };
        let (s0, s1) = (score(self.setup.elo0), score(self.setup.elo1));
        let drift = (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let spread = (s1 - s0).powi(2) / variance;
        let walk =
            BrownianMotion { drift, variance: spread, lower: state.lower, upper: state.upper };
        Some(walk.mean_exit_time(state.llr))
    }
}

/// The t-value of an observation at this normalised Elo.
fn t_of(nelo: f64, kinds: usize) -> f64 {
    nelo / NELO_PER_T * games_per_observation(kinds).sqrt()
}

/// A Brownian motion between two bounds.
struct BrownianMotion {
    drift: f64,
    variance: f64,
    lower: f64,
    upper: f64,
}

impl BrownianMotion {
    /// The mean time until a bound is reached.
    fn mean_exit_time(&self, at: f64) -> f64 {
        let (below, width) = (at - self.lower, self.upper - self.lower);
        let slope = 2.0 * self.drift / self.variance;
        // With almost no drift the fraction below would be 0 / 0.
        if (slope * width).abs() < 1e-6 {
            return below * (self.upper - at) / self.variance;
        }
        // The probability of reaching the upper bound, by the martingale exp(−2 · drift / variance
        // · x).
        let up = (-slope * below).exp_m1() / (-slope * width).exp_m1();
        let up = if up.is_finite() { up } else { f64::from(u8::from(slope > 0.0)) };
        (width * up - below) / self.drift
    }
}

#[cfg(test)]
mod tests {
    use EloModel::{Logistic, Normalized};

    use super::*;

    fn sprt(model: EloModel, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(SprtSetup { model, elo0, elo1, alpha: 0.05, beta: 0.05 }).unwrap()
    }

    /// Checks the log-likelihood ratio to two digits.
    fn check(model: EloModel, bounds: [f64; 2], counts: &[u64], expected: &str) {
        let llr = sprt(model, bounds[0], bounds[1]).llr(counts);
        assert_eq!(format!("{llr:.2}"), expected, "{model:?} {bounds:?} {counts:?}: {llr}");
    }

    #[test]
    fn published_examples() {
        // Source: fastchess, app/tests/sprt_test.cpp, in its order, which is wins, losses, draws.
        check(Normalized, [0.0, 2.0], &[36027, 68692, 36433], "0.92");
        check(Normalized, [-1.75, 0.25], &[10650, 20431, 10871], "2.30");
        check(Logistic, [0.5, 2.5], &[21184, 40708, 21404], "-1.57");
        check(Logistic, [0.0, 2.0], &[57030, 106593, 57433], "-2.59");
        check(Normalized, [0.0, 2.0], &[365, 16618, 36029 + 200, 16974, 390], "2.25");
        check(Normalized, [-1.75, 0.25], &[127, 4883, 10311 + 401, 5150, 104], "3.01");
        check(Logistic, [0.5, 2.5], &[223, 9863, 20279 + 1000, 10037, 246], "-3.07");
        check(Logistic, [0.0, 2.0], &[871, 26175, 55003 + 980, 26678, 821], "-4.98");
    }

    #[test]
    fn examples_of_fishtest_by_its_formulas() {
        // Computed in Python with the formulas of `LLRcalc.py`, with zeros found by bisection.
        // The tests of fastchess with wins only (2.97) are less precise, because their zeros are.
        check(Normalized, [0.0, 10.0], &[0, 0, 4250], "120.55");
        check(Normalized, [0.0, 7.0], &[0, 9, 0, 0, 0], "-0.18");
        // Without draws: n ln of the ratio of likelihoods.
        let (s, t) = (score_of(0.0), score_of(20.0));
        let by_hand = 70.0 * (t / s).ln() + 50.0 * ((1.0 - t) / (1.0 - s)).ln();
        let llr = sprt(Logistic, 0.0, 20.0).llr(&[50, 0, 70]);
        assert!((llr - by_hand).abs() < 1e-3, "{llr}, not {by_hand}");
    }

    fn check_state(counts: &[u64], expected: &str) {
        let state = sprt(Logistic, 0.0, 20.0).state(counts);
        let text = format!("{:.2} {:.2} {:?}", state.lower, state.upper, state.verdict);
        assert_eq!(text, format!("-2.94 2.94 {expected}"), "{counts:?}: {}", state.llr);
    }

    #[test]
    fn verdicts_of_counts() {
        check_state(&[0; 5], "Open");
        check_state(&[10, 20, 30, 20, 10], "Open");
        check_state(&[10, 20, 30, 40, 10], "Open");
        check_state(&[10, 40, 60, 70, 40], "Upper");
        check_state(&[70, 140, 210, 140, 70], "Lower");
        check_state(&[1, 0, 0], "Open");
    }

    #[test]
    fn the_test_is_symmetric_in_the_players() {
        for counts in [[1, 2, 3, 4, 5], [0, 700, 1, 0, 2], [3, 0, 0, 0, 1], [0, 9, 0, 0, 0]] {
            let mut reversed = counts;
            reversed.reverse();
            for model in [Logistic, Normalized] {
                let llr = sprt(model, -3.0, 7.0).llr(&counts);
                let other = sprt(model, -7.0, 3.0).llr(&reversed);
                assert!((llr + other).abs() < 1e-6, "{model:?} {counts:?}: {llr} {other}");
            }
        }
    }

    #[test]
    fn extreme_bounds_give_finite_numbers() {
        for counts in [[1_u64, 0, 0, 0, 0], [5, 0, 0, 0, 5], [0, 0, 9, 0, 0], [1, 2, 3, 4, 5]] {
            for (elo0, elo1) in [(-1000.0, 1000.0), (900.0, 1000.0), (-1000.0, -400.0)] {
                for model in [Logistic, Normalized] {
                    let sprt = sprt(model, elo0, elo1);
                    assert!(sprt.llr(&counts).is_finite(), "{model:?} {elo0} {elo1} {counts:?}");
                    let left = sprt.expected_left(&counts).unwrap();
                    assert!(left.is_finite() && left >= 0.0, "{model:?} {elo0} {counts:?}: {left}");
                }
            }
        }
    }

    fn check_error(setup: SprtSetup, expected: &str) {
        assert_eq!(Sprt::new(setup).unwrap_err().to_string(), expected);
    }

    #[test]
    fn invalid_settings_are_refused() {
        let good = SprtSetup { model: Logistic, elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.1 };
        assert_eq!(Sprt::new(good).unwrap().setup(), good);
        let bounds = "the lower bound of the test, 5 Elo, must be below the upper bound, 5 Elo";
        check_error(SprtSetup { elo0: 5.0, ..good }, bounds);
        let far = "a bound of the test must be between -1000 and 1000 Elo, not NaN";
        check_error(SprtSetup { elo1: f64::NAN, ..good }, far);
        let rate = "the error rate alpha must be above 0 and below 0.5, not 0.5";
        check_error(SprtSetup { alpha: 0.5, ..good }, rate);
        let rate = "the error rate beta must be above 0 and below 0.5, not 0";
        check_error(SprtSetup { beta: 0.0, ..good }, rate);
    }

    /// Checks the expected number of games from the start, for these probabilities of the results
    /// of a pair, against a simulation.
    fn check_length(shares: [f64; 5], expected: f64) {
        let test = sprt(Logistic, 0.0, 2.0);
        let counts = shares.map(|share| (share * 1e6) as u64);
        let observations = Observations::new(&counts).unwrap();
        let (mean, variance) = observations.moments(&observations.shares);
        let (s0, s1) = (score_of(0.0), score_of(2.0));
        let [lower, upper] = test.bounds();
        let drift = (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let walk = BrownianMotion { drift, variance: (s1 - s0).powi(2) / variance, lower, upper };
        let games = 2.0 * walk.mean_exit_time(0.0);
        assert!((games / expected - 1.0).abs() < 0.02, "{shares:?}: {games}, not {expected}");
    }

    #[test]
    fn expected_lengths_match_a_published_simulation() {
        // Source: github.com/vdbergh/simul, README: probabilities, and the mean length of 2771 and
        // 2818 runs.
        check_length([0.031425, 0.242521, 0.442462, 0.250299, 0.033293], 60848.6);
        check_length([0.032347, 0.246400, 0.442505, 0.246400, 0.032347], 60006.6);
    }

    fn check_left(counts: &[u64], expected: Option<std::ops::Range<f64>>) {
        let left = sprt(Logistic, 0.0, 20.0).expected_left(counts);
        let fits = match (&expected, left) {
            (Some(range), Some(left)) => range.contains(&left),
            (expected, left) => expected.is_none() && left.is_none(),
        };
        assert!(fits, "{counts:?}: {left:?}, not {expected:?}");
    }

    #[test]
    fn expected_number_of_further_observations() {
        check_left(&[0; 5], None);
        check_left(&[10, 40, 60, 70, 40], Some(0.0..0.1));
        // The same shares with fewer pairs: the LLR is proportional to the number of pairs.
        check_left(&[4, 16, 24, 28, 16], Some(5.0..15.0));
        check_left(&[2, 8, 12, 14, 8], Some(40.0..70.0));
        // About halfway between the hypotheses the LLR has no drift.
        check_left(&[100, 190, 300, 230, 111], Some(600.0..950.0));
    }

    #[test]
    fn zero_drift_is_the_limit_of_small_drifts() {
        for at in [-2.0, 0.0, 1.5] {
            let walk = |drift| {
                BrownianMotion { drift, variance: 1e-3, lower: -3.0, upper: 3.0 }.mean_exit_time(at)
            };
            assert!((walk(0.0) / walk(1e-8) - 1.0).abs() < 1e-3, "{at}");
            assert!((walk(1e-8) / walk(-1e-8) - 1.0).abs() < 1e-3, "{at}");
        }
        // Almost without variance the time is the distance divided by the drift, in either
        // direction.
        let fast = |drift, at| {
            BrownianMotion { drift, variance: 1e-9, lower: -3.0, upper: 3.0 }.mean_exit_time(at)
        };
        assert!((fast(0.5, 1.0) - 4.0).abs() < 1e-6 && (fast(-0.5, 1.0) - 8.0).abs() < 1e-6);
    }
}
