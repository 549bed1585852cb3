//! The caps that a loader goes by: those of a profile, and what the operator sets
//! otherwise, one by one. Scans nothing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::caps::{CAPS, Cap, Profile, Thing};
use crate::manifest::suggestion;

/// What a component may hold to be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoadCaps {
    profile: Profile,
    /// One for each row of [`CAPS`].
    most: [u64; CAPS.len()],
}

/// How many of a thing are admitted, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admitted {
    thing: Thing,
    /// How many.
    pub most: u64,
    /// Whose number it is, unless the operator has set another.
    pub profile: Profile,
    is_set: bool,
}

impl fmt::Display for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thing, most, profile, is_set } = self;
        let cap = thing.cap();
        if *is_set {
            return write!(f, "at most {most} are admitted by `--cap {}={most}`", cap.word);
        }
        write!(f, "at most {most} are admitted by the {profile} profile")?;
        match cap.ceiling {
            Some((ceiling, _)) if *most >= ceiling => Ok(()),
            _ => write!(f, " (`--cap {}=…` admits more)", cap.word),
        }
    }
}

/// Why a cap cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapError {
    /// Not of the form.
    #[error("`{0}` is no cap: write NAME=NUMBER, such as functions=50000 or bytes=32MiB")]
    Form(String),
    /// There is no such row.
    #[error("there is no cap `{name}`{hint}")]
    Unknown {
        /// What was written.
        name: String,
        /// The nearest, or all there are.
        hint: String,
    },
    /// The number is none.
    #[error("`{value}` is no number for the cap `{word}`: write {wanted}")]
    Number {
        /// Of which cap.
        word: &'static str,
        /// What was written.
        value: String,
        /// What may be written.
        wanted: &'static str,
    },
    /// More than can be held.
    #[error("the cap `{word}` cannot be {value}: {ceiling} is the most, {why}")]
    Ceiling {
        /// Of which cap.
        word: &'static str,
        /// What was written.
        value: u64,
        /// What would do.
        ceiling: u64,
        /// Why.
        why: &'static str,
    },
}

impl Default for LoadCaps {
    fn default() -> Self {
        Self::of(Profile::default())
    }
}

impl LoadCaps {
    /// Those of a profile.
    pub fn of(profile: Profile) -> Self {
        Self { profile, most: std::array::from_fn(|row| CAPS[row].of(profile)) }
    }

    /// The profile that they come from.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// How many of a thing are admitted.
    pub fn most(&self, thing: Thing) -> u64 {
        self.most[thing as usize]
    }

    /// Whether the operator has set this one.
    pub fn is_set(&self, thing: Thing) -> bool {
        self.most(thing) != thing.cap().of(self.profile)
    }

    /// The same for a sentence.
    pub fn admitted(&self, thing: Thing) -> Admitted {
        let (most, profile) = (self.most(thing), self.profile);
        Admitted { thing, most, profile, is_set: self.is_set(thing) }
    }

    /// The same caps but for these; of two for one thing the last counts.
    pub fn with<'a>(mut self, settings: impl IntoIterator<Item = &'a CapSetting>) -> Self {
        for CapSetting { thing, most } in settings {
            self.most[*thing as usize] = *most;
        }
        self
    }
}

/// A cap that the operator sets: `functions=50000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapSetting {
    thing: Thing,
    most: u64,
}

impl CapSetting {
    /// Err: nothing could hold so much.
    pub fn new(thing: Thing, most: u64) -> Result<Self, CapError> {
        let word = thing.cap().word;
        match thing.cap().ceiling {
            Some((ceiling, why)) if most > ceiling => {
                Err(CapError::Ceiling { word, value: most, ceiling, why })
            }
            _ => Ok(Self { thing, most }),
        }
    }
}

impl fmt::Display for CapSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.thing.cap().word, self.most)
    }
}

impl FromStr for CapSetting {
    type Err = CapError;

    fn from_str(text: &str) -> Result<Self, CapError> {
        let (name, value) = text.split_once('=').ok_or_else(|| CapError::Form(text.to_owned()))?;
        let Some(cap) = CAPS.iter().find(|cap| cap.word == name) else {
            let words: Vec<&str> = CAPS.iter().map(|cap| cap.word).collect();
            let hint = suggestion(name, &words);
            return Err(CapError::Unknown { name: name.to_owned(), hint });
        };
        let wanted = match cap.is_of_bytes() {
            true => "a number of bytes, such as 32MiB, 512KiB or 65536",
            false => "a whole number, such as 5000",
        };
        let number = || CapError::Number { word: cap.word, value: value.to_owned(), wanted };
        Self::new(cap.thing, amount(cap, value).ok_or_else(number)?)
    }
}

/// Digits; for bytes with a unit of 1024, too.
fn amount(cap: &Cap, text: &str) -> Option<u64> {
    let (digits, shift) = match text.find(|c: char| !c.is_ascii_digit()) {
        None => (text, 0),
        Some(at) if cap.is_of_bytes() => match text.split_at(at) {
            (digits, "KiB") => (digits, 10),
            (digits, "MiB") => (digits, 20),
            (digits, "GiB") => (digits, 30),
            _ => return None,
        },
        Some(_) => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}
