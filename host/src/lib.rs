//! The Sandboard host: finds engines, runs them within their limits, referees
//! their games and keeps the records. What a game's rules are it asks the crate
//! `sandboard-games`; it has no rule of any game itself.
#![deny(unsafe_code)]

pub mod arena;
pub mod ask;
pub mod bout;
pub mod budget;
pub mod builds;
pub mod bundle;
mod bytes;
pub mod catalog;
pub mod check;
pub mod cli;
pub mod clock;
pub mod contest;
pub mod convert;
mod database;
pub mod engine;
pub mod exact;
pub mod jail;
pub mod loader;
mod lock;
pub mod manifest;
mod ordered;
mod private;
pub mod process;
pub mod protocol;
pub mod queue;
pub mod record;
pub mod referee;
pub mod replay;
pub mod server;
pub mod solve;
pub mod suite;
mod sys;
pub mod terminal;
pub mod trust;
pub mod tuner;
pub mod worker;
pub mod workshop;

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| hex_digits(*byte)).map(char::from).collect()
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&<sha2::Sha256 as sha2::Digest>::digest(bytes))
}

/// The two digits of a byte, in ASCII. No formatting: a record has sixteen bytes of them for each ply.
fn hex_digits(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 0xf].map(|digit| b"0123456789abcdef"[usize::from(digit)])
}

/// What a text of hexadecimal digits, in either case, stands for.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect()
}

/// So many of something, for people: `1 fault`, `2 faults`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal() {
        let check = |text: &str, expected: Option<&[u8]>| {
            assert_eq!(unhex(text).as_deref(), expected, "{text}");
        };
        check("", Some(&[]));
        check("00ffA0", Some(&[0, 255, 160]));
        check("0", None);
        check("0g", None);
        check("é", None);
        check(&hex(&[7, 250]), Some(&[7, 250]));
    }
}
