//! The format of a cache file: a header with the profile and the hashes of the component, of the
//! runtime and of the code, then the code. Reads and writes bytes, not files.

use std::hash::{Hash, Hasher};

use sandboard_metering::INSTRUMENTATION_VERSION;
use sha2::{Digest, Sha256};

use crate::prices::PRICES_VERSION;
use crate::runtime::Metering;
use crate::scan::Profile;

/// The first bytes of a cache file.
const MAGIC: [u8; 8] = *b"sb-code\n";
/// The version of the header and of the code, which begins with the wiring of the modules. A change
/// of the functions of an interface, or of how components are taken apart, needs a new version.
const VERSION: u32 = 4;

const HASH_BYTES: usize = 32;
/// Magic, version, profile, hash of the module, compatibility hash, length of the code, hash of the
/// code.
const HEADER_BYTES: usize = MAGIC.len() + 4 + 4 + HASH_BYTES + 8 + 8 + HASH_BYTES;

/// Identifies the code of a module for a runtime and a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CacheKey {
    profile: Profile,
    module_sha256: [u8; HASH_BYTES],
    /// A hash of wasmtime's version, features and settings, and of what counts fuel.
    compatibility: u64,
}

/// Why a file is not valid for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error("does not begin like a cache file")]
    Magic,
    #[error("has version {0} of the cache format, not {VERSION}")]
    Version(u32),
    #[error("belongs to another profile")]
    Profile,
    #[error("belongs to another module")]
    Module,
    #[error("belongs to another version or setting of the runtime")]
    Compatibility,
    #[error("contains {actual} bytes of code, not {expected}")]
    Length { expected: u64, actual: u64 },
    #[error("contains code that was changed since it was written")]
    Code,
}

impl CacheKey {
    /// The key of a module for a wasmtime engine and this metering, compiled for this profile.
    pub(crate) fn new(
        engine: &wasmtime::Engine,
        metering: Metering,
        module: &[u8],
        profile: Profile,
    ) -> Self {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        // The prices are part of the code.
        let instrumentation =
            (metering == Metering::Fuel).then_some((INSTRUMENTATION_VERSION, PRICES_VERSION));
        instrumentation.hash(&mut hasher);
        let module_sha256 = Sha256::digest(module).into();
        Self { profile, module_sha256, compatibility: hasher.finish() }
    }

    /// The name of its file.
    pub(super) fn file_name(&self) -> String {
        format!(
            "{}-{:016x}{FILE_SUFFIX}",
            sandboard_common::hex::hex(&self.module_sha256),
            self.compatibility
        )
    }
}

/// The number of a profile in a header.
fn profile_number(profile: Profile) -> u32 {
    match profile {
        Profile::Everyday => 1,
        Profile::Contest => 2,
    }
}

/// The suffix of names of cache files.
pub(super) const FILE_SUFFIX: &str = ".code";

/// The header of a file with this code.
pub(super) fn header(key: &CacheKey, code: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend(profile_number(key.profile).to_le_bytes());
    header.extend(key.module_sha256);
    header.extend(key.compatibility.to_le_bytes());
    header.extend((code.len() as u64).to_le_bytes());
    header.extend(Sha256::digest(code));
    header
}

/// The code in a file, if the file is complete, unchanged and belongs to this key.
pub(super) fn code<'a>(file: &'a [u8], key: &CacheKey) -> Result<&'a [u8], EntryError> {
    let (magic, rest) =
        split::<8>(file).filter(|(magic, _)| *magic == MAGIC).ok_or(EntryError::Magic)?;
    debug_assert_eq!(magic, MAGIC);
    let (version, rest) = split(rest).ok_or(EntryError::Magic)?;
    match u32::from_le_bytes(version) {
        VERSION => (),
        other => return Err(EntryError::Version(other)),
    }
    let (profile, rest) = split(rest).ok_or(EntryError::Magic)?;
    let (module, rest) = split::<HASH_BYTES>(rest).ok_or(EntryError::Magic)?;
    let (compatibility, rest) = split(rest).ok_or(EntryError::Magic)?;
    let (length, rest) = split(rest).ok_or(EntryError::Magic)?;
    let (hash, code) = split::<HASH_BYTES>(rest).ok_or(EntryError::Magic)?;
    let (expected, actual) = (u64::from_le_bytes(length), code.len() as u64);
    let error = match () {
        () if u32::from_le_bytes(profile) != profile_number(key.profile) => EntryError::Profile,
        () if module != key.module_sha256 => EntryError::Module,
        () if u64::from_le_bytes(compatibility) != key.compatibility => EntryError::Compatibility,
        () if expected != actual => EntryError::Length { expected, actual },
        () if Sha256::digest(code)[..] != hash => EntryError::Code,
        () => return Ok(code),
    };
    Err(error)
}

fn split<const N: usize>(bytes: &[u8]) -> Option<([u8; N], &[u8])> {
    bytes.split_first_chunk::<N>().map(|(first, rest)| (*first, rest))
}

/// FNV-1a. Unlike the standard library's hash, its value is the same in every build.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(module: u8, compatibility: u64) -> CacheKey {
        let profile = Profile::Everyday;
        CacheKey { profile, module_sha256: [module; HASH_BYTES], compatibility }
    }

    fn file() -> Vec<u8> {
        [header(&key(1, 2), b"code"), b"code".to_vec()].concat()
    }

    #[test]
    fn only_a_complete_file_of_the_key_is_accepted() {
        let check = |file: &[u8], key: CacheKey, expected: Result<&[u8], EntryError>| {
            assert_eq!(code(file, &key), expected);
        };
        let whole = file();
        assert_eq!(whole.len(), HEADER_BYTES + 4);
        check(&whole, key(1, 2), Ok(b"code"));
        check(&whole, key(3, 2), Err(EntryError::Module));
        check(&whole, key(1, 3), Err(EntryError::Compatibility));
        let contest = CacheKey { profile: Profile::Contest, ..key(1, 2) };
        check(&whole, contest, Err(EntryError::Profile));
        let longer = [&whole[..], b"x"].concat();
        check(&longer, key(1, 2), Err(EntryError::Length { expected: 4, actual: 5 }));
        check(&[header(&key(1, 2), b""), vec![]].concat(), key(1, 2), Ok(b""));
        let mut later = whole.clone();
        later[8] = VERSION as u8 + 1;
        check(&later, key(1, 2), Err(EntryError::Version(VERSION + 1)));
        // A file of an earlier host: code without a header.
        check(
            b"\x7fELF\x02\x01\x01 and so on, much longer than a header",
            key(1, 2),
            Err(EntryError::Magic),
        );
    }

    #[test]
    fn every_damaged_or_truncated_file_is_refused() {
        let whole = file();
        for length in 0..whole.len() {
            assert!(code(&whole[..length], &key(1, 2)).is_err(), "{length} bytes");
        }
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(code(&damaged, &key(1, 2)).is_err(), "bit {bit}");
        }
    }
}
