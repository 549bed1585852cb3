//! The value types of attributes: their checks, and their texts for people and for the schema.
//! Checks one value at a time; the builder checks attributes against each other.

use std::fmt;

use sandboard_abi::limits;

use sandboard_archive::{RELATIVE_PATH_BYTES_MAX, check_relative_path};
use sandboard_common::text::{is_hidden, quoted};

/// The longest path of a manifest, in bytes.
pub(super) const PATH_BYTES_MAX: usize = RELATIVE_PATH_BYTES_MAX;

/// The longest argument of a program, in bytes.
pub(super) const ARGUMENT_BYTES_MAX: usize = 1024;

/// The type of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueSpec {
    /// A whole number with inclusive bounds.
    Whole {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
    },
    /// A number, perhaps with a sign and a fraction.
    Number,
    /// An id: `[a-z0-9][a-z0-9._-]*`, at most [`limits::ID_BYTES`] bytes.
    Id,
    /// A word: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most [`limits::ID_BYTES`] bytes.
    Word,
    /// One or more different words, separated by spaces.
    Words,
    /// A version: `[0-9][A-Za-z0-9._+-]*`, no `-` before a digit.
    Version,
    /// A line for people, at most [`limits::LABEL_BYTES`] bytes.
    Label,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A file inside the pack: relative, `/` between folders.
    Path,
    /// The absolute path of a file of this machine.
    AbsolutePath,
    /// 64 hexadecimal digits.
    Sha256,
    Text {
        /// The largest length, in bytes.
        max_bytes: usize,
    },
}

impl fmt::Display for ValueSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { min, max } => write!(f, "whole number, {min} to {max}"),
            Self::Number => f.write_str("number"),
            Self::Id => write!(
                f,
                "id: lower-case letters, digits, `-`, `_`, `.`; a letter or digit first; 1 to {} \
                 bytes",
                limits::ID_BYTES
            ),
            Self::Word => write!(
                f,
                "word: letters, digits, `-`, `_`, `.`; a letter or digit first; 1 to {} bytes",
                limits::ID_BYTES
            ),
            Self::Words => f.write_str("one or more words separated by spaces, each only once"),
            Self::Version => write!(
                f,
                "version: a digit first, then letters, digits, `.`, `_`, `+`, and `-` where no \
                 digit follows; 1 to {} bytes",
                limits::LABEL_BYTES
            ),
            Self::Label => write!(f, "line of at most {} bytes", limits::LABEL_BYTES),
            Self::OneOf(words) => write!(f, "`{}`", words.join("`, `")),
            Self::Path => {
                f.write_str("path inside the pack: relative, `/` between folders, no `..`")
            }
            Self::AbsolutePath => f.write_str("absolute path of a file: `/` first"),
            Self::Sha256 => f.write_str("64 hexadecimal digits"),
            Self::Text { max_bytes } => write!(f, "text of at most {max_bytes} bytes"),
        }
    }
}

impl ValueSpec {
    /// Checks a value. Err: the message after "attribute: ".
    pub fn check(&self, value: &str) -> Result<(), String> {
        match self {
            Self::Whole { min, max } => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = digits.then(|| value.parse::<u64>().ok()).flatten();
                require(number.is_some_and(|number| (*min..=*max).contains(&number)), value, || {
                    format!("a whole number from {min} to {max}")
                })
            }
            Self::Number => {
                let finite = value.parse::<f64>().is_ok_and(f64::is_finite);
                require(finite, value, || "a number".into())
            }
            Self::Id => check_id(value),
            Self::Word => {
                let letters = |byte: u8| byte.is_ascii_alphanumeric();
                require(is_word(value, letters), value, || self.to_string())
            }
            Self::Words => check_words(value),
            Self::Version => check_version(value),
            Self::Label => {
                check_length(value, limits::LABEL_BYTES)?;
                check_visible(value)
            }
            Self::OneOf(words) => {
                let near = sandboard_common::suggestions::suggestion(value, words);
                let known = words.contains(&value);
                if known { Ok(()) } else { Err(format!("{} is not known{near}", quoted(value))) }
            }
            Self::Path => check_relative_path(value),
            Self::AbsolutePath => check_absolute(value),
            Self::Sha256 => {
                let hexadecimal = value.bytes().all(|byte| byte.is_ascii_hexdigit());
                require(value.len() == 64 && hexadecimal, value, || self.to_string())
            }
            Self::Text { max_bytes } => check_length(value, *max_bytes),
        }
    }
}

fn require(valid: bool, value: &str, expected: impl FnOnce() -> String) -> Result<(), String> {
    match valid {
        true => Ok(()),
        false => Err(format!("{} is not {}", quoted(value), with_article(expected()))),
    }
}

fn check_visible(value: &str) -> Result<(), String> {
    match value.contains(is_hidden) {
        false => Ok(()),
        true => Err(format!("{} contains a control or direction character", quoted(value))),
    }
}

/// `id: …` → `an id: …`, for types whose description begins with a noun.
fn with_article(expected: String) -> String {
    match expected.split_once(':').map(|(noun, _)| noun) {
        Some("id" | "absolute path of a file") => format!("an {expected}"),
        Some("word" | "version") => format!("a {expected}"),
        _ => expected,
    }
}

fn check_length(value: &str, max_bytes: usize) -> Result<(), String> {
    match value.len() {
        len if len <= max_bytes => Ok(()),
        len => Err(format!("is {len} bytes long; the limit is {max_bytes}")),
    }
}

fn is_word(value: &str, letter: impl Fn(u8) -> bool) -> bool {
    (1..=limits::ID_BYTES).contains(&value.len())
        && value.bytes().next().is_some_and(&letter)
        && value.bytes().all(|byte| letter(byte) || b"-_.".contains(&byte))
}

/// Checks the id of an engine. Err: what is wrong.
pub fn check_id(value: &str) -> Result<(), String> {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    require(is_word(value, letters), value, || ValueSpec::Id.to_string())
}

/// Checks a version. It follows the id in `id-version`, so it has no `-` before a digit. Err: what
/// is wrong.
pub fn check_version(value: &str) -> Result<(), String> {
    let bytes = value.as_bytes();
    let letters = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(byte));
    let splits = bytes.windows(2).any(|pair| pair[0] == b'-' && pair[1].is_ascii_digit());
    let first = bytes.first().is_some_and(u8::is_ascii_digit);
    let right = letters && first && !splits && bytes.len() <= limits::LABEL_BYTES;
    require(right, value, || ValueSpec::Version.to_string())
}

fn check_words(value: &str) -> Result<(), String> {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    require(!words.is_empty(), value, || ValueSpec::Words.to_string())?;
    for (index, word) in words.iter().enumerate() {
        check_length(word, limits::OPTION_VALUE_BYTES)?;
        check_visible(word)?;
        if words[..index].contains(word) {
            return Err(format!("lists {} twice", quoted(word)));
        }
        if index >= limits::OPTIONS {
            return Err(format!("lists more than {} words", limits::OPTIONS));
        }
    }
    Ok(())
}

fn check_absolute(value: &str) -> Result<(), String> {
    check_length(value, PATH_BYTES_MAX)?;
    check_visible(value)?;
    require(value.starts_with('/') && !value.ends_with('/'), value, || {
        ValueSpec::AbsolutePath.to_string()
    })
}
