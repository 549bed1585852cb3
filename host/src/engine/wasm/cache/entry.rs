//! A file of the cache: a head that says of what module, for what runtime and how long
//! the code behind it is, and the code's hash. Reads and writes bytes, no files.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};

/// What a file of the cache begins with.
const MAGIC: [u8; 8] = *b"sb-code\n";
/// The number of this form of head; another is another host's.
const VERSION: u32 = 1;

const HASH_BYTES: usize = 32;
/// Magic, version, module's hash, compatibility hash, length, code's hash.
pub const HEAD_BYTES: usize = MAGIC.len() + 4 + HASH_BYTES + 8 + 8 + HASH_BYTES;

/// Of what, and for what, code is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    module_sha256: [u8; HASH_BYTES],
    /// The runtime's version, features and settings, as it hashes them itself.
    compatibility: u64,
}

/// Why a file is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("does not begin as a file of the cache")]
    Magic,
    #[error("is of version {0} of the cache, not {VERSION}")]
    Version(u32),
    #[error("is of another module")]
    Module,
    #[error("is of another version or setting of the runtime")]
    Compatibility,
    #[error("holds {found} bytes of code, not {told}")]
    Length { told: u64, found: u64 },
    #[error("holds code that was changed since it was written")]
    Code,
}

impl Key {
    /// That of a module under an engine.
    pub fn of(engine: &wasmtime::Engine, module: &[u8]) -> Self {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self { module_sha256: Sha256::digest(module).into(), compatibility: hasher.finish() }
    }

    /// What its file is called.
    pub fn file_name(&self) -> String {
        format!("{}-{:016x}{ENDING}", crate::hex(&self.module_sha256), self.compatibility)
    }
}

/// What the names of the cache's files end with.
pub const ENDING: &str = ".code";

/// The head of a file with this code.
pub fn head(key: &Key, code: &[u8]) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend(key.module_sha256);
    head.extend(key.compatibility.to_le_bytes());
    head.extend((code.len() as u64).to_le_bytes());
    head.extend(Sha256::digest(code));
    head
}

/// The code in a file, if it is whole, unchanged and of this key.
pub fn code<'a>(file: &'a [u8], key: &Key) -> Result<&'a [u8], Wrong> {
    let (magic, rest) =
        split::<8>(file).filter(|(magic, _)| *magic == MAGIC).ok_or(Wrong::Magic)?;
    debug_assert_eq!(magic, MAGIC);
    let (version, rest) = split(rest).ok_or(Wrong::Magic)?;
    match u32::from_le_bytes(version) {
        VERSION => (),
        other => return Err(Wrong::Version(other)),
    }
    let (module, rest) = split::<HASH_BYTES>(rest).ok_or(Wrong::Magic)?;
    let (compatibility, rest) = split(rest).ok_or(Wrong::Magic)?;
    let (length, rest) = split(rest).ok_or(Wrong::Magic)?;
    let (hash, code) = split::<HASH_BYTES>(rest).ok_or(Wrong::Magic)?;
    let (told, found) = (u64::from_le_bytes(length), code.len() as u64);
    let wrong = match () {
        () if module != key.module_sha256 => Wrong::Module,
        () if u64::from_le_bytes(compatibility) != key.compatibility => Wrong::Compatibility,
        () if told != found => Wrong::Length { told, found },
        () if Sha256::digest(code)[..] != hash => Wrong::Code,
        () => return Ok(code),
    };
    Err(wrong)
}

fn split<const N: usize>(bytes: &[u8]) -> Option<([u8; N], &[u8])> {
    bytes.split_first_chunk::<N>().map(|(first, rest)| (*first, rest))
}

/// FNV-1a: a hash whose value is the same in every build, unlike std's.
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

    fn key(module: u8, compatibility: u64) -> Key {
        Key { module_sha256: [module; HASH_BYTES], compatibility }
    }

    fn file() -> Vec<u8> {
        [head(&key(1, 2), b"code"), b"code".to_vec()].concat()
    }

    #[test]
    fn a_whole_file_of_the_key_is_read_and_no_other() {
        let check = |file: &[u8], key: Key, wanted: Result<&[u8], Wrong>| {
            assert_eq!(code(file, &key), wanted);
        };
        let whole = file();
        assert_eq!(whole.len(), HEAD_BYTES + 4);
        check(&whole, key(1, 2), Ok(b"code"));
        check(&whole, key(3, 2), Err(Wrong::Module));
        check(&whole, key(1, 3), Err(Wrong::Compatibility));
        let longer = [&whole[..], b"x"].concat();
        check(&longer, key(1, 2), Err(Wrong::Length { told: 4, found: 5 }));
        check(&[head(&key(1, 2), b""), vec![]].concat(), key(1, 2), Ok(b""));
        let mut later = whole.clone();
        later[8] = 2;
        check(&later, key(1, 2), Err(Wrong::Version(2)));
        // What an earlier host kept: code, and nothing before it.
        check(
            b"\x7fELF\x02\x01\x01 and so on, much longer than a head",
            key(1, 2),
            Err(Wrong::Magic),
        );
    }

    #[test]
    fn every_bit_counts_and_every_byte() {
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
