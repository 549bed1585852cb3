//! What has been granted, as a value. Reads no file.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::record::rfc3339;

/// Builds of one engine that stay trusted: whoever saves an engine a thousand times a day
/// keeps the last ones.
pub const BUILDS_KEPT: usize = 16;

/// The trust in one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The hash of its bytes, 64 lower-case hexadecimal digits: this alone counts.
    pub sha256: String,
    /// What it was called then; empty where that was not known.
    pub id: String,
    /// Its version then; empty where that was not known.
    pub version: String,
    /// When, as RFC 3339 in UTC.
    pub when: String,
    /// How it came to be trusted.
    pub how: How,
}

impl Grant {
    /// Trust in a module from now on.
    pub fn new(sha256: &str, id: &str, version: &str, how: How) -> Self {
        let [sha256, id, version] = [sha256, id, version].map(str::to_owned);
        Self { sha256, id, version, when: rfc3339(SystemTime::now()), how }
    }
}

/// How a module came to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Somebody said so.
    Person,
    /// It was built here, by the user's own rights.
    Build,
}

/// All grants, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// The grants of a file. Err: what is wrong with them.
    pub(super) fn checked(grants: Vec<Grant>) -> Result<Self, String> {
        for (index, grant) in grants.iter().enumerate() {
            let which = format!("grant {}", index + 1);
            check_sha256(&grant.sha256).map_err(|why| format!("{which}: {why}"))?;
            if grants[..index].iter().any(|other| other.sha256 == grant.sha256) {
                return Err(format!("{which}: {} is there twice", grant.sha256));
            }
        }
        Ok(Self(grants))
    }

    /// All of them.
    pub fn all(&self) -> &[Grant] {
        &self.0
    }

    /// The grant of the module with this hash.
    pub fn of(&self, sha256: &str) -> Option<&Grant> {
        self.0.iter().find(|grant| grant.sha256 == sha256)
    }

    /// Grants trust; whether the module had none. What a person granted no build takes
    /// over, and of one engine's builds only the last [`BUILDS_KEPT`] stay.
    pub fn add(&mut self, grant: Grant) -> bool {
        match self.of(&grant.sha256) {
            Some(old) if old.how == How::Person && grant.how == How::Build => return false,
            _ => (),
        }
        let is_new = self.remove(&grant.sha256).is_none();
        self.0.push(grant.clone());
        let builds = |it: &&Grant| it.how == How::Build && it.id == grant.id;
        let surplus = self.0.iter().filter(builds).count().saturating_sub(BUILDS_KEPT);
        let oldest = self.0.iter().filter(builds).take(surplus);
        let oldest: Vec<String> = oldest.map(|it| it.sha256.clone()).collect();
        self.0.retain(|it| !oldest.contains(&it.sha256));
        is_new
    }

    /// Takes the trust back; what there was.
    pub fn remove(&mut self, sha256: &str) -> Option<Grant> {
        let at = self.0.iter().position(|grant| grant.sha256 == sha256)?;
        Some(self.0.remove(at))
    }

    /// The grants that were given under this name: an id, or `id-version`.
    pub fn called<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Grant> {
        let fits = move |grant: &&Grant| {
            let named = |rest: &str| rest.strip_prefix('-') == Some(grant.version.as_str());
            let rest = name.strip_prefix(grant.id.as_str());
            !grant.id.is_empty() && rest.is_some_and(|rest| rest.is_empty() || named(rest))
        };
        self.0.iter().filter(fits)
    }
}

/// Whether a text is a SHA-256 as it is written everywhere here. Err: what is wrong.
pub fn check_sha256(text: &str) -> Result<(), String> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match text.len() == 64 && text.bytes().all(digit) {
        true => Ok(()),
        false => Err("a SHA-256 is 64 lower-case hexadecimal digits".into()),
    }
}
