//! The 8×8 board as two words: who is to move, and the opponent. Bit `8 * row +
//! column` is a square, a1 bit 0, b1 bit 1, a2 bit 8. Knows neither colours nor turns.

/// Columns b to g: nothing that moves sideways may come from the edge columns.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares on which a disc of `own` flips at least one of `opponent`.
///
/// All eight directions at once by filling along runs of `opponent` (the
/// "Kogge-Stone" fill of the chess programming wiki).
#[inline]
pub fn moves(own: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER;
    let found =
        runs(own, inner, 1) | runs(own, opponent, 8) | runs(own, inner, 7) | runs(own, inner, 9);
    found & !(own | opponent)
}

/// The squares just behind a run of `opponent` that begins beside `own`, both
/// ways along one line.
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

/// The discs of `opponent` that a disc of `own` on the empty `square` (0 to 63) flips;
/// 0 where the move is not legal.
#[inline]
pub fn flips(square: u32, own: u64, opponent: u64) -> u64 {
    let (bit, inner) = (1u64 << square, opponent & INNER);
    line(bit, own, inner, 1)
        | line(bit, own, opponent, 8)
        | line(bit, own, inner, 7)
        | line(bit, own, inner, 9)
}

/// What is flipped along one line, both ways.
#[inline]
fn line(bit: u64, own: u64, opponent: u64, shift: u32) -> u64 {
    let (mut up, mut down) = (opponent & (bit << shift), opponent & (bit >> shift));
    up |= opponent & (up << shift);
    down |= opponent & (down >> shift);
    let (pairs_up, pairs_down) = (opponent & (opponent << shift), opponent & (opponent >> shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    let bounded = |run: u64, end: u64| if own & end == 0 { 0 } else { run };
    bounded(up, up << shift) | bounded(down, down >> shift)
}
