//! The seed of a contest, and the commitment to it. The seed is drawn before any entry arrives, and
//! revealed when all games are played. The commitment binds the seed, the contest file and the
//! openings. The seeds of an arena follow from the seed and from its first players, so that the
//! seeds of a final are not fixed before its roster is. Pure: the same input always gives the same
//! numbers.

use sha2::{Digest, Sha256};

use sandboard_arena_plan::{Contestant, SeedKey};

/// The length of a contest's seed.
pub const SEED_BYTES: usize = 32;
/// The length of a SHA-256.
const HASH_BYTES: usize = 32;
/// The label hashed before a contest's seed, so that no other hash can pass as a commitment.
const COMMITMENT_LABEL: &[u8] = b"sandboard-contest-v2";
/// The label for the roster of an arena.
const ROSTER_LABEL: &[u8] = b"sandboard-contest-roster-v1";
/// The label for the seed of an arena.
const ARENA_LABEL: &[u8] = b"sandboard-contest-arena-v2";
/// The label for the seed key of an arena.
const SEED_KEY_LABEL: &[u8] = b"sandboard-contest-seal-v2";

/// The commitment that is published beforehand: the SHA-256, in hexadecimal, of a label, a zero
/// byte, the seed, the SHA-256 of the contest file, and the SHA-256 of the openings file, if there
/// is one.
pub fn commitment(
    seed: &[u8; SEED_BYTES],
    file: &str,
    openings: Option<[u8; HASH_BYTES]>,
) -> String {
    let hash = Sha256::new().chain_update(COMMITMENT_LABEL).chain_update([0]).chain_update(seed);
    let hash = hash.chain_update(Sha256::digest(file));
    sandboard_common::hex::hex(
        &hash.chain_update(openings.as_ref().map_or(&[][..], |it| it)).finalize(),
    )
}

/// The hash of the players with which an arena starts: the SHA-256 of a label, a zero byte, and for
/// each player its name, a zero byte, the SHA-256 of its module in hexadecimal, and a zero byte.
pub fn roster_hash(players: &[Contestant]) -> [u8; HASH_BYTES] {
    let mut hash = Sha256::new().chain_update(ROSTER_LABEL).chain_update([0]);
    for player in players {
        hash.update(&player.name);
        hash.update([0]);
        hash.update(&player.module_sha256);
        hash.update([0]);
    }
    hash.finalize().into()
}

/// The seed of a contest's arena: the first 53 bits, which every JSON reader preserves, of the
/// SHA-256 of a label, the seed, the label of the arena
/// ([`ArenaKind::seed_label`](crate::arena_rules::ArenaKind::seed_label)) and the hash of its
/// roster, with a zero byte after each of the first three.
pub fn arena_seed(seed: &[u8; SEED_BYTES], arena: &str, roster: [u8; HASH_BYTES]) -> u64 {
    u64::from_be_bytes(derive(ARENA_LABEL, seed, arena, roster)) >> 11
}

/// The key from which the seeds of an arena's games derive: the first 128 bits of the same SHA-256
/// with another label.
pub fn arena_seed_key(seed: &[u8; SEED_BYTES], arena: &str, roster: [u8; HASH_BYTES]) -> SeedKey {
    SeedKey(derive(SEED_KEY_LABEL, seed, arena, roster))
}

fn derive<const BYTES: usize>(
    label: &[u8],
    seed: &[u8; SEED_BYTES],
    arena: &str,
    roster: [u8; HASH_BYTES],
) -> [u8; BYTES] {
    let mut hash = Sha256::new();
    for part in [label, seed, arena.as_bytes()] {
        hash.update(part);
        hash.update([0]);
    }
    let hash = hash.chain_update(roster).finalize();
    let mut first = [0; BYTES];
    first.copy_from_slice(&hash[..BYTES]);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_arena_plan::fixture::contestant;
    use sandboard_common::hex::hex;

    /// The seed of the bytes 0 to 31.
    fn seed() -> [u8; SEED_BYTES] {
        std::array::from_fn(|at| at as u8)
    }

    /// Found with `hashlib` of Python, from the definitions in docs/contests.md.
    #[test]
    fn derived_values_never_change() {
        let check = |found: String, expected: &str| assert_eq!(found, expected);
        let none = commitment(&seed(), "name = 1", None);
        check(none, "36809c11e9cf573446a21bfa5e16f929f821958710c9808f439c1b631cd0b005");
        let some = commitment(&seed(), "name = 1", Some(Sha256::digest("e5").into()));
        check(some, "51e8fcfa6127842871aa99a35f0109c82c31146ee63fa1e818f7d2a48f9d0413");
        let players = ["Ann v1", "Bob v2"].map(contestant);
        let roster = roster_hash(&players);
        check(hex(&roster), "a30e83a475c11f0022bd6d9d6bcad7c83c68f4802e2c4a241500ded9b8652c80");
        check(arena_seed(&seed(), "final", roster).to_string(), "8407748014760043");
        check(hex(&arena_seed_key(&seed(), "final", roster).0), "ff0c795e17bf00a038738556d7db07dd");
    }

    #[test]
    fn each_part_changes_the_derived_values() {
        let mut found = std::collections::BTreeSet::new();
        let mut other = seed();
        other[31] = 0;
        for seed in [seed(), other] {
            for file in ["a", "b"] {
                for openings in [None, Some([0; HASH_BYTES]), Some([1; HASH_BYTES])] {
                    assert!(found.insert(commitment(&seed, file, openings)));
                }
            }
        }
        let [ann, bob] = ["Ann v1", "Bob v1"].map(contestant);
        let changed = Contestant { module_sha256: "01".repeat(32), ..ann.clone() };
        let rosters = [
            vec![],
            vec![ann.clone()],
            vec![changed],
            vec![ann.clone(), bob.clone()],
            vec![bob, ann],
        ];
        for players in rosters {
            for label in ["ladder", "final"] {
                let key = arena_seed_key(&seed(), label, roster_hash(&players));
                assert!(found.insert(hex(&key.0)));
                assert!(arena_seed(&seed(), label, roster_hash(&players)) < 1 << 53);
            }
        }
    }
}
