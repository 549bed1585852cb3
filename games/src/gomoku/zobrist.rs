//! The keys of the position's hash: the same numbers in every build, made by
//! splitmix64 at compile time.

use super::point::{Color, Point};
use super::rule::Rule;

static STONES: [[u64; Point::INDICES]; 2] = [keys(1 << 32), keys(2 << 32)];

/// The key of white to move.
pub(super) const WHITE_TO_MOVE: u64 = splitmix(3 << 32);

/// Where the keys of stages begin: see [`mix`].
pub(super) const STAGE: u64 = splitmix(5 << 32);

/// A key of two numbers, in this order.
pub(super) const fn mix(key: u64, number: u64) -> u64 {
    splitmix(key ^ splitmix(number))
}

/// The key of a stone.
#[inline]
pub(super) fn stone(color: Color, point: Point) -> u64 {
    STONES[color.index()][point.index()]
}

/// The hash of an empty board with black to move: no two rules share one.
pub(super) const fn empty(rule: Rule, size: u8) -> u64 {
    splitmix(4 << 32 | (rule as u64) << 8 | size as u64)
}

const fn keys(seed: u64) -> [u64; Point::INDICES] {
    let mut keys = [0; Point::INDICES];
    let mut index = 0;
    while index < keys.len() {
        keys[index] = splitmix(seed + index as u64);
        index += 1;
    }
    keys
}

/// One output of splitmix64 (Steele, Lea and Flood 2014, <https://prng.di.unimi.it/splitmix64.c>).
const fn splitmix(seed: u64) -> u64 {
    let z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
