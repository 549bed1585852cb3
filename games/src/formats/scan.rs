//! Scanner for the syntax of SGF and of formats derived from it: parentheses, nodes, properties and
//! values. Does not interpret properties.

use super::{FormatError, decode};

/// A read position in a file.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The current line, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// An error at the current line.
    pub(crate) fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::line(self.line, reason)
    }

    fn step(&mut self) {
        if self.bytes.get(self.at) == Some(&b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    /// The next byte that is not white space, without consuming it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|&byte| byte.is_ascii_whitespace() || byte == 0x0b)
        {
            self.step();
        }
        self.bytes.get(self.at).copied()
    }

    /// Consumes this byte if it comes next.
    pub(crate) fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.step();
        }
        found
    }

    /// Skips to the start of a game, `(;`, and consumes the parenthesis. Returns `false` at the end
    /// of the file.
    pub(crate) fn find_game(&mut self) -> bool {
        while self.at < self.bytes.len() {
            if self.take(b'(') {
                if self.peek() == Some(b';') {
                    return true;
                }
            } else if self.at < self.bytes.len() {
                self.step();
            }
        }
        false
    }

    /// The name of the next property, without the lower-case letters that early versions of the
    /// format allow. `None` if no property follows.
    pub(crate) fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut any = false;
        self.peek();
        while let Some(letter) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_alphabetic()) {
            any = true;
            // No known name is longer; longer names are truncated.
            if letter.is_ascii_uppercase() && name.len() < 8 {
                name.push(char::from(*letter));
            }
            self.at += 1;
        }
        any.then_some(name)
    }

    /// The bytes of the next value, still escaped. `None` if no value follows.
    pub(crate) fn value(&mut self) -> Result<Option<&'a [u8]>, FormatError> {
        if !self.take(b'[') {
            return Ok(None);
        }
        let (begin, begin_line) = (self.at, self.line);
        loop {
            match self.bytes.get(self.at) {
                Some(b']') => break,
                Some(b'\\') => {
                    self.at += 1;
                    self.step();
                }
                Some(_) => self.step(),
                None => {
                    let reason = "the file ends inside the value that starts here: `]` is missing";
                    return Err(FormatError::line(begin_line, reason));
                }
            }
        }
        let value = &self.bytes[begin..self.at];
        self.step();
        Ok(Some(value))
    }
}

/// The text of a value: escapes resolved, line ends converted to LF.
pub(crate) fn text(value: &[u8]) -> String {
    let value = decode(value);
    let value = value.replace("\r\n", "\n").replace('\r', "\n");
    let mut text = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match sign {
            // An escaped line end is removed.
            '\\' => text.extend(signs.next().filter(|sign| *sign != '\n').map(seen)),
            sign => text.push(seen(sign)),
        }
    }
    text
}

/// Replaces a control character, other than a line end, by a space.
fn seen(sign: char) -> char {
    if sign.is_control() && sign != '\n' { ' ' } else { sign }
}

/// Appends a text, escaped as a value.
pub(crate) fn escape(text: &str, out: &mut String) {
    for sign in text.chars() {
        if matches!(sign, ']' | '\\' | ':') {
            out.push('\\');
        }
        out.push(seen(sign));
    }
}
