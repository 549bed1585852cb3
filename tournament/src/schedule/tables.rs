//! Puts players at tables of more than two: all sets for a round robin, and tables of players of
//! similar rank for a Swiss system. Pairs have planners of their own.

use std::collections::BTreeMap;

use sandboard_games::splitmix::SplitMix64;

use super::players::Players;

/// How often each two players have met, the lower number first.
pub(super) type Meetings = BTreeMap<[u32; 2], u32>;

/// Counts a meeting of each two of these players.
pub(super) fn add_meeting(met: &mut Meetings, players: &[u32]) {
    for (index, a) in players.iter().enumerate() {
        for b in &players[index + 1..] {
            *met.entry([*a.min(b), *a.max(b)]).or_default() += 1;
        }
    }
}

/// How often a player has met these others, added up.
pub(super) fn times_met(met: &Meetings, player: u32, others: &[u32]) -> u32 {
    let times = |other: &u32| met.get(&[player.min(*other), player.max(*other)]).copied();
    others.iter().filter_map(times).sum()
}

/// The same players in ascending order.
pub(super) fn sorted(players: &[u32]) -> Players {
    let mut players = players.to_vec();
    players.sort_unstable();
    players.into_iter().collect()
}

/// All sets of `seats` of these players, each in ascending order.
pub(super) fn sets(players: &[u32], seats: usize) -> Vec<Players> {
    let mut sets = Vec::new();
    let mut set = Vec::with_capacity(seats);
    add_sets(players, seats, &mut set, &mut sets);
    sets
}

fn add_sets(players: &[u32], seats: usize, set: &mut Vec<u32>, sets: &mut Vec<Players>) {
    if set.len() == seats {
        return sets.push(set.iter().copied().collect());
    }
    let missing = seats - set.len();
    for (index, player) in players.iter().enumerate() {
        if players.len() - index < missing {
            break;
        }
        set.push(*player);
        add_sets(&players[index + 1..], seats, set, sets);
        set.pop();
    }
}

/// Tables for these sets in random order, each with its players in random order, in rounds in which
/// no player sits at two tables.
pub(super) fn rounds_of(mut sets: Vec<Players>, random: &mut SplitMix64) -> Vec<Vec<Players>> {
    random.shuffle(&mut sets);
    let mut rounds: Vec<Vec<Players>> = Vec::new();
    for set in sets {
        let mut players = set.to_vec();
        random.shuffle(&mut players);
        let table: Players = players.into_iter().collect();
        let is_busy = |other: &Players| other.iter().any(|player| table.contains(player));
        match rounds.last_mut().filter(|round| !round.iter().any(is_busy)) {
            Some(round) => round.push(table),
            None => rounds.push(vec![table]),
        }
    }
    rounds
}

/// Tables of players that are given in ranking order, and the players who have a bye, if their
/// number is not a multiple of the seats: those with the fewest byes, the lowest first. From the
/// top, each table gets the first player without one, and then those of the next players that the
/// table has met least often.
pub(super) fn ranked_tables(
    order: &[u32],
    byes: &BTreeMap<u32, u64>,
    met: &Meetings,
    seats: usize,
) -> (Vec<Players>, Vec<u32>) {
    let mut lowest: Vec<u32> = order.iter().rev().copied().collect();
    lowest.sort_by_key(|player| byes.get(player).copied().unwrap_or(0));
    lowest.truncate(order.len() % seats);
    let mut open: Vec<u32> =
        order.iter().filter(|player| !lowest.contains(player)).copied().collect();
    let mut tables = Vec::new();
    while open.len() >= seats {
        let mut table = vec![open.remove(0)];
        while table.len() < seats {
            // The next players: twice as many as a table has.
            let near = open.iter().take(2 * seats).enumerate();
            let Some((index, _)) =
                near.min_by_key(|(index, other)| (times_met(met, **other, &table), *index))
            else {
                break;
            };
            table.push(open.remove(index));
        }
        tables.push(table.into_iter().collect());
    }
    (tables, lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tables: &[Players]) -> String {
        let table =
            |table: &Players| table.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
        tables.iter().map(table).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn all_sets_are_listed_once() {
        let check = |players: u32, seats: usize, expected: &str| {
            let players: Vec<u32> = (0..players).collect();
            assert_eq!(text(&sets(&players, seats)), expected);
        };
        check(3, 3, "0-1-2");
        check(4, 3, "0-1-2 0-1-3 0-2-3 1-2-3");
        check(2, 3, "");
        check(3, 1, "0 1 2");
    }

    #[test]
    fn rounds_have_each_player_once() {
        let players: Vec<u32> = (0..8).collect();
        let rounds = rounds_of(sets(&players, 4), &mut SplitMix64::new(1));
        let mut seen: Vec<Players> = rounds.iter().flatten().map(|table| sorted(table)).collect();
        seen.sort();
        assert_eq!(seen, sets(&players, 4));
        for round in &rounds {
            let mut all: Vec<u32> = round.iter().flat_map(|table| table.to_vec()).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 4 * round.len());
        }
        assert!(rounds.iter().any(|round| round.len() == 2), "{rounds:?}");
        let again = rounds_of(sets(&players, 4), &mut SplitMix64::new(1));
        assert_eq!(rounds, again);
    }

    #[test]
    fn ranked_players_meet_new_players_nearby() {
        let check = |players: u32, byes: &[(u32, u64)], met: &[&[u32]], expected: &str| {
            let order: Vec<u32> = (0..players).collect();
            let mut meetings = Meetings::new();
            met.iter().for_each(|players| add_meeting(&mut meetings, players));
            let byes = byes.iter().copied().collect();
            let (tables, unpaired) = ranked_tables(&order, &byes, &meetings, 3);
            assert_eq!(format!("{} / {unpaired:?}", text(&tables)), expected);
        };
        check(6, &[], &[], "0-1-2 3-4-5 / []");
        // The lowest players without a bye get one.
        check(8, &[], &[], "0-1-2 3-4-5 / [7, 6]");
        check(7, &[(6, 1)], &[], "0-1-2 3-4-6 / [5]");
        // Players that have met before meet others of the next six.
        check(6, &[], &[&[0, 1, 2], &[3, 4, 5]], "0-3-1 2-4-5 / []");
        check(9, &[], &[&[0, 1, 2], &[3, 4, 5], &[6, 7, 8]], "0-3-6 1-4-7 2-5-8 / []");
        check(2, &[], &[], " / [1, 0]");
    }
}
