//! Zobrist keys of the position hash: the same numbers in every build, computed by splitmix64 at
//! compile time.

use super::point::{Color, Point};
use super::rule::Rule;
use crate::splitmix;

static STONES: [[u64; Point::INDICES]; 2] = [keys(1 << 32), keys(2 << 32)];

/// Key of white to move.
pub(super) const WHITE_TO_MOVE: u64 = splitmix::output(0, 3 << 32);

/// Initial key of stages: see [`mix`].
pub(super) const STAGE: u64 = splitmix::output(0, 5 << 32);

/// Combines a key with a number; the order matters.
pub(super) const fn mix(key: u64, number: u64) -> u64 {
    splitmix::output(0, key ^ splitmix::output(0, number))
}

/// Key of a stone.
#[inline]
pub(super) fn stone(color: Color, point: Point) -> u64 {
    STONES[color.index()][point.index()]
}

/// Hash of an empty board with black to move, different for every rule and size.
pub(super) const fn empty(rule: Rule, size: u8) -> u64 {
    splitmix::output(0, 4 << 32 | (rule as u64) << 8 | size as u64)
}

const fn keys(seed: u64) -> [u64; Point::INDICES] {
    let mut keys = [0; Point::INDICES];
    let mut index = 0;
    while index < keys.len() {
        keys[index] = splitmix::output(0, seed + index as u64);
        index += 1;
    }
    keys
}
