//! What patterns are worth: the weights, made by hand, and how many patterns of each kind
//! sum up to a value. Two of the numbers are a paper's (`docs/gomoku.md` says which).

use sandboard_sdk::{Weight, Weights};

use crate::pattern::{PATTERNS, Pattern, Tally};

/// The most that a weight may be: all rows of the largest board cannot run over with it.
const MOST: i32 = 10_000;

const fn weight(name: &'static str, about: &'static str, initial: i32) -> Weight {
    Weight { name, about, initial, min: 0, max: MOST }
}

/// All of them: the patterns in the order of [`Pattern`], then the pairs.
pub static WEIGHTS: [Weight; PATTERNS + 3] = [
    weight("closed-two", "two stones that can become a closed three", 5),
    weight("open-two", "two stones that can become an open three", 30),
    weight("closed-three", "three stones that can become a closed four", 40),
    weight("open-three", "three stones that can become an open four", 200),
    weight("closed-four", "four stones and one point that makes a five", 250),
    weight("open-four", "four stones and two points that make a five", 5_000),
    weight("three-three", "besides, two open threes or more", 800),
    weight("four-three", "besides, a closed four and an open three", 1_500),
    weight("four-four", "besides, two closed fours or more", 2_500),
];

/// The weights where they are asked for at every leaf.
#[derive(Clone, Debug)]
pub struct Worth {
    patterns: [i32; PATTERNS],
    three_three: i32,
    four_three: i32,
    four_four: i32,
}

impl Worth {
    /// From a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        Self {
            patterns: std::array::from_fn(|index| weights.value(index)),
            three_three: weights.value(PATTERNS),
            four_three: weights.value(PATTERNS + 1),
            four_four: weights.value(PATTERNS + 2),
        }
    }

    /// What a colour's patterns are worth together.
    #[inline]
    pub fn of(&self, tally: Tally) -> i32 {
        let count = |pattern| tally.count(pattern);
        let patterns = Pattern::ALL.iter().zip(self.patterns);
        let sum: i32 = patterns.map(|(&pattern, worth)| count(pattern) as i32 * worth).sum();
        let (fours, threes) = (count(Pattern::ClosedFour), count(Pattern::OpenThree));
        let given = |there: bool, worth| if there { worth } else { 0 };
        sum + given(threes >= 2, self.three_three)
            + given(fours >= 1 && threes >= 1, self.four_three)
            + given(fours >= 2, self.four_four)
    }
}
