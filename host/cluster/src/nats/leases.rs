//! When a game that a worker holds is offered again. A pure value.
//!
//! The broker delivers games in the order of their offers, so a game is with a worker at the latest
//! when a later one has come back. From then on it has its lease.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sandboard_arena_plan::GameKey;

/// The leases of the games that are offered.
#[derive(Debug)]
pub(super) struct Leases {
    lease: Duration,
    games: BTreeMap<GameKey, LeasedGame>,
    next_offer: u64,
}

#[derive(Debug)]
struct LeasedGame {
    /// The number of its last offer, in the order of all offers.
    offer: u64,
    /// Since when a worker must have it; none: it may still wait at the broker.
    since: Option<Instant>,
}

impl Leases {
    pub(super) fn new(lease: Duration) -> Self {
        Self { lease, games: BTreeMap::new(), next_offer: 0 }
    }

    /// Records that a game was offered.
    pub(super) fn offered(&mut self, game: GameKey) {
        let (offer, since) = (self.next_offer, None);
        self.next_offer += 1;
        self.games.insert(game, LeasedGame { offer, since });
    }

    /// Records that a result of a game arrived, which need not count: this game and those that were
    /// offered before have left the broker.
    pub(super) fn arrived(&mut self, game: GameKey, now: Instant) {
        let Some(offer) = self.games.get(&game).map(|it| it.offer) else { return };
        for earlier in self.games.values_mut().filter(|it| it.offer <= offer) {
            earlier.since.get_or_insert(now);
        }
    }

    /// Removes a game that is no longer offered.
    pub(super) fn remove(&mut self, game: GameKey) {
        self.games.remove(&game);
    }

    /// Forgets all games.
    pub(super) fn clear(&mut self) {
        self.games.clear();
    }

    /// Takes out the games whose lease has ended. `slots`: the number of games that the workers
    /// play at once; if that many are offered, none waits at the broker. 0: no worker is there, and
    /// no lease runs.
    pub(super) fn take_ended(&mut self, slots: usize, now: Instant) -> Vec<GameKey> {
        let all_taken = self.games.len() <= slots;
        for game in self.games.values_mut() {
            match slots {
                0 => game.since = None,
                _ if all_taken => drop(game.since.get_or_insert(now)),
                _ => {}
            }
        }
        let lease = self.lease;
        let has_ended = |since: Instant| now.saturating_duration_since(since) >= lease;
        let ended = self.games.extract_if(.., |_, game| game.since.is_some_and(has_ended));
        ended.map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each step is a character: a small letter, that game is offered; a large one, its result
    /// arrives; `-`, the last result counts; a digit, that many slots of workers are there at a
    /// check; `.`, a second passes. The lease is 3 s. Expected: the games whose lease ended at each
    /// check.
    fn check(steps: &str, expected: &[&str]) {
        let key = |letter: char| GameKey { pair: u32::from(letter.to_ascii_lowercase()), game: 0 };
        let (mut leases, mut now) = (Leases::new(Duration::from_secs(3)), Instant::now());
        let (mut found, mut last) = (Vec::new(), key('a'));
        for step in steps.chars() {
            match step {
                '.' => now += Duration::from_secs(1),
                'a'..='z' => leases.offered(key(step)),
                'A'..='Z' => {
                    last = key(step);
                    leases.arrived(last, now);
                }
                '-' => leases.remove(last),
                slots => {
                    let slots = slots.to_digit(10).unwrap() as usize;
                    let ended = leases.take_ended(slots, now).into_iter();
                    found.push(ended.filter_map(|it| char::from_u32(it.pair)).collect::<String>());
                }
            }
        }
        assert_eq!(found, expected, "{steps}");
    }

    #[test]
    fn a_lease_begins_when_a_worker_must_have_the_game() {
        // Two slots, three games: the third may wait at the broker.
        check("abc2...2", &["", ""]);
        // When a later one came back, the earlier ones are with workers.
        check("abcdB-..2.2", &["", "a"]);
        check("abcdB-..2A-..2", &["", ""]);
        check("abcdD-..2.2", &["", "abc"]);
        // A result that does not count does not end the lease.
        check("abcdB..2.2", &["", "ab"]);
        // As many as slots: all are with workers.
        check("ab2...2", &["", "ab"]);
        check("ab2..2.1", &["", "", "ab"]);
        // A game that was offered again has a new lease.
        check("a2...2a2..2.2", &["", "a", "", "", "a"]);
        check("a1..Aa1..1.1", &["", "", "", "a"]);
        // A result of a later game does not extend the leases of earlier ones.
        check("abcdC..D-.2", &["abc"]);
        // Without a worker no lease runs.
        check("ab0...0", &["", ""]);
        check("ab2..0.2..2.2", &["", "", "", "", "ab"]);
    }
}
