//! Texts of files that may contain any bytes: decoding, splitting into lines, and quoting in
//! messages. Contains nothing about particular formats.

use std::borrow::Cow;

/// Length of a quoted excerpt, in characters.
const EXCERPT_CHARS: usize = 24;

/// Decodes UTF-8, or else Latin-1 (one character per byte): files of old programs have no single
/// encoding.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// First code point for [`preserve_bytes`]. It is in a private use area, so no such character is
/// taken for white space.
const FIRST_PRESERVED: u32 = 0xf700;

/// Keeps bytes of an encoding that is decoded later: ASCII unchanged, other bytes as private-use
/// characters.
pub fn preserve_bytes(bytes: &[u8]) -> String {
    let sign = |&byte: &u8| match byte {
        0..0x80 => char::from(byte),
        _ => {
            char::from_u32(FIRST_PRESERVED + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    };
    bytes.iter().map(sign).collect()
}

/// The bytes of a [`preserve_bytes`] text; `None` for any other text.
pub fn preserved_bytes(text: &str) -> Option<Vec<u8>> {
    let byte = |sign: char| match sign {
        '\0'..='\x7f' => Some(sign as u8),
        _ => u8::try_from((sign as u32).checked_sub(FIRST_PRESERVED)?)
            .ok()
            .filter(|byte| *byte >= 0x80),
    };
    text.chars().map(byte).collect()
}

/// The lines of a file with their numbers from 1, for LF and CRLF line ends.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.enumerate().map(|(index, line)| (index + 1, line))
}

/// A trimmed text with control characters replaced by spaces; `None` if nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// An excerpt of a file in backquotes, shortened, with invisible characters escaped. Without bytes:
/// `an empty text`, not in backquotes.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = decode(&bytes[..bytes.len().min(EXCERPT_CHARS * 4)]);
    let mut excerpt: String =
        text.chars().take(EXCERPT_CHARS).flat_map(char::escape_debug).collect();
    if excerpt.is_empty() {
        return "an empty text".to_owned();
    }
    if text.chars().count() > EXCERPT_CHARS {
        excerpt.push('…');
    }
    format!("`{excerpt}`")
}
