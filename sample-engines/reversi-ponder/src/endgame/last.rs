//! The last four empty squares: no table, no list of moves, no generator of moves.
//! Every function gives a bound on the score (final discs of the mover less the
//! opponent's, empty squares to the winner): at most it if it is not above `alpha`,
//! at least it if it is.

use sandboard_sdk::games::reversi::bits::flips;

use super::squares::{NEAR, OF_QUADRANTS, QUADRANT};

/// Lower than any score.
const NONE: i32 = -99;

/// How many discs the last move flips, doubled, by where in the line it is and what
/// the mover has in it: on a full board the rest of the line is the opponent's.
static LAST: [[u8; 256]; 8] = last();

/// The score of a game that has ended, empty squares to the winner.
#[inline]
pub(super) fn ended(own: u64, opponent: u64) -> i32 {
    let (own, opponent) = (own.count_ones() as i32, opponent.count_ones() as i32);
    match own - opponent {
        0 => 0,
        lead if lead > 0 => 64 - 2 * opponent,
        _ => 2 * own - 64,
    }
}

/// Whether a move on `square` may flip something, and what.
#[inline(always)]
fn try_flips(square: u32, own: u64, opponent: u64) -> u64 {
    if NEAR[square as usize % 64] & opponent == 0 { 0 } else { flips(square, own, opponent) }
}

/// One empty square: the exact score of the mover, who has `own`.
#[inline(always)]
pub(super) fn one(nodes: &mut u64, own: u64, square: u32) -> i32 {
    *nodes += 1;
    let discs = 2 * own.count_ones() as i32;
    let flipped = flipped_last(own, square);
    if flipped != 0 {
        return discs + flipped + 2 - 64;
    }
    let flipped = flipped_last(!own & !(1 << square), square);
    if flipped != 0 {
        return discs - flipped - 64;
    }
    // Nobody can move: 63 discs are there, the square is the winner's.
    if discs > 63 { discs + 2 - 64 } else { discs - 64 }
}

/// Twice what a disc on the only empty `square` flips.
#[inline(always)]
pub(super) fn flipped_last(own: u64, square: u32) -> i32 {
    let (row, column) = (square as usize / 8 % 8, square as usize % 8);
    let lines = &LINES[square as usize % 64];
    let along_row = (own >> (8 * row)) as u8;
    // A column's bits are 8 apart; the product brings bit r of it to bit 56 + r.
    let along_column =
        (own >> column & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    // A diagonal has one square in each column.
    let falling = (own & lines[0]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    let rising = (own & lines[1]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    i32::from(LAST[column][along_row as usize])
        + i32::from(LAST[row][along_column as usize])
        + i32::from(LAST[column][falling as usize])
        + i32::from(LAST[column][rising as usize])
}

/// Two empty squares.
#[inline(always)]
pub(super) fn two(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, squares: [u32; 2]) -> i32 {
    *nodes += 1;
    let best = two_of(nodes, own, opponent, alpha, squares);
    if best != NONE {
        return best;
    }
    let best = two_of(nodes, opponent, own, -alpha - 1, squares);
    if best == NONE { ended(own, opponent) } else { -best }
}

#[inline(always)]
fn two_of(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, [a, b]: [u32; 2]) -> i32 {
    let mut best = NONE;
    let flipped = try_flips(a, own, opponent);
    if flipped != 0 {
        best = -one(nodes, opponent ^ flipped, b);
        if best > alpha {
            return best;
        }
    }
    let flipped = try_flips(b, own, opponent);
    if flipped != 0 {
        best = best.max(-one(nodes, opponent ^ flipped, a));
    }
    best
}

/// Three empty squares, in the order in which they are tried.
#[inline(never)]
pub(super) fn three(
    nodes: &mut u64,
    own: u64,
    opponent: u64,
    alpha: i32,
    squares: [u32; 3],
) -> i32 {
    *nodes += 1;
    let best = three_of(nodes, own, opponent, alpha, squares);
    if best != NONE {
        return best;
    }
    let best = three_of(nodes, opponent, own, -alpha - 1, squares);
    if best == NONE { ended(own, opponent) } else { -best }
}

#[inline(always)]
fn three_of(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, [a, b, c]: [u32; 3]) -> i32 {
    let mut best = NONE;
    for [square, left, right] in [[a, b, c], [b, a, c], [c, a, b]] {
        let flipped = try_flips(square, own, opponent);
        if flipped != 0 {
            let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
            best = best.max(-two(nodes, next, then, -alpha - 1, [left, right]));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Four empty squares; `odd` is the set of quadrants with an odd number of them.
pub(super) fn four(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, odd: u8) -> i32 {
    *nodes += 1;
    let best = four_of(nodes, own, opponent, alpha, odd);
    if best != NONE {
        return best;
    }
    let best = four_of(nodes, opponent, own, -alpha - 1, odd);
    if best == NONE { ended(own, opponent) } else { -best }
}

#[inline(always)]
fn four_of(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, odd: u8) -> i32 {
    let empty = !(own | opponent);
    let mut best = NONE;
    for mut squares in
        [empty & OF_QUADRANTS[odd as usize % 16], empty & !OF_QUADRANTS[odd as usize % 16]]
    {
        while squares != 0 {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            let flipped = try_flips(square, own, opponent);
            if flipped != 0 {
                let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
                let rest = in_order(empty & !(1 << square), odd ^ QUADRANT[square as usize % 64]);
                best = best.max(-three(nodes, next, then, -alpha - 1, rest));
                if best > alpha {
                    return best;
                }
            }
        }
    }
    best
}

/// Three empty squares, those in odd quadrants first.
#[inline(always)]
fn in_order(empty: u64, odd: u8) -> [u32; 3] {
    let first = empty & OF_QUADRANTS[odd as usize % 16];
    let a = empty.trailing_zeros();
    let rest = empty & (empty - 1);
    let b = rest.trailing_zeros();
    let c = (rest & rest.wrapping_sub(1)).trailing_zeros();
    // Three squares lie in one odd quadrant, in three, or one apart from a pair.
    if first == empty || first >> a & 1 != 0 {
        [a, b, c]
    } else if first >> b & 1 != 0 {
        [b, a, c]
    } else {
        [c, a, b]
    }
}

/// The two diagonals through each square: falling (towards h8) and rising.
static LINES: [[u64; 2]; 64] = diagonals();

const fn diagonals() -> [[u64; 2]; 64] {
    let mut lines = [[0; 2]; 64];
    let mut square = 0i32;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let (down, right) = (other / 8 - square / 8, other % 8 - square % 8);
            if down == right {
                lines[square as usize][0] |= 1 << other;
            }
            if down == -right {
                lines[square as usize][1] |= 1 << other;
            }
            other += 1;
        }
        square += 1;
    }
    lines
}

const fn last() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let mut flipped = 0;
            // The nearest own disc on either side; without one nothing is flipped.
            let mut end = place + 1;
            while end < 8 {
                if own >> end & 1 != 0 {
                    flipped += end - place - 1;
                    break;
                }
                end += 1;
            }
            let mut end = place;
            while end > 0 {
                end -= 1;
                if own >> end & 1 != 0 {
                    flipped += place - end - 1;
                    break;
                }
            }
            table[place][own] = 2 * flipped as u8;
            own += 1;
        }
        place += 1;
    }
    table
}
