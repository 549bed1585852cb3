//! The signs of SGF and of formats made after it: parentheses, nodes, properties and
//! their values. Knows no property by name.

use super::{FormatError, decoded};

/// Where a reader stands in a file.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The line it stands in, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// An error where it stands.
    pub fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::line(self.line, reason)
    }

    fn step(&mut self) {
        if self.bytes.get(self.at) == Some(&b'\n') {
            self.line += 1;
        }
        self.at += 1;
    }

    /// The next byte that is no blank; it is not taken.
    pub fn peek(&mut self) -> Option<u8> {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|&byte| byte.is_ascii_whitespace() || byte == 0x0b)
        {
            self.step();
        }
        self.bytes.get(self.at).copied()
    }

    /// Takes this byte if it comes next.
    pub fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.step();
        }
        found
    }

    /// Goes on to where a game begins, `(;`, and takes the parenthesis.
    pub fn find_game(&mut self) -> bool {
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

    /// The name of the property that comes next, without the small letters that
    /// early versions of the format allow in it; none: no property comes.
    pub fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        let mut any = false;
        self.peek();
        while let Some(letter) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_alphabetic()) {
            any = true;
            // No known name is longer; of others nothing is kept.
            if letter.is_ascii_uppercase() && name.len() < 8 {
                name.push(char::from(*letter));
            }
            self.at += 1;
        }
        any.then_some(name)
    }

    /// The bytes of the value that comes next, still escaped; none: no value comes.
    pub fn value(&mut self) -> Result<Option<&'a [u8]>, FormatError> {
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
                    let reason = "the file ends within the value that begins here: no `]`";
                    return Err(FormatError::line(begin_line, reason));
                }
            }
        }
        let value = &self.bytes[begin..self.at];
        self.step();
        Ok(Some(value))
    }
}

/// The text of a value: escapes undone, ends of lines of any system made ours.
pub(crate) fn text(value: &[u8]) -> String {
    let value = decoded(value);
    let value = value.replace("\r\n", "\n").replace('\r', "\n");
    let mut text = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match sign {
            // An escaped end of a line is none.
            '\\' => text.extend(signs.next().filter(|sign| *sign != '\n').map(seen)),
            sign => text.push(seen(sign)),
        }
    }
    text
}

/// A blank for a sign that cannot be seen, escaped or not.
fn seen(sign: char) -> char {
    if sign.is_control() && sign != '\n' { ' ' } else { sign }
}

/// Appends a text as a value may hold it.
pub(crate) fn escape(text: &str, out: &mut String) {
    for sign in text.chars() {
        if matches!(sign, ']' | '\\' | ':') {
            out.push('\\');
        }
        out.push(seen(sign));
    }
}
