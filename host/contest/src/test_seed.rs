//! The seed and the budget of an entry's test by the runner. Both derive from the secret seed of
//! the contest and from the entry, so that an engine cannot recognise its test by constants. Pure.

use sandboard_engine::Budget;
use sandboard_games::splitmix;
use sha2::{Digest, Sha256};

/// The label that is hashed before the contest's seed, so that no other seed can be the same.
const LABEL: &[u8] = b"sandboard-contest-test-v1";

/// The seed of the test of an entry: 53 bits of the SHA-256 of a label, the contest's seed, and the
/// entry's number and hash.
pub(crate) fn test_seed(contest_seed: &[u8], entry: i64, sha256: &str) -> u64 {
    let hash = Sha256::new().chain_update(LABEL).chain_update([0]).chain_update(contest_seed);
    let hash = hash.chain_update(entry.to_be_bytes()).chain_update(sha256).finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(first) >> 11
}

/// The budget of games in a test with this seed: that of the contest if a move costs at most
/// `fuel_max`; otherwise a limit per move that is drawn from the upper half of what is allowed.
pub(crate) fn test_budget(contest: Budget, fuel_max: u64, seed: u64) -> Budget {
    let most = contest.at_most_per_move(fuel_max);
    if contest.game_clock().is_none() && most == contest {
        return contest;
    }
    let units = most.per_move().unwrap_or(fuel_max);
    let drawn = splitmix::output(seed, 0) % (units / 2 + 1);
    contest.at_most_per_move(units - drawn)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn seeds_differ_by_contest_and_entry() {
        let hash = "0f".repeat(32);
        let seeds: BTreeSet<u64> = (0..100)
            .flat_map(|number| [0, 1].map(|contest| test_seed(&[contest; 32], number, &hash)))
            .chain([test_seed(&[0; 32], 0, &"f0".repeat(32))])
            .collect();
        assert_eq!(seeds.len(), 201);
        assert!(seeds.iter().all(|seed| *seed < 1 << 53));
        // The first 16 digits, divided by 2048, of `(printf 'sandboard-contest-test-v1\0seed';
        // printf '\0\0\0\0\0\0\0\7'; printf ab) | sha256sum`.
        assert_eq!(test_seed(b"seed", 7, "ab"), 3_695_603_234_354_017);
    }

    #[test]
    fn budgets_are_those_of_the_contest_or_drawn() {
        let check = |contest: &str, least: u64, most: u64| {
            let contest: Budget = contest.parse().unwrap();
            let drawn: BTreeSet<u64> = (0..200)
                .map(|seed| test_budget(contest, 20_000_000, seed))
                .map(|budget| budget.per_move().filter(|_| budget.game_clock().is_none()).unwrap())
                .collect();
            let range = (*drawn.first().unwrap(), *drawn.last().unwrap());
            assert!(range.0 >= least && range.1 <= most, "{contest}: {range:?}");
            assert_eq!(drawn.len() > 100, least < most, "{contest}: {} budgets", drawn.len());
        };
        check("fuel:1e6/move", 1_000_000, 1_000_000);
        check("fuel:2e7/move,depth:4", 20_000_000, 20_000_000);
        check("fuel:1e9/move", 10_000_000, 20_000_000);
        check("fuel:1e9+1e6", 10_000_000, 20_000_000);
        check("fuel:1e6+1e4", 500_000, 1_000_000);
    }
}
