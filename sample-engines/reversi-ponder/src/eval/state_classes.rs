//! Classes of states that are equal up to a symmetry of their pattern and share a weight. Knows no
//! weights.

use super::patterns::{self, PATTERNS, STATES};

/// The number of classes of each pattern.
const CLASS_COUNTS: [usize; PATTERNS.len()] =
    [45, 135, 378, 1134, 3321, 3321, 3321, 3321, 29_646, 10_206];

/// The number of classes of all patterns.
pub const CLASSES: usize = {
    let (mut sum, mut shape) = (0, 0);
    while shape < CLASS_COUNTS.len() {
        sum += CLASS_COUNTS[shape];
        shape += 1;
    }
    sum
};

/// The class of every state, by its index.
pub fn classes_of_states() -> Vec<u32> {
    let mut classes = Vec::with_capacity(STATES);
    let mut next = 0;
    for (pattern, &count) in CLASS_COUNTS.iter().enumerate() {
        let first = classes.len();
        let mirrored = mirrored_digits(pattern);
        for state in 0..patterns::states(pattern) {
            let twin = mirror(state, &mirrored);
            let class = if twin < state { classes[first + twin] } else { next };
            classes.push(class);
            next += u32::from(twin >= state);
        }
        debug_assert_eq!(classes[first] as usize + count, next as usize, "pattern {pattern}");
    }
    classes
}

/// The image of each digit of a pattern's state under the pattern's own symmetry.
fn mirrored_digits(pattern: usize) -> Vec<usize> {
    let squares = PATTERNS[pattern].squares;
    let digit_of = |square| squares.iter().position(|&other| other == square);
    let images = (1..8).filter_map(|symmetry| {
        squares
            .iter()
            .map(|&square| digit_of(patterns::symmetric_square(square, symmetry)))
            .collect()
    });
    let identity: Vec<usize> = (0..squares.len()).collect();
    let mut images: Vec<Vec<usize>> = images.filter(|image| *image != identity).collect();
    images.dedup();
    // A long diagonal has two symmetries, and one of them maps every square to itself.
    images.pop().unwrap_or(identity)
}

fn mirror(state: usize, digits: &[usize]) -> usize {
    let (mut rest, mut twin) = (state, 0);
    for &digit in digits {
        twin += rest % 3 * 3usize.pow(digit as u32);
        rest /= 3;
    }
    twin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_a_state_and_its_mirror_image() {
        let classes = classes_of_states();
        assert_eq!(classes.len(), STATES);
        assert_eq!(classes.iter().max().map(|&last| last as usize + 1), Some(CLASSES));
        let mut members = vec![0; CLASSES];
        classes.iter().for_each(|&class| members[class as usize] += 1);
        assert!(members.iter().all(|&count| count == 1 || count == 2));
        // An edge with a disc on its first square, and with one on its last.
        let edge = patterns::first_state(8);
        let empty = patterns::states(8) / 2;
        assert_eq!(classes[edge + empty + 1], classes[edge + empty + 3usize.pow(7)]);
        assert_ne!(classes[edge + empty + 1], classes[edge + empty + 3usize.pow(6)]);
    }
}
