//! Numbers drawn from a seed: splitmix64 (Steele, Lea and Flood 2014,
//! <https://prng.di.unimi.it/splitmix64.c>). The same seed gives the same numbers on every
//! machine; nothing else of this crate is random.

/// A stream of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 where that is 0. Uniform but for one part in 2⁶⁴ / `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// Shuffles (Fisher and Yates).
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
    fn the_first_numbers_are_those_published_with_it() {
        let mut stream = Stream::new(1_234_567);
        let found = [0; 5].map(|_| stream.draw());
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(found, expected);
    }

    fn check(bound: usize, expected: usize) {
        let mut stream = Stream::new(7);
        let most = (0..2000).map(|_| stream.below(bound)).max();
        assert_eq!(most, Some(expected), "{bound}");
    }

    #[test]
    fn numbers_below_a_bound_reach_it_but_for_one() {
        check(0, 0);
        check(1, 0);
        check(2, 1);
        check(10, 9);
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut stream = Stream::new(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            stream.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // 1000 of each, with a standard error of 29.
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
