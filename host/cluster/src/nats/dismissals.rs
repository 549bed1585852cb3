//! Which arenas a worker no longer plays for, because they have dismissed it. A pure value.
//!
//! Invariant: a dismissal counts only for the key that signed it, and only if the worker has played
//! for that key. So no peer can dismiss a worker from the games of another arena.

use std::collections::{BTreeMap, BTreeSet};

use crate::keys::PublicKey;
use crate::message::Dismissal;

/// The most keys of arenas that are remembered.
const KEYS_MAX: usize = 4096;

/// The arenas of a worker.
#[derive(Debug, Default)]
pub(super) struct Dismissals {
    /// The keys of arenas for which the worker has played.
    played_for: BTreeSet<PublicKey>,
    dismissed_by: BTreeMap<PublicKey, Dismissal>,
}

impl Dismissals {
    /// Records that the worker plays for this key of an arena.
    pub(super) fn record_game(&mut self, arena: PublicKey) {
        if self.played_for.len() < KEYS_MAX {
            self.played_for.insert(arena);
        }
    }

    /// Adds a dismissal that this key has signed. Returns whether it is new and counts.
    pub(super) fn add(&mut self, signed_by: PublicKey, dismissal: &Dismissal) -> bool {
        if !self.played_for.contains(&signed_by) {
            return false;
        }
        self.dismissed_by.insert(signed_by, dismissal.clone()).is_none()
    }

    /// Whether the worker plays no games that this key has signed.
    pub(super) fn is_dismissed_by(&self, arena: &PublicKey) -> bool {
        self.dismissed_by.contains_key(arena)
    }

    /// A dismissal, if there is any.
    pub(super) fn first(&self) -> Option<&Dismissal> {
        self.dismissed_by.values().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::VERSION;

    /// Each step is a letter for a key of an arena: small, a game of it is played; large, it
    /// dismisses the worker. Expected: the keys for which the worker no longer plays.
    fn check(steps: &str, expected: &str) {
        let key = |letter: char| format!("{:02x}", letter as u8).repeat(32).parse().unwrap();
        let dismissal = Dismissal {
            version: VERSION,
            worker: key('w'),
            arena: "one".into(),
            reason: "it lies".into(),
        };
        let mut dismissals = Dismissals::default();
        for step in steps.chars() {
            match step.is_ascii_lowercase() {
                true => dismissals.record_game(key(step)),
                false => drop(dismissals.add(key(step.to_ascii_lowercase()), &dismissal)),
            }
        }
        let is_dismissed = |letter: &char| dismissals.is_dismissed_by(&key(*letter));
        assert_eq!(('a'..='d').filter(is_dismissed).collect::<String>(), expected, "{steps}");
        assert_eq!(dismissals.first().is_some(), !expected.is_empty());
    }

    #[test]
    fn an_arena_dismisses_from_its_own_games_only() {
        check("", "");
        check("aA", "a");
        check("abAB", "ab");
        check("aB", "");
        // It has not played for that key yet.
        check("Aa", "");
        check("AaA", "a");
    }
}
