//! Scanner for PGN syntax: tags, comments, parentheses and words. Does not interpret tags or moves.

use std::borrow::Cow;
use std::ops::Range;

use crate::formats::{FormatError, excerpt};

/// The next item of a file. Long items are ranges of its text.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// A tag, `[Name "value"]`.
    Tag(&'a str, Cow<'a, str>),
    /// A comment, `{…}` or `;…` to the end of the line, without its delimiters.
    Comment(Range<usize>),
    /// An opening parenthesis.
    Open,
    /// A closing parenthesis.
    Close,
    /// The number of an annotation glyph, such as `3` of `$3`.
    Glyph(&'a str),
    /// Anything else between white space.
    Word(Range<usize>),
}

/// A read position in a file.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The current line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn step(&mut self, sign: char) {
        self.at += sign.len_utf8();
        self.line += usize::from(sign == '\n');
    }

    /// Skips to one of these characters (exclusive) or to the end; returns the skipped range.
    fn until(&mut self, is_end: impl Fn(char) -> bool) -> Range<usize> {
        let begin = self.at;
        while let Some(sign) = self.peek().filter(|sign| !is_end(*sign)) {
            self.step(sign);
        }
        begin..self.at
    }

    /// The next item and the line where it starts; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Item<'a>)>, FormatError> {
        loop {
            let Some(sign) = self.peek() else { return Ok(None) };
            let line = self.line;
            let at_line_start =
                self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n');
            match sign {
                '%' if at_line_start => drop(self.until(|sign| sign == '\n')),
                '$' => {
                    self.step(sign);
                    let is_end = |sign: char| !sign.is_ascii_digit();
                    let number = self.until(is_end);
                    return Ok(Some((
                        line,
                        Item::Glyph(self.text.get(number).unwrap_or_default()),
                    )));
                }
                _ if sign.is_whitespace() || sign == '\u{feff}' => self.step(sign),
                '[' => return self.tag().map(|tag| Some((line, tag))),
                '(' | '（' => {
                    self.step(sign);
                    return Ok(Some((line, Item::Open)));
                }
                ')' | '）' => {
                    self.step(sign);
                    return Ok(Some((line, Item::Close)));
                }
                ';' => {
                    self.step(sign);
                    let comment = self.until(|sign| sign == '\n');
                    return Ok(Some((line, Item::Comment(comment))));
                }
                '{' => {
                    self.step(sign);
                    let comment = self.until(|sign| sign == '}');
                    if self.peek().is_none() {
                        let reason = "the comment that starts here is not closed: `}` is missing";
                        return Err(FormatError::line(line, reason));
                    }
                    self.at += 1;
                    return Ok(Some((line, Item::Comment(comment))));
                }
                '}' | ']' => {
                    return Err(FormatError::line(line, format!("unexpected `{sign}`")));
                }
                _ => {
                    let is_end = |sign: char| sign.is_whitespace() || "[](){};（）$".contains(sign);
                    return Ok(Some((line, Item::Word(self.until(is_end)))));
                }
            }
        }
    }

    /// Reads a tag, which must be on one line.
    fn tag(&mut self) -> Result<Item<'a>, FormatError> {
        let (begin, line) = (self.at, self.line);
        let text = self.text;
        let wrong = |why: &str| {
            let end = text[begin..].find('\n').map_or(text.len(), |length| begin + length);
            let tag = excerpt(&text.as_bytes()[begin..end]);
            FormatError::line(line, format!("{tag} is not a tag such as [Red \"name\"]: {why}"))
        };
        let not_blank = |sign: char| sign == '\n' || !sign.is_whitespace();
        self.step('[');
        self.until(not_blank);
        let name = self.until(|sign| !sign.is_ascii_alphanumeric() && sign != '_');
        if name.is_empty() {
            return Err(wrong("it has no name"));
        }
        self.until(not_blank);
        if self.peek() != Some('"') {
            return Err(wrong("expected a quoted value after the name"));
        }
        self.step('"');
        let value = self.value().ok_or_else(|| wrong("the value is not closed"))?;
        self.until(not_blank);
        if self.peek() != Some(']') {
            return Err(wrong("expected `]` after the value"));
        }
        self.step(']');
        Ok(Item::Tag(text.get(name).unwrap_or_default(), value))
    }

    /// Reads a value after its opening quotation mark. A backslash escapes a quotation mark or a
    /// backslash.
    fn value(&mut self) -> Option<Cow<'a, str>> {
        let begin = self.at;
        let mut plain: Option<String> = None;
        loop {
            let part = self.until(|sign| matches!(sign, '"' | '\\' | '\n'));
            let part = self.text.get(part)?;
            let sign = self.peek()?;
            if let Some(plain) = &mut plain {
                plain.push_str(part);
            }
            match sign {
                '"' => {
                    let value = self.text.get(begin..self.at)?;
                    self.step(sign);
                    return Some(plain.map_or(Cow::Borrowed(value), Cow::Owned));
                }
                '\\' => {
                    let value = self.text.get(begin..self.at)?;
                    self.step(sign);
                    let plain = plain.get_or_insert_with(|| value.to_owned());
                    match self.peek()? {
                        escaped @ ('"' | '\\') => {
                            plain.push(escaped);
                            self.step(escaped);
                        }
                        _ => plain.push('\\'),
                    }
                }
                _ => return None,
            }
        }
    }
}
