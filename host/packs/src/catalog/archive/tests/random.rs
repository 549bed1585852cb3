//! Randomly damaged archives: no panic, and nothing is written outside the cache.

use std::fs;

use proptest::prelude::*;

use super::super::*;
use super::{good, list_archive};
use sandboard_archive::fixtures::zip;

/// Lists a damaged archive. It may be rejected, or accepted with its entries.
fn check_listing(bytes: &[u8]) -> Result<(), TestCaseError> {
    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("cache");
    for line in list_archive(bytes, &UnpackCache::in_folder(&cache)) {
        prop_assert!(line.starts_with("p.zip"), "{line}");
        prop_assert!(!line.contains(char::is_control), "{line:?}");
    }
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().collect();
    prop_assert!(left.len() <= 1, "{left:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_archive_with_changed_bytes(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = zip(&good());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check_listing(&bytes)?;
    }

    #[test]
    fn valid_archive_with_a_flipped_bit_in_its_table(back in 1..300usize, bit in 0..8) {
        let mut bytes = zip(&good());
        let at = bytes.len() - back;
        bytes[at] ^= 1u8 << bit;
        check_listing(&bytes)?;
    }

    #[test]
    fn truncated_archive(at in any::<prop::sample::Index>()) {
        let bytes = zip(&good());
        let cut = &bytes[..at.index(bytes.len())];
        check_listing(cut)?;
        let cache = tempfile::tempdir().unwrap();
        let found = list_archive(cut, &UnpackCache::in_folder(cache.path()));
        prop_assert!(found[0].starts_with("p.zip p.zip: p.zip: is "), "{found:?}");
    }

    #[test]
    fn valid_archive_with_a_moved_part(
        from in any::<prop::sample::Index>(),
        length in 0..80usize,
        to in any::<prop::sample::Index>(),
    ) {
        let mut bytes = zip(&good());
        let from = from.index(bytes.len());
        let part: Vec<u8> = bytes.drain(from..(from + length).min(bytes.len())).collect();
        let to = to.index(bytes.len() + 1);
        bytes.splice(to..to, part);
        check_listing(&bytes)?;
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check_listing(&[&b"PK\x03\x04"[..], &bytes].concat())?;
    }
}
