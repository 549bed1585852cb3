//! What is fixed about the 64 squares: neighbours, quadrants, which are good to
//! have. Knows no position.

/// The squares beside each square: a move flips nothing where none of them is an
/// opponent's.
pub(super) static NEAR: [u64; 64] = near();

/// The quadrant of each square, as one bit of four.
///
/// A quadrant with an odd number of empty squares is where a player gets the last
/// move: to move there first keeps the parity (Rosenbloom, "A World-Championship-Level
/// Othello Program", 1982).
pub(super) static QUADRANT: [u8; 64] = quadrants();

/// The squares of the quadrants in a set of four bits.
pub(super) static OF_QUADRANTS: [u64; 16] = of_quadrants();

/// The corners.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// How good a square is, all else being equal: corners first, what gives them away last.
pub(super) static WORTH: [u8; 64] = worth();

/// Which quadrants have an odd number of empty squares.
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

const fn near() -> [u64; 64] {
    let mut near = [0; 64];
    let mut square = 0;
    while square < 64 {
        let bit = 1u64 << square;
        let row = (bit | (bit << 1 & !0x0101_0101_0101_0101)) | (bit >> 1 & !0x8080_8080_8080_8080);
        near[square] = (row | row << 8 | row >> 8) & !bit;
        square += 1;
    }
    near
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

const fn of_quadrants() -> [u64; 16] {
    let quadrants = quadrants();
    let mut of = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut square = 0;
        while square < 64 {
            if quadrants[square] as usize & set != 0 {
                of[set] |= 1 << square;
            }
            square += 1;
        }
        set += 1;
    }
    of
}

const fn worth() -> [u8; 64] {
    const QUARTER: [[u8; 4]; 4] = [[9, 2, 8, 6], [2, 1, 3, 4], [8, 3, 7, 5], [6, 4, 5, 0]];
    let mut worth = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (row, column) = (square / 8, square % 8);
        let row = if row < 4 { row } else { 7 - row };
        let column = if column < 4 { column } else { 7 - column };
        worth[square] = QUARTER[row][column];
        square += 1;
    }
    worth
}
