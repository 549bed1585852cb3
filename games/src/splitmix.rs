//! Numbers without pattern for the hashes of positions: the same in every build.

/// One output of splitmix64 (Steele, Lea and Flood 2014, <https://prng.di.unimi.it/splitmix64.c>).
pub(crate) const fn splitmix(seed: u64) -> u64 {
    let z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
