//! Audit bundles: arenas on fuel that anybody can play again, on any machine, and hold against what is told of them. One ZIP
//! file, or the same as a folder. `docs/bundles.md` explains every file of it.
//!
//! Invariant: a bundle is from a stranger: every name, size and hash of it is checked before anything is believed, and
//! nothing of it is run here. Which games there are is found from setup and seed, never from the list of games; a table is
//! counted again, never read.
//! Invariant: neither writing nor reading holds more than one record at a time.

mod fits;
mod games;
mod index;
mod read;
mod verify;
mod write;
mod zip;

pub use games::Row;
pub use index::{ArenaIndex, ContestIndex, GameIndex, Index, ModuleIndex};
pub use read::{Bundle, BundleError};
pub use verify::{Finding, Game, Kind, verify};
pub use write::{BundleArena, BundleSource, Written, write};

use crate::catalog::ArchiveLimits;
use crate::record::RECORD_BYTES;

/// What the field `format` of every bundle says.
pub const FORMAT: &str = "sandboard-bundle";
/// The version of the format that this host writes, and the only one it reads.
pub const VERSION: u32 = 1;
/// The file that says what a bundle holds.
pub const INDEX: &str = "bundle.json";
/// The longest such file, in bytes.
const INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// Within what a bundle keeps, as one file: what the plain ZIP format has numbers for.
const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: u16::MAX as usize - 1,
    archive_bytes: u32::MAX as u64 - 1,
    file_bytes: RECORD_BYTES,
    unpacked_bytes: 64 << 30,
};

/// Where the module with this hash is.
fn module_file(sha256: &str) -> String {
    format!("modules/{sha256}.wasm")
}

/// Where the openings with this hash are.
fn openings_file(sha256: &str) -> String {
    format!("openings/{sha256}.txt")
}

/// Where the record of a game is.
fn record_file(arena: &str, game: &str) -> String {
    format!("records/{arena}/{game}.json")
}

/// Whether an arena may have this name, which is one of a folder on every system. Err: what to write.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    match first && name.len() <= 64 && name.bytes().all(plain) && !name.ends_with('.') {
        true => Ok(()),
        false => Err(format!(
            "{} is no name of an arena in a bundle: 1 to 64 letters of a-z, A-Z, 0-9, `-`, `_` and `.`, a letter or digit \
             first, no dot last",
            crate::manifest::quoted(name)
        )),
    }
}

/// Whether this is a SHA-256 in hexadecimal, as this host writes one.
fn is_sha256(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().all(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        let check = |name: &str, expected: bool| {
            assert_eq!(check_name(name).is_ok(), expected, "{name:?}");
        };
        for name in ["a", "alpha-beta-20260701-123456", "Round_1", "3.final", &"x".repeat(64)] {
            check(name, true);
        }
        for name in ["", ".", "..", ".a", "-a", "a/b", "a\\b", "a b", "é", "a.", &"x".repeat(65)] {
            check(name, false);
        }
    }

    #[test]
    fn hashes_are_lower_case_and_whole() {
        let check = |text: &str, expected| assert_eq!(is_sha256(text), expected, "{text}");
        check(&crate::sha256_hex(b""), true);
        check(&crate::sha256_hex(b"").to_uppercase(), false);
        check(&crate::sha256_hex(b"")[1..], false);
        check(&"../".repeat(22)[..64], false);
    }
}
