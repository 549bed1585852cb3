//! Boards of any size in 256 bits, with 16 bits per row, so most boards have empty columns at the
//! right that stop lines. Used for every size but 8, which has [`bits`](super::bits). Independent
//! of colours and turns.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::square::Square;

/// A set of squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Squares([u64; 4]);

/// The eight directions, as differences of square indices.
const DIRECTIONS: [i32; 8] = [1, -1, 16, -16, 15, -15, 17, -17];

impl Squares {
    /// All squares of a board of this size.
    pub(super) fn board(size: u8) -> Squares {
        let row = u64::from(u16::MAX >> (16 - size));
        let mut words = [0; 4];
        for row_number in 0..usize::from(size) {
            words[row_number / 4] |= row << (row_number % 4 * 16);
        }
        Squares(words)
    }

    /// A set of one square.
    #[inline]
    pub(super) fn from_square(square: Square) -> Squares {
        let mut words = [0; 4];
        words[usize::from(square.index() >> 6)] = 1 << (square.index() & 63);
        Squares(words)
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    #[inline]
    pub(super) fn contains(self, square: Square) -> bool {
        !(self & Squares::from_square(square)).is_empty()
    }

    #[inline]
    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn words(self) -> [u64; 4] {
        self.0
    }

    /// The squares in order.
    pub(super) fn iter(self) -> impl Iterator<Item = Square> {
        let mut words = self.0;
        std::iter::from_fn(move || {
            let index = words.iter().position(|&word| word != 0)?;
            let bit = words[index].trailing_zeros();
            words[index] &= words[index] - 1;
            Some(Square::at((index as u32 * 64 + bit) as u8))
        })
    }

    /// Shifts every square by `by`; on a full row, squares wrap into the next row.
    #[inline]
    fn shift(self, by: i32) -> Squares {
        let [a, b, c, d] = self.0;
        let bits = by.unsigned_abs();
        let back = 64 - bits;
        Squares(if by > 0 {
            [a << bits, b << bits | a >> back, c << bits | b >> back, d << bits | c >> back]
        } else {
            [a >> bits | b << back, b >> bits | c << back, c >> bits | d << back, d >> bits]
        })
    }

    /// Moves every square one step, on the board. Nothing wraps between the last column of a full
    /// row and the first column of the next.
    #[inline]
    fn step(self, by: i32, board: Squares) -> Squares {
        const FIRST: u64 = 0x0001_0001_0001_0001;
        const LAST: u64 = FIRST << 15;
        let excluded = match by.rem_euclid(16) {
            1 => FIRST,
            15 => LAST,
            _ => 0,
        };
        self.shift(by) & board & Squares([!excluded; 4])
    }
}

impl BitAnd for Squares {
    type Output = Squares;

    #[inline]
    fn bitand(self, other: Squares) -> Squares {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Squares([a & e, b & f, c & g, d & h])
    }
}

impl BitOr for Squares {
    type Output = Squares;

    #[inline]
    fn bitor(self, other: Squares) -> Squares {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Squares([a | e, b | f, c | g, d | h])
    }
}

impl BitXor for Squares {
    type Output = Squares;

    #[inline]
    fn bitxor(self, other: Squares) -> Squares {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Squares([a ^ e, b ^ f, c ^ g, d ^ h])
    }
}

impl Not for Squares {
    type Output = Squares;

    #[inline]
    fn not(self) -> Squares {
        Squares(self.0.map(|word| !word))
    }
}

/// The squares of the board where a disc of `own` flips at least one disc of `opponent`.
pub(super) fn moves(own: Squares, opponent: Squares, board: Squares) -> Squares {
    let empty = board & !(own | opponent);
    let mut found = Squares::default();
    for by in DIRECTIONS {
        let mut run = own.step(by, board) & opponent;
        while !run.is_empty() {
            let next = run.step(by, board);
            found = found | next & empty;
            run = next & opponent;
        }
    }
    found
}

/// The discs of `opponent` that a disc of `own` on the empty `square` flips; empty if the move is
/// not legal.
pub(super) fn flips(square: Square, own: Squares, opponent: Squares, board: Squares) -> Squares {
    let mut flipped = Squares::default();
    for by in DIRECTIONS {
        let mut run = Squares::default();
        let mut end = Squares::from_square(square).step(by, board);
        while !(end & opponent).is_empty() {
            run = run | end;
            end = end.step(by, board);
        }
        if !(end & own).is_empty() {
            flipped = flipped | run;
        }
    }
    flipped
}
