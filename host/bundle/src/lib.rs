//! Audit bundles: arenas on fuel that anyone can verify and replay on any machine. A bundle is one
//! ZIP file or its unpacked folder. `docs/bundles.md` explains every file of it. The crate reads
//! and checks bundles, and replays single records with engines that its caller finds. It needs no
//! store, process or thread.
//!
//! Invariant: a bundle is a stranger's file. Every name, size and hash is checked first, and
//! nothing of it is run to check it. The games follow from setup and seed, never from the list;
//! tables are counted again, never read. Invariant: reading holds no more than one record in
//! memory.
//!
//! Entry points: [`Bundle`] is an open bundle, [`verify`](fn@verify) checks it,
//! [`game_check::check_game`] replays a game, and [`Verdict`] sums up.
#![forbid(unsafe_code)]

mod contest_check;
pub mod game_check;
mod index;
mod read;
mod record_check;
pub mod schedule_walk;
mod verdict;
mod verify;

pub use index::{
    ArenaIndex, ContestIndex, EntrantIndex, EntryIndex, GameIndex, Index, ModuleIndex,
};
pub use read::{Bundle, BundleError};
pub use verdict::{ReplayedGames, Verdict, other_commitment};
pub use verify::{Finding, Game, Kind, verify};

use sandboard_archive::ArchiveLimits;
use sandboard_bout::record::RECORD_BYTES;

/// The value of the field `format`.
pub const FORMAT: &str = "sandboard-bundle";
/// The version of the format that this host writes and reads.
pub const VERSION: u32 = 1;
/// The index file of a bundle.
pub const INDEX: &str = "bundle.json";
/// The longest index file, in bytes.
const INDEX_BYTES: u64 = 64 * 1024 * 1024;

/// The limits of a bundle as one file: those of the ZIP format without extensions.
pub const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: u16::MAX as usize - 1,
    archive_bytes: u32::MAX as u64 - 1,
    file_bytes: RECORD_BYTES,
    unpacked_bytes: 64 << 30,
};

/// The path of the module with this hash.
pub fn module_file(sha256: &str) -> String {
    format!("modules/{sha256}.wasm")
}

/// The path of the openings with this hash.
pub fn openings_file(sha256: &str) -> String {
    format!("openings/{sha256}.txt")
}

/// The path of a game's record.
pub fn record_file(arena: &str, game: &str) -> String {
    format!("records/{arena}/{game}.json")
}

/// Whether the name is allowed for an arena: a valid folder name on every system. The error says
/// what to write.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if is_device(name) {
        let shown = sandboard_common::text::quoted(name);
        return Err(format!("{shown} is the name of a device on Windows: use another name"));
    }
    match first && name.len() <= 64 && name.bytes().all(plain) && !name.ends_with('.') {
        true => Ok(()),
        false => Err(format!(
            "{} is not a valid name of an arena in a bundle: use 1 to 64 characters of a-z, A-Z, 0-9, `-`, `_` and `.`, \
             starting with a letter or digit, not ending with a dot",
            sandboard_common::text::quoted(name)
        )),
    }
}

/// Whether Windows opens a device instead of a file of this name, whatever its extension is.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = |prefix| {
        let digits = stem.strip_prefix(prefix).map(str::as_bytes);
        matches!(digits, Some([b'1'..=b'9']))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// Whether this is a SHA-256 in lower-case hexadecimal.
pub fn is_sha256(text: &str) -> bool {
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
        for name in ["aux", "NUL", "con.1", "Com9", "lpt1.final"] {
            check(name, false);
        }
        for name in ["auxiliary", "null", "com", "com0", "com10", "lpt", "final.aux"] {
            check(name, true);
        }
        for name in ["", ".", "..", ".a", "-a", "a/b", "a\\b", "a b", "é", "a.", &"x".repeat(65)] {
            check(name, false);
        }
    }

    #[test]
    fn hashes_are_lower_case_and_whole() {
        let check = |text: &str, expected| assert_eq!(is_sha256(text), expected, "{text}");
        check(&sandboard_common::hex::sha256_hex(b""), true);
        check(&sandboard_common::hex::sha256_hex(b"").to_uppercase(), false);
        check(&sandboard_common::hex::sha256_hex(b"")[1..], false);
        check(&"../".repeat(22)[..64], false);
    }
}
