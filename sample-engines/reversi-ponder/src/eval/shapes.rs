//! Which squares are looked at together: ten shapes and their 38 places on the
//! board. Tables of squares and powers of three only; values nothing.
//!
//! The shapes are those of M. Buro, "The Evolution of Strong Othello Programs"
//! (2003), without the 2×5 corner: diagonals of four to eight, rows two to
//! four, an edge with both X squares, and the 3×3 corner.

/// The longest shape.
pub const LONGEST: usize = 10;

/// How many places there are.
pub const PLACES: usize = 38;

/// Room for the places, in whole vectors.
pub const LANES: usize = 40;

/// A set of squares that is looked at as one number.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Its squares where it stands first; a square is `8 * row + column`.
    pub squares: &'static [u8],
}

/// The ten shapes.
pub const SHAPES: [Shape; 10] = [
    Shape { name: "diagonal of 4", squares: &[3, 10, 17, 24] },
    Shape { name: "diagonal of 5", squares: &[4, 11, 18, 25, 32] },
    Shape { name: "diagonal of 6", squares: &[5, 12, 19, 26, 33, 40] },
    Shape { name: "diagonal of 7", squares: &[6, 13, 20, 27, 34, 41, 48] },
    Shape { name: "diagonal of 8", squares: &[7, 14, 21, 28, 35, 42, 49, 56] },
    Shape { name: "second row", squares: &[8, 9, 10, 11, 12, 13, 14, 15] },
    Shape { name: "third row", squares: &[16, 17, 18, 19, 20, 21, 22, 23] },
    Shape { name: "fourth row", squares: &[24, 25, 26, 27, 28, 29, 30, 31] },
    Shape { name: "edge and X squares", squares: &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14] },
    Shape { name: "corner", squares: &[0, 1, 2, 8, 9, 10, 16, 17, 18] },
];

/// What a shape's squares can be: 3 to their number.
pub const fn states(shape: usize) -> usize {
    3usize.pow(SHAPES[shape].squares.len() as u32)
}

/// All states of all shapes.
pub const STATES: usize = {
    let (mut sum, mut shape) = (0, 0);
    while shape < SHAPES.len() {
        sum += states(shape);
        shape += 1;
    }
    sum
};

/// Where the states of a shape begin among all of them.
pub const fn first_state(shape: usize) -> usize {
    let (mut sum, mut before) = (0, 0);
    while before < shape {
        sum += states(before);
        before += 1;
    }
    sum
}

/// A shape somewhere on the board: its squares in the order of the shape's.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which of [`SHAPES`].
    pub shape: usize,
    /// Its squares; only as many count as the shape has.
    pub squares: [u8; LONGEST],
}

/// Every place of every shape, each shape's one after another.
pub const ALL_PLACES: [Place; PLACES] = places();

/// Among all states, the one of each place when its squares are empty.
pub const CENTRES: [i32; LANES] = {
    let mut centres = [0; LANES];
    let mut index = 0;
    while index < PLACES {
        let shape = ALL_PLACES[index].shape;
        centres[index] = (first_state(shape) + states(shape) / 2) as i32;
        index += 1;
    }
    centres
};

/// What a disc on a square adds to the number of each place.
pub static STEPS: [[i16; LANES]; 64] = {
    let mut steps = [[0; LANES]; 64];
    let mut index = 0;
    while index < PLACES {
        let place = ALL_PLACES[index];
        let (mut digit, mut power) = (0, 1i16);
        while digit < SHAPES[place.shape].squares.len() {
            steps[place.squares[digit] as usize][index] = power;
            // The last power would be the first too large one.
            power = power.wrapping_mul(3);
            digit += 1;
        }
        index += 1;
    }
    steps
};

/// A square under one of the eight symmetries of the board.
pub const fn turned(square: u8, symmetry: usize) -> u8 {
    let (mut row, mut column) = (square / 8, square % 8);
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 {
        (row, column) = (column, row);
    }
    8 * row + column
}

const fn places() -> [Place; PLACES] {
    let mut places = [Place { shape: 0, squares: [0; LONGEST] }; PLACES];
    let mut count = 0;
    let mut shape = 0;
    while shape < SHAPES.len() {
        let first = count;
        let mut symmetry = 0;
        while symmetry < 8 {
            let (mut squares, mut digit) = ([0; LONGEST], 0);
            while digit < SHAPES[shape].squares.len() {
                squares[digit] = turned(SHAPES[shape].squares[digit], symmetry);
                digit += 1;
            }
            let place = Place { shape, squares };
            let (mut known, mut other) = (false, first);
            while other < count {
                known |= set(&places[other]) == set(&place);
                other += 1;
            }
            if !known {
                places[count] = place;
                count += 1;
            }
            symmetry += 1;
        }
        shape += 1;
    }
    assert!(count == PLACES);
    places
}

/// The squares of a place as a set.
const fn set(place: &Place) -> u64 {
    let (mut set, mut digit) = (0, 0);
    while digit < SHAPES[place.shape].squares.len() {
        set |= 1u64 << place.squares[digit];
        digit += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_stands_everywhere_once() {
        let count = |shape| ALL_PLACES.iter().filter(|place| place.shape == shape).count();
        let counts: Vec<_> = (0..SHAPES.len()).map(count).collect();
        assert_eq!(counts, [4, 4, 4, 4, 2, 4, 4, 4, 4, 4]);
        for (index, place) in ALL_PLACES.iter().enumerate() {
            let length = SHAPES[place.shape].squares.len();
            assert_eq!(set(place).count_ones() as usize, length, "{index}");
            assert!(ALL_PLACES[..index].iter().all(|other| set(other) != set(place)));
        }
    }

    #[test]
    fn a_full_place_is_the_last_of_its_states() {
        for (index, place) in ALL_PLACES.iter().enumerate() {
            let squares = &place.squares[..SHAPES[place.shape].squares.len()];
            let number: i16 = squares.iter().map(|&square| STEPS[square as usize][index]).sum();
            assert_eq!(usize::from(number as u16), states(place.shape) / 2);
        }
        assert_eq!(first_state(SHAPES.len()), STATES);
    }

    #[test]
    fn symmetries_are_eight_different_maps() {
        let maps: Vec<Vec<u8>> =
            (0..8).map(|symmetry| (0..64).map(|s| turned(s, symmetry)).collect()).collect();
        for (index, map) in maps.iter().enumerate() {
            let mut sorted = map.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..64) && !maps[..index].contains(map));
        }
    }
}
