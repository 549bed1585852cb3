//! One thing that is wrong with a pack, and how texts out of it are shown.
//! Never shows a text of a pack as it came: it may hold anything.

use std::fmt;
use std::path::{Path, PathBuf};

use sandboard_abi::limits;
use serde::{Serialize, Serializer};

/// One thing that is wrong with a pack or a file in the engines folder. Shown as
/// ``EngineConfigs.xml:12: Engine/@modul: unknown attribute; did you mean `module`?``.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, thiserror::Error)]
#[non_exhaustive]
pub struct PackFault {
    /// The file, relative to the engines folder.
    #[serde(serialize_with = "path_text")]
    pub file: PathBuf,
    /// The line, from 1: the attribute's own where there is one, else the element's.
    pub line: Option<u64>,
    /// The element.
    pub element: Option<String>,
    /// The attribute.
    pub attribute: Option<String>,
    /// What is wrong, lower case, no full stop.
    pub reason: String,
}

impl PackFault {
    /// A fault of a whole file. Of a reason longer than [`limits::REASON_BYTES`]
    /// the rest is cut.
    pub fn new(file: &Path, reason: impl Into<String>) -> Self {
        let mut reason = reason.into();
        if reason.len() > limits::REASON_BYTES {
            reason.truncate(reason.floor_char_boundary(limits::REASON_BYTES - '…'.len_utf8()));
            reason.push('…');
        }
        Self { file: file.to_owned(), reason, ..Self::default() }
    }

    /// A fault in a line of a file.
    pub fn in_line(file: &Path, line: u64, reason: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::new(file, reason) }
    }

    /// The same fault, laid at an element's door.
    pub fn of_element(self, element: &str) -> Self {
        Self { element: Some(plain(element)), ..self }
    }

    /// The same fault, laid at an attribute's door.
    pub fn of_attribute(self, attribute: &str) -> Self {
        Self { attribute: Some(plain(attribute)), ..self }
    }
}

impl fmt::Display for PackFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.file.to_string_lossy()))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        match (&self.element, &self.attribute) {
            (Some(element), Some(attribute)) => write!(f, "{element}/@{attribute}: ")?,
            (Some(element), None) => write!(f, "{element}: ")?,
            (None, Some(attribute)) => write!(f, "@{attribute}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.reason)
    }
}

/// A path for JSON, which knows Unicode only.
pub(crate) fn path_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

/// A foreign text in back quotes: cut to 80 characters, control and hidden
/// direction characters written as escapes, so that it can do nothing to a terminal.
pub fn quoted(text: &str) -> String {
    format!("`{}`", plain(text))
}

/// As [`quoted`], without the quotes.
pub(crate) fn plain(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown = String::new();
    for letter in text.chars().take(SHOWN) {
        match letter {
            letter if is_hidden(letter) => shown.extend(letter.escape_unicode()),
            letter => shown.push(letter),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Characters that turn the direction of the text around them, show nothing, or
/// separate lines and paragraphs: from, to.
pub(super) const HIDDEN: [(char, char); 4] = [
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{2069}'),
    ('\u{feff}', '\u{feff}'),
];

/// Whether a character is no visible one: a control character or one of [`HIDDEN`].
pub(crate) fn is_hidden(letter: char) -> bool {
    letter.is_control() || HIDDEN.iter().any(|(from, to)| (*from..=*to).contains(&letter))
}
