//! Reads the attributes of one start tag and checks them against the schema. Handles one element at
//! a time, and refuses entities.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::errors::Error;
use quick_xml::escape::EscapeError;
use quick_xml::events::BytesStart;
use quick_xml::events::attributes::{AttrError, Attribute};

use super::LocatedText;
use super::fault::PackFault;
use super::schema::{AttributeSpec, ElementSpec, SCHEMA};
use sandboard_common::suggestions::{nearest, suggestion};
use sandboard_common::text::quoted;

/// The most attributes of one element; further ones are not read.
const ATTRIBUTES_MAX: usize = 32;

/// The namespace of the `xsi` attributes.
const XSI_NAMESPACE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The line ends of a text, to find the line of a byte.
pub(super) struct LineIndex(Vec<usize>);

impl LineIndex {
    pub(super) fn new(text: &str) -> Self {
        Self(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
        )
    }

    /// The line, from 1, of the byte at `offset`.
    pub(super) fn at(&self, offset: usize) -> u64 {
        self.0.partition_point(|newline| *newline < offset) as u64 + 1
    }
}

/// A start tag: its valid attributes and its faults.
pub(super) struct Element<'f> {
    file: &'f Path,
    pub(super) spec: &'static ElementSpec,
    pub(super) line: u64,
    values: Vec<(&'static AttributeSpec, LocatedText)>,
    /// The attributes with an invalid value.
    invalid: Vec<&'static str>,
    /// The attributes that are not in the schema.
    unknown: Vec<String>,
    /// The attributes of the root by which editors find a schema, with their lines.
    for_editors: Vec<(String, u64)>,
    pub(super) faults: Vec<PackFault>,
}

impl<'f> Element<'f> {
    /// Reads a tag whose content begins at `offset` of the text.
    pub(super) fn read(
        file: &'f Path,
        spec: &'static ElementSpec,
        tag: &BytesStart,
        offset: usize,
        lines: &LineIndex,
    ) -> Self {
        let mut element = Self {
            file,
            spec,
            line: lines.at(offset),
            values: Vec::new(),
            invalid: Vec::new(),
            unknown: Vec::new(),
            for_editors: Vec::new(),
            faults: Vec::new(),
        };
        let content: &str = tag;
        let mut unknown = Vec::new();
        for (index, attribute) in tag.attributes().enumerate() {
            if index == ATTRIBUTES_MAX {
                element.fault(None, format!("has more than {ATTRIBUTES_MAX} attributes"));
                break;
            }
            match attribute {
                Ok(attribute) => {
                    // The key is a slice of `content`, so this is its offset.
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

    /// The value of an attribute, if it is present and valid.
    pub(super) fn located(&self, name: &str) -> Option<&LocatedText> {
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

    /// Whether an attribute is present, valid or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.located(name).is_some() || self.invalid.contains(&name)
    }

    /// Adds a fault of the element, or of one of its attributes with its line.
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
            Err("contains `<`; write `&lt;`".to_owned())
        } else {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            value.map_err(|error| value_fault(&error)).and_then(|text| {
                match text.find(is_invalid_char) {
                    Some(_) => Err(format!(
                        "{} contains a character that XML does not allow",
                        quoted(&text)
                    )),
                    None => Ok(text),
                }
            })
        };
        match checked.and_then(|text| spec.value.check(&text).map(|()| text.into_owned())) {
            Ok(text) => self.values.push((spec, LocatedText { line, text })),
            Err(reason) => {
                self.invalid.push(spec.name);
                self.fault_in(line, Some(key), reason);
            }
        }
    }

    /// A hint for an unknown attribute: a similar name, or the element that it belongs to.
    fn hint(&self, key: &str) -> String {
        let known: Vec<&str> = self.spec.attributes.iter().map(|known| known.name).collect();
        let elsewhere = SCHEMA.iter().find(|element| element.attribute(key).is_some());
        match elsewhere {
            Some(element) if nearest(key, known.iter().copied()).is_none() => {
                format!("; it belongs to `{}`", element.name)
            }
            _ => suggestion(key, &known),
        }
    }

    /// Adds the fault of a malformed attribute, with its key as far as it can be read.
    fn broken_attribute(
        &mut self,
        content: &str,
        error: &AttrError,
        offset: usize,
        lines: &LineIndex,
    ) {
        let (at, reason) = match error {
            AttrError::ExpectedEq(at) => (*at, "needs `=` and a value".to_owned()),
            AttrError::ExpectedValue(at) => (*at, "has no value after `=`".into()),
            AttrError::UnquotedValue(at) => (*at, "its value must be in quotes".into()),
            AttrError::ExpectedQuote(at, _) => (*at, "its value lacks the closing quote".into()),
            AttrError::Duplicated(at, first) => {
                let first = lines.at(offset + first);
                (*at, format!("is given twice, first in line {first}"))
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
            self.invalid.push(spec.name);
        }
        self.fault_in(lines.at(offset + at.min(content.len())), Some(key), reason);
    }

    /// Reports an `xsi:` attribute without its declaration, which other XML readers would refuse.
    fn check_prefix(&mut self) {
        if self.for_editors.iter().any(|(key, _)| key == "xmlns:xsi") {
            return;
        }
        if let Some((key, line)) = self.for_editors.iter().find(|(key, _)| key.starts_with("xsi:"))
        {
            let (key, line) = (key.clone(), *line);
            self.fault_in(
                line,
                Some(&key),
                format!("needs `xmlns:xsi=\"{XSI_NAMESPACE}\"` before it"),
            );
        }
    }

    fn require(&mut self) {
        for spec in self.spec.attributes.iter().filter(|spec| spec.required) {
            if !self.has(spec.name) {
                self.missing(spec.name);
            }
        }
    }

    /// Adds the fault of a missing required attribute.
    pub(super) fn missing(&mut self, name: &str) {
        let misspelt = self.unknown.iter().find(|key| nearest(key, [name]).is_some());
        let hint = misspelt.map_or(String::new(), |key| format!("; misspelt as {}?", quoted(key)));
        self.fault(Some(name), format!("missing; it is required{hint}"));
    }
}

/// Whether editors use this attribute of the root to find a schema. A default namespace is not
/// allowed, because the elements of a manifest are in no namespace.
fn is_for_editors(key: &str) -> bool {
    let known = ["xsi:noNamespaceSchemaLocation", "xsi:schemaLocation"];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    known.contains(&key)
        || key.strip_prefix("xmlns:").is_some_and(|prefix| {
            prefix.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && prefix.bytes().all(plain)
        })
}

/// Whether XML 1.0 does not allow the character (production 2, Char).
pub(super) fn is_invalid_char(letter: char) -> bool {
    (letter < ' ' && !matches!(letter, '\t' | '\n' | '\r'))
        || matches!(letter, '\u{fffe}' | '\u{ffff}')
}

/// Why the references in a value are refused.
fn value_fault(error: &Error) -> String {
    match error {
        Error::Escape(EscapeError::UnrecognizedEntity(_, name)) => entity_fault(name),
        Error::Escape(EscapeError::UnterminatedEntity(_)) => {
            "contains `&` without a `;`; write `&amp;`".into()
        }
        Error::Escape(EscapeError::InvalidCharRef(error)) => {
            format!("contains an invalid character reference: {error}")
        }
        other => format!("cannot be read: {other}"),
    }
}

/// The fault of an entity that is not predefined in XML.
pub(super) fn entity_fault(name: &str) -> String {
    format!(
        "entity {} is not allowed; only lt, gt, amp, quot, apos and character references are \
         supported",
        quoted(&format!("&{name};"))
    )
}
