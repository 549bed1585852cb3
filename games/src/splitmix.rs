//! The generator splitmix64 (Steele, Lea and Flood 2014, <https://prng.di.unimi.it/splitmix64.c>),
//! for all numbers that must be the same in every build and on every machine: position keys, deals,
//! seeds and schedules. Not for secrets: one output reveals all others.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output with this index, from 0, of the generator that starts with a seed.
pub const fn output(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(STEP.wrapping_mul(index.wrapping_add(1))))
}

/// The last step of the generator: each bit of the number changes about half of the result's bits.
pub const fn mix(number: u64) -> u64 {
    let z = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A hash of a text, of each of its bytes with [`mix`]. Not for tables that an author could attack.
pub fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

/// The generator as a stream of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts the stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let number = output(self.0, 0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A number below `bound`, or 0 if `bound` is 0. The probabilities of the numbers differ by at
    /// most 2⁻⁶⁴ (Lemire's multiplication).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts the items into a random order (Fisher and Yates, from the end).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_match_the_published_ones() {
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!([0; 5].map(|_| random.next_u64()), expected);
        assert_eq!([0, 1, 2, 3, 4].map(|index| output(1_234_567, index)), expected);
    }

    fn check(bound: usize, expected: usize) {
        let mut random = SplitMix64::new(7);
        let most = (0..2000).map(|_| random.below(bound)).max();
        assert_eq!(most, Some(expected), "{bound}");
    }

    #[test]
    fn numbers_below_a_bound_reach_its_predecessor() {
        check(0, 0);
        check(1, 0);
        check(2, 1);
        check(10, 9);
    }

    #[test]
    fn all_orders_are_equally_likely() {
        let mut random = SplitMix64::new(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Expected: 1000 of each, with a standard error of 29.
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
