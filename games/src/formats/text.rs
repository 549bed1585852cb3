//! Texts of files that may hold any bytes: decoded, cut into lines, and made fit
//! to be shown. Knows no format.

use std::borrow::Cow;

/// What is shown of a wrong text, in characters.
const SHOWN_CHARS: usize = 24;

/// Bytes as a text: UTF-8, or else, as files of old programs have no single
/// encoding, Latin-1, a character for each byte.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// Where the signs of [`undecoded`] bytes begin: in an area for private use, so that nothing
/// takes one of them for a blank.
const UNDECODED: u32 = 0xf700;

/// Bytes of an encoding that is decoded later: ASCII as it is, a private sign for each
/// other byte.
pub fn undecoded(bytes: &[u8]) -> String {
    let sign = |&byte: &u8| match byte {
        0..0x80 => char::from(byte),
        _ => char::from_u32(UNDECODED + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(sign).collect()
}

/// The bytes of an [`undecoded`] text; none: it is another text.
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let byte = |sign: char| match sign {
        '\0'..='\x7f' => Some(sign as u8),
        _ => u8::try_from((sign as u32).checked_sub(UNDECODED)?).ok().filter(|byte| *byte >= 0x80),
    };
    text.chars().map(byte).collect()
}

/// The lines of a file with their numbers, from 1; ends of lines of any system.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.enumerate().map(|(index, line)| (index + 1, line))
}

/// A text on one line, without what cannot be seen and without blanks around;
/// none: nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A piece of a file between backquotes, cut, and with what cannot be seen escaped.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = decoded(&bytes[..bytes.len().min(SHOWN_CHARS * 4)]);
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if shown.is_empty() {
        return "nothing".to_owned();
    }
    if text.chars().count() > SHOWN_CHARS {
        shown.push('…');
    }
    format!("`{shown}`")
}
