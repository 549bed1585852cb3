//! Scanner for PBN syntax: tags, words of sections, comments, escapes, and the empty lines between
//! games. Does not interpret tags.

use std::borrow::Cow;

use crate::formats::excerpt;

/// The next item of a file.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// A tag, `[Name "value"]`.
    Tag(&'a str, Cow<'a, str>),
    /// A word between white space.
    Word(&'a str),
    /// An empty line.
    Blank,
    /// A syntax error, with its reason.
    Wrong(String),
}

/// A read position in a file.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// Whether the current line has only white space so far.
    is_blank_line: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, is_blank_line: true }
    }

    /// The current line, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips to a byte for which `is_end` is true (exclusive) or to the end; returns the skipped
    /// text.
    fn until(&mut self, is_end: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        // End bytes are ASCII, so no character is split.
        let length = rest.bytes().position(is_end).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn end_line(&mut self) {
        self.until(|byte| byte == b'\n');
    }

    /// The next item and its first line; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> Option<(usize, Item<'a>)> {
        loop {
            let byte = self.peek()?;
            let line = self.line;
            match byte {
                b'\n' => {
                    let blank = std::mem::replace(&mut self.is_blank_line, true);
                    self.at += 1;
                    self.line += 1;
                    if blank {
                        return Some((line, Item::Blank));
                    }
                }
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                b'%' if self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n' => {
                    self.is_blank_line = false;
                    self.end_line();
                }
                b';' => {
                    self.is_blank_line = false;
                    self.end_line();
                }
                b'{' => {
                    self.is_blank_line = false;
                    let comment = self.until(|byte| byte == b'}');
                    self.line += comment.bytes().filter(|&byte| byte == b'\n').count();
                    if self.peek().is_none() {
                        let reason = "the comment that starts here is not closed: `}` is missing";
                        return Some((line, Item::Wrong(reason.to_owned())));
                    }
                    self.at += 1;
                }
                b'[' => {
                    self.is_blank_line = false;
                    return Some((line, self.tag()));
                }
                b'"' => {
                    self.is_blank_line = false;
                    let begin = self.at;
                    self.at += 1;
                    self.until(|byte| matches!(byte, b'"' | b'\n'));
                    self.at += usize::from(self.peek() == Some(b'"'));
                    return Some((line, Item::Word(&self.text[begin..self.at])));
                }
                _ => {
                    self.is_blank_line = false;
                    // The first character always belongs to the word.
                    let begin = self.at;
                    self.at += self.rest().chars().next().map_or(1, char::len_utf8);
                    self.until(|byte| byte.is_ascii_whitespace() || b"[{;\"".contains(&byte));
                    return Some((line, Item::Word(&self.text[begin..self.at])));
                }
            }
        }
    }

    /// Reads a tag, which must be on one line.
    fn tag(&mut self) -> Item<'a> {
        let begin = self.at;
        self.at += 1;
        let wrong = |it: &mut Self, why: &str| {
            let tag = &it.text.as_bytes()[begin..it.at];
            let reason = format!("{} is not a tag such as [Board \"1\"]: {why}", excerpt(tag));
            it.end_line();
            Item::Wrong(reason)
        };
        self.skip_blanks();
        let name = self.until(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        if name.is_empty() {
            return wrong(self, "it has no name");
        }
        self.skip_blanks();
        if self.peek() != Some(b'"') {
            return wrong(self, "expected a quoted value after the name");
        }
        self.at += 1;
        let Some(value) = self.value() else { return wrong(self, "the value is not closed") };
        self.skip_blanks();
        if self.peek() != Some(b']') {
            return wrong(self, "expected `]` after the value");
        }
        self.at += 1;
        Item::Tag(name, value)
    }

    fn skip_blanks(&mut self) {
        self.until(|byte| byte == b'\n' || !byte.is_ascii_whitespace());
    }

    /// Reads a value after its opening quotation mark, with the escapes `\"` and `\\`.
    fn value(&mut self) -> Option<Cow<'a, str>> {
        let begin = self.at;
        let mut escapes = false;
        loop {
            self.until(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
            match self.peek()? {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    if matches!(self.peek()?, b'"' | b'\\') {
                        escapes = true;
                        self.at += 1;
                    }
                }
                _ => return None,
            }
        }
        let value = &self.text[begin..self.at];
        self.at += 1;
        Some(if escapes {
            let mut plain = String::with_capacity(value.len());
            let mut signs = value.chars().peekable();
            while let Some(sign) = signs.next() {
                let escaped = signs.next_if(|next| sign == '\\' && matches!(next, '"' | '\\'));
                plain.push(escaped.unwrap_or(sign));
            }
            Cow::Owned(plain)
        } else {
            Cow::Borrowed(value)
        })
    }
}
