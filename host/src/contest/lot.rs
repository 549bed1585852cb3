//! Where the chance of a contest comes from: one seed, drawn when it is made. Its hash is published at once, the seed itself when
//! all is played: so the organiser cannot choose it after having seen the entries, and nobody can know it before. Pure.

use sha2::{Digest, Sha256};

/// The bytes of a seed.
pub const SEED_BYTES: usize = 32;

/// What is published of a seed before the contest: its hash, in hexadecimal.
pub fn commitment(seed: &[u8; SEED_BYTES]) -> String {
    let hash = Sha256::new().chain_update("sandboard-contest-seed-v1").chain_update([0]);
    crate::hex(&hash.chain_update(seed).finalize())
}

/// The seed of an arena of the contest, by the arena's name. From those of one arena nothing can be told of another's.
pub fn arena_seed(seed: &[u8; SEED_BYTES], arena: &str) -> u64 {
    let hash = Sha256::new().chain_update("sandboard-contest-arena-v1").chain_update([0]);
    let hash = hash.chain_update(seed).chain_update([0]).chain_update(arena).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    // 53 bits, which every reader of JSON keeps whole.
    u64::from_be_bytes(first) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_arenas_follow_from_one_and_tell_nothing_of_it() {
        // `printf 'sandboard-contest-seed-v1\0%032d' 0 | sha256sum` and the like, with 32 digits for the seed.
        let seed = [b'0'; SEED_BYTES];
        assert_eq!(commitment(&seed), COMMITMENT);
        assert_eq!(arena_seed(&seed, "final"), FINAL);
        assert_ne!(arena_seed(&seed, "ladder"), FINAL);
        assert_ne!(commitment(&[b'1'; SEED_BYTES]), COMMITMENT);
    }

    const COMMITMENT: &str = "dd622c8b1fdb5c99bdc9dd74e967e5fb6c683374510c87d1acdaa4c5198d66dd";
    const FINAL: u64 = 2_511_573_537_916_748;
}
