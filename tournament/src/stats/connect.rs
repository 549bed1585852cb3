//! Who can be rated together: players between any two of whom points went both ways, be it by
//! others. Outside them a rating would be infinite, or anything at all. Pure.

use std::collections::BTreeSet;

use super::table::Tables;

/// How a player is connected with those who are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// One of them.
    Inside,
    /// Points went from them to the player only.
    Above,
    /// Points went from the player to them only.
    Below,
    /// None did.
    Apart,
}

/// The link of each player with the rated ones: those with the reference, else the group in
/// which most games were played, of equal ones the one that is named first. Whoever would be rated alone, and is no
/// reference, is not: its rating would only say that it is as strong as itself.
pub(crate) fn links(tables: &Tables, players: &[u32], reference: Option<u32>) -> Vec<Link> {
    let took = graph(tables, players);
    let gave = reversed(&took);
    let mut group: Vec<Option<usize>> = vec![None; players.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for player in 0..players.len() {
        if group[player].is_none() {
            let (down, up) = (reached(&took, &[player]), reached(&gave, &[player]));
            let members: Vec<usize> = down.intersection(&up).copied().collect();
            members.iter().for_each(|member| group[*member] = Some(groups.len()));
            groups.push(members);
        }
    }
    let games = |members: &[usize]| -> u64 {
        let inside = |player: u32| members.iter().any(|member| players[*member] == player);
        let of_them = tables.meetings().filter(|([a, b], _)| inside(*a) && inside(*b));
        of_them.map(|(_, meeting)| meeting.games().games()).sum()
    };
    let chosen = reference.and_then(|it| players.iter().position(|player| *player == it));
    let main = match chosen.and_then(|player| group[player]) {
        Some(group) => group,
        // Of equal ones the first: `max_by_key` keeps the last.
        None => match (0..groups.len()).rev().max_by_key(|group| games(&groups[*group])) {
            Some(group) => group,
            None => return Vec::new(),
        },
    };
    let (below, above) = (reached(&took, &groups[main]), reached(&gave, &groups[main]));
    let lone = groups[main].len() == 1 && chosen.is_none();
    let others = || (0..players.len()).filter(|player| group[*player] != Some(main));
    let of_main = match (others().next().is_some(), lone) {
        (_, false) => Link::Inside,
        (true, _) if others().all(|player| below.contains(&player)) => Link::Above,
        (true, _) if others().all(|player| above.contains(&player)) => Link::Below,
        // Nobody is rated, and so nobody is above or below those who are.
        _ => return vec![Link::Apart; players.len()],
    };
    (0..players.len())
        .map(|player| {
            match (group[player] == Some(main), above.contains(&player), below.contains(&player)) {
                (true, ..) => of_main,
                (_, true, _) => Link::Above,
                (_, _, true) => Link::Below,
                _ => Link::Apart,
            }
        })
        .collect()
}

/// From whom each player took points, by place in the list.
fn graph(tables: &Tables, players: &[u32]) -> Vec<Vec<usize>> {
    let mut took = vec![Vec::new(); players.len()];
    let place = |player: u32| players.iter().position(|it| *it == player);
    for ([a, b], meeting) in tables.meetings() {
        let (Some(a), Some(b)) = (place(a), place(b)) else { continue };
        let games = meeting.games();
        if games.half_points() > 0 {
            took[a].push(b);
        }
        if games.turned().half_points() > 0 {
            took[b].push(a);
        }
    }
    took
}

fn reversed(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); graph.len()];
    for (from, all) in graph.iter().enumerate() {
        all.iter().for_each(|to| reversed[*to].push(from));
    }
    reversed
}

/// Everybody who is reached from these, they among them.
fn reached(graph: &[Vec<usize>], from: &[usize]) -> BTreeSet<usize> {
    let mut reached: BTreeSet<usize> = from.iter().copied().collect();
    let mut open = from.to_vec();
    while let Some(next) = open.pop() {
        for to in &graph[next] {
            if reached.insert(*to) {
                open.push(*to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of which the first player took so many half points; links as letters.
    fn check(pairs: &[(u32, u32, u8)], reference: Option<u32>, expected: &str) {
        let tables = Tables::of_half_points(pairs);
        let players: Vec<u32> = (0..expected.len() as u32).collect();
        let found: String = links(&tables, &players, reference)
            .into_iter()
            .map(|link| match link {
                Link::Inside => 'i',
                Link::Above => '+',
                Link::Below => '-',
                Link::Apart => '?',
            })
            .collect();
        assert_eq!(found, expected, "{pairs:?} {reference:?}");
    }

    #[test]
    fn links_of_players() {
        check(&[], None, "");
        // Alone nobody is rated.
        check(&[], None, "?");
        check(&[], None, "??");
        check(&[], Some(0), "i?");
        check(&[(0, 1, 2)], None, "ii");
        check(&[(0, 1, 4)], None, "+-");
        check(&[(0, 1, 0)], None, "-+");
        check(&[(0, 1, 4)], None, "???");
        check(&[(0, 1, 4), (0, 2, 4)], None, "+--");
        check(&[(0, 1, 4)], Some(1), "+i");
        // A circle of wins connects, a chain does not.
        check(&[(0, 1, 4), (1, 2, 4), (2, 0, 4)], None, "iii");
        check(&[(0, 1, 3), (1, 2, 4), (0, 2, 4)], None, "ii-");
        check(&[(0, 1, 3), (2, 1, 4), (2, 3, 1), (3, 1, 4)], None, "ii++");
        // Two groups: the one with more games, the one with the reference.
        check(&[(0, 1, 3), (2, 3, 1), (2, 3, 1)], None, "??ii");
        check(&[(0, 1, 3), (2, 3, 1), (2, 3, 1)], Some(0), "ii??");
        // Beaten by one of them and never met the others: apart from nobody.
        check(&[(0, 1, 2), (1, 2, 4), (3, 2, 4)], None, "ii-?");
        // A reference that is not there is none.
        check(&[(0, 1, 3)], Some(9), "ii");
    }
}
