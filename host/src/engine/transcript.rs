//! The rolling hash of everything that crosses the border of one instance, so
//! that two runs can be compared call by call without keeping what was said.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first 16 bytes of the SHA-256 of an instance's transcript; written in
/// hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BorderHash(pub [u8; 16]);

impl fmt::Display for BorderHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::hex(&self.0))
    }
}

/// A text that is no hash of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a border hash has 32 hexadecimal digits")]
pub struct BorderHashError;

impl FromStr for BorderHash {
    type Err = BorderHashError;

    fn from_str(text: &str) -> Result<Self, BorderHashError> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits);
        number.map(|number| Self(number.to_be_bytes())).ok_or(BorderHashError)
    }
}

impl Serialize for BorderHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BorderHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
