//! The signs of PGN: tags, comments, parentheses and words. Knows no tag and no move.

use std::borrow::Cow;
use std::ops::Range;

use crate::formats::{FormatError, shown};

/// What comes next in a file; what is long is a part of its text.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, Cow<'a, str>),
    /// `{…}`, or `;…` to the end of the line; without its signs.
    Comment(Range<usize>),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// Anything else between blanks.
    Word(Range<usize>),
}

/// Where a reader stands in a file.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line it stands in, from 1.
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

    /// Takes the signs up to one of these, which is not taken, or to the end.
    fn until(&mut self, stops: impl Fn(char) -> bool) -> Range<usize> {
        let begin = self.at;
        while let Some(sign) = self.peek().filter(|sign| !stops(*sign)) {
            self.step(sign);
        }
        begin..self.at
    }

    /// What comes next and the line where it begins; none at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Item<'a>)>, FormatError> {
        loop {
            let Some(sign) = self.peek() else { return Ok(None) };
            let line = self.line;
            let fresh = self.at == 0 || self.text.as_bytes().get(self.at - 1) == Some(&b'\n');
            match sign {
                // `$3` and the like are somebody's opinion of a move.
                '%' if fresh => drop(self.until(|sign| sign == '\n')),
                '$' => drop(self.until(char::is_whitespace)),
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
                        let reason = "the comment that begins here has no end: `}`";
                        return Err(FormatError::line(line, reason));
                    }
                    self.at += 1;
                    return Ok(Some((line, Item::Comment(comment))));
                }
                '}' | ']' => {
                    return Err(FormatError::line(line, format!("`{sign}` ends nothing")));
                }
                _ => {
                    let stops = |sign: char| sign.is_whitespace() || "[](){};（）".contains(sign);
                    return Ok(Some((line, Item::Word(self.until(stops)))));
                }
            }
        }
    }

    /// Reads a tag, on one line.
    fn tag(&mut self) -> Result<Item<'a>, FormatError> {
        let (begin, line) = (self.at, self.line);
        let text = self.text;
        let wrong = |why: &str| {
            let end = text[begin..].find('\n').map_or(text.len(), |length| begin + length);
            let tag = shown(&text.as_bytes()[begin..end]);
            FormatError::line(line, format!("{tag} is no tag like [Red \"name\"]: {why}"))
        };
        let blanks = |sign: char| sign == '\n' || !sign.is_whitespace();
        self.step('[');
        self.until(blanks);
        let name = self.until(|sign| !sign.is_ascii_alphanumeric() && sign != '_');
        if name.is_empty() {
            return Err(wrong("it has no name"));
        }
        self.until(blanks);
        if self.peek() != Some('"') {
            return Err(wrong("no value in quotation marks follows its name"));
        }
        self.step('"');
        let value = self.value().ok_or_else(|| wrong("its value has no end"))?;
        self.until(blanks);
        if self.peek() != Some(']') {
            return Err(wrong("nothing but `]` should follow its value"));
        }
        self.step(']');
        Ok(Item::Tag(text.get(name).unwrap_or_default(), value))
    }

    /// A value behind its first quotation mark; a backslash stands before such a mark or
    /// another backslash in it.
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
