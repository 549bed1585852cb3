//! Standard output and standard error of the commands. A terminal obeys control characters, and
//! texts of strangers may contain them: names in bundles, sentences of servers, names of files.
//! All texts pass through [`CleanWriter`], which escapes these characters. Only data in the format
//! of a file, and programs that read this one's output as a protocol, bypass it, with
//! [`write_file`].

#![expect(clippy::disallowed_methods, reason = "only this file opens the streams")]

use std::io::{IsTerminal, Result, StderrLock, StdoutLock, Write};

use sandboard_common::text::is_hidden;

/// Prints a line to standard output. As `println!`, but hidden characters are escaped. A reader
/// that closed the stream is no error; see [`crate::output::stdout`] where it matters.
macro_rules! out_line {
    ($($arguments:tt)*) => {
        $crate::output::line(&mut $crate::output::stdout(), format_args!($($arguments)*))
    };
}

/// Prints a line to standard error. As `eprintln!`, but hidden characters are escaped.
macro_rules! error_line {
    ($($arguments:tt)*) => {
        $crate::output::line(&mut $crate::output::stderr(), format_args!($($arguments)*))
    };
}

pub(crate) use {error_line, out_line};

/// The escape sequences that pass: colours and emphasis of `TextStyle` and of log messages, and
/// their end. The numbers stand between `ESC [` and `m`.
const STYLES: [&str; 15] =
    ["0", "1", "1;7", "2", "31", "32", "33", "34", "35", "36", "90", "1;31", "1;33", "1;32", "7"];

/// A writer that replaces hidden characters, except line feeds, by the escapes of JSON, such as
/// `\u001b`. In output in JSON the values therefore stay the same. Bytes that are not UTF-8 become
/// U+FFFD.
pub(crate) struct CleanWriter<W: Write> {
    inner: W,
    /// The beginning of a character whose other bytes were not written yet.
    incomplete: Vec<u8>,
}

/// Standard output, locked.
pub(crate) fn stdout() -> CleanWriter<StdoutLock<'static>> {
    CleanWriter::new(std::io::stdout().lock())
}

/// Standard error, locked.
pub(crate) fn stderr() -> CleanWriter<StderrLock<'static>> {
    CleanWriter::new(std::io::stderr().lock())
}

/// Writes the bytes of a file to standard output: unchanged if a program reads them, cleaned on a
/// terminal. Fails if the stream is closed.
pub(crate) fn write_file(bytes: &[u8]) -> Result<()> {
    let raw = std::io::stdout();
    if raw.is_terminal() {
        let mut out = stdout();
        out.write_all(bytes)?;
        return out.flush();
    }
    let mut out = raw.lock();
    out.write_all(bytes)?;
    out.flush()
}

/// The text, with hidden characters escaped as by [`CleanWriter`].
pub(crate) fn cleaned(text: &str) -> String {
    let mut clean = CleanWriter::new(Vec::new());
    // Writing to memory does not fail.
    let _ = clean.write_text(text);
    String::from_utf8_lossy(&clean.inner).into_owned()
}

/// Writes a line. Errors are ignored: the stream is closed then.
pub(crate) fn line(out: &mut impl Write, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

impl<W: Write> CleanWriter<W> {
    /// A writer to `inner`.
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, incomplete: Vec::new() }
    }

    fn write_text(&mut self, text: &str) -> Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(|letter| letter != '\n' && is_hidden(letter)) {
            let (before, hidden) = rest.split_at(at);
            self.inner.write_all(before.as_bytes())?;
            let styled = style_length(hidden);
            if styled > 0 {
                self.inner.write_all(&hidden.as_bytes()[..styled])?;
                rest = &hidden[styled..];
                continue;
            }
            let letter = hidden.chars().next().unwrap_or_default();
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(self.inner, "\\u{unit:04x}")?;
            }
            rest = &hidden[letter.len_utf8()..];
        }
        self.inner.write_all(rest.as_bytes())
    }
}

/// The length in bytes of the permitted style sequence at the start of a text, or 0.
fn style_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\x1b[") else { return 0 };
    let Some(end) = rest.find('m') else { return 0 };
    if STYLES.contains(&&rest[..end]) { "\x1b[".len() + end + 1 } else { 0 }
}

impl<W: Write> Write for CleanWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut all = std::mem::take(&mut self.incomplete);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.write_text(text)?;
                    return Ok(bytes.len());
                }
                Err(error) => {
                    let (text, other) = rest.split_at(error.valid_up_to());
                    self.write_text(std::str::from_utf8(text).unwrap_or_default())?;
                    let Some(invalid) = error.error_len() else {
                        self.incomplete = other.to_vec();
                        return Ok(bytes.len());
                    };
                    self.write_text("\u{fffd}")?;
                    rest = &other[invalid..];
                }
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cleaned(parts: &[&[u8]]) -> String {
        let mut out = CleanWriter::new(Vec::new());
        for part in parts {
            out.write_all(part).unwrap();
        }
        String::from_utf8(out.inner).unwrap()
    }

    #[test]
    fn hidden_characters_are_escaped() {
        let check = |text: &str, expected: &str| assert_eq!(cleaned(&[text.as_bytes()]), expected);
        check("a name\nand 五子棋 ♠\n", "a name\nand 五子棋 ♠\n");
        check("\x1b[2Jgone", "\\u001b[2Jgone");
        check("\x1b]0;title\x07", "\\u001b]0;title\\u0007");
        check("verified\rforged", "verified\\u000dforged");
        check("\u{9b}31m", "\\u009b31m");
        check("a\u{202e}b\u{e0041}", "a\\u202eb\\udb40\\udc41");
        // Colours of this program pass; invisible text does not.
        check("\x1b[31merror\x1b[0m", "\x1b[31merror\x1b[0m");
        check("\x1b[8mhidden\x1b[0m", "\\u001b[8mhidden\x1b[0m");
        check("\x1b[31", "\\u001b[31");
        check("\x1b[31;8m", "\\u001b[31;8m");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ "name": "\x1b[2J\u{202e}\u{e0041}\n\u{7f}五" });
        let text = cleaned(&[value.to_string().as_bytes()]);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn characters_may_arrive_in_parts() {
        let check = |parts: &[&[u8]], expected: &str| assert_eq!(cleaned(parts), expected);
        check(&[b"\xe4\xba", b"\x94!"], "五!");
        check(&[b"\xe2\x80", b"\xae"], "\\u202e");
        check(&[b"\xe4", b"x"], "\u{fffd}x");
        check(&[b"\x9b2J"], "\u{fffd}2J");
    }

    proptest! {
        #[test]
        fn any_bytes_give_harmless_text(bytes: Vec<u8>, cut in 0_usize..64) {
            let cut = cut.min(bytes.len());
            let text = cleaned(&[&bytes[..cut], &bytes[cut..]]);
            let unstyled = STYLES.iter().fold(text, |text, style| {
                text.replace(&format!("\x1b[{style}m"), "")
            });
            prop_assert!(!unstyled.contains(|letter| letter != '\n' && is_hidden(letter)));
        }
    }
}
