//! The keys of the position's hash: the same numbers in every build, made by
//! splitmix64 at compile time.

use super::point::{Color, Point};
use super::rule::Rule;
use crate::splitmix::splitmix;

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
