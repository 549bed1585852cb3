//! What a contest draws: its seed is drawn and committed to before anybody hands anything in, and revealed when all is
//! played. Pure: the same seed gives the same numbers for ever.

use sha2::{Digest, Sha256};

use crate::arena::Seal;

/// The bytes of the seed of a contest.
pub const SEED_BYTES: usize = 32;
/// What is hashed before a contest's seed, so that nobody's hash of something else is a commitment.
const SEED: &[u8] = b"sandboard-contest-seed-v1";
/// And before what an arena's seed is drawn from.
const ARENA: &[u8] = b"sandboard-contest-arena-v1";
/// And before what its seal is.
const SEAL: &[u8] = b"sandboard-contest-seal-v1";

/// What is published of a seed beforehand: the SHA-256, in hexadecimal, of a label, a zero byte, and the seed.
pub fn commitment(seed: &[u8]) -> String {
    crate::hex(&Sha256::new().chain_update(SEED).chain_update([0]).chain_update(seed).finalize())
}

/// The seed of an arena of a contest, by its name: 53 bits, which every reader of JSON keeps whole, of the SHA-256 of a label,
/// the seed and the name, with a zero byte after each of the first two.
pub fn arena_seed(seed: &[u8], arena: &str) -> u64 {
    u64::from_be_bytes(drawn(ARENA, seed, arena)) >> 11
}

/// What the seeds of games in an arena of a contest are drawn from: 128 bits of the SHA-256 of a label of its own, the seed and
/// the name, with a zero byte after each of the first two.
pub fn arena_seal(seed: &[u8], arena: &str) -> Seal {
    Seal(drawn(SEAL, seed, arena))
}

fn drawn<const BYTES: usize>(label: &[u8], seed: &[u8], arena: &str) -> [u8; BYTES] {
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
    fn what_is_drawn_is_the_same_for_ever() {
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
    fn seals_are_the_same_for_ever() {
        let check = |seed: &[u8], arena: &str, expected: &str| {
            assert_eq!(crate::hex(&arena_seal(seed, arena).0), expected);
        };
        check(b"", "", "d55f0f5a694cce3762a6c317c77a00b8");
        check(b"seed", "finals", "208642fd6e25b34d28c20c93aba7323f");
    }

    #[test]
    fn seed_and_name_are_kept_apart() {
        assert_ne!(arena_seed(b"ab", "c"), arena_seed(b"a", "bc"));
        assert_ne!(arena_seal(b"ab", "c"), arena_seal(b"a", "bc"));
        assert_ne!(commitment(b""), commitment(b"\0"));
        assert!((0..200_u8).all(|byte| arena_seed(&[byte], "a") < 1 << 53));
    }
}
