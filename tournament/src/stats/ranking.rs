//! Rankings: points, then tie-breaks in an order that the organiser chooses. Integers only, so that
//! no rank depends on rounding.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cross_table::CrossTable;

/// A criterion that decides between players with equal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The points against the players that are level so far.
    HeadToHead,
    /// Buchholz: the points of all opponents, half of them for each game against them.
    Buchholz,
    /// Sonneborn–Berger: the points of each opponent times the points won against that opponent.
    SonnebornBerger,
    /// The number of games won.
    Wins,
}

/// A player's rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankedPlayer {
    /// The rank, from 1. Players that are level in everything share the better rank.
    pub rank: u32,
    /// The number of the player.
    pub player: u32,
    /// Twice the points, including byes.
    pub half_points: u64,
    /// The value of each tie-break in quarters of a point; for `Wins` the number of games.
    pub tie_breaks: Vec<u64>,
}

/// Ranks these players. `byes` are half points without a game. They count as points of the player,
/// also where the player is an opponent, but a bye is not an opponent itself.
pub fn rank_players(
    table: &CrossTable,
    players: &[u32],
    byes: &BTreeMap<u32, u64>,
    tie_breaks: &[TieBreak],
) -> Vec<RankedPlayer> {
    let half_points =
        |player: u32| table.total(player).half_points() + byes.get(&player).copied().unwrap_or(0);
    let points: BTreeMap<u32, u64> = players
        .iter()
        .chain(&table.players().collect::<Vec<_>>())
        .map(|p| (*p, half_points(*p)))
        .collect();
    let mut ranks: Vec<RankedPlayer> = players
        .iter()
        .map(|player| RankedPlayer {
            rank: 1,
            player: *player,
            half_points: points[player],
            tie_breaks: Vec::new(),
        })
        .collect();
    for tie_break in tie_breaks {
        let level: Vec<Vec<u32>> = ranks.iter().map(|rank| level_with(rank, &ranks)).collect();
        for (rank, level) in ranks.iter_mut().zip(level) {
            rank.tie_breaks.push(value(*tie_break, rank.player, &level, table, &points));
        }
    }
    ranks.sort_by(|a, b| {
        (b.half_points, &b.tie_breaks)
            .cmp(&(a.half_points, &a.tie_breaks))
            .then(a.player.cmp(&b.player))
    });
    for next in 1..ranks.len() {
        let (before, rank) = (&ranks[next - 1], &ranks[next]);
        let level =
            (before.half_points, &before.tie_breaks) == (rank.half_points, &rank.tie_breaks);
        ranks[next].rank = if level { before.rank } else { next as u32 + 1 };
    }
    ranks
}

/// The players that are level with one by the criteria so far.
fn level_with(rank: &RankedPlayer, ranks: &[RankedPlayer]) -> Vec<u32> {
    let level = |other: &&RankedPlayer| {
        (other.half_points, &other.tie_breaks) == (rank.half_points, &rank.tie_breaks)
    };
    ranks.iter().filter(level).map(|other| other.player).collect()
}

fn value(
    tie_break: TieBreak,
    player: u32,
    level: &[u32],
    table: &CrossTable,
    points: &BTreeMap<u32, u64>,
) -> u64 {
    let met = points.iter().filter_map(|(other, theirs)| {
        table.head_to_head(player, *other).map(|head_to_head| (*other, *theirs, head_to_head))
    });
    match tie_break {
        TieBreak::HeadToHead => met
            .filter(|(other, ..)| level.contains(other))
            .map(|(.., head_to_head)| 2 * head_to_head.games().half_points())
            .sum(),
        TieBreak::Buchholz => {
            met.map(|(_, theirs, head_to_head)| theirs * head_to_head.games().games()).sum()
        }
        TieBreak::SonnebornBerger => {
            met.map(|(_, theirs, head_to_head)| theirs * head_to_head.games().half_points()).sum()
        }
        TieBreak::Wins => table.total(player).wins,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cross_table::PairResult;
    use super::*;

    /// A cross table of pairs: the players, and the half points of the first player's two games.
    fn table(pairs: &[(u32, u32, [u8; 2])]) -> CrossTable {
        let mut table = CrossTable::default();
        for (a, b, half_points) in pairs {
            table.add(&PairResult::of_two([*a, *b], 0, *half_points));
        }
        table
    }

    /// Checks the ranking as `rank player half-points tie-breaks`.
    fn check(table: &CrossTable, byes: &[(u32, u64)], tie_breaks: &[TieBreak], expected: &[&str]) {
        let players: Vec<u32> = table.players().collect();
        let found: Vec<String> =
            rank_players(table, &players, &byes.iter().copied().collect(), tie_breaks)
                .into_iter()
                .map(|rank| {
                    format!(
                        "{} {} {} {:?}",
                        rank.rank, rank.player, rank.half_points, rank.tie_breaks
                    )
                })
                .collect();
        assert_eq!(found, expected, "{tie_breaks:?}");
    }

    #[test]
    fn the_example_of_senseis_library() {
        // Source: senseis.xmp.net/?SonnebornBerger: A to D, two games each. A has 4 points and 11,
        // B 4 and 9, C 3 and 6, D 1 and 4.
        let table = table(&[
            (0, 1, [2, 0]),
            (0, 2, [2, 2]),
            (0, 3, [2, 0]),
            (1, 2, [2, 0]),
            (1, 3, [2, 2]),
            (2, 3, [2, 2]),
        ]);
        let sonneborn = ["1 0 8 [44]", "2 1 8 [36]", "3 2 6 [24]", "4 3 2 [16]"];
        check(&table, &[], &[TieBreak::SonnebornBerger], &sonneborn);
        check(&table, &[], &[], &["1 0 8 []", "1 1 8 []", "3 2 6 []", "4 3 2 []"]);
        // A and B won one game each against each other: still level. C has no level opponent, so
        // its value is 0.
        let head = ["1 0 8 [4]", "1 1 8 [4]", "3 2 6 [0]", "4 3 2 [0]"];
        check(&table, &[], &[TieBreak::HeadToHead], &head);
        let both = ["1 0 8 [4, 44]", "2 1 8 [4, 36]", "3 2 6 [0, 24]", "4 3 2 [0, 16]"];
        check(&table, &[], &[TieBreak::HeadToHead, TieBreak::SonnebornBerger], &both);
        check(
            &table,
            &[],
            &[TieBreak::Wins],
            &["1 0 8 [4]", "1 1 8 [4]", "3 2 6 [3]", "4 3 2 [1]"],
        );
        // All players met each other: the points of the others, doubled twice.
        let buchholz = ["1 0 8 [32]", "1 1 8 [32]", "3 2 6 [36]", "4 3 2 [44]"];
        check(&table, &[], &[TieBreak::Buchholz], &buchholz);
    }

    #[test]
    fn head_to_head_counts_games_among_level_players() {
        // All three have 4 half points, so all games count and nothing is decided.
        let table = table(&[(0, 1, [1, 0]), (0, 2, [2, 1]), (1, 2, [1, 0])]);
        let level = ["1 0 4 [8]", "1 1 4 [8]", "1 2 4 [8]"];
        check(&table, &[], &[TieBreak::HeadToHead], &level);
        // With a bye player 2 is no longer level, and the pair of 0 and 1 decides.
        check(&table, &[(2, 4)], &[TieBreak::HeadToHead], &["1 2 8 [0]", "2 1 4 [6]", "3 0 4 [2]"]);
    }
}
