//! Who stands where: points, then tie-breaks in an order that the organiser chose. Whole numbers
//! only, so that no place depends on rounding. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::table::Tables;

/// What decides between players with the same points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// Points against those who are level with one so far.
    HeadToHead,
    /// The points of all opponents, half of them for each game against them.
    Buchholz,
    /// The points of each opponent times those that were won against him (Sonneborn–Berger).
    SonnebornBerger,
    /// Games won.
    Wins,
}

/// A player's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rank {
    /// From 1; whoever is level in everything shares the better one.
    pub place: u32,
    /// Who.
    pub player: u32,
    /// Twice the points, byes among them.
    pub half_points: u64,
    /// Each tie-break in quarters of a point; of `Wins`, games.
    pub ties: Vec<u64>,
}

/// The places of these players. `byes` are half points without a game; they count as points of the
/// player and of an opponent, and are no opponent themselves.
pub fn ranking(
    tables: &Tables,
    players: &[u32],
    byes: &BTreeMap<u32, u64>,
    ties: &[TieBreak],
) -> Vec<Rank> {
    let half_points =
        |player: u32| tables.total(player).half_points() + byes.get(&player).copied().unwrap_or(0);
    let points: BTreeMap<u32, u64> = players
        .iter()
        .chain(&tables.players().collect::<Vec<_>>())
        .map(|p| (*p, half_points(*p)))
        .collect();
    let mut ranks: Vec<Rank> = players
        .iter()
        .map(|player| Rank {
            place: 1,
            player: *player,
            half_points: points[player],
            ties: Vec::new(),
        })
        .collect();
    for tie in ties {
        let level: Vec<Vec<u32>> = ranks.iter().map(|rank| level_with(rank, &ranks)).collect();
        for (rank, level) in ranks.iter_mut().zip(level) {
            rank.ties.push(value(*tie, rank.player, &level, tables, &points));
        }
    }
    ranks.sort_by(|a, b| {
        (b.half_points, &b.ties).cmp(&(a.half_points, &a.ties)).then(a.player.cmp(&b.player))
    });
    for next in 1..ranks.len() {
        let (before, rank) = (&ranks[next - 1], &ranks[next]);
        let level = (before.half_points, &before.ties) == (rank.half_points, &rank.ties);
        ranks[next].place = if level { before.place } else { next as u32 + 1 };
    }
    ranks
}

/// Who cannot be told apart from one by what was compared so far.
fn level_with(rank: &Rank, ranks: &[Rank]) -> Vec<u32> {
    let level = |other: &&Rank| (other.half_points, &other.ties) == (rank.half_points, &rank.ties);
    ranks.iter().filter(level).map(|other| other.player).collect()
}

fn value(
    tie: TieBreak,
    player: u32,
    level: &[u32],
    tables: &Tables,
    points: &BTreeMap<u32, u64>,
) -> u64 {
    let met = points.iter().filter_map(|(other, theirs)| {
        tables.meeting(player, *other).map(|meeting| (*other, *theirs, meeting))
    });
    match tie {
        TieBreak::HeadToHead => met
            .filter(|(other, ..)| level.contains(other))
            .map(|(.., meeting)| 2 * meeting.games().half_points())
            .sum(),
        TieBreak::Buchholz => {
            met.map(|(_, theirs, meeting)| theirs * meeting.games().games()).sum()
        }
        TieBreak::SonnebornBerger => {
            met.map(|(_, theirs, meeting)| theirs * meeting.games().half_points()).sum()
        }
        TieBreak::Wins => tables.total(player).wins,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::PlayedPair;
    use super::*;

    /// Pairs: the players, and the half points of the first one's two games.
    fn tables(pairs: &[(u32, u32, [u8; 2])]) -> Tables {
        let mut tables = Tables::default();
        for (a, b, half_points) in pairs {
            tables.add(&PlayedPair { players: [*a, *b], opening: 0, half_points: *half_points });
        }
        tables
    }

    /// `place player half-points ties`
    fn check(tables: &Tables, byes: &[(u32, u64)], ties: &[TieBreak], expected: &[&str]) {
        let players: Vec<u32> = tables.players().collect();
        let found: Vec<String> = ranking(tables, &players, &byes.iter().copied().collect(), ties)
            .into_iter()
            .map(|rank| {
                format!("{} {} {} {:?}", rank.place, rank.player, rank.half_points, rank.ties)
            })
            .collect();
        assert_eq!(found, expected, "{ties:?}");
    }

    #[test]
    fn the_example_of_senseis_library() {
        // senseis.xmp.net/?SonnebornBerger: A to D, two games each; A 4 points and 11, B 4 and 9,
        // C 3 and 6, D 1 and 4.
        let tables = tables(&[
            (0, 1, [2, 0]),
            (0, 2, [2, 2]),
            (0, 3, [2, 0]),
            (1, 2, [2, 0]),
            (1, 3, [2, 2]),
            (2, 3, [2, 2]),
        ]);
        let sonneborn = ["1 0 8 [44]", "2 1 8 [36]", "3 2 6 [24]", "4 3 2 [16]"];
        check(&tables, &[], &[TieBreak::SonnebornBerger], &sonneborn);
        check(&tables, &[], &[], &["1 0 8 []", "1 1 8 []", "3 2 6 []", "4 3 2 []"]);
        // One game each between A and B: still level. C is alone with his points, and so has none.
        let head = ["1 0 8 [4]", "1 1 8 [4]", "3 2 6 [0]", "4 3 2 [0]"];
        check(&tables, &[], &[TieBreak::HeadToHead], &head);
        let both = ["1 0 8 [4, 44]", "2 1 8 [4, 36]", "3 2 6 [0, 24]", "4 3 2 [0, 16]"];
        check(&tables, &[], &[TieBreak::HeadToHead, TieBreak::SonnebornBerger], &both);
        check(
            &tables,
            &[],
            &[TieBreak::Wins],
            &["1 0 8 [4]", "1 1 8 [4]", "3 2 6 [3]", "4 3 2 [1]"],
        );
        // Everybody met everybody: the points of the others, doubled twice.
        let buchholz = ["1 0 8 [32]", "1 1 8 [32]", "3 2 6 [36]", "4 3 2 [44]"];
        check(&tables, &[], &[TieBreak::Buchholz], &buchholz);
    }

    #[test]
    fn head_to_head_is_among_those_who_are_level() {
        // All three have 4 half points, so all games count, and say nothing.
        let tables = tables(&[(0, 1, [1, 0]), (0, 2, [2, 1]), (1, 2, [1, 0])]);
        let level = ["1 0 4 [8]", "1 1 4 [8]", "1 2 4 [8]"];
        check(&tables, &[], &[TieBreak::HeadToHead], &level);
        // With a bye, 2 leaves them, and the pair of 0 and 1 decides.
        check(
            &tables,
            &[(2, 4)],
            &[TieBreak::HeadToHead],
            &["1 2 8 [0]", "2 1 4 [6]", "3 0 4 [2]"],
        );
    }
}
