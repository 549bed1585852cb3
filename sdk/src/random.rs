//! Seeded randomness for engines: same seed, same numbers, on every platform.
//! Not for secrets.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound - 1`, each as likely as another to within
    /// 2⁻³² (Lemire's multiplication); 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.bits() >> 32).wrapping_mul(bound as u64) >> 32) as usize
    }
}
