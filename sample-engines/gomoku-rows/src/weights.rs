//! The weights of patterns, and the value of a number of patterns. The weights were chosen by hand;
//! two of them are from a paper (see `docs/gomoku.md`).

use sandboard_sdk::{Weight, Weights};

use crate::pattern::{PATTERNS, Pattern, PatternCounts};

/// The largest weight: the sum over all rows of the largest board does not overflow.
const WEIGHT_MAX: i32 = 10_000;

const fn weight(name: &'static str, about: &'static str, initial: i32) -> Weight {
    Weight { name, about, initial, min: 0, max: WEIGHT_MAX }
}

/// All weights: the patterns in the order of [`Pattern`], then the bonuses for pairs.
pub static WEIGHTS: [Weight; PATTERNS + 3] = [
    weight("closed-two", "two stones that can become a closed three", 5),
    weight("open-two", "two stones that can become an open three", 30),
    weight("closed-three", "three stones that can become a closed four", 40),
    weight("open-three", "three stones that can become an open four", 200),
    weight("closed-four", "four stones and one point that makes a five", 250),
    weight("open-four", "four stones and two points that make a five", 5_000),
    weight("three-three", "bonus for two or more open threes", 800),
    weight("four-three", "bonus for a closed four and an open three", 1_500),
    weight("four-four", "bonus for two or more closed fours", 2_500),
];

/// The weights as fields, for fast access at every leaf.
#[derive(Clone, Debug)]
pub struct PatternValues {
    patterns: [i32; PATTERNS],
    three_three: i32,
    four_three: i32,
    four_four: i32,
}

impl PatternValues {
    /// The values of a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        Self {
            patterns: std::array::from_fn(|index| weights.value(index)),
            three_three: weights.value(PATTERNS),
            four_three: weights.value(PATTERNS + 1),
            four_four: weights.value(PATTERNS + 2),
        }
    }

    /// The value of all patterns of a colour.
    #[inline]
    pub fn total(&self, counts: PatternCounts) -> i32 {
        let count = |pattern| counts.count(pattern);
        let patterns = Pattern::ALL.iter().zip(self.patterns);
        let sum: i32 = patterns.map(|(&pattern, value)| count(pattern) as i32 * value).sum();
        let (fours, threes) = (count(Pattern::ClosedFour), count(Pattern::OpenThree));
        let bonus = |applies: bool, value| if applies { value } else { 0 };
        sum + bonus(threes >= 2, self.three_three)
            + bonus(fours >= 1 && threes >= 1, self.four_three)
            + bonus(fours >= 2, self.four_four)
    }
}
