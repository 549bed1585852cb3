//! The keys of workers and arenas (Ed25519), and the envelopes of signed messages. What a key
//! signed for one kind of message is not valid for another. Knows no broker.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::message::MessageError;
use sandboard_common::files::read_regular_text;
use sandboard_common::hex::{hex, unhex};

/// The length of a public key and of a secret seed.
const KEY_BYTES: usize = 32;
const SIGNATURE_BYTES: usize = 64;
/// The digits of a key that distinguish workers in messages for people.
const SHORT_DIGITS: usize = 8;
/// The most bytes of a file with a key.
const FILE_BYTES_MAX: u64 = 1024;

/// A public key, which identifies a worker or an arena. Written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; KEY_BYTES]);

/// A secret key.
pub struct SecretKey {
    pair: Ed25519KeyPair,
}

/// What a signature is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedKind {
    /// A game to play, signed by its arena.
    Task,
    /// The result of a game, signed by its worker.
    Result,
    /// A worker's report on itself.
    Presence,
    /// An arena's dismissal of a worker.
    Dismissal,
}

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The system gives no random numbers.
    #[error("the system gives no random numbers for a key")]
    Random,
    /// A text is not a public key.
    #[error(
        "`{0}` is not a public key: expected 64 hexadecimal digits, as `worker --show-key` prints"
    )]
    Public(String),
    /// A file cannot be read or written.
    #[error("cannot {step} the key in {}: {source}", path.display())]
    Io {
        /// The operation that failed.
        step: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A file has no key.
    #[error("{} is not the file of a key: expected 64 hexadecimal digits", .0.display())]
    Content(PathBuf),
}

impl SignedKind {
    /// What is signed before the message.
    fn label(self) -> &'static [u8] {
        match self {
            Self::Task => b"sandboard-task-v1\0",
            Self::Result => b"sandboard-result-v1\0",
            Self::Presence => b"sandboard-presence-v1\0",
            Self::Dismissal => b"sandboard-dismissal-v1\0",
        }
    }

    fn signed(self, body: &[u8]) -> Vec<u8> {
        [self.label(), body].concat()
    }
}

impl SecretKey {
    /// A random key.
    pub fn generate() -> Result<Self, KeyError> {
        Self::from_seed(&random_seed()?)
    }

    /// The key of a seed.
    fn from_seed(seed: &[u8; KEY_BYTES]) -> Result<Self, KeyError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| KeyError::Random)?;
        Ok(Self { pair })
    }

    /// The key in a file. A missing file is created with a random key, readable by this user only.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let io = |step| move |source| KeyError::Io { step, path: path.to_owned(), source };
        match read_regular_text(path, FILE_BYTES_MAX) {
            Ok(text) => {
                let seed = unhex(text.trim()).and_then(|bytes| bytes.try_into().ok());
                Self::from_seed(&seed.ok_or_else(|| KeyError::Content(path.to_owned()))?)
            }
            // Too long, or not UTF-8.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(KeyError::Content(path.to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let seed = random_seed()?;
                if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
                    std::fs::create_dir_all(folder).map_err(io("create the folder of"))?;
                }
                write_new(path, &seed).map_err(io("write"))?;
                Self::from_seed(&seed)
            }
            Err(error) => Err(io("read")(error)),
        }
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; KEY_BYTES];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }

    /// A message in an envelope: the public key, the signature, the message.
    pub fn seal(&self, kind: SignedKind, body: &[u8]) -> Vec<u8> {
        let signature = self.pair.sign(&kind.signed(body));
        [&self.public().0[..], signature.as_ref(), body].concat()
    }
}

/// Opens an envelope. Returns the key that signed the message, and the message.
pub fn open_envelope(kind: SignedKind, bytes: &[u8]) -> Result<(PublicKey, &[u8]), MessageError> {
    let cut = || MessageError::Form("cut off".into());
    let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>().ok_or_else(cut)?;
    let (signature, body) = rest.split_at_checked(SIGNATURE_BYTES).ok_or_else(cut)?;
    let verified = UnparsedPublicKey::new(&ED25519, key).verify(&kind.signed(body), signature);
    verified.map_err(|_| MessageError::Signature)?;
    Ok((PublicKey(*key), body))
}

fn random_seed() -> Result<[u8; KEY_BYTES], KeyError> {
    let mut seed = [0; KEY_BYTES];
    SystemRandom::new().fill(&mut seed).map_err(|_| KeyError::Random)?;
    Ok(seed)
}

/// Writes a secret seed into a new file.
fn write_new(path: &Path, seed: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(format!("{}\n", hex(seed)).as_bytes())?;
    file.sync_all()
}

impl PublicKey {
    /// The first digits, which distinguish workers in messages for people.
    pub fn short(&self) -> String {
        hex(&self.0)[..SHORT_DIGITS].to_owned()
    }

    /// The bytes of the key.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bytes = unhex(text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| KeyError::Public(sandboard_common::text::plain(text)))
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> SecretKey {
        SecretKey::from_seed(&[seed; KEY_BYTES]).unwrap()
    }

    #[test]
    fn an_envelope_shows_who_signed_it() {
        for body in [&b""[..], b"{}", &[7; 70_000]] {
            let sealed = key(1).seal(SignedKind::Result, body);
            let opened = open_envelope(SignedKind::Result, &sealed);
            assert_eq!(opened, Ok((key(1).public(), body)));
        }
    }

    #[test]
    fn no_changed_envelope_is_opened() {
        let sealed = key(1).seal(SignedKind::Result, b"it won");
        // Neither another key, signature or message, nor another kind of message.
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            let opened = open_envelope(SignedKind::Result, &changed);
            assert_eq!(opened, Err(MessageError::Signature), "{index}");
        }
        for kind in [SignedKind::Task, SignedKind::Presence, SignedKind::Dismissal] {
            assert_eq!(open_envelope(kind, &sealed), Err(MessageError::Signature), "{kind:?}");
        }
        let mut spoken_for = key(2).public().0.to_vec();
        spoken_for.extend(&sealed[KEY_BYTES..]);
        let opened = open_envelope(SignedKind::Result, &spoken_for);
        assert_eq!(opened, Err(MessageError::Signature));
        for length in 0..KEY_BYTES + SIGNATURE_BYTES {
            let opened = open_envelope(SignedKind::Result, &sealed[..length]);
            assert_eq!(opened, Err(MessageError::Form("cut off".into())), "{length}");
        }
    }

    /// The first test vector of RFC 8032, section 7.1.
    #[test]
    fn keys_are_those_of_the_standard() {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let seed: [u8; KEY_BYTES] = unhex(seed).unwrap().try_into().unwrap();
        let key = SecretKey::from_seed(&seed).unwrap();
        assert_eq!(key.public().to_string(), public);
        assert_eq!(public.parse::<PublicKey>().unwrap(), key.public());
        assert_eq!(key.public().short(), "d75a9801");
        for wrong in ["", "d7", &public[1..], &format!("{public}00"), "g".repeat(64).as_str()] {
            assert!(wrong.parse::<PublicKey>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_keeps_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("worker.key");
        let created = SecretKey::open(&path).unwrap().public();
        assert_eq!(SecretKey::open(&path).unwrap().public(), created);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let check = |content: &str| {
            std::fs::write(&path, content).unwrap();
            let error = SecretKey::open(&path).map(drop).unwrap_err().to_string();
            assert!(error.ends_with("is not the file of a key: expected 64 hexadecimal digits"));
        };
        check("");
        check("0f");
        check(&"0".repeat(2000));
        let error = SecretKey::open(folder.path()).map(drop).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the key in"), "{error}");
    }
}
