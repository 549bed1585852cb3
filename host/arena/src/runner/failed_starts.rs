//! Counts how often the engine of a player failed to start in a row. A pure value.

use std::collections::BTreeMap;

/// After this many games in a row, a player's engine is taken for one that never starts.
pub(super) const FAILED_STARTS_MAX: u32 = 3;

/// The failed starts of each player since its last successful one.
#[derive(Debug, Default)]
pub(super) struct FailedStarts(BTreeMap<u32, u32>);

impl FailedStarts {
    /// Records a finished game of these players. `failed`: the index of the player whose engine did
    /// not start. Returns the number of that player, if it has failed too often.
    pub(super) fn record(&mut self, players: &[u32], failed: Option<usize>) -> Option<u32> {
        let Some(failed) = failed else {
            for player in players {
                self.0.remove(player);
            }
            return None;
        };
        // Whether the engines of the others start is unknown.
        let player = *players.get(failed)?;
        let count = self.0.entry(player).or_default();
        *count += 1;
        (*count >= FAILED_STARTS_MAX).then_some(player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each game is two players, followed by `!` if the engine of the second one does not start.
    /// Expected: the player that is found, and after how many games.
    fn check(games: &str, expected: Option<(u32, usize)>) {
        let mut failed_starts = FailedStarts::default();
        let record = |(game, played): (&str, usize)| {
            let players = [0, 1].map(|index| u32::from(game.as_bytes()[index] - b'0'));
            let failed = game.ends_with('!').then_some(1);
            Some((failed_starts.record(&players, failed)?, played))
        };
        assert_eq!(games.split(' ').zip(1..).find_map(record), expected, "{games}");
    }

    #[test]
    fn three_failed_starts_in_a_row_are_found() {
        check("01! 01! 01!", Some((1, 3)));
        check("01! 21! 34 31!", Some((1, 4)));
        check("01! 12! 12! 01!", None);
        check("01! 12! 12! 12!", Some((2, 4)));
        check("01! 01! 01 01! 01!", None);
        check("01! 01! 01 01! 01! 01!", Some((1, 6)));
        // A game in which the opponent does not start tells nothing about a player.
        check("01! 01! 12! 31!", Some((1, 4)));
    }
}
