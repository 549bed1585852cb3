//! The pace of a session: how long its games take, which game lasts unusually long, and when the
//! arena will end. The caller reads the clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sandboard_arena_plan::{GameKey, LongGame};

/// A game that has lasted at least this number of times the mean is reported.
const LONG_TIMES: f64 = 10.0;
/// A game that has lasted less than this, in seconds, is not reported.
const LONG_LEAST_S: f64 = 10.0;

/// The games in play, with the moments when they were first seen.
#[derive(Default)]
pub(super) struct Pace {
    since: BTreeMap<GameKey, Instant>,
}

/// What is known of a session at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session {
    /// How long it has run.
    pub elapsed: Duration,
    /// The number of games that it has finished.
    pub done: u64,
    /// The number of games played at once.
    pub concurrency: usize,
    /// The expected number of games that have not begun.
    pub not_begun: u64,
}

impl Pace {
    /// Updates the games in play. Returns how long each of them has lasted.
    pub(super) fn update(
        &mut self,
        playing: impl Iterator<Item = GameKey>,
        now: Instant,
    ) -> Vec<(GameKey, Duration)> {
        let before = std::mem::take(&mut self.since);
        self.since = playing.map(|key| (key, before.get(&key).copied().unwrap_or(now))).collect();
        self.since.iter().map(|(key, since)| (*key, now.duration_since(*since))).collect()
    }
}

impl Session {
    /// The mean duration of a finished game, in seconds; none: no game is finished. Time that was
    /// spent in games still in play does not count.
    fn mean_s(&self, playing: &[(GameKey, Duration)]) -> Option<f64> {
        let in_play: f64 = playing.iter().map(|(_, age)| age.as_secs_f64()).sum();
        let spent = self.elapsed.as_secs_f64() * self.concurrency.max(1) as f64 - in_play;
        (self.done > 0).then(|| spent.max(0.0) / self.done as f64)
    }

    /// The expected time to the end, in seconds; none: no game is finished. A game in play is
    /// expected to last as long as the mean, and one that has lasted longer, half as long again.
    pub(super) fn seconds_left(&self, playing: &[(GameKey, Duration)]) -> Option<f64> {
        let mean_s = self.mean_s(playing)?;
        let left = playing.iter().map(|(_, age)| {
            let age_s = age.as_secs_f64();
            (mean_s - age_s).max(age_s / 2.0)
        });
        let in_play: f64 = left.clone().sum();
        let longest = left.fold(0.0, f64::max);
        let all = self.not_begun as f64 * mean_s + in_play;
        Some((all / self.concurrency.max(1) as f64).max(longest))
    }

    /// The game in play that has lasted longest, if that is ten times the mean or more.
    pub(super) fn long_game(&self, playing: &[(GameKey, Duration)]) -> Option<LongGame> {
        let mean_seconds = self.mean_s(playing)?;
        let (key, age) = playing.iter().max_by_key(|(_, age)| *age)?;
        let seconds = age.as_secs_f64();
        let is_long = seconds >= LONG_LEAST_S && seconds >= LONG_TIMES * mean_seconds;
        is_long.then_some(LongGame { pair: key.pair, game: key.game, seconds, mean_seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(pair: u32) -> GameKey {
        GameKey { pair, game: 0 }
    }

    fn playing(ages_s: &[u64]) -> Vec<(GameKey, Duration)> {
        (0..).zip(ages_s).map(|(pair, age)| (key(pair), Duration::from_secs(*age))).collect()
    }

    fn session(elapsed_s: u64, done: u64, concurrency: usize, not_begun: u64) -> Session {
        Session { elapsed: Duration::from_secs(elapsed_s), done, concurrency, not_begun }
    }

    #[test]
    fn the_time_left_counts_games_in_play() {
        let check = |session: Session, ages: &[u64], expected: Option<f64>| {
            let found = session.seconds_left(&playing(ages));
            assert_eq!(found, expected, "{session:?} {ages:?}");
        };
        check(session(100, 0, 1, 5), &[100], None);
        // Ten games of 10 s each; four games are left.
        check(session(100, 10, 1, 4), &[], Some(40.0));
        check(session(50, 10, 2, 4), &[], Some(20.0));
        // One of the games has lasted 4 s and needs 6 s more.
        check(session(104, 10, 1, 3), &[4], Some(36.0));
        // The last game has lasted 90 s, where the others took 10 s.
        check(session(190, 10, 1, 0), &[90], Some(45.0));
        // Others go on beside it.
        check(session(100, 11, 2, 10), &[90, 0], Some(77.5));
        check(session(100, 11, 2, 0), &[90, 0], Some(45.0));
    }

    #[test]
    fn a_game_of_ten_times_the_mean_is_long() {
        let check = |session: Session, ages: &[u64], expected: Option<(u32, f64, f64)>| {
            let found = session.long_game(&playing(ages));
            let found = found.map(|it| (it.pair, it.seconds, it.mean_seconds));
            assert_eq!(found, expected, "{session:?} {ages:?}");
        };
        check(session(200, 10, 1, 0), &[100], Some((0, 100.0, 10.0)));
        check(session(199, 10, 1, 0), &[99], None);
        check(session(100, 10, 2, 0), &[3, 100], Some((1, 100.0, 9.7)));
        check(session(100, 0, 1, 9), &[100], None);
        // Games of milliseconds are not worth a line.
        check(session(10, 1000, 1, 9), &[9], None);
        check(session(1, 1, 1, 9), &[], None);
    }

    #[test]
    fn games_are_seen_from_their_first_moment_on() {
        let (mut pace, begin) = (Pace::default(), Instant::now());
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut check = |keys: &[u32], seconds: u64, expected: &[u64]| {
            let ages = pace.update(keys.iter().map(|pair| key(*pair)), at(seconds));
            let ages: Vec<u64> = ages.into_iter().map(|(_, age)| age.as_secs()).collect();
            assert_eq!(ages, expected);
        };
        check(&[1, 2], 0, &[0, 0]);
        check(&[1, 3], 5, &[5, 0]);
        check(&[3], 9, &[4]);
        check(&[1, 3], 10, &[0, 5]);
        check(&[], 11, &[]);
    }
}
