//! Tables for the 64 squares: neighbours, quadrants, and values for move ordering. Knows no
//! position.

/// The neighbours of each square: a move flips nothing if none of them has an opponent's disc.
pub(super) static NEIGHBOURS: [u64; 64] = neighbours();

/// The quadrant of each square, as one bit of four.
///
/// In a quadrant with an odd number of empty squares, the side that moves first also moves last, if
/// both stay there (parity: Rosenbloom, "A World-Championship-Level Othello Program", 1982).
pub(super) static QUADRANT: [u8; 64] = quadrants();

/// The squares of each set of quadrants, which is four bits.
pub(super) static QUADRANT_SQUARES: [u64; 16] = quadrant_squares();

/// The four corners.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The value of a square in move ordering: corners are best, squares that give them away worst.
pub(super) static SQUARE_VALUES: [u8; 64] = square_values();

/// The set of quadrants with an odd number of empty squares.
#[inline]
pub(super) fn odd_quadrants(empty: u64) -> u8 {
    let mut odd = 0;
    let mut rest = empty;
    while rest != 0 {
        odd ^= QUADRANT[rest.trailing_zeros() as usize % 64];
        rest &= rest - 1;
    }
    odd
}

const fn neighbours() -> [u64; 64] {
    let mut neighbours = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1u64 << square;
        let row = (bit | (bit << 1 & !0x0101_0101_0101_0101)) | (bit >> 1 & !0x8080_8080_8080_8080);
        neighbours[square] = (row | row << 8 | row >> 8) & !bit;
        square += 1;
    }
    neighbours
}

const fn quadrants() -> [u8; 64] {
    let mut quadrants = [0; 64];
    let mut square = 0;
    while square < 64 {
        quadrants[square] = 1 << (2 * (square / 32) + square % 8 / 4);
        square += 1;
    }
    quadrants
}

const fn quadrant_squares() -> [u64; 16] {
    let quadrants = quadrants();
    let mut squares = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut square = 0;
        while square < 64 {
            if quadrants[square] as usize & set != 0 {
                squares[set] |= 1 << square;
            }
            square += 1;
        }
        set += 1;
    }
    squares
}

const fn square_values() -> [u8; 64] {
    const QUARTER: [[u8; 4]; 4] = [[9, 2, 8, 6], [2, 1, 3, 4], [8, 3, 7, 5], [6, 4, 5, 0]];
    let mut values = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (row, column) = (square / 8, square % 8);
        let row = if row < 4 { row } else { 7 - row };
        let column = if column < 4 { column } else { 7 - column };
        values[square] = QUARTER[row][column];
        square += 1;
    }
    values
}
