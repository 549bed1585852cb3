//! Finds a catalog entry by id or `id-version`. Reads no file.

use std::cmp::Ordering;

use super::bare_module::split_version;
use super::{Catalog, Entry, GameEntry};
use crate::manifest::PackFault;
use sandboard_common::suggestions::nearest;
use sandboard_common::text::quoted;

/// The most ids that an error suggests.
const SUGGESTIONS_MAX: usize = 3;

/// Why no usable engine was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// No entry has this id or version.
    #[error("no engine {}{}", quoted(text), hint(similar, known))]
    Unknown {
        /// The text that was searched for.
        text: String,
        /// Usable ids with a similar spelling, the most similar first.
        similar: Vec<String>,
        /// The first usable ids in alphabetical order.
        known: Vec<String>,
    },
    /// The engine exists, but cannot be played.
    #[error("engine {} is unusable: {}", quoted(text), join_faults(faults))]
    Unusable {
        /// The text that was searched for.
        text: String,
        /// The faults of the entry.
        faults: Vec<PackFault>,
    },
}

fn hint(similar: &[String], known: &[String]) -> String {
    match (similar, known) {
        ([], []) => "; the engines folder has no usable engine".into(),
        ([], known) => format!("; usable engines: `{}`", known.join("`, `")),
        (similar, _) => format!("; did you mean `{}`?", similar.join("`, `")),
    }
}

fn join_faults(faults: &[PackFault]) -> String {
    faults.iter().map(PackFault::to_string).collect::<Vec<_>>().join("; ")
}

impl Catalog {
    /// Finds the engine `text`: an id (its highest usable version), or `id-version`.
    ///
    /// Usable engines take precedence over unusable ones, then ids over `id-version`, then
    /// overriding engines over installed ones.
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

    /// As [`find`](Self::find), but may return an unusable entry. Err: no entry has this name.
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
            // Of equal entries take the first: `max_by` takes the last, hence `rev`.
            let found = entries().rev().filter(by_id).max_by(highest);
            let exact = || entries().rev().filter(by_version).max_by_key(|entry| entry.overrides);
            if let Some(entry) = found.or_else(exact) {
                return Ok(entry);
            }
        }
        Err(self.unknown(text))
    }

    /// The plugged-in game `text`: an id (its highest version), or `id-version`. Usable games take
    /// precedence.
    pub fn find_game(&self, text: &str) -> Option<&GameEntry> {
        let by_id = |game: &&GameEntry| !text.is_empty() && game.id == text;
        let by_version = |game: &&GameEntry| {
            split_version(text)
                .is_some_and(|(id, version)| game.id == id && game.version == version)
        };
        [true, false].into_iter().find_map(|usable| {
            let games =
                || self.game_entries.iter().filter(move |game| game.faults().is_empty() == usable);
            let highest = |a: &&GameEntry, b: &&GameEntry| compare_versions(&a.version, &b.version);
            // Of equal entries take the first: `max_by` takes the last, hence `rev`.
            games().rev().filter(by_id).max_by(highest).or_else(|| games().find(by_version))
        })
    }

    fn unknown(&self, text: &str) -> FindError {
        let usable = self.entries.iter().filter(|entry| entry.is_usable());
        let mut ids: Vec<&str> = usable.map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let known = ids.iter().take(SUGGESTIONS_MAX).map(|id| (*id).to_owned()).collect();
        let id = split_version(text).map_or(text, |(id, _)| id);
        let mut similar = Vec::new();
        while similar.len() < SUGGESTIONS_MAX
            && let Some(found) = nearest(id, ids.iter().copied())
        {
            similar.push(found.to_owned());
            ids.retain(|id| *id != found);
        }
        FindError::Unknown { text: text.to_owned(), similar, known }
    }
}

/// Compares versions: dotted parts as numbers (a missing part is 0), then the pre-release after a
/// `-` (lower than none), then as texts.
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

/// Compares leading digits as a number of any length, then the rest as a text.
fn compare_part(a: &str, b: &str) -> Ordering {
    fn split(part: &str) -> (&str, &str) {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        (part[..end].trim_start_matches('0'), &part[end..])
    }
    let ((digits_a, rest_a), (digits_b, rest_b)) = (split(a), split(b));
    let number = digits_a.len().cmp(&digits_b.len()).then(digits_a.cmp(digits_b));
    number.then(rest_a.cmp(rest_b))
}
