//! Maximum likelihood distributions of results under a constraint: a given mean, or a given
//! distance of the mean from ½ in standard deviations. The sequential test compares their
//! likelihoods.
//!
//! - Given mean: the probabilities are p / (1 + x·(a − s)) with the only x for which the mean is s
//!   (M. Van den Bergh, *Maximum likelihood estimates for multinomial distributions*,
//!   support_MLE_multinomial.pdf, proposition 1.1; A. B. Owen, *Empirical Likelihood*, 2001, 2.9).
//! - Given t = (mean − ½) / deviation: the same with the constraint linearised at the last
//!   estimate, iterated (*idem*, normalized_elo_practical.pdf, 4.1).

/// The precision of the multiplier as a part of its interval.
const PRECISION: f64 = 1e-12;
/// The largest number of iterations, so that the solver ends even for NaN.
const STEPS_MAX: u32 = 200;

/// Observed results: values with their frequencies.
#[derive(Clone, Debug)]
pub(crate) struct Observations {
    /// The number of observations.
    pub(crate) count: f64,
    /// The values from 0 to 1, evenly spaced.
    pub(crate) values: Vec<f64>,
    /// The relative frequency of each value; never 0.
    pub(crate) shares: Vec<f64>,
}

impl Observations {
    /// Observations from counts. A result that never occurred counts as a thousandth, as in
    /// fishtest (`LLRcalc.py`, `regularize`), so that no likelihood is 0. `None` without
    /// observations.
    pub(crate) fn new(counts: &[u64]) -> Option<Self> {
        if counts.len() < 2 || counts.iter().all(|count| *count == 0) {
            return None;
        }
        let last = (counts.len() - 1) as f64;
        let counts: Vec<f64> =
            counts.iter().map(|n| if *n == 0 { 1e-3 } else { *n as f64 }).collect();
        let count = counts.iter().sum();
        Some(Self {
            count,
            values: (0..counts.len()).map(|i| i as f64 / last).collect(),
            shares: counts.iter().map(|it| it / count).collect(),
        })
    }

    /// The mean and variance of the values under a distribution.
    pub(crate) fn moments(&self, shares: &[f64]) -> (f64, f64) {
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            self.values.iter().zip(shares).map(|(value, share)| share * f(*value)).sum()
        };
        let mean = sum(&|value| value);
        (mean, sum(&|value| (value - mean).powi(2)))
    }

    /// The mean log-likelihood of an observation under a distribution.
    fn log_likelihood(&self, shares: &[f64]) -> f64 {
        self.shares.iter().zip(shares).map(|(seen, share)| seen * share.ln()).sum()
    }

    /// The maximum mean log-likelihood of an observation under distributions with this mean, 0 to 1
    /// exclusive.
    pub(crate) fn max_log_likelihood_for_mean(&self, mean: f64) -> Option<f64> {
        let excess: Vec<f64> = self.values.iter().map(|value| value - mean).collect();
        Some(self.log_likelihood(&self.distribution_with_mean_zero(&excess)?))
    }

    /// The maximum mean log-likelihood of an observation under distributions whose mean is `t`
    /// standard deviations above ½; `None` if none is found.
    pub(crate) fn max_log_likelihood_for_t(&self, t: f64) -> Option<f64> {
        let mut shares = vec![1.0 / self.values.len() as f64; self.values.len()];
        for _ in 0..STEPS_MAX {
            let (mean, variance) = self.moments(&shares);
            let deviation = variance.sqrt();
            let excess: Vec<f64> = self
                .values
                .iter()
                .map(|value| {
                    let distance = (mean - value) / deviation;
                    value - 0.5 - t * deviation * (1.0 + distance * distance) / 2.0
                })
                .collect();
            let next = self.distribution_with_mean_zero(&excess)?;
            let moved = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            shares = next;
            if moved < 1e-9 {
                return Some(self.log_likelihood(&shares));
            }
        }
        None
    }

    /// The most likely distribution for which the mean of `excess` is 0.
    fn distribution_with_mean_zero(&self, excess: &[f64]) -> Option<Vec<f64>> {
        let x = self.multiplier(excess)?;
        let share = |(share, excess): (&f64, &f64)| share / (1.0 + x * excess);
        Some(self.shares.iter().zip(excess).map(share).collect())
    }

    /// The zero of Σ p·e / (1 + x·e), which falls from +∞ to −∞ between the poles around 0:
    /// Newton's method, with bisection if a step leaves the interval.
    fn multiplier(&self, excess: &[f64]) -> Option<f64> {
        let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
        let most = excess.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let (mut low, mut high) = (-1.0 / most, -1.0 / least);
        let width = high - low;
        let mut x = 0.0;
        for _ in 0..STEPS_MAX {
            let (mut value, mut slope) = (0.0, 0.0);
            for (share, excess) in self.shares.iter().zip(excess) {
                let ratio = excess / (1.0 + x * excess);
                value += share * ratio;
                slope -= share * ratio * ratio;
            }
            if value > 0.0 {
                low = x
            } else {
                high = x
            }
            let newton = x - value / slope;
            let next = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
            let step = (next - x).abs();
            x = next;
            if step <= PRECISION * width {
                break;
            }
        }
        Some(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the likelihood for a given mean with a grid search over all distributions.
    fn check(counts: [u64; 3], mean: f64) {
        let observations = Observations::new(&counts).unwrap();
        let found = observations.max_log_likelihood_for_mean(mean).unwrap();
        // With three values the draw rate determines the distribution: win = mean − draw / 2.
        let grid = (1..100_000).filter_map(|i| {
            let draw = f64::from(i) / 100_000.0;
            let shares = [1.0 - mean - draw / 2.0, draw, mean - draw / 2.0];
            shares.iter().all(|share| *share > 0.0).then(|| observations.log_likelihood(&shares))
        });
        let best = grid.fold(f64::NEG_INFINITY, f64::max);
        assert!((found - best).abs() < 1e-5 && found >= best - 1e-9, "{counts:?}: {found}, {best}");
    }

    #[test]
    fn no_distribution_with_the_mean_is_likelier() {
        check([10, 20, 30], 0.5);
        check([10, 20, 30], 0.7);
        check([1, 500, 2], 0.4);
        check([0, 0, 50], 0.3);
        check([7, 0, 0], 0.9);
    }

    /// Compares the likelihood for a given t-value with a grid search over draw rates.
    fn check_t(counts: [u64; 3], t: f64) {
        let observations = Observations::new(&counts).unwrap();
        let found = observations.max_log_likelihood_for_t(t).unwrap();
        let mut best = f64::NEG_INFINITY;
        for i in 1..20_000 {
            let draw = f64::from(i) / 20_000.0;
            // With w + l = r and w − l = 2e, (mean − ½) = e and the variance is r/4 − e²:
            // e = t √(r/4 − e²), so e = t √(r/4) / √(1 + t²).
            let decided = 1.0 - draw;
            let e = t * (decided / 4.0 / (1.0 + t * t)).sqrt();
            let shares = [decided / 2.0 - e, draw, decided / 2.0 + e];
            if shares.iter().all(|share| *share > 0.0) {
                best = best.max(observations.log_likelihood(&shares));
            }
        }
        assert!((found - best).abs() < 1e-5 && found >= best - 1e-9, "{counts:?}: {found}, {best}");
    }

    #[test]
    fn no_distribution_with_the_t_value_is_likelier() {
        check_t([10, 20, 30], 0.0);
        check_t([10, 20, 30], 0.4);
        check_t([100, 200, 90], -0.3);
        check_t([0, 10, 50], 0.02);
        check_t([3, 1, 4], 0.5);
    }

    #[test]
    fn impossible_constraints_have_no_distribution() {
        assert!(Observations::new(&[0; 5]).is_none());
        assert!(Observations::new(&[3]).is_none());
        let observations = Observations::new(&[1, 2, 3]).unwrap();
        for mean in [0.0, 1.0, -3.0, f64::NAN] {
            assert_eq!(observations.max_log_likelihood_for_mean(mean), None, "{mean}");
        }
        assert_eq!(observations.max_log_likelihood_for_t(f64::NAN), None);
    }
}
