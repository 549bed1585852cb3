//! Damaged archives: nothing panics, nothing is written outside the cache, and
//! what is unpacked all the same is what was packed.

use std::fs;

use proptest::prelude::*;

use super::fixtures::zip;
use super::tests::{good, listed};
use super::*;

/// Lists a damaged archive. It may be refused; if it is not, its engine is the
/// good one's or is refused by the pack's own checks.
fn survive(bytes: &[u8]) -> Result<(), TestCaseError> {
    let home = tempfile::tempdir().unwrap();
    let cache = home.path().join("cache");
    for line in listed(bytes, &Shelf::at(&cache)) {
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
    fn a_good_one_with_bytes_changed(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = zip(&good());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survive(&bytes)?;
    }

    #[test]
    fn a_good_one_with_a_bit_of_its_table_flipped(back in 1..300usize, bit in 0..8) {
        let mut bytes = zip(&good());
        let at = bytes.len() - back;
        bytes[at] ^= 1u8 << bit;
        survive(&bytes)?;
    }

    #[test]
    fn a_good_one_cut_short(at in any::<prop::sample::Index>()) {
        let bytes = zip(&good());
        let cut = &bytes[..at.index(bytes.len())];
        survive(cut)?;
        let cache = tempfile::tempdir().unwrap();
        let found = listed(cut, &Shelf::at(cache.path()));
        prop_assert!(found[0].starts_with("p.zip p.zip: p.zip: is "), "{found:?}");
    }

    #[test]
    fn a_good_one_with_a_part_moved(
        from in any::<prop::sample::Index>(),
        length in 0..80usize,
        to in any::<prop::sample::Index>(),
    ) {
        let mut bytes = zip(&good());
        let from = from.index(bytes.len());
        let part: Vec<u8> = bytes.drain(from..(from + length).min(bytes.len())).collect();
        let to = to.index(bytes.len() + 1);
        bytes.splice(to..to, part);
        survive(&bytes)?;
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        survive(&[&b"PK\x03\x04"[..], &bytes].concat())?;
    }
}
