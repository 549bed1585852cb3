//! Discs that no further move can flip, as far as they are easily seen. Never counts
//! one that can be flipped; misses some.

/// All squares of the edge.
const EDGE: u64 = 0xff81_8181_8181_81ff;

/// What is stable in a row at the edge, by the discs in it: nothing but moves in the
/// row itself flips there.
pub(super) struct Stable {
    /// Own stable discs at `256 * opponent + own`.
    row: Box<[u8]>,
}

impl Stable {
    /// Works out the rows: what stays the mover's whoever moves wherever next.
    pub(super) fn new() -> Self {
        let mut row = vec![0; 1 << 16].into_boxed_slice();
        // With fewer empty squares first, so that what may follow is known.
        for filled in (0..=8).rev() {
            for occupied in (0..256u32).filter(|occupied| occupied.count_ones() == filled) {
                for own in (0..256).filter(|own| own & !occupied == 0) {
                    let opponent = occupied ^ own;
                    let mut stable = own;
                    for square in (0..8).filter(|square| occupied >> square & 1 == 0) {
                        let flipped = row_flips(square, own, opponent);
                        let after = (own | 1 << square | flipped, opponent & !flipped);
                        stable &= u32::from(row[index(after.0, after.1)]);
                        let flipped = row_flips(square, opponent, own);
                        let after = (own & !flipped, opponent | 1 << square | flipped);
                        stable &= u32::from(row[index(after.0, after.1)]);
                    }
                    row[index(own, opponent)] = stable as u8;
                }
            }
        }
        Self { row }
    }

    /// Discs of `own` that stay.
    pub(super) fn of(&self, own: u64, opponent: u64) -> u64 {
        let occupied = own | opponent;
        let full = [
            full(occupied, 1, &OFF[0]),
            full(occupied, 8, &OFF[1]),
            full(occupied, 9, &OFF[2]),
            full(occupied, 7, &OFF[3]),
        ];
        let inner = own & !EDGE;
        let mut stable = self.edges(own, opponent) | inner & full[0] & full[1] & full[2] & full[3];
        loop {
            // A disc is safe along a line that is full, or beside a safe own one.
            let mut more = inner & !stable;
            for (full, shift) in full.into_iter().zip([1, 8, 9, 7]) {
                more &= full | stable << shift | stable >> shift;
            }
            if more == 0 {
                return stable;
            }
            stable |= more;
        }
    }

    /// The stable ones of the edge.
    pub(super) fn edges(&self, own: u64, opponent: u64) -> u64 {
        let of =
            |own: u8, opponent: u8| u64::from(self.row[index(u32::from(own), u32::from(opponent))]);
        let (left, right) =
            (of(column(own), column(opponent)), of(column(own >> 7), column(opponent >> 7)));
        of(own as u8, opponent as u8)
            | of((own >> 56) as u8, (opponent >> 56) as u8) << 56
            | spread(left)
            | spread(right) << 7
    }
}

/// Where a row is in the table.
fn index(own: u32, opponent: u32) -> usize {
    (256 * opponent + own) as usize
}

/// The column of a1 as a row.
#[inline(always)]
fn column(discs: u64) -> u8 {
    ((discs & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// A row as the column of a1.
#[inline(always)]
fn spread(row: u64) -> u64 {
    // Bit r goes to 8 r: 7 times to the left by a multiple of 7, what strays is masked.
    ((row & 0x0f).wrapping_mul(0x0020_4081) & 0x0101_0101)
        | ((row >> 4).wrapping_mul(0x0020_4081) & 0x0101_0101) << 32
}

/// The discs that lie in a line without an empty square. `off` says where one, two
/// and four steps lead off the board, up and down.
#[inline(always)]
fn full(occupied: u64, shift: u32, off: &[[u64; 2]; 3]) -> u64 {
    let (mut up, mut down) = (occupied, occupied);
    let mut step = shift;
    for [off_up, off_down] in off {
        up &= off_up | up >> step;
        down &= off_down | down << step;
        step *= 2;
    }
    up & down
}

/// For rows, columns, falling and rising diagonals: the squares from which one, two
/// and four steps lead off the board.
static OFF: [[[u64; 2]; 3]; 4] = [off(0, 1), off(1, 0), off(1, 1), off(1, -1)];

const fn off(down: i32, right: i32) -> [[u64; 2]; 3] {
    let mut off = [[0; 2]; 3];
    let mut doubling = 0;
    while doubling < 3 {
        let mut square = 0;
        while square < 64 {
            let steps = 1 << doubling;
            let mut way = 0;
            while way < 2 {
                let steps = if way == 0 { steps } else { -steps };
                let (row, column) = (square / 8 + steps * down, square % 8 + steps * right);
                if row < 0 || row > 7 || column < 0 || column > 7 {
                    off[doubling][way] |= 1 << square;
                }
                way += 1;
            }
            square += 1;
        }
        doubling += 1;
    }
    off
}

/// What a disc on an empty `square` of a row flips in it.
fn row_flips(square: u32, own: u32, opponent: u32) -> u32 {
    let mut flipped = 0;
    for way in [-1, 1] {
        let mut run = 0;
        let mut next = square as i32 + way;
        while (0..8).contains(&next) && opponent >> next & 1 != 0 {
            run |= 1 << next;
            next += way;
        }
        if (0..8).contains(&next) && own >> next & 1 != 0 {
            flipped |= run;
        }
    }
    flipped
}
