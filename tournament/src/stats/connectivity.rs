//! Finds the players that can be rated together: the strongly connected component of the graph
//! "took points from" (Ford's condition). Outside of it ratings would be infinite or undefined.

use std::collections::BTreeSet;

use super::cross_table::CrossTable;

/// How a player is connected to the rated component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// A member of the component.
    Rated,
    /// The player took points from the component but lost none to it.
    Above,
    /// The player lost points to the component but took none from it.
    Below,
    /// No points in either direction.
    Unconnected,
}

/// Returns the connection of each player to the rated component: the component of the reference,
/// else the one with the most games, and among equals the one with the first player. A single
/// player is only rated if it is the reference, since its rating would only compare it with itself.
pub(crate) fn connections(
    table: &CrossTable,
    players: &[u32],
    reference: Option<u32>,
) -> Vec<Connection> {
    let took_from = graph(table, players);
    let gave_to = reversed(&took_from);
    let mut component: Vec<Option<usize>> = vec![None; players.len()];
    let mut components: Vec<Vec<usize>> = Vec::new();
    for player in 0..players.len() {
        if component[player].is_none() {
            let (below, above) = (reachable(&took_from, &[player]), reachable(&gave_to, &[player]));
            let members: Vec<usize> = below.intersection(&above).copied().collect();
            members.iter().for_each(|member| component[*member] = Some(components.len()));
            components.push(members);
        }
    }
    let games = |members: &[usize]| -> u64 {
        let inside = |player: u32| members.iter().any(|member| players[*member] == player);
        let between_members = table.head_to_heads().filter(|([a, b], _)| inside(*a) && inside(*b));
        between_members.map(|(_, head_to_head)| head_to_head.games().games()).sum()
    };
    let reference = reference.and_then(|it| players.iter().position(|player| *player == it));
    let main = match reference.and_then(|player| component[player]) {
        Some(component) => component,
        // Among equals the first: `max_by_key` keeps the last.
        None => match (0..components.len()).rev().max_by_key(|it| games(&components[*it])) {
            Some(component) => component,
            None => return Vec::new(),
        },
    };
    let (below, above) =
        (reachable(&took_from, &components[main]), reachable(&gave_to, &components[main]));
    let is_single = components[main].len() == 1 && reference.is_none();
    let others = || (0..players.len()).filter(|player| component[*player] != Some(main));
    let main_connection = match (others().next().is_some(), is_single) {
        (_, false) => Connection::Rated,
        (true, _) if others().all(|player| below.contains(&player)) => Connection::Above,
        (true, _) if others().all(|player| above.contains(&player)) => Connection::Below,
        // Without a rated component no player is above or below it.
        _ => return vec![Connection::Unconnected; players.len()],
    };
    (0..players.len())
        .map(|player| {
            match (
                component[player] == Some(main),
                above.contains(&player),
                below.contains(&player),
            ) {
                (true, ..) => main_connection,
                (_, true, _) => Connection::Above,
                (_, _, true) => Connection::Below,
                _ => Connection::Unconnected,
            }
        })
        .collect()
}

/// The players from whom each player took points, as indices into `players`.
fn graph(table: &CrossTable, players: &[u32]) -> Vec<Vec<usize>> {
    let mut took_from = vec![Vec::new(); players.len()];
    let index = |player: u32| players.iter().position(|it| *it == player);
    for ([a, b], head_to_head) in table.head_to_heads() {
        let (Some(a), Some(b)) = (index(a), index(b)) else { continue };
        let games = head_to_head.games();
        if games.half_points() > 0 {
            took_from[a].push(b);
        }
        if games.reversed().half_points() > 0 {
            took_from[b].push(a);
        }
    }
    took_from
}

fn reversed(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); graph.len()];
    for (from, all) in graph.iter().enumerate() {
        all.iter().for_each(|to| reversed[*to].push(from));
    }
    reversed
}

/// All vertices that are reachable from these, including these.
fn reachable(graph: &[Vec<usize>], from: &[usize]) -> BTreeSet<usize> {
    let mut reachable: BTreeSet<usize> = from.iter().copied().collect();
    let mut open = from.to_vec();
    while let Some(next) = open.pop() {
        for to in &graph[next] {
            if reachable.insert(*to) {
                open.push(*to);
            }
        }
    }
    reachable
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the connections, as letters, after pairs given by the half points of their first
    /// player.
    fn check(pairs: &[(u32, u32, u8)], reference: Option<u32>, expected: &str) {
        let table = CrossTable::of_half_points(pairs);
        let players: Vec<u32> = (0..expected.len() as u32).collect();
        let found: String = connections(&table, &players, reference)
            .into_iter()
            .map(|connection| match connection {
                Connection::Rated => 'i',
                Connection::Above => '+',
                Connection::Below => '-',
                Connection::Unconnected => '?',
            })
            .collect();
        assert_eq!(found, expected, "{pairs:?} {reference:?}");
    }

    #[test]
    fn connections_of_players() {
        check(&[], None, "");
        // A single player without a reference is not rated.
        check(&[], None, "?");
        check(&[], None, "??");
        check(&[], Some(0), "i?");
        check(&[(0, 1, 2)], None, "ii");
        check(&[(0, 1, 4)], None, "+-");
        check(&[(0, 1, 0)], None, "-+");
        check(&[(0, 1, 4)], None, "???");
        check(&[(0, 1, 4), (0, 2, 4)], None, "+--");
        check(&[(0, 1, 4)], Some(1), "+i");
        // A cycle of wins connects players, a chain does not.
        check(&[(0, 1, 4), (1, 2, 4), (2, 0, 4)], None, "iii");
        check(&[(0, 1, 3), (1, 2, 4), (0, 2, 4)], None, "ii-");
        check(&[(0, 1, 3), (2, 1, 4), (2, 3, 1), (3, 1, 4)], None, "ii++");
        // Two components: the one with more games, or the one with the reference.
        check(&[(0, 1, 3), (2, 3, 1), (2, 3, 1)], None, "??ii");
        check(&[(0, 1, 3), (2, 3, 1), (2, 3, 1)], Some(0), "ii??");
        // Player 3 only beat a player below the component: it is not connected.
        check(&[(0, 1, 2), (1, 2, 4), (3, 2, 4)], None, "ii-?");
        // A reference outside the player list is ignored.
        check(&[(0, 1, 3)], Some(9), "ii");
    }
}
