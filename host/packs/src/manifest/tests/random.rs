//! Random texts: the parser accepts all of them without a panic, and every fault has a valid line.

use std::path::Path;

use proptest::prelude::*;

use super::super::*;
use super::GOOD;

/// Parses, and checks that all faults are printable and bounded.
fn check_faults(bytes: &[u8]) -> Result<(), TestCaseError> {
    let manifest = parse(Path::new("m.xml"), bytes, &Games::default());
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for fault in manifest.all_faults() {
        let text = fault.to_string();
        prop_assert!(!text.contains(sandboard_common::text::is_hidden), "{text:?}");
        prop_assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{text}");
        prop_assert!(text.len() < 2000, "{text}");
    }
    Ok(())
}

/// Fragments of manifests.
const PIECES: [&str; 34] = [
    "<EngineConfigs",
    " abi=\"1\"",
    ">",
    "/>",
    "<Engine",
    " id=\"a\"",
    " version='1'",
    "</Engine>",
    "<Game id=\"gomoku\"/>",
    "<",
    "&",
    ";",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE",
    "[",
    "]",
    "<?xml version=\"1.0\"?>",
    "<?",
    "?>",
    "=",
    "\"",
    "'",
    " ",
    "\n",
    "</",
    "é",
    "\u{202e}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check_faults(&bytes)?;
    }

    #[test]
    fn any_pieces(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        check_faults(text.as_bytes())?;
    }

    #[test]
    fn valid_manifest_with_changed_bytes(
        changes in proptest::collection::vec((0..GOOD.len(), any::<u8>()), 1..6),
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        check_faults(&bytes)?;
    }

    #[test]
    fn valid_manifest_with_a_moved_part(
        from in 0..GOOD.len(), length in 0..80usize, to in 0..GOOD.len(),
    ) {
        let end = (from + length).min(GOOD.len());
        let mut text = GOOD.to_owned();
        let part: String = text.drain(from..end).collect();
        text.insert_str(to.min(text.len()), &part);
        check_faults(text.as_bytes())?;
    }

    #[test]
    fn truncated_manifest(at in 0..GOOD.len()) {
        check_faults(&GOOD.as_bytes()[..at])?;
        // Its last byte is a line end, and it is also valid without that.
        let faults = parse(Path::new("m.xml"), &GOOD.as_bytes()[..at], &Games::default()).all_faults();
        prop_assert!(at == GOOD.len() - 1 || !faults.is_empty());
    }
}
