//! What values attributes may have, for the parser, for people and for
//! generated schemas. Looks at one value at a time: what two attributes say
//! together is checked where the element is built.

use std::fmt;

use sandboard_abi::limits;

use super::fault::{is_hidden, quoted};

/// The longest path of a manifest, in bytes.
pub(super) const PATH_BYTES: usize = 1024;

/// The longest argument of a program, in bytes.
pub(super) const ARGUMENT_BYTES: usize = 1024;

/// What the value of an attribute may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueSpec {
    /// A whole number, bounds inclusive.
    Whole {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// A number, perhaps with a sign and a fraction.
    Number,
    /// An id: `[a-z0-9][a-z0-9._-]*`, at most [`limits::ID_BYTES`].
    Id,
    /// A word: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most [`limits::ID_BYTES`].
    Word,
    /// One or more words between spaces, none twice.
    Words,
    /// A version: `[0-9][A-Za-z0-9._+-]*`, no `-` before a digit.
    Version,
    /// A line for people, at most [`limits::LABEL_BYTES`].
    Label,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A file inside the pack: relative, `/` between folders.
    Path,
    /// A file of this machine by its whole path.
    AbsolutePath,
    /// 64 hexadecimal digits.
    Sha256,
    /// Any text.
    Text {
        /// The longest, in bytes.
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
            Self::Words => f.write_str("one or more words with spaces between, none twice"),
            Self::Version => write!(
                f,
                "version: a digit first, then letters, digits, `.`, `_`, `+`, and `-` where no \
                 digit follows; 1 to {} bytes",
                limits::LABEL_BYTES
            ),
            Self::Label => write!(f, "line of at most {} bytes", limits::LABEL_BYTES),
            Self::OneOf(words) => write!(f, "`{}`", words.join("`, `")),
            Self::Path => f.write_str("path inside the pack: relative, `/` between, no `..`"),
            Self::AbsolutePath => f.write_str("whole path of a file: `/` first"),
            Self::Sha256 => f.write_str("64 hexadecimal digits"),
            Self::Text { max_bytes } => write!(f, "text of at most {max_bytes} bytes"),
        }
    }
}

impl ValueSpec {
    /// Whether `value` is one. Err: the sentence behind "attribute: ".
    pub fn check(&self, value: &str) -> Result<(), String> {
        match self {
            Self::Whole { min, max } => {
                let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let number = digits.then(|| value.parse::<u64>().ok()).flatten();
                holds(number.is_some_and(|number| (*min..=*max).contains(&number)), value, || {
                    format!("a whole number from {min} to {max}")
                })
            }
            Self::Number => {
                let finite = value.parse::<f64>().is_ok_and(f64::is_finite);
                holds(finite, value, || "a number".into())
            }
            Self::Id => check_id(value),
            Self::Word => {
                let letters = |byte: u8| byte.is_ascii_alphanumeric();
                holds(is_word(value, letters), value, || self.to_string())
            }
            Self::Words => check_words(value),
            Self::Version => check_version(value),
            Self::Label => {
                check_length(value, limits::LABEL_BYTES)?;
                holds(!value.contains(is_hidden), value, || {
                    "free of control and direction characters".into()
                })
            }
            Self::OneOf(words) => {
                let near = super::nearest::suggestion(value, words);
                let known = words.contains(&value);
                if known { Ok(()) } else { Err(format!("{} is not known{near}", quoted(value))) }
            }
            Self::Path => check_path(value),
            Self::AbsolutePath => check_absolute(value),
            Self::Sha256 => {
                let hexadecimal = value.bytes().all(|byte| byte.is_ascii_hexdigit());
                holds(value.len() == 64 && hexadecimal, value, || self.to_string())
            }
            Self::Text { max_bytes } => check_length(value, *max_bytes),
        }
    }
}

fn holds(right: bool, value: &str, wanted: impl FnOnce() -> String) -> Result<(), String> {
    if right { Ok(()) } else { Err(format!("{} is not {}", quoted(value), with_article(wanted()))) }
}

/// `id: …` → `an id: …`, for kinds whose description begins with a noun.
fn with_article(wanted: String) -> String {
    match wanted.split_once(':').map(|(noun, _)| noun) {
        Some("id") => format!("an {wanted}"),
        Some("word" | "version" | "whole path of a file") => format!("a {wanted}"),
        _ => wanted,
    }
}

fn check_length(value: &str, max_bytes: usize) -> Result<(), String> {
    match value.len() {
        len if len <= max_bytes => Ok(()),
        len => Err(format!("is {len} bytes long; {max_bytes} is the most")),
    }
}

fn is_word(value: &str, letter: impl Fn(u8) -> bool) -> bool {
    (1..=limits::ID_BYTES).contains(&value.len())
        && value.bytes().next().is_some_and(&letter)
        && value.bytes().all(|byte| letter(byte) || b"-_.".contains(&byte))
}

/// Whether `value` may be the id of an engine. Err: why not.
pub fn check_id(value: &str) -> Result<(), String> {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    holds(is_word(value, letters), value, || ValueSpec::Id.to_string())
}

/// Whether `value` may be a version: what follows the id in `id-version`, so no
/// `-` before a digit. Err: why not.
pub fn check_version(value: &str) -> Result<(), String> {
    let bytes = value.as_bytes();
    let letters = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(byte));
    let splits = bytes.windows(2).any(|pair| pair[0] == b'-' && pair[1].is_ascii_digit());
    let first = bytes.first().is_some_and(u8::is_ascii_digit);
    let right = letters && first && !splits && bytes.len() <= limits::LABEL_BYTES;
    holds(right, value, || ValueSpec::Version.to_string())
}

fn check_words(value: &str) -> Result<(), String> {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    holds(!words.is_empty(), value, || ValueSpec::Words.to_string())?;
    for (index, word) in words.iter().enumerate() {
        check_length(word, limits::OPTION_VALUE_BYTES)?;
        if word.contains(is_hidden) {
            return Err(format!("{} holds a control or direction character", quoted(word)));
        }
        if words[..index].contains(word) {
            return Err(format!("names {} twice", quoted(word)));
        }
        if index >= limits::OPTIONS {
            return Err(format!("names more than {} words", limits::OPTIONS));
        }
    }
    Ok(())
}

fn check_absolute(value: &str) -> Result<(), String> {
    check_length(value, PATH_BYTES)?;
    if value.contains(is_hidden) {
        return Err(format!("{} holds a control or direction character", quoted(value)));
    }
    holds(value.starts_with('/') && !value.ends_with('/'), value, || {
        ValueSpec::AbsolutePath.to_string()
    })
}

fn check_path(value: &str) -> Result<(), String> {
    check_length(value, PATH_BYTES)?;
    let fault = |why: &str| Err(format!("{} {why}", quoted(value)));
    if value.is_empty() {
        return Err("is empty; it must name a file".into());
    }
    if value.contains(is_hidden) {
        return fault("holds a control or direction character");
    }
    if value.contains('\\') {
        return fault("holds `\\`; write `/` between folders, on every system");
    }
    if value.starts_with('/') || value.as_bytes().get(1) == Some(&b':') {
        return fault("is absolute: it leaves the pack");
    }
    if value.split('/').any(|part| part == "..") {
        return fault("leaves the pack: no `..` is allowed");
    }
    if value.split('/').any(|part| part.is_empty() || part == ".") {
        return fault("is not plain: write `folder/file`");
    }
    Ok(())
}
