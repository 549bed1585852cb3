//! The signs of PBN: tags, words of sections, comments, escapes, and the empty lines between
//! games. Knows no tag by name.

use std::borrow::Cow;

use crate::formats::shown;

/// What comes next in a file.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, Cow<'a, str>),
    /// A word between blanks.
    Word(&'a str),
    /// A line with nothing on it.
    Blank,
    /// Something that is none of these, and why.
    Wrong(String),
}

/// Where a reader stands in a file.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    /// Nothing but blanks stood in this line so far.
    fresh: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, fresh: true }
    }

    /// The line it stands in, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the bytes up to one of these, which is not taken, or to the end.
    fn until(&mut self, stops: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        // What stops is ASCII, so that a character is never cut.
        let length = rest.bytes().position(stops).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn end_line(&mut self) {
        self.until(|byte| byte == b'\n');
    }

    /// What comes next and the line where it begins; none at the end of the file.
    pub fn next(&mut self) -> Option<(usize, Item<'a>)> {
        loop {
            let byte = self.peek()?;
            let line = self.line;
            match byte {
                b'\n' => {
                    let blank = std::mem::replace(&mut self.fresh, true);
                    self.at += 1;
                    self.line += 1;
                    if blank {
                        return Some((line, Item::Blank));
                    }
                }
                _ if byte.is_ascii_whitespace() || byte == 0x0b => self.at += 1,
                b'%' if self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n' => {
                    self.fresh = false;
                    self.end_line();
                }
                b';' => {
                    self.fresh = false;
                    self.end_line();
                }
                b'{' => {
                    self.fresh = false;
                    let comment = self.until(|byte| byte == b'}');
                    self.line += comment.bytes().filter(|&byte| byte == b'\n').count();
                    if self.peek().is_none() {
                        let reason = "the comment that begins here has no end: `}`";
                        return Some((line, Item::Wrong(reason.to_owned())));
                    }
                    self.at += 1;
                }
                b'[' => {
                    self.fresh = false;
                    return Some((line, self.tag()));
                }
                b'"' => {
                    self.fresh = false;
                    let begin = self.at;
                    self.at += 1;
                    self.until(|byte| matches!(byte, b'"' | b'\n'));
                    self.at += usize::from(self.peek() == Some(b'"'));
                    return Some((line, Item::Word(&self.text[begin..self.at])));
                }
                _ => {
                    self.fresh = false;
                    // The first sign belongs to the word whatever it is.
                    let begin = self.at;
                    self.at += self.rest().chars().next().map_or(1, char::len_utf8);
                    self.until(|byte| byte.is_ascii_whitespace() || b"[{;\"".contains(&byte));
                    return Some((line, Item::Word(&self.text[begin..self.at])));
                }
            }
        }
    }

    /// Reads a tag, on one line.
    fn tag(&mut self) -> Item<'a> {
        let begin = self.at;
        self.at += 1;
        let wrong = |it: &mut Self, why: &str| {
            let tag = &it.text.as_bytes()[begin..it.at];
            let reason = format!("{} is no tag like [Board \"1\"]: {why}", shown(tag));
            it.end_line();
            Item::Wrong(reason)
        };
        self.blanks();
        let name = self.until(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        if name.is_empty() {
            return wrong(self, "it has no name");
        }
        self.blanks();
        if self.peek() != Some(b'"') {
            return wrong(self, "no value in quotation marks follows its name");
        }
        self.at += 1;
        let Some(value) = self.value() else { return wrong(self, "its value has no end") };
        self.blanks();
        if self.peek() != Some(b']') {
            return wrong(self, "nothing but `]` should follow its value");
        }
        self.at += 1;
        Item::Tag(name, value)
    }

    fn blanks(&mut self) {
        self.until(|byte| byte == b'\n' || !byte.is_ascii_whitespace());
    }

    /// A value behind its first quotation mark; `\"` and `\\` in it are one sign.
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
