//! The seed of a contest: it is drawn and committed to before any entry arrives, and revealed when
//! all games are played. Pure: the same seed always gives the same numbers.

use sha2::{Digest, Sha256};

use sandboard_arena::SeedKey;

/// The length of a contest's seed.
pub const SEED_BYTES: usize = 32;
/// The label hashed before a contest's seed, so that no other hash can pass as a commitment.
const SEED_LABEL: &[u8] = b"sandboard-contest-seed-v1";
/// The label for the seed of an arena.
const ARENA_LABEL: &[u8] = b"sandboard-contest-arena-v1";
/// The label for the seed key of an arena.
const SEED_KEY_LABEL: &[u8] = b"sandboard-contest-seal-v1";

/// The commitment that is published beforehand: the SHA-256, in hexadecimal, of a label, a zero
/// byte, and the seed.
pub fn commitment(seed: &[u8]) -> String {
    sandboard_common::hex::hex(
        &Sha256::new().chain_update(SEED_LABEL).chain_update([0]).chain_update(seed).finalize(),
    )
}

/// The seed of a contest's arena: the first 53 bits, which every JSON reader preserves, of the
/// SHA-256 of a label, the seed and the arena's name, with a zero byte after each of the first two.
pub fn arena_seed(seed: &[u8], arena: &str) -> u64 {
    u64::from_be_bytes(derive(ARENA_LABEL, seed, arena)) >> 11
}

/// The key from which the seeds of an arena's games derive: the first 128 bits of the SHA-256 of
/// another label, the seed and the name, with a zero byte after each of the first two.
pub fn arena_seed_key(seed: &[u8], arena: &str) -> SeedKey {
    SeedKey(derive(SEED_KEY_LABEL, seed, arena))
}

fn derive<const BYTES: usize>(label: &[u8], seed: &[u8], arena: &str) -> [u8; BYTES] {
    let hash = Sha256::new().chain_update(label).chain_update([0]).chain_update(seed);
    let hash = hash.chain_update([0]).chain_update(arena).finalize();
    let mut first = [0; BYTES];
    first.copy_from_slice(&hash[..BYTES]);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(seed: &[u8], committed: &str, arena: &str, drawn: u64) {
        assert_eq!(commitment(seed), committed);
        assert_eq!(arena_seed(seed, arena), drawn);
    }

    /// Found by `printf 'sandboard-contest-seed-v1\0SEED' | sha256sum`, and the first 16 digits of
    /// `printf 'sandboard-contest-arena-v1\0SEED\0ARENA' | sha256sum`, divided by 2048.
    #[test]
    fn derived_seeds_never_change() {
        check(
            b"",
            "10cfe653bdef0a5d6f744bf9c840b45d0a59f0338fef8f9cdd2c836b4c667637",
            "",
            1_298_775_010_834_278,
        );
        check(
            b"seed",
            "ec028be257d1f0a4e44ffd4cf6c0931b5120191aa227e2b4885c3568cd8a59cb",
            "finals",
            8_130_040_967_224_063,
        );
        let bytes: Vec<u8> = (0..32).collect();
        check(
            &bytes,
            "e80541682dfefedf23d6eea6db985d6258501f17ceab311a0e14dbe8d995a553",
            "round-1",
            6_028_004_421_581_375,
        );
    }

    #[test]
    fn seed_keys_never_change() {
        let check = |seed: &[u8], arena: &str, expected: &str| {
            assert_eq!(sandboard_common::hex::hex(&arena_seed_key(seed, arena).0), expected);
        };
        check(b"", "", "d55f0f5a694cce3762a6c317c77a00b8");
        check(b"seed", "finals", "208642fd6e25b34d28c20c93aba7323f");
    }

    #[test]
    fn seed_and_name_do_not_run_together() {
        assert_ne!(arena_seed(b"ab", "c"), arena_seed(b"a", "bc"));
        assert_ne!(arena_seed_key(b"ab", "c"), arena_seed_key(b"a", "bc"));
        assert_ne!(commitment(b""), commitment(b"\0"));
        assert!((0..200_u8).all(|byte| arena_seed(&[byte], "a") < 1 << 53));
    }
}
