//! Finds an engine by what people type. Chooses among what the scan found;
//! reads no file.

use std::cmp::Ordering;

use super::bare::split_version;
use super::{Catalog, Entry};
use crate::manifest::{PackFault, nearest, quoted};

/// Near ids that are named when one is not found.
const NAMED: usize = 3;

/// Why an engine cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// There is none.
    #[error("no engine {}{}", quoted(text), hint(near, known))]
    Unknown {
        /// What was looked for.
        text: String,
        /// Usable ids near to it, the nearest first.
        near: Vec<String>,
        /// Some usable ids, near or not.
        known: Vec<String>,
    },
    /// There is one, but it cannot be played.
    #[error("engine {} is unusable: {}", quoted(text), listed(faults))]
    Unusable {
        /// What was looked for.
        text: String,
        /// What is wrong with it.
        faults: Vec<PackFault>,
    },
}

fn hint(near: &[String], known: &[String]) -> String {
    match (near, known) {
        ([], []) => "; the engines folder holds none that is usable".into(),
        ([], known) => format!("; there are `{}`", known.join("`, `")),
        (near, _) => format!("; did you mean `{}`?", near.join("`, `")),
    }
}

fn listed(faults: &[PackFault]) -> String {
    faults.iter().map(PackFault::to_string).collect::<Vec<_>>().join("; ")
}

impl Catalog {
    /// The engine called `text`: an id, of which the highest usable version is
    /// taken, or `id-version` for just that one. A usable engine goes before an
    /// unusable one, and an id that looks like another's `id-version` before that;
    /// among engines that fit alike, one that overrides goes before all.
    pub fn find(&self, text: &str) -> Result<&Entry, FindError> {
        let entry = self.find_any(text)?;
        match entry.is_usable() {
            true => Ok(entry),
            false => {
                let (text, faults) = (text.to_owned(), entry.faults().to_vec());
                Err(FindError::Unusable { text, faults })
            }
        }
    }

    /// As [`find`](Self::find), of what cannot be played too: Err only where
    /// nothing is called so.
    pub fn find_any(&self, text: &str) -> Result<&Entry, FindError> {
        let by_id = |entry: &&Entry| !text.is_empty() && entry.id == text;
        let by_version = |entry: &&Entry| {
            split_version(text)
                .is_some_and(|(id, version)| entry.id == id && entry.version == version)
        };
        for usable in [true, false] {
            let entries = || self.entries.iter().filter(|entry| entry.is_usable() == usable);
            let highest = |a: &&Entry, b: &&Entry| {
                let overriding = a.overrides.cmp(&b.overrides);
                overriding.then_with(|| compare_versions(&a.version, &b.version))
            };
            // Of equal ones the first: `max_by` takes the last, hence `rev`.
            let found = entries().rev().filter(by_id).max_by(highest);
            let exact = || entries().rev().filter(by_version).max_by_key(|entry| entry.overrides);
            if let Some(entry) = found.or_else(exact) {
                return Ok(entry);
            }
        }
        Err(self.unknown(text))
    }

    fn unknown(&self, text: &str) -> FindError {
        let usable = self.entries.iter().filter(|entry| entry.is_usable());
        let mut ids: Vec<&str> = usable.map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let known = ids.iter().take(NAMED).map(|id| (*id).to_owned()).collect();
        let id = split_version(text).map_or(text, |(id, _)| id);
        let mut near = Vec::new();
        while near.len() < NAMED
            && let Some(found) = nearest(id, ids.iter().copied())
        {
            near.push(found.to_owned());
            ids.retain(|id| *id != found);
        }
        FindError::Unknown { text: text.to_owned(), near, known }
    }
}

/// Compares versions: dotted numbers as numbers (a missing one is 0), then
/// what follows a `-` (a pre-release: lower than none), then as texts.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    fn split(version: &str) -> (&str, Option<&str>) {
        version.split_once('-').map_or((version, None), |(main, before)| (main, Some(before)))
    }
    let ((main_a, before_a), (main_b, before_b)) = (split(a), split(b));
    let before = match (before_a, before_b) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(a), Some(b)) => compare_dotted(a, b),
    };
    compare_dotted(main_a, main_b).then(before).then_with(|| a.cmp(b))
}

fn compare_dotted(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let (left, right) = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (left, right) => (left.unwrap_or("0"), right.unwrap_or("0")),
        };
        match compare_part(left, right) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
}

/// The digits in front as a number of any length, then the rest as a text.
fn compare_part(a: &str, b: &str) -> Ordering {
    fn split(part: &str) -> (&str, &str) {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        (part[..end].trim_start_matches('0'), &part[end..])
    }
    let ((digits_a, rest_a), (digits_b, rest_b)) = (split(a), split(b));
    let number = digits_a.len().cmp(&digits_b.len()).then(digits_a.cmp(digits_b));
    number.then(rest_a.cmp(rest_b))
}
