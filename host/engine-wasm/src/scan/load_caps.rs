//! The caps of a loader: those of a profile, some of them replaced by the operator. Scans nothing.

use std::fmt;
use std::str::FromStr;

use sandboard_common::bytes;
use sandboard_common::suggestions::suggestion;
use serde::{Deserialize, Serialize};

use super::caps::{CAPS, Cap, CapKind, Profile};

/// The caps of components that are loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoadCaps {
    profile: Profile,
    /// One for each row of [`CAPS`].
    limits: [u64; CAPS.len()],
}

/// A cap and where it comes from, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectiveCap {
    kind: CapKind,
    limit: u64,
    profile: Profile,
    /// Whether the operator has replaced the profile's cap.
    is_replaced: bool,
}

impl fmt::Display for EffectiveCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, limit, profile, is_replaced } = self;
        let cap = kind.cap();
        if *is_replaced {
            return write!(f, "at most {limit} are admitted by `--cap {}={limit}`", cap.name);
        }
        write!(f, "at most {limit} are admitted by the {profile} profile")?;
        match cap.ceiling {
            Some((ceiling, _)) if *limit >= ceiling => Ok(()),
            _ => write!(f, " (`--cap {}=…` admits more)", cap.name),
        }
    }
}

/// Why a setting of a cap is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapError {
    /// The text does not have the form of a setting.
    #[error("`{0}` is not a cap: use NAME=NUMBER, for example functions=50000 or bytes=32MiB")]
    Form(String),
    /// There is no cap with this name.
    #[error("unknown cap `{name}`{hint}")]
    Unknown {
        /// The unknown name.
        name: String,
        /// A suggestion, or all names.
        hint: String,
    },
    /// The value is not a number.
    #[error("`{value}` is not a number for the cap `{name}`: use {expected}")]
    Number {
        /// Name of the cap.
        name: &'static str,
        /// The invalid value.
        value: String,
        /// The accepted values.
        expected: &'static str,
    },
    /// The value exceeds the ceiling.
    #[error("the cap `{name}` cannot be {value}: at most {ceiling}, {reason}")]
    Ceiling {
        /// Name of the cap.
        name: &'static str,
        /// The invalid value.
        value: u64,
        /// The highest possible value.
        ceiling: u64,
        /// Reason for the ceiling.
        reason: &'static str,
    },
}

impl Default for LoadCaps {
    fn default() -> Self {
        Self::for_profile(Profile::default())
    }
}

impl LoadCaps {
    /// The caps of a profile.
    pub fn for_profile(profile: Profile) -> Self {
        Self { profile, limits: std::array::from_fn(|row| CAPS[row].limit(profile)) }
    }

    /// The profile of the caps that are not replaced.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The cap for a kind.
    pub fn limit(&self, kind: CapKind) -> u64 {
        self.limits[kind as usize]
    }

    fn is_replaced(&self, kind: CapKind) -> bool {
        self.limit(kind) != kind.cap().limit(self.profile)
    }

    /// The cap for a kind and where it comes from.
    pub(super) fn effective(&self, kind: CapKind) -> EffectiveCap {
        let (limit, profile) = (self.limit(kind), self.profile);
        EffectiveCap { kind, limit, profile, is_replaced: self.is_replaced(kind) }
    }

    /// The same caps with some of them replaced. The last setting of a kind applies.
    pub fn with<'a>(mut self, settings: impl IntoIterator<Item = &'a CapSetting>) -> Self {
        for CapSetting { kind, limit } in settings {
            self.limits[*kind as usize] = *limit;
        }
        self
    }
}

/// A cap that the operator sets; its text form is `functions=50000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapSetting {
    kind: CapKind,
    limit: u64,
}

impl CapSetting {
    /// Err: the limit exceeds the cap's ceiling.
    pub(super) fn new(kind: CapKind, limit: u64) -> Result<Self, CapError> {
        let name = kind.cap().name;
        match kind.cap().ceiling {
            Some((ceiling, reason)) if limit > ceiling => {
                Err(CapError::Ceiling { name, value: limit, ceiling, reason })
            }
            _ => Ok(Self { kind, limit }),
        }
    }
}

impl fmt::Display for CapSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind.cap().name, self.limit)
    }
}

impl FromStr for CapSetting {
    type Err = CapError;

    fn from_str(text: &str) -> Result<Self, CapError> {
        let (name, value) = text.split_once('=').ok_or_else(|| CapError::Form(text.to_owned()))?;
        let Some(cap) = CAPS.iter().find(|cap| cap.name == name) else {
            let names: Vec<&str> = CAPS.iter().map(|cap| cap.name).collect();
            let hint = suggestion(name, &names);
            return Err(CapError::Unknown { name: name.to_owned(), hint });
        };
        let expected = match cap.is_in_bytes() {
            true => "a number of bytes, for example 32MiB, 512KiB or 65536",
            false => "a whole number, for example 5000",
        };
        let number = || CapError::Number { name: cap.name, value: value.to_owned(), expected };
        Self::new(cap.kind, parse_limit(cap, value).ok_or_else(number)?)
    }
}

/// Parses digits, for a number of bytes optionally with a unit.
fn parse_limit(cap: &Cap, text: &str) -> Option<u64> {
    match cap.is_in_bytes() {
        true => bytes::parse(text),
        false => text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_have_the_order_of_their_kinds() {
        for (index, cap) in CAPS.iter().enumerate() {
            assert_eq!(cap.kind as usize, index, "{}", cap.name);
            assert!(CAPS[..index].iter().all(|other| other.name != cap.name), "{}", cap.name);
        }
    }

    #[test]
    fn contest_caps_are_at_most_everyday_caps_and_those_at_most_the_ceilings() {
        for cap in CAPS {
            assert!(cap.contest <= cap.everyday, "{}", cap.name);
            let ceiling = cap.ceiling.map_or(u64::MAX, |(ceiling, _)| ceiling);
            assert!(cap.everyday <= ceiling, "{}", cap.name);
        }
    }

    #[test]
    fn settings_are_parsed() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let parsed = text.parse::<CapSetting>();
            let parsed = parsed.map(|it| it.to_string()).map_err(|error| error.to_string());
            assert_eq!(parsed.as_deref().map_err(String::as_str), expected, "{text:?}");
        };
        check("functions=50000", Ok("functions=50000"));
        check("functions=0", Ok("functions=0"));
        check("bytes=32MiB", Ok("bytes=33554432"));
        check("body-bytes=1KiB", Ok("body-bytes=1024"));
        let form = |text: &str| {
            format!(
                "`{text}` is not a cap: use NAME=NUMBER, for example functions=50000 or bytes=32MiB"
            )
        };
        check("functions", Err(&form("functions")));
        check("", Err(&form("")));
        check("function=5", Err("unknown cap `function`; did you mean `functions`?"));
        check("Functions=5", Err("unknown cap `Functions`; did you mean `functions`?"));
        let whole = |value: &str| {
            format!(
                "`{value}` is not a number for the cap `functions`: use a whole number, for example 5000"
            )
        };
        for value in ["", "-1", "+1", "5e4", "5KiB", "99999999999999999999"] {
            check(&format!("functions={value}"), Err(&whole(value)));
        }
        check(
            "bytes=32MB",
            Err(
                "`32MB` is not a number for the cap `bytes`: use a number of bytes, for example 32MiB, \
                 512KiB or 65536",
            ),
        );
        // The ceiling, and one more.
        check("tables=8", Ok("tables=8"));
        let pool = "as many as the runtime's pool holds for one engine";
        check("tables=9", Err(&format!("the cap `tables` cannot be 9: at most 8, {pool}")));
        check("module-instances=100", Ok("module-instances=100"));
        let error = format!("the cap `module-instances` cannot be 101: at most 100, {pool}");
        check("module-instances=101", Err(&error));
        check("bytes=64MiB", Ok("bytes=67108864"));
        let error = "the cap `bytes` cannot be 67108865: at most 67108864, since larger files are not \
                     read";
        check("bytes=67108865", Err(error));
    }

    #[test]
    fn a_setting_replaces_the_profiles_cap() {
        let caps = |profile, texts: &[&str]| {
            let settings: Vec<CapSetting> =
                texts.iter().map(|text| text.parse().unwrap()).collect();
            LoadCaps::for_profile(profile).with(&settings)
        };
        let check = |caps: LoadCaps, limit: u64, text: &str| {
            assert_eq!(caps.limit(CapKind::Functions), limit);
            assert_eq!(caps.effective(CapKind::Functions).to_string(), text);
        };
        let text = "at most 60000 are admitted by the everyday profile (`--cap functions=…` admits \
                    more)";
        check(LoadCaps::default(), 60_000, text);
        check(caps(Profile::Everyday, &["types=5"]), 60_000, text);
        let text = "at most 20000 are admitted by the contest profile (`--cap functions=…` admits \
                    more)";
        check(caps(Profile::Contest, &[]), 20_000, text);
        let text = "at most 7 are admitted by `--cap functions=7`";
        check(caps(Profile::Contest, &["functions=9", "functions=7"]), 7, text);
        let tables = LoadCaps::default().effective(CapKind::Tables).to_string();
        assert_eq!(tables, "at most 8 are admitted by the everyday profile");
    }
}
