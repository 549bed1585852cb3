//! Stable discs, which no further move can flip. Finds some of them, and never a disc that can be
//! flipped.

/// All edge squares.
const EDGE: u64 = 0xff81_8181_8181_81ff;

/// The stable discs of an edge row by its discs: only moves in the row itself flip discs there.
pub(super) struct StabilityTable {
    /// The own stable discs of a row, at index `256 * opponent + own`.
    row: Box<[u8]>,
}

impl StabilityTable {
    /// Computes the table: the own discs that stay after any sequence of moves of both sides.
    pub(super) fn new() -> Self {
        let mut row = vec![0; 1 << 16].into_boxed_slice();
        // Rows with fewer empty squares first, since the others depend on them.
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

    /// The discs of `own` that are stable.
    pub(super) fn stable_discs(&self, own: u64, opponent: u64) -> u64 {
        let occupied = own | opponent;
        let full = [
            full_lines(occupied, 1, &OFF[0]),
            full_lines(occupied, 8, &OFF[1]),
            full_lines(occupied, 9, &OFF[2]),
            full_lines(occupied, 7, &OFF[3]),
        ];
        let inner = own & !EDGE;
        let mut stable =
            self.stable_edge_discs(own, opponent) | inner & full[0] & full[1] & full[2] & full[3];
        loop {
            // A disc is stable along a full line, or next to a stable own disc.
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

    /// The discs of `own` on the edges that are stable.
    pub(super) fn stable_edge_discs(&self, own: u64, opponent: u64) -> u64 {
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

/// The index of a row in the table.
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
    // Bit r moves to bit 8 r: shifts by multiples of 7, with other bits masked.
    ((row & 0x0f).wrapping_mul(0x0020_4081) & 0x0101_0101)
        | ((row >> 4).wrapping_mul(0x0020_4081) & 0x0101_0101) << 32
}

/// The discs on lines without an empty square. `off` are the squares from which one, two and four
/// steps lead off the board, up and down.
#[inline(always)]
fn full_lines(occupied: u64, shift: u32, off: &[[u64; 2]; 3]) -> u64 {
    let (mut up, mut down) = (occupied, occupied);
    let mut step = shift;
    for [off_up, off_down] in off {
        up &= off_up | up >> step;
        down &= off_down | down << step;
        step *= 2;
    }
    up & down
}

/// The squares from which one, two and four steps lead off the board, for rows, columns, falling
/// and rising diagonals.
static OFF: [[[u64; 2]; 3]; 4] = [off(0, 1), off(1, 0), off(1, 1), off(1, -1)];

const fn off(down: i32, right: i32) -> [[u64; 2]; 3] {
    let mut off = [[0; 2]; 3];
    let mut doubling = 0;
    while doubling < 3 {
        let mut square = 0;
        while square < 64 {
            let steps = 1 << doubling;
            let mut direction = 0;
            while direction < 2 {
                let steps = if direction == 0 { steps } else { -steps };
                let (row, column) = (square / 8 + steps * down, square % 8 + steps * right);
                if row < 0 || row > 7 || column < 0 || column > 7 {
                    off[doubling][direction] |= 1 << square;
                }
                direction += 1;
            }
            square += 1;
        }
        doubling += 1;
    }
    off
}

/// The discs of a row that a disc on its empty `square` flips.
fn row_flips(square: u32, own: u32, opponent: u32) -> u32 {
    let mut flipped = 0;
    for step in [-1, 1] {
        let mut run = 0;
        let mut next = square as i32 + step;
        while (0..8).contains(&next) && opponent >> next & 1 != 0 {
            run |= 1 << next;
            next += step;
        }
        if (0..8).contains(&next) && own >> next & 1 != 0 {
            flipped |= run;
        }
    }
    flipped
}
