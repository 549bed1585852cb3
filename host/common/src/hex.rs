//! Bytes as hexadecimal digits, and back.

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| hex_digits(*byte)).map(char::from).collect()
}

/// The SHA-256 of some bytes, as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&<sha2::Sha256 as sha2::Digest>::digest(bytes))
}

/// The two ASCII digits of a byte. Avoids formatting, because a record holds sixteen bytes for each
/// ply.
pub fn hex_digits(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 0xf].map(|digit| b"0123456789abcdef"[usize::from(digit)])
}

/// The bytes of a text of hexadecimal digits in either case; `None` if the text has an odd length
/// or another character.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        })
        .collect()
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
