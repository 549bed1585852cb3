//! The sequential test of a match: after each pair it says whether enough was played. Pure, with
//! its sources.
//!
//! - A. Wald, *Sequential Tests of Statistical Hypotheses*, Ann. Math. Stat. 16 (1945): go on while
//!   the log-likelihood ratio of "the difference is elo1" to "it is elo0" lies between ln(β / (1 − α)) and
//!   ln((1 − β) / α).
//! - The other parameters of the distribution (how many draws, how lopsided the openings) are taken at
//!   their most likely values under either hypothesis, as in fishtest (`LLRcalc.py`): the generalised
//!   test of X. Li, J. Liu, Z. Ying, *Generalized Sequential Probability Ratio Test for Separate
//!   Families of Hypotheses*, Seq. Anal. 33 (2014). The error rates hold as the number of pairs grows.
//!   There is no correction for the overshoot: rates are a little below α and β.
//! - How long it takes: the ratio walks with a drift and a variance of its own, for small differences
//!   (s1 − s0)(2s − s0 − s1) / 2v and (s1 − s0)² / v at each observation (M. Van den Bergh,
//!   GSPRT_approximation.pdf). A Brownian motion leaves the interval after a time whose mean Wald's
//!   identity gives.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elo::score_of;
use super::likelihood::Observed;
use super::nelo::{NELO_OF_T, games_each};

/// Bounds further out than this are a mistake.
const ELO_MAX: f64 = 1000.0;

/// What the bounds of a test are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Usual Elo.
    Logistic,
    /// Normalised Elo: the same bounds take as many games whatever the share of draws.
    Normalized,
}

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtSetup {
    /// What the bounds are measured in.
    pub model: EloModel,
    /// The lower difference, elo0.
    pub elo0: f64,
    /// The upper difference, elo1.
    pub elo1: f64,
    /// How often elo1 may be accepted where elo0 is true.
    pub alpha: f64,
    /// How often elo0 may be accepted where elo1 is true.
    pub beta: f64,
}

/// A test that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The bounds are no interval.
    #[error(
        "the bounds of the test, {elo0} and {elo1} Elo, are no interval: the first must be the lower one"
    )]
    Bounds {
        /// The lower one.
        elo0: f64,
        /// The upper one.
        elo1: f64,
    },
    /// A bound is too far out.
    #[error("a bound of the test is {elo} Elo, which is not between -{ELO_MAX} and {ELO_MAX}")]
    Far {
        /// The bound.
        elo: f64,
    },
    /// An error rate is none.
    #[error("{name} is {rate}, which is no error rate: it must be above 0 and below 0.5")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What it is.
        rate: f64,
    },
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Go on.
    Open,
    /// The difference is elo0 or less.
    Lower,
    /// The difference is elo1 or more.
    Upper,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio.
    pub llr: f64,
    /// At or below this, elo0 is accepted.
    pub lower: f64,
    /// At or above this, elo1 is.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    setup: SprtSetup,
}

impl Sprt {
    /// A test with sound bounds and rates.
    pub fn new(setup: SprtSetup) -> Result<Self, SprtError> {
        let SprtSetup { elo0, elo1, alpha, beta, .. } = setup;
        for elo in [elo0, elo1] {
            // Neither is one that is not a number.
            if !(-ELO_MAX..=ELO_MAX).contains(&elo) {
                return Err(SprtError::Far { elo });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Bounds { elo0, elo1 });
        }
        for (name, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < 0.5) {
                return Err(SprtError::Rate { name, rate });
            }
        }
        Ok(Self { setup })
    }

    /// What is tested.
    pub fn setup(&self) -> SprtSetup {
        self.setup
    }

    /// The two bounds of the log-likelihood ratio.
    pub fn bounds(&self) -> [f64; 2] {
        let SprtSetup { alpha, beta, .. } = self.setup;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// Where the test stands after so many of each result, evenly spaced from 0 to 1: three for
    /// games (lost, drawn, won), five for pairs.
    pub fn state(&self, counts: &[u64]) -> SprtState {
        let (llr, [lower, upper]) = (self.llr(counts), self.bounds());
        let verdict = match llr {
            llr if llr >= upper => Verdict::Upper,
            llr if llr <= lower => Verdict::Lower,
            _ => Verdict::Open,
        };
        SprtState { llr, lower, upper, verdict }
    }

    /// The log-likelihood ratio; 0 where nothing was observed.
    pub fn llr(&self, counts: &[u64]) -> f64 {
        let Some(observed) = Observed::new(counts) else { return 0.0 };
        let best = |elo| match self.setup.model {
            EloModel::Logistic => observed.best_with_mean(score_of(elo)),
            EloModel::Normalized => observed.best_with_t(t_of(elo, counts.len())),
        };
        let each = match (best(self.setup.elo0), best(self.setup.elo1)) {
            (Some(lower), Some(upper)) => upper - lower,
            // Bounds so far out that the iteration finds nothing: the approximation of
            // normalized_elo_practical.pdf, 4.2.
            _ => self.nearly(&observed),
        };
        observed.number * each
    }

    fn nearly(&self, observed: &Observed) -> f64 {
        let (mean, variance) = observed.moments(&observed.shares);
        let t = (mean - 0.5) / variance.sqrt();
        let distance = |elo| 1.0 + (t - t_of(elo, observed.values.len())).powi(2);
        (distance(self.setup.elo0) / distance(self.setup.elo1)).ln() / 2.0
    }

    /// How many more observations the test is expected to take if all that follow are as those
    /// so far, on average; 0 once it is decided, none where nothing was observed.
    pub fn expected_left(&self, counts: &[u64]) -> Option<f64> {
        let observed = Observed::new(counts)?;
        let state = self.state(counts);
        if state.verdict != Verdict::Open {
            return Some(0.0);
        }
        let (mean, variance) = observed.moments(&observed.shares);
        let score = |elo| match self.setup.model {
            EloModel::Logistic => score_of(elo),
            EloModel::Normalized => 0.5 + t_of(elo, counts.len()) * variance.sqrt(),
        };
        let (s0, s1) = (score(self.setup.elo0), score(self.setup.elo1));
        let drift = (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let spread = (s1 - s0).powi(2) / variance;
        let walk = Walk { drift, variance: spread, lower: state.lower, upper: state.upper };
        Some(walk.time_from(state.llr))
    }
}

/// The t-value of an observation at this normalised Elo.
fn t_of(nelo: f64, kinds: usize) -> f64 {
    nelo / NELO_OF_T * games_each(kinds).sqrt()
}

/// A Brownian motion between two bounds.
struct Walk {
    drift: f64,
    variance: f64,
    lower: f64,
    upper: f64,
}

impl Walk {
    /// The mean time until a bound is reached.
    fn time_from(&self, at: f64) -> f64 {
        let (below, width) = (at - self.lower, self.upper - self.lower);
        let bend = 2.0 * self.drift / self.variance;
        // Without a drift worth the name the fraction below is 0 / 0.
        if (bend * width).abs() < 1e-6 {
            return below * (self.upper - at) / self.variance;
        }
        // The chance of the upper bound, by the martingale exp(−bend · x).
        let up = (-bend * below).exp_m1() / (-bend * width).exp_m1();
        let up = if up.is_finite() { up } else { f64::from(u8::from(bend > 0.0)) };
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

    /// The ratio to two digits.
    fn check(model: EloModel, bounds: [f64; 2], counts: &[u64], expected: &str) {
        let llr = sprt(model, bounds[0], bounds[1]).llr(counts);
        assert_eq!(format!("{llr:.2}"), expected, "{model:?} {bounds:?} {counts:?}: {llr}");
    }

    #[test]
    fn published_examples() {
        // fastchess, app/tests/sprt_test.cpp, in its order; lost, drawn, won there is won, lost, drawn.
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
        // Worked out in Python with the formulas of `LLRcalc.py`, the zeros by halving. Of nothing but
        // wins fastchess's tests tell less (2.97): its zeros are sought less closely.
        check(Normalized, [0.0, 10.0], &[0, 0, 4250], "120.55");
        check(Normalized, [0.0, 7.0], &[0, 9, 0, 0, 0], "-0.18");
        // Score s of coin tosses alone: n ln of the ratio of likelihoods.
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
    fn verdicts() {
        check_state(&[0; 5], "Open");
        check_state(&[10, 20, 30, 20, 10], "Open");
        check_state(&[10, 20, 30, 40, 10], "Open");
        check_state(&[10, 40, 60, 70, 40], "Upper");
        check_state(&[70, 140, 210, 140, 70], "Lower");
        check_state(&[1, 0, 0], "Open");
    }

    #[test]
    fn both_players_see_the_same_test() {
        for counts in [[1, 2, 3, 4, 5], [0, 700, 1, 0, 2], [3, 0, 0, 0, 1], [0, 9, 0, 0, 0]] {
            let mut turned = counts;
            turned.reverse();
            for model in [Logistic, Normalized] {
                let llr = sprt(model, -3.0, 7.0).llr(&counts);
                let other = sprt(model, -7.0, 3.0).llr(&turned);
                assert!((llr + other).abs() < 1e-6, "{model:?} {counts:?}: {llr} {other}");
            }
        }
    }

    #[test]
    fn bounds_far_out_still_give_a_number() {
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
    fn what_is_no_test_is_refused() {
        let good = SprtSetup { model: Logistic, elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.1 };
        assert_eq!(Sprt::new(good).unwrap().setup(), good);
        let bounds =
            "the bounds of the test, 5 and 5 Elo, are no interval: the first must be the lower one";
        check_error(SprtSetup { elo0: 5.0, ..good }, bounds);
        let far = "a bound of the test is NaN Elo, which is not between -1000 and 1000";
        check_error(SprtSetup { elo1: f64::NAN, ..good }, far);
        let rate = "alpha is 0.5, which is no error rate: it must be above 0 and below 0.5";
        check_error(SprtSetup { alpha: 0.5, ..good }, rate);
        let rate = "beta is 0, which is no error rate: it must be above 0 and below 0.5";
        check_error(SprtSetup { beta: 0.0, ..good }, rate);
    }

    /// Games that the test is expected to take from the start on, with so many pairs of each result
    /// in a million, and what a simulation of it took.
    fn check_length(shares: [f64; 5], expected: f64) {
        let test = sprt(Logistic, 0.0, 2.0);
        let counts = shares.map(|share| (share * 1e6) as u64);
        let observed = Observed::new(&counts).unwrap();
        let (mean, variance) = observed.moments(&observed.shares);
        let (s0, s1) = (score_of(0.0), score_of(2.0));
        let [lower, upper] = test.bounds();
        let drift = (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let walk = Walk { drift, variance: (s1 - s0).powi(2) / variance, lower, upper };
        let games = 2.0 * walk.time_from(0.0);
        assert!((games / expected - 1.0).abs() < 0.02, "{shares:?}: {games}, not {expected}");
    }

    #[test]
    fn lengths_of_a_published_simulation() {
        // github.com/vdbergh/simul, README: probabilities, and the mean length after 2771 and 2818 runs.
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
    fn what_is_left() {
        check_left(&[0; 5], None);
        check_left(&[10, 40, 60, 70, 40], Some(0.0..0.1));
        // With the same shares a third as many pairs brought a third of the way or so.
        check_left(&[4, 16, 24, 28, 16], Some(5.0..15.0));
        check_left(&[2, 8, 12, 14, 8], Some(40.0..70.0));
        // Between the hypotheses it is a walk without drift.
        check_left(&[100, 190, 300, 230, 111], Some(600.0..950.0));
    }

    #[test]
    fn a_walk_without_drift_is_the_limit_of_walks_with_little() {
        for at in [-2.0, 0.0, 1.5] {
            let walk =
                |drift| Walk { drift, variance: 1e-3, lower: -3.0, upper: 3.0 }.time_from(at);
            assert!((walk(0.0) / walk(1e-8) - 1.0).abs() < 1e-3, "{at}");
            assert!((walk(1e-8) / walk(-1e-8) - 1.0).abs() < 1e-3, "{at}");
        }
        // Drift alone: distance by speed, in both directions.
        let fast =
            |drift, at| Walk { drift, variance: 1e-9, lower: -3.0, upper: 3.0 }.time_from(at);
        assert!((fast(0.5, 1.0) - 4.0).abs() < 1e-6 && (fast(-0.5, 1.0) - 8.0).abs() < 1e-6);
    }
}
