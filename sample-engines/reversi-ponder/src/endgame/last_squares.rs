//! The last four empty squares, without table, move list or move generator. Every function returns
//! a bound of the score (final discs of the side to move minus the opponent's, empty squares to the
//! winner): an upper bound if it is at most `alpha`, otherwise a lower bound.

use sandboard_sdk::games::reversi::bits::flips;

use super::squares::{NEIGHBOURS, QUADRANT, QUADRANT_SQUARES};

/// Marks that there is no legal move; lower than any score.
const NO_MOVES: i32 = -99;

/// Twice the number of discs that the last move flips on a line, by its position on the line and
/// the mover's discs there: on a full board the other discs are the opponent's.
static LAST_MOVE_FLIPS: [[u8; 256]; 8] = last_move_flips();

/// The score of a finished game, with empty squares to the winner.
#[inline]
pub(super) fn final_score(own: u64, opponent: u64) -> i32 {
    let (own, opponent) = (own.count_ones() as i32, opponent.count_ones() as i32);
    match own - opponent {
        0 => 0,
        lead if lead > 0 => 64 - 2 * opponent,
        _ => 2 * own - 64,
    }
}

/// The discs that a move on `square` flips; quickly 0 if no neighbour is an opponent's disc.
#[inline(always)]
fn try_flips(square: u32, own: u64, opponent: u64) -> u64 {
    if NEIGHBOURS[square as usize % 64] & opponent == 0 { 0 } else { flips(square, own, opponent) }
}

/// One empty square: the exact score for the side to move, which has `own`.
#[inline(always)]
pub(super) fn one_empty(nodes: &mut u64, own: u64, square: u32) -> i32 {
    *nodes += 1;
    let discs = 2 * own.count_ones() as i32;
    let flipped = last_move_flip_value(own, square);
    if flipped != 0 {
        return discs + flipped + 2 - 64;
    }
    let flipped = last_move_flip_value(!own & !(1 << square), square);
    if flipped != 0 {
        return discs - flipped - 64;
    }
    // Neither side can move: there are 63 discs, and the square counts for the winner.
    if discs > 63 { discs + 2 - 64 } else { discs - 64 }
}

/// Twice the number of discs that a disc on the only empty `square` flips.
#[inline(always)]
pub(super) fn last_move_flip_value(own: u64, square: u32) -> i32 {
    let (row, column) = (square as usize / 8 % 8, square as usize % 8);
    let lines = &LINES[square as usize % 64];
    let along_row = (own >> (8 * row)) as u8;
    // A column's bits are 8 apart; the product moves bit r of it to bit 56 + r.
    let along_column =
        (own >> column & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    // A diagonal has one square in each column.
    let falling = (own & lines[0]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    let rising = (own & lines[1]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    i32::from(LAST_MOVE_FLIPS[column][along_row as usize])
        + i32::from(LAST_MOVE_FLIPS[row][along_column as usize])
        + i32::from(LAST_MOVE_FLIPS[column][falling as usize])
        + i32::from(LAST_MOVE_FLIPS[column][rising as usize])
}

/// Two empty squares.
#[inline(always)]
pub(super) fn two_empty(
    nodes: &mut u64,
    own: u64,
    opponent: u64,
    alpha: i32,
    squares: [u32; 2],
) -> i32 {
    *nodes += 1;
    let best = two_moves(nodes, own, opponent, alpha, squares);
    if best != NO_MOVES {
        return best;
    }
    let best = two_moves(nodes, opponent, own, -alpha - 1, squares);
    if best == NO_MOVES { final_score(own, opponent) } else { -best }
}

#[inline(always)]
fn two_moves(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, [a, b]: [u32; 2]) -> i32 {
    let mut best = NO_MOVES;
    let flipped = try_flips(a, own, opponent);
    if flipped != 0 {
        best = -one_empty(nodes, opponent ^ flipped, b);
        if best > alpha {
            return best;
        }
    }
    let flipped = try_flips(b, own, opponent);
    if flipped != 0 {
        best = best.max(-one_empty(nodes, opponent ^ flipped, a));
    }
    best
}

/// Three empty squares, in search order.
#[inline(never)]
pub(super) fn three_empty(
    nodes: &mut u64,
    own: u64,
    opponent: u64,
    alpha: i32,
    squares: [u32; 3],
) -> i32 {
    *nodes += 1;
    let best = three_moves(nodes, own, opponent, alpha, squares);
    if best != NO_MOVES {
        return best;
    }
    let best = three_moves(nodes, opponent, own, -alpha - 1, squares);
    if best == NO_MOVES { final_score(own, opponent) } else { -best }
}

#[inline(always)]
fn three_moves(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, [a, b, c]: [u32; 3]) -> i32 {
    let mut best = NO_MOVES;
    for [square, left, right] in [[a, b, c], [b, a, c], [c, a, b]] {
        let flipped = try_flips(square, own, opponent);
        if flipped != 0 {
            let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
            best = best.max(-two_empty(nodes, next, then, -alpha - 1, [left, right]));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Four empty squares; `odd` is the set of quadrants with an odd number of them.
pub(super) fn four_empty(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, odd: u8) -> i32 {
    *nodes += 1;
    let best = four_moves(nodes, own, opponent, alpha, odd);
    if best != NO_MOVES {
        return best;
    }
    let best = four_moves(nodes, opponent, own, -alpha - 1, odd);
    if best == NO_MOVES { final_score(own, opponent) } else { -best }
}

#[inline(always)]
fn four_moves(nodes: &mut u64, own: u64, opponent: u64, alpha: i32, odd: u8) -> i32 {
    let empty = !(own | opponent);
    let mut best = NO_MOVES;
    for mut squares in
        [empty & QUADRANT_SQUARES[odd as usize % 16], empty & !QUADRANT_SQUARES[odd as usize % 16]]
    {
        while squares != 0 {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            let flipped = try_flips(square, own, opponent);
            if flipped != 0 {
                let (next, then) = (opponent ^ flipped, own | flipped | 1 << square);
                let rest =
                    parity_order(empty & !(1 << square), odd ^ QUADRANT[square as usize % 64]);
                best = best.max(-three_empty(nodes, next, then, -alpha - 1, rest));
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
fn parity_order(empty: u64, odd: u8) -> [u32; 3] {
    let first = empty & QUADRANT_SQUARES[odd as usize % 16];
    let a = empty.trailing_zeros();
    let rest = empty & (empty - 1);
    let b = rest.trailing_zeros();
    let c = (rest & rest.wrapping_sub(1)).trailing_zeros();
    // Three squares are in one odd quadrant, in three quadrants, or one is apart from a pair.
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

const fn last_move_flips() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0;
        while own < 256 {
            let mut flipped = 0;
            // The nearest own disc on either side; without one, nothing is flipped there.
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
