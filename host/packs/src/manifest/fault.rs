//! A fault of a pack, and its text form. Texts of a pack are untrusted, so they are always
//! sanitized before they are shown.

use std::fmt;
use std::path::{Path, PathBuf};

use sandboard_abi::limits;
use sandboard_common::text::plain;
use serde::{Serialize, Serializer};

/// A fault of a pack or a file in the engines folder. Displayed as
/// ``EngineConfigs.xml:12: Engine/@modul: unknown attribute; did you mean `module`?``.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, thiserror::Error)]
#[non_exhaustive]
pub struct PackFault {
    /// The file, relative to the engines folder.
    #[serde(serialize_with = "path_text")]
    pub file: PathBuf,
    /// The line, from 1, of the attribute if there is one, otherwise of the element.
    pub line: Option<u64>,
    pub element: Option<String>,
    pub attribute: Option<String>,
    /// What is wrong; lower case, no full stop.
    pub reason: String,
}

impl PackFault {
    /// A fault of a whole file. Truncates a reason longer than [`limits::REASON_BYTES`].
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

    /// The same fault, of this element.
    pub fn of_element(self, element: &str) -> Self {
        Self { element: Some(plain(element)), ..self }
    }

    /// The same fault, of this attribute.
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

/// Serializes a path as text, since JSON supports only Unicode.
pub(crate) fn path_text<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}
