//! The caps that a loader goes by: those of a profile, and what the operator sets
//! otherwise, one by one. Scans nothing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::caps::{CAPS, Cap, Profile, Thing};
use crate::bytes;
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

/// Digits; for bytes with a unit, too.
fn amount(cap: &Cap, text: &str) -> Option<u64> {
    match cap.is_of_bytes() {
        true => bytes::parse(text),
        false => text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_things() {
        for (index, cap) in CAPS.iter().enumerate() {
            assert_eq!(cap.thing as usize, index, "{}", cap.word);
            assert!(CAPS[..index].iter().all(|other| other.word != cap.word), "{}", cap.word);
        }
    }

    #[test]
    fn a_contest_admits_no_more_than_everyday_and_nobody_more_than_can_be_held() {
        for cap in CAPS {
            assert!(cap.contest <= cap.everyday, "{}", cap.word);
            let ceiling = cap.ceiling.map_or(u64::MAX, |(ceiling, _)| ceiling);
            assert!(cap.everyday <= ceiling, "{}", cap.word);
        }
    }

    #[test]
    fn settings_are_read_as_people_write_them() {
        let check = |text: &str, wanted: Result<&str, &str>| {
            let read = text.parse::<CapSetting>();
            let read = read.map(|it| it.to_string()).map_err(|error| error.to_string());
            assert_eq!(read.as_deref().map_err(String::as_str), wanted, "{text:?}");
        };
        check("functions=50000", Ok("functions=50000"));
        check("functions=0", Ok("functions=0"));
        check("bytes=32MiB", Ok("bytes=33554432"));
        check("body-bytes=1KiB", Ok("body-bytes=1024"));
        let form = |text: &str| {
            format!("`{text}` is no cap: write NAME=NUMBER, such as functions=50000 or bytes=32MiB")
        };
        check("functions", Err(&form("functions")));
        check("", Err(&form("")));
        check("function=5", Err("there is no cap `function`; did you mean `functions`?"));
        check("Functions=5", Err("there is no cap `Functions`; did you mean `functions`?"));
        let whole = |value: &str| {
            format!(
                "`{value}` is no number for the cap `functions`: write a whole number, such as 5000"
            )
        };
        for value in ["", "-1", "+1", "5e4", "5KiB", "99999999999999999999"] {
            check(&format!("functions={value}"), Err(&whole(value)));
        }
        check(
            "bytes=32MB",
            Err(
                "`32MB` is no number for the cap `bytes`: write a number of bytes, such as 32MiB, \
                 512KiB or 65536",
            ),
        );
        // As much as can be held, and one more.
        check("tables=8", Ok("tables=8"));
        let pool = "as many as the runtime's pool holds for one engine";
        check("tables=9", Err(&format!("the cap `tables` cannot be 9: 8 is the most, {pool}")));
        check("module-instances=100", Ok("module-instances=100"));
        let why = format!("the cap `module-instances` cannot be 101: 100 is the most, {pool}");
        check("module-instances=101", Err(&why));
        check("bytes=64MiB", Ok("bytes=67108864"));
        let why = "the cap `bytes` cannot be 67108865: 67108864 is the most, since no larger file \
                   is looked at";
        check("bytes=67108865", Err(why));
    }

    #[test]
    fn a_setting_takes_the_place_of_the_profiles_and_says_so() {
        let caps = |profile, texts: &[&str]| {
            let settings: Vec<CapSetting> =
                texts.iter().map(|text| text.parse().unwrap()).collect();
            LoadCaps::of(profile).with(&settings)
        };
        let check = |caps: LoadCaps, most: u64, told: &str| {
            assert_eq!(caps.most(Thing::Functions), most);
            assert_eq!(caps.admitted(Thing::Functions).to_string(), told);
        };
        let told = "at most 60000 are admitted by the everyday profile (`--cap functions=…` admits \
                    more)";
        check(LoadCaps::default(), 60_000, told);
        check(caps(Profile::Everyday, &["types=5"]), 60_000, told);
        let told = "at most 20000 are admitted by the contest profile (`--cap functions=…` admits \
                    more)";
        check(caps(Profile::Contest, &[]), 20_000, told);
        let told = "at most 7 are admitted by `--cap functions=7`";
        check(caps(Profile::Contest, &["functions=9", "functions=7"]), 7, told);
        let tables = LoadCaps::default().admitted(Thing::Tables).to_string();
        assert_eq!(tables, "at most 8 are admitted by the everyday profile");
    }
}
