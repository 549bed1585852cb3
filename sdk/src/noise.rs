//! Pseudo-random errors in an evaluation, for engines that play below full strength. A position
//! always has the same error for the same seed, so that a search is consistent and repeatable.

use sandboard_games::{Outcome, Rules};

use crate::evaluator::{Evaluator, ProbCut};

/// Pseudo-random errors of a maximum size, derived from a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// The largest error of a value, in the evaluator's unit; 0: no errors.
    pub size: i32,
    /// The seed of the errors.
    pub seed: u64,
}

impl Noise {
    /// No errors at all.
    pub const NONE: Noise = Noise { size: 0, seed: 0 };

    /// The error of the position with this hash, from `-size` to `size`.
    #[inline]
    pub fn for_hash(self, hash: u64) -> i32 {
        if self.size == 0 {
            return 0;
        }
        let mixed = (hash ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let span = 2 * i64::from(self.size) + 1;
        // The upper half scaled to the span: probabilities of values differ by at most 2^-32.
        let part = ((mixed >> 32) as i64).wrapping_mul(span) >> 32;
        part as i32 - self.size
    }
}

/// An evaluator with noise added to its values.
#[derive(Clone, Debug, Default)]
pub struct NoisyEvaluator<E> {
    /// The evaluator without noise.
    pub evaluator: E,
    /// The errors added to its values.
    pub noise: Noise,
}

impl<R: Rules, E: Evaluator<R>> Evaluator<R> for NoisyEvaluator<E> {
    const ASPIRATION_MARGIN: i32 = E::ASPIRATION_MARGIN;

    #[inline]
    fn value(&self, position: &R) -> i32 {
        let value = self.evaluator.value(position);
        if self.noise.size == 0 { value } else { value + self.noise.for_hash(position.hash()) }
    }

    fn score(&self, value: i32) -> i32 {
        self.evaluator.score(value)
    }

    #[inline]
    fn prob_cut(&self, position: &R, depth: u32) -> Option<ProbCut> {
        self.evaluator.prob_cut(position, depth)
    }

    fn move_value(&self, position: &R, mv: R::Move) -> i32 {
        self.evaluator.move_value(position, mv)
    }

    fn final_value(&self, position: &R, outcome: Outcome, plies: u32) -> i32 {
        self.evaluator.final_value(position, outcome, plies)
    }

    fn reset(&mut self, position: &R) {
        self.evaluator.reset(position);
    }

    #[inline]
    fn made(&mut self, after: &R, mv: R::Move) {
        self.evaluator.made(after, mv);
    }

    #[inline]
    fn unmade(&mut self, after: &R, mv: R::Move) {
        self.evaluator.unmade(after, mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_cover_their_range_and_repeat() {
        for size in [0, 1, 50, 10_000] {
            let noise = Noise { size, seed: 7 };
            let errors: Vec<i32> = (0..2_000).map(|n| noise.for_hash(n << 40 | n)).collect();
            assert!(errors.iter().all(|value| value.abs() <= size));
            assert!(errors.iter().any(|value| *value >= size / 2));
            assert!(errors.iter().any(|value| *value <= -size / 2));
            assert!((errors.iter().sum::<i32>() / 2_000).abs() <= size / 10);
            assert_eq!(errors[9], noise.for_hash(9 << 40 | 9));
            let other = Noise { seed: 8, ..noise };
            let same =
                (0..2_000).filter(|n| other.for_hash(n << 40 | n) == errors[*n as usize]).count();
            assert_eq!(same == 2_000, size == 0, "{same} of {size}");
        }
    }
}
