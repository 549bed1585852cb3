//! Numbers drawn from a seed, by PCG64 (M. O'Neill, *PCG: A Family of Simple Fast Space-Efficient
//! Statistically Good Algorithms for Random Number Generation*, 2014) of `rand_pcg`, whose output is
//! portable and held against reference vectors. What is made of them takes the basic operations, square
//! roots and `libm` only, so that it is the same on every machine; nothing else of this crate is random.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// The stream of PCG's own demonstration.
const STREAM: u128 = 54;

/// A stream of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draws(Pcg64);

impl Draws {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::new(seed.into(), STREAM))
    }

    /// A number of 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 on and below 1, in steps of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number below `bound`; 0 where that is 0. Uniform but for one part in 2⁶⁴ / `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// True so often: never at 0, always at 1.
    pub(crate) fn chance(&mut self, rate: f64) -> bool {
        self.unit() < rate
    }

    /// A number of the normal distribution with mean 0 and standard deviation 1, by the polar method
    /// (G. Marsaglia, T. Bray, *A Convenient Method for Generating Normal Variables*, SIAM Review 6, 1964).
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                return u * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// So many different numbers below `bound`, or all of them, in an order as likely as any other.
    pub(crate) fn different(&mut self, count: usize, bound: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..bound).collect();
        for place in 0..count.min(bound) {
            numbers.swap(place, place + self.below(bound - place));
        }
        numbers.truncate(count);
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_official_test_suite() {
        // imneme/pcg-c, test-high/expected/check-pcg64.out, seed 42 and stream 54: a run that was begun
        // must go on with the next version.
        let mut draws = Draws::new(42);
        let expected = [
            0x86b1_da1d_7206_2b68,
            0x1304_aa46_c985_3d39,
            0xa367_0e9e_0dd5_0358,
            0xf909_0e52_9a7d_ae00,
        ];
        assert_eq!([0; 4].map(|_| draws.bits()), expected);
    }

    fn check_moments(draw: fn(&mut Draws) -> f64, expected: [f64; 4]) {
        let mut draws = Draws::new(1);
        let numbers: Vec<f64> = (0..20_000).map(|_| draw(&mut draws)).collect();
        for (power, expected) in (1..).zip(expected) {
            let moment = numbers.iter().map(|x| x.powi(power)).sum::<f64>() / 20_000.0;
            // Three standard errors of the fourth moment of a normal number (√96) are 0.21.
            assert!((moment - expected).abs() < 0.21, "{power}: {moment}");
        }
    }

    #[test]
    fn distributions_have_their_moments() {
        check_moments(Draws::normal, [0.0, 1.0, 0.0, 3.0]);
        check_moments(|draws| 12.0_f64.sqrt() * (draws.unit() - 0.5), [0.0, 1.0, 0.0, 1.8]);
    }

    #[test]
    fn different_numbers_are_each_as_likely() {
        let mut draws = Draws::new(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            *counts.entry(draws.different(2, 3)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // 1000 of each, with a standard error of 29.
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert_eq!(draws.different(5, 2).len(), 2);
        assert_eq!(draws.different(5, 0), [0; 0]);
        assert!((0..1000).all(|_| !draws.chance(0.0) && draws.chance(1.0)));
    }
}
