//! Seeded random numbers for engines: the same seed gives the same numbers on every platform. Not
//! for secrets.

use sandboard_games::splitmix::SplitMix64;

/// A generator of random numbers, splitmix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// A generator whose numbers depend on this seed alone.
    pub fn seeded(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `bound - 1`; 0 if `bound` is 0. The probabilities of the numbers differ
    /// by at most 2⁻³² (Lemire's multiplication).
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 32).wrapping_mul(bound as u64) >> 32) as usize
    }

    /// A number from 0 to below 1, a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The generator of the numbers.
    pub(crate) fn generator(&mut self) -> &mut SplitMix64 {
        &mut self.0
    }
}
