//! A little chance in what positions are worth, for engines that are to play
//! less well: the same position is mistaken in the same way as long as the seed
//! is the same, so that a search stays one and can be repeated.

use sandboard_games::{Outcome, Rules};

use crate::evaluator::{Evaluator, ProbableCut};

/// Chance of a size, from a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Values are off by no more than this.
    pub size: i32,
    /// From which the mistakes come.
    pub seed: u64,
}

impl Noise {
    /// No chance at all.
    pub const NONE: Noise = Noise { size: 0, seed: 0 };

    /// What is added to the value of the position with this hash.
    #[inline]
    pub fn of(self, hash: u64) -> i32 {
        if self.size == 0 {
            return 0;
        }
        let mixed = (hash ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let span = 2 * i64::from(self.size) + 1;
        // The upper half spread over the span: each value as likely as another to within 2^-32 of it.
        let part = ((mixed >> 32) as i64).wrapping_mul(span) >> 32;
        part as i32 - self.size
    }
}

/// An evaluator that is mistaken a little.
#[derive(Clone, Debug, Default)]
pub struct Noisy<E> {
    /// The evaluator.
    pub evaluator: E,
    /// How it is mistaken.
    pub noise: Noise,
}

impl<R: Rules, E: Evaluator<R>> Evaluator<R> for Noisy<E> {
    const USUAL_CHANGE: i32 = E::USUAL_CHANGE;

    #[inline]
    fn value(&self, position: &R) -> i32 {
        let value = self.evaluator.value(position);
        if self.noise.size == 0 { value } else { value + self.noise.of(position.hash()) }
    }

    fn score(&self, value: i32) -> i32 {
        self.evaluator.score(value)
    }

    #[inline]
    fn probable_cut(&self, position: &R, depth: u32) -> Option<ProbableCut> {
        self.evaluator.probable_cut(position, depth)
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
    fn mistakes_spread_over_their_size_and_repeat() {
        for size in [0, 1, 50, 10_000] {
            let noise = Noise { size, seed: 7 };
            let found: Vec<i32> = (0..2_000).map(|n| noise.of(n << 40 | n)).collect();
            assert!(found.iter().all(|value| value.abs() <= size));
            assert!(found.iter().any(|value| *value >= size / 2));
            assert!(found.iter().any(|value| *value <= -size / 2));
            assert!((found.iter().sum::<i32>() / 2_000).abs() <= size / 10);
            assert_eq!(found[9], noise.of(9 << 40 | 9));
            let other = Noise { seed: 8, ..noise };
            let same = (0..2_000).filter(|n| other.of(n << 40 | n) == found[*n as usize]).count();
            assert_eq!(same == 2_000, size == 0, "{same} of {size}");
        }
    }
}
