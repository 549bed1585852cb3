//! The 8×8 board as two words: the discs of the side to move and of its opponent. Bit `8 * row +
//! column` is a square: a1 is bit 0, b1 bit 1, a2 bit 8. Independent of colours and turns.

/// Columns b to g: horizontal and diagonal fills must not wrap around the edge columns.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares where a disc of `own` flips at least one disc of `opponent`.
///
/// Fills along runs of `opponent` in all eight directions at once (the "Kogge-Stone" fill of the
/// chess programming wiki).
#[inline]
pub fn moves(own: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER;
    let found =
        runs(own, inner, 1) | runs(own, opponent, 8) | runs(own, inner, 7) | runs(own, inner, 9);
    found & !(own | opponent)
}

/// The squares just behind a run of `opponent` that starts next to `own`, in both directions of one
/// line.
#[inline]
fn runs(own: u64, opponent: u64, shift: u32) -> u64 {
    let (mut up, mut down) = (opponent & (own << shift), opponent & (own >> shift));
    up |= opponent & (up << shift);
    down |= opponent & (down >> shift);
    let (pairs_up, pairs_down) = (opponent & (opponent << shift), opponent & (opponent >> shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// The discs of `opponent` that a disc of `own` on the empty `square` (0 to 63) flips; 0 if the
/// move is not legal.
///
/// Evaluates each of the eight rays with arithmetic only: towards higher bits, a carry runs along
/// the discs of `opponent` to the first other square. Three of the four rays towards lower bits are
/// rays towards higher bits on the board turned upside down by a byte swap. A loop over many
/// squares of one board swaps it once. This takes 7.5 ns instead of 19.8 ns for filling along runs,
/// in a loop over the empty squares of random boards on an x86-64 without extensions.
#[inline]
pub fn flips(square: u32, own: u64, opponent: u64) -> u64 {
    // Without a byte swap instruction (wasm), counting leading zeros is cheaper.
    if cfg!(target_family = "wasm") {
        flips_counting(square, own, opponent)
    } else {
        flips_swapping(square, own, opponent)
    }
}

#[inline(always)]
fn flips_swapping(square: u32, own: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square as usize % 64];
    let turned = &RAYS[(square as usize % 64) ^ 56];
    let (own_turned, opponent_turned) = (own.swap_bytes(), opponent.swap_bytes());
    let down = flips_up(own_turned, opponent_turned, turned.up[1])
        | flips_up(own_turned, opponent_turned, turned.up[2])
        | flips_up(own_turned, opponent_turned, turned.up[3]);
    flips_up(own, opponent, rays.up[0])
        | flips_up(own, opponent, rays.up[1])
        | flips_up(own, opponent, rays.up[2])
        | flips_up(own, opponent, rays.up[3])
        | flips_down(own, opponent, rays.down[0])
        | down.swap_bytes()
}

#[inline(always)]
fn flips_counting(square: u32, own: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square as usize % 64];
    flips_up(own, opponent, rays.up[0])
        | flips_up(own, opponent, rays.up[1])
        | flips_up(own, opponent, rays.up[2])
        | flips_up(own, opponent, rays.up[3])
        | flips_down(own, opponent, rays.down[0])
        | flips_down(own, opponent, rays.down[1])
        | flips_down(own, opponent, rays.down[2])
        | flips_down(own, opponent, rays.down[3])
}

/// The flipped discs on a ray towards higher bits.
#[inline(always)]
fn flips_up(own: u64, opponent: u64, ray: u64) -> u64 {
    // Set bits beside the ray pass the carry on from one square of the ray to the next.
    let end = (opponent | !ray).wrapping_add(1) & own & ray;
    end.wrapping_sub(u64::from(end != 0)) & ray
}

/// The flipped discs on a ray towards lower bits.
#[inline(always)]
fn flips_down(own: u64, opponent: u64, ray: u64) -> u64 {
    // If the ray has no end, bit 0 is the default. Then it is not part of the ray.
    let end = (1 << 63 >> (ray & !opponent | 1).leading_zeros()) & own & ray;
    (end << 1).wrapping_neg() & ray
}

/// The rays from a square, by line: row, column, and both diagonals.
struct Rays {
    /// Rays towards higher bits.
    up: [u64; 4],
    /// Rays towards lower bits.
    down: [u64; 4],
}

static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    let mut rays = [const { Rays { up: [0; 4], down: [0; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        rays[square].up =
            [ray(square, 0, 1), ray(square, 1, 0), ray(square, 1, 1), ray(square, 1, -1)];
        rays[square].down =
            [ray(square, 0, -1), ray(square, -1, 0), ray(square, -1, -1), ray(square, -1, 1)];
        square += 1;
    }
    rays
}

/// The squares from `square` (exclusive) to the edge.
const fn ray(square: usize, down: i32, right: i32) -> u64 {
    let (mut row, mut column) = (square as i32 / 8 + down, square as i32 % 8 + right);
    let mut squares = 0;
    while 0 <= row && row < 8 && 0 <= column && column < 8 {
        squares |= 1 << (8 * row + column);
        row += down;
        column += right;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Applies the rule square by square.
    fn slow_flips(square: u32, own: u64, opponent: u64) -> u64 {
        let (row, column) = (square as i32 / 8, square as i32 % 8);
        let mut flipped = 0;
        for (down, right) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
        {
            let mut run = 0;
            for step in 1.. {
                let (row, column) = (row + step * down, column + step * right);
                if !(0..8).contains(&row) || !(0..8).contains(&column) {
                    break;
                }
                let bit = 1u64 << (8 * row + column);
                if own & bit != 0 {
                    flipped |= run;
                }
                if opponent & bit == 0 {
                    break;
                }
                run |= bit;
            }
        }
        flipped
    }

    proptest! {
        /// Boards from nearly empty to nearly full.
        #[test]
        fn moves_and_flips_follow_the_rule(
            one in any::<u64>(), two in any::<u64>(), three in any::<u64>(), fill in 0..3,
        ) {
            let occupied = match fill { 0 => two & three, 1 => two, _ => two | three };
            let (own, opponent) = (one & occupied, !one & occupied);
            let mut legal = 0;
            for square in (0..64).filter(|square| occupied >> square & 1 == 0) {
                let flipped = slow_flips(square, own, opponent);
                prop_assert_eq!(flips(square, own, opponent), flipped);
                prop_assert_eq!(flips_swapping(square, own, opponent), flipped);
                prop_assert_eq!(flips_counting(square, own, opponent), flipped);
                legal |= u64::from(flipped != 0) << square;
            }
            prop_assert_eq!(moves(own, opponent), legal);
        }
    }
}
