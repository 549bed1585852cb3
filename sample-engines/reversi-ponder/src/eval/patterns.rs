//! The patterns of the evaluation: ten sets of squares and their 38 places on the board, as tables
//! of squares and powers of three.
//!
//! The patterns are those of M. Buro, "The Evolution of Strong Othello Programs" (2003), without
//! the 2×5 corner: diagonals of four to eight, rows two to four, an edge with both X squares, and
//! the 3×3 corner.

/// The number of squares of the longest pattern.
pub(super) const LONGEST: usize = 10;

/// The number of places.
pub const PLACES: usize = 38;

/// The number of places, rounded up to whole vectors.
pub(super) const LANES: usize = 40;

/// A set of squares whose contents are one number.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The name of the pattern.
    pub name: &'static str,
    /// The squares of its first place; a square is `8 * row + column`.
    pub squares: &'static [u8],
}

/// The ten patterns.
pub const PATTERNS: [Pattern; 10] = [
    Pattern { name: "diagonal of 4", squares: &[3, 10, 17, 24] },
    Pattern { name: "diagonal of 5", squares: &[4, 11, 18, 25, 32] },
    Pattern { name: "diagonal of 6", squares: &[5, 12, 19, 26, 33, 40] },
    Pattern { name: "diagonal of 7", squares: &[6, 13, 20, 27, 34, 41, 48] },
    Pattern { name: "diagonal of 8", squares: &[7, 14, 21, 28, 35, 42, 49, 56] },
    Pattern { name: "second row", squares: &[8, 9, 10, 11, 12, 13, 14, 15] },
    Pattern { name: "third row", squares: &[16, 17, 18, 19, 20, 21, 22, 23] },
    Pattern { name: "fourth row", squares: &[24, 25, 26, 27, 28, 29, 30, 31] },
    Pattern { name: "edge and X squares", squares: &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14] },
    Pattern { name: "corner", squares: &[0, 1, 2, 8, 9, 10, 16, 17, 18] },
];

/// The number of states of a pattern: 3 to the power of its squares.
pub(super) const fn states(pattern: usize) -> usize {
    3usize.pow(PATTERNS[pattern].squares.len() as u32)
}

/// The number of states of all patterns.
pub const STATES: usize = {
    let (mut sum, mut pattern) = (0, 0);
    while pattern < PATTERNS.len() {
        sum += states(pattern);
        pattern += 1;
    }
    sum
};

/// The index of a pattern's first state among all states.
pub(super) const fn first_state(pattern: usize) -> usize {
    let (mut sum, mut before) = (0, 0);
    while before < pattern {
        sum += states(before);
        before += 1;
    }
    sum
}

/// A pattern at a place of the board: its squares in the order of the pattern's.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternPlace {
    /// The index in [`PATTERNS`].
    pub pattern: usize,
    /// The squares, as many as the pattern has; the rest is unused.
    pub squares: [u8; LONGEST],
}

/// All places of all patterns, in the order of the patterns.
pub(super) const ALL_PLACES: [PatternPlace; PLACES] = places();

/// The index of each place's empty state among all states.
pub const CENTRES: [i32; LANES] = {
    let mut centres = [0; LANES];
    let mut index = 0;
    while index < PLACES {
        let pattern = ALL_PLACES[index].pattern;
        centres[index] = (first_state(pattern) + states(pattern) / 2) as i32;
        index += 1;
    }
    centres
};

/// What a disc on a square adds to the number of each place.
pub(super) static STEPS: [[i16; LANES]; 64] = {
    let mut steps = [[0; LANES]; 64];
    let mut index = 0;
    while index < PLACES {
        let place = ALL_PLACES[index];
        let (mut digit, mut power) = (0, 1i16);
        while digit < PATTERNS[place.pattern].squares.len() {
            steps[place.squares[digit] as usize][index] = power;
            // The power after the last digit would overflow.
            power = power.wrapping_mul(3);
            digit += 1;
        }
        index += 1;
    }
    steps
};

/// A square under one of the eight symmetries of the board.
pub(super) const fn symmetric_square(square: u8, symmetry: usize) -> u8 {
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

const fn places() -> [PatternPlace; PLACES] {
    let mut places = [PatternPlace { pattern: 0, squares: [0; LONGEST] }; PLACES];
    let mut count = 0;
    let mut pattern = 0;
    while pattern < PATTERNS.len() {
        let first = count;
        let mut symmetry = 0;
        while symmetry < 8 {
            let (mut squares, mut digit) = ([0; LONGEST], 0);
            while digit < PATTERNS[pattern].squares.len() {
                squares[digit] = symmetric_square(PATTERNS[pattern].squares[digit], symmetry);
                digit += 1;
            }
            let place = PatternPlace { pattern, squares };
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
        pattern += 1;
    }
    assert!(count == PLACES);
    places
}

/// The squares of a place as a set of bits.
const fn set(place: &PatternPlace) -> u64 {
    let (mut set, mut digit) = (0, 0);
    while digit < PATTERNS[place.pattern].squares.len() {
        set |= 1u64 << place.squares[digit];
        digit += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_all_its_places_once() {
        let count = |pattern| ALL_PLACES.iter().filter(|place| place.pattern == pattern).count();
        let counts: Vec<_> = (0..PATTERNS.len()).map(count).collect();
        assert_eq!(counts, [4, 4, 4, 4, 2, 4, 4, 4, 4, 4]);
        for (index, place) in ALL_PLACES.iter().enumerate() {
            let length = PATTERNS[place.pattern].squares.len();
            assert_eq!(set(place).count_ones() as usize, length, "{index}");
            assert!(ALL_PLACES[..index].iter().all(|other| set(other) != set(place)));
        }
    }

    #[test]
    fn a_full_place_has_its_last_state() {
        for (index, place) in ALL_PLACES.iter().enumerate() {
            let squares = &place.squares[..PATTERNS[place.pattern].squares.len()];
            let number: i16 = squares.iter().map(|&square| STEPS[square as usize][index]).sum();
            assert_eq!(usize::from(number as u16), states(place.pattern) / 2);
        }
        assert_eq!(first_state(PATTERNS.len()), STATES);
    }

    #[test]
    fn the_eight_symmetries_are_different() {
        let maps: Vec<Vec<u8>> = (0..8)
            .map(|symmetry| (0..64).map(|s| symmetric_square(s, symmetry)).collect())
            .collect();
        for (index, map) in maps.iter().enumerate() {
            let mut sorted = map.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..64) && !maps[..index].contains(map));
        }
    }
}
