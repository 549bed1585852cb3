//! The random number generator of the methods: PCG64 (M. O'Neill, *PCG: A Family of Simple Fast
//! Space-Efficient Statistically Good Algorithms for Random Number Generation*, 2014) from
//! `rand_pcg`, whose output is portable and tested against reference vectors.
//!
//! Uses only basic operations, square roots and `libm`, so that a seed gives the same numbers on
//! every machine. Nothing else in this crate is random.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;

/// The stream number used by PCG's own demonstration program.
const STREAM: u128 = 54;

/// A seeded stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rng(Pcg64);

impl Rng {
    /// Starts the stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::new(seed.into(), STREAM))
    }

    /// The next 64 random bits.
    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number in [0, 1), in steps of 2⁻⁵³.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A uniform number below `bound`, or 0 if `bound` is 0. The bias is at most `bound` / 2⁶⁴.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True with probability `rate`: never at 0, always at 1.
    pub(crate) fn chance(&mut self, rate: f64) -> bool {
        self.uniform() < rate
    }

    /// A number from the standard normal distribution, by the polar method (G. Marsaglia, T. Bray,
    /// *A Convenient Method for Generating Normal Variables*, SIAM Review 6, 1964).
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                return u * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// `count` distinct numbers below `bound` (all of them if there are fewer), in random
    /// order.
    pub(crate) fn sample_distinct(&mut self, count: usize, bound: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..bound).collect();
        for index in 0..count.min(bound) {
            numbers.swap(index, index + self.below(bound - index));
        }
        numbers.truncate(count);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_match_the_official_test_suite() {
        // Source: imneme/pcg-c, test-high/expected/check-pcg64.out, seed 42 and stream 54. A stored
        // run must stay resumable with later versions.
        let mut rng = Rng::new(42);
        let expected = [
            0x86b1_da1d_7206_2b68,
            0x1304_aa46_c985_3d39,
            0xa367_0e9e_0dd5_0358,
            0xf909_0e52_9a7d_ae00,
        ];
        assert_eq!([0; 4].map(|_| rng.next_u64()), expected);
    }

    fn check_moments(draw: fn(&mut Rng) -> f64, expected: [f64; 4]) {
        let mut rng = Rng::new(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| draw(&mut rng)).collect();
        for (power, expected) in (1..).zip(expected) {
            let moment = numbers.iter().map(|x| x.powi(power)).sum::<f64>() / 20_000.0;
            // Three standard errors of the fourth moment of a normal number (√96) are 0.21.
            assert!((moment - expected).abs() < 0.21, "{power}: {moment}");
        }
    }

    #[test]
    fn distributions_have_the_expected_moments() {
        check_moments(Rng::normal, [0.0, 1.0, 0.0, 3.0]);
        check_moments(|rng| 12.0_f64.sqrt() * (rng.uniform() - 0.5), [0.0, 1.0, 0.0, 1.8]);
    }

    #[test]
    fn distinct_samples_are_equally_likely() {
        let mut rng = Rng::new(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(rng.sample_distinct(2, 3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Expected: 1000 of each, with a standard error of 29.
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(rng.sample_distinct(5, 2).len(), 2);
        assert_eq!(rng.sample_distinct(5, 0), [0; 0]);
        assert!((0..1000).all(|_| !rng.chance(0.0) && rng.chance(1.0)));
    }
}
