//! Which states are one and the same but for a symmetry of the shape, so that
//! they share a weight. Knows numbers of states and classes, no weight.

use super::shapes::{self, SHAPES, STATES};

/// How many states of each shape differ.
const SIZES: [usize; SHAPES.len()] = [45, 135, 378, 1134, 3321, 3321, 3321, 3321, 29_646, 10_206];

/// All classes of all shapes.
pub const CLASSES: usize = {
    let (mut sum, mut shape) = (0, 0);
    while shape < SIZES.len() {
        sum += SIZES[shape];
        shape += 1;
    }
    sum
};

/// The class of every state.
pub fn of_states() -> Vec<u32> {
    let mut classes = Vec::with_capacity(STATES);
    let mut next = 0;
    for (shape, &size) in SIZES.iter().enumerate() {
        let first = classes.len();
        let mirrored = mirrored_digits(shape);
        for state in 0..shapes::states(shape) {
            let twin = mirror(state, &mirrored);
            let class = if twin < state { classes[first + twin] } else { next };
            classes.push(class);
            next += u32::from(twin >= state);
        }
        debug_assert_eq!(classes[first] as usize + size, next as usize, "shape {shape}");
    }
    classes
}

/// Of each digit of the shape's state, the digit that its one symmetry makes of it.
fn mirrored_digits(shape: usize) -> Vec<usize> {
    let squares = SHAPES[shape].squares;
    let digit_of = |square| squares.iter().position(|&other| other == square);
    let images = (1..8).filter_map(|symmetry| {
        squares.iter().map(|&square| digit_of(shapes::turned(square, symmetry))).collect()
    });
    let identity: Vec<usize> = (0..squares.len()).collect();
    let mut images: Vec<Vec<usize>> = images.filter(|image| *image != identity).collect();
    images.dedup();
    // A long diagonal has two symmetries, of which one leaves every square where it is.
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
    fn a_class_is_a_state_and_its_mirror_image() {
        let classes = of_states();
        assert_eq!(classes.len(), STATES);
        assert_eq!(classes.iter().max().map(|&last| last as usize + 1), Some(CLASSES));
        let mut members = vec![0; CLASSES];
        classes.iter().for_each(|&class| members[class as usize] += 1);
        assert!(members.iter().all(|&count| count == 1 || count == 2));
        // An edge with a disc on its first square, and with one on its last.
        let edge = shapes::first_state(8);
        let empty = shapes::states(8) / 2;
        assert_eq!(classes[edge + empty + 1], classes[edge + empty + 3usize.pow(7)]);
        assert_ne!(classes[edge + empty + 1], classes[edge + empty + 3usize.pow(6)]);
    }
}
