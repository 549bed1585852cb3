//! Grants of trust, as values. Reads no file.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use sandboard_common::date::rfc3339;

/// The most builds of one engine that stay trusted, so that frequent builds do not fill the file.
pub const BUILDS_KEPT: usize = 16;

/// The grant of trust for one module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The SHA-256 of its bytes, 64 lower-case hexadecimal digits. Only this decides.
    pub sha256: String,
    /// The engine's id at that time; empty if unknown.
    pub id: String,
    /// The engine's version at that time; empty if unknown.
    pub version: String,
    /// The time of the grant, RFC 3339 in UTC.
    pub granted_at: String,
    /// Who granted it.
    pub source: GrantSource,
}

impl Grant {
    /// A grant with the current time.
    pub fn new(sha256: &str, id: &str, version: &str, source: GrantSource) -> Self {
        let [sha256, id, version] = [sha256, id, version].map(str::to_owned);
        Self { sha256, id, version, granted_at: rfc3339(SystemTime::now()), source }
    }
}

/// Who granted trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrantSource {
    /// The user, by a command or in the browser.
    User,
    /// A build on this machine, with the user's rights.
    Build,
}

/// All grants, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(Vec<Grant>);

impl Grants {
    /// Validates the grants of a file. Err: what is wrong.
    pub(super) fn validated(grants: Vec<Grant>) -> Result<Self, String> {
        for (index, grant) in grants.iter().enumerate() {
            let location = format!("grant {}", index + 1);
            check_sha256(&grant.sha256).map_err(|why| format!("{location}: {why}"))?;
            if grants[..index].iter().any(|other| other.sha256 == grant.sha256) {
                return Err(format!("{location}: {} occurs twice", grant.sha256));
            }
        }
        Ok(Self(grants))
    }

    /// All grants, the oldest first.
    pub fn as_slice(&self) -> &[Grant] {
        &self.0
    }

    /// The grant of the module with this hash.
    pub fn get(&self, sha256: &str) -> Option<&Grant> {
        self.0.iter().find(|grant| grant.sha256 == sha256)
    }

    /// Adds a grant; returns whether the module had none. A build does not replace the user's
    /// grant, and only the last [`BUILDS_KEPT`] builds of an engine stay.
    pub fn add(&mut self, grant: Grant) -> bool {
        match self.get(&grant.sha256) {
            Some(old) if old.source == GrantSource::User && grant.source == GrantSource::Build => {
                return false;
            }
            _ => (),
        }
        let is_new = self.remove(&grant.sha256).is_none();
        self.0.push(grant.clone());
        let builds = |it: &&Grant| it.source == GrantSource::Build && it.id == grant.id;
        let surplus = self.0.iter().filter(builds).count().saturating_sub(BUILDS_KEPT);
        let oldest = self.0.iter().filter(builds).take(surplus);
        let oldest: Vec<String> = oldest.map(|it| it.sha256.clone()).collect();
        self.0.retain(|it| !oldest.contains(&it.sha256));
        is_new
    }

    /// Removes the grant of a module and returns it.
    pub fn remove(&mut self, sha256: &str) -> Option<Grant> {
        let at = self.0.iter().position(|grant| grant.sha256 == sha256)?;
        Some(self.0.remove(at))
    }

    /// The grants under this name: an id, or `id-version`.
    pub fn with_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Grant> {
        let fits = move |grant: &&Grant| {
            let named = |rest: &str| rest.strip_prefix('-') == Some(grant.version.as_str());
            let rest = name.strip_prefix(grant.id.as_str());
            !grant.id.is_empty() && rest.is_some_and(|rest| rest.is_empty() || named(rest))
        };
        self.0.iter().filter(fits)
    }
}

/// Checks that a text is a SHA-256 of 64 lower-case hexadecimal digits. Err: what is wrong.
pub fn check_sha256(text: &str) -> Result<(), String> {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match text.len() == 64 && text.bytes().all(digit) {
        true => Ok(()),
        false => Err("a SHA-256 is 64 lower-case hexadecimal digits".into()),
    }
}
