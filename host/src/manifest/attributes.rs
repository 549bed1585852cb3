//! Reads the attributes of one start tag against its row of the schema. Knows
//! one element at a time, and entities only as something to refuse.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::errors::Error;
use quick_xml::escape::EscapeError;
use quick_xml::events::BytesStart;
use quick_xml::events::attributes::{AttrError, Attribute};

use super::Located;
use super::fault::{PackFault, quoted};
use super::nearest::{nearest, suggestion};
use super::schema::{AttributeSpec, ElementSpec, SCHEMA};

/// Attributes of one element after which the rest of it is not read.
const ATTRIBUTES: usize = 32;

/// The namespace of attributes about a document.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Where the lines of a text begin, to name the line of a byte.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        Self(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
        )
    }

    /// The line, from 1, that the byte at `offset` stands in.
    pub(super) fn at(&self, offset: usize) -> u64 {
        self.0.partition_point(|newline| *newline < offset) as u64 + 1
    }
}

/// A start tag as far as it is right, and what is wrong with it.
pub(super) struct Element<'f> {
    file: &'f Path,
    pub(super) spec: &'static ElementSpec,
    pub(super) line: u64,
    values: Vec<(&'static AttributeSpec, Located)>,
    /// Attributes that are there with a wrong value.
    wrong: Vec<&'static str>,
    /// Attributes that the schema does not know.
    unknown: Vec<String>,
    /// Attributes of the root that are for editors, with their lines.
    for_editors: Vec<(String, u64)>,
    pub(super) faults: Vec<PackFault>,
}

impl<'f> Element<'f> {
    /// Reads the tag whose content begins at `offset` of the text.
    pub(super) fn read(
        file: &'f Path,
        spec: &'static ElementSpec,
        tag: &BytesStart,
        offset: usize,
        lines: &Lines,
    ) -> Self {
        let mut element = Self {
            file,
            spec,
            line: lines.at(offset),
            values: Vec::new(),
            wrong: Vec::new(),
            unknown: Vec::new(),
            for_editors: Vec::new(),
            faults: Vec::new(),
        };
        let content: &str = tag;
        let mut unknown = Vec::new();
        for (index, attribute) in tag.attributes().enumerate() {
            if index == ATTRIBUTES {
                element.fault(None, format!("has more than {ATTRIBUTES} attributes"));
                break;
            }
            match attribute {
                Ok(attribute) => {
                    // The key is a part of `content`, so this is its place there.
                    let at = attribute.key.0.as_ptr() as usize - content.as_ptr() as usize;
                    let touches = !content[..at].ends_with([' ', '\t', '\r', '\n']);
                    element.attribute(&attribute, touches, lines.at(offset + at), &mut unknown);
                }
                Err(error) => element.broken_attribute(content, &error, offset, lines),
            }
        }
        element.unknown = unknown;
        element.require();
        element.check_prefix();
        element
    }

    /// The value of an attribute, if it is there and right.
    pub(super) fn located(&self, name: &str) -> Option<&Located> {
        self.values.iter().find(|(spec, _)| spec.name == name).map(|(_, value)| value)
    }

    /// As [`located`](Self::located), the text only.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.located(name).map(|value| value.text.as_str())
    }

    /// As [`located`](Self::located), as a whole number.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Whether an attribute is there, rightly or wrongly.
    pub(super) fn has(&self, name: &str) -> bool {
        self.located(name).is_some() || self.wrong.contains(&name)
    }

    /// Adds a fault of the element, or of one of its attributes and its line.
    pub(super) fn fault(&mut self, attribute: Option<&str>, reason: impl Into<String>) {
        let line = attribute.and_then(|name| self.located(name)).map_or(self.line, |it| it.line);
        self.fault_in(line, attribute, reason);
    }

    fn fault_in(&mut self, line: u64, attribute: Option<&str>, reason: impl Into<String>) {
        let fault = PackFault::in_line(self.file, line, reason).of_element(self.spec.name);
        self.faults.push(match attribute {
            Some(name) => fault.of_attribute(name),
            None => fault,
        });
    }

    fn attribute(
        &mut self,
        attribute: &Attribute,
        touches: bool,
        line: u64,
        unknown: &mut Vec<String>,
    ) {
        let key = attribute.key.0;
        if touches {
            self.fault_in(line, Some(key), "needs a space before it");
        }
        if self.spec.parent.is_none() && is_for_editors(key) {
            return self.for_editors.push((key.to_owned(), line));
        }
        let Some(spec) = self.spec.attribute(key) else {
            unknown.push(key.to_owned());
            let hint = self.hint(key);
            return self.fault_in(line, Some(key), format!("unknown attribute{hint}"));
        };
        let checked = if attribute.value.contains('<') {
            Err("holds `<`; write `&lt;`".to_owned())
        } else {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            value.map_err(|error| entity(&error)).and_then(|text| match text.find(is_strange) {
                Some(_) => Err(format!("{} holds a character that XML has not", quoted(&text))),
                None => Ok(text),
            })
        };
        match checked.and_then(|text| spec.value.check(&text).map(|()| text.into_owned())) {
            Ok(text) => self.values.push((spec, Located { line, text })),
            Err(reason) => {
                self.wrong.push(spec.name);
                self.fault_in(line, Some(key), reason);
            }
        }
    }

    /// What to say of an unknown attribute: the near one, or the element it is of.
    fn hint(&self, key: &str) -> String {
        let known: Vec<&str> = self.spec.attributes.iter().map(|known| known.name).collect();
        let elsewhere = SCHEMA.iter().find(|element| element.attribute(key).is_some());
        match elsewhere {
            Some(element) if nearest(key, known.iter().copied()).is_none() => {
                format!("; it is one of `{}`", element.name)
            }
            _ => suggestion(key, &known),
        }
    }

    /// An attribute that is none: the fault names its key as far as it has one.
    fn broken_attribute(&mut self, content: &str, error: &AttrError, offset: usize, lines: &Lines) {
        let (at, reason) = match error {
            AttrError::ExpectedEq(at) => (*at, "needs `=` and a value".to_owned()),
            AttrError::ExpectedValue(at) => (*at, "lacks its value after `=`".into()),
            AttrError::UnquotedValue(at) => (*at, "its value must stand in quotes".into()),
            AttrError::ExpectedQuote(at, _) => (*at, "its value lacks the closing quote".into()),
            AttrError::Duplicated(at, first) => {
                let first = lines.at(offset + first);
                (*at, format!("stands here a second time; the first is in line {first}"))
            }
        };
        let blank = |letter: char| letter.is_ascii_whitespace() || letter == '=';
        let key = match error {
            AttrError::Duplicated(at, _) => {
                content.get(*at..).and_then(|from| from.split(blank).next()).unwrap_or_default()
            }
            _ => {
                let before = content.get(..at).unwrap_or(content).trim_end_matches(blank);
                before.rsplit(blank).next().unwrap_or_default()
            }
        };
        if let Some(spec) = self.spec.attribute(key) {
            self.wrong.push(spec.name);
        }
        self.fault_in(lines.at(offset + at.min(content.len())), Some(key), reason);
    }

    /// Whoever reads namespaces refuses a prefix that nothing explains.
    fn check_prefix(&mut self) {
        if self.for_editors.iter().any(|(key, _)| key == "xmlns:xsi") {
            return;
        }
        if let Some((key, line)) = self.for_editors.iter().find(|(key, _)| key.starts_with("xsi:"))
        {
            let (key, line) = (key.clone(), *line);
            self.fault_in(line, Some(&key), format!("needs `xmlns:xsi=\"{INSTANCE}\"` before it"));
        }
    }

    fn require(&mut self) {
        for spec in self.spec.attributes.iter().filter(|spec| spec.required) {
            if !self.has(spec.name) {
                self.missing(spec.name);
            }
        }
    }

    /// Adds the fault of an attribute that must be there and is not.
    pub(super) fn missing(&mut self, name: &str) {
        let meant = self.unknown.iter().find(|key| nearest(key, [name]).is_some());
        let hint = meant.map_or(String::new(), |key| format!("; is {} it?", quoted(key)));
        self.fault(Some(name), format!("missing; it is required{hint}"));
    }
}

/// Attributes of the root by which editors find a schema. A default namespace is
/// none of them: our elements are in none.
fn is_for_editors(key: &str) -> bool {
    let known = ["xsi:noNamespaceSchemaLocation", "xsi:schemaLocation"];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    known.contains(&key)
        || key.strip_prefix("xmlns:").is_some_and(|prefix| {
            prefix.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && prefix.bytes().all(plain)
        })
}

/// Whether XML 1.0 does not know the character (production 2, Char).
pub(super) fn is_strange(letter: char) -> bool {
    (letter < ' ' && !matches!(letter, '\t' | '\n' | '\r'))
        || matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// Why a value with references in it is refused.
fn entity(error: &Error) -> String {
    match error {
        Error::Escape(EscapeError::UnrecognizedEntity(_, name)) => refused_entity(name),
        Error::Escape(EscapeError::UnterminatedEntity(_)) => {
            "holds `&` without a `;`; write `&amp;`".into()
        }
        Error::Escape(EscapeError::InvalidCharRef(error)) => {
            format!("holds a wrong character reference: {error}")
        }
        other => format!("cannot be read: {other}"),
    }
}

/// What is said of an entity that XML itself does not define.
pub(super) fn refused_entity(name: &str) -> String {
    format!(
        "entity {} is refused; only lt, gt, amp, quot, apos and character references are known",
        quoted(&format!("&{name};"))
    )
}
