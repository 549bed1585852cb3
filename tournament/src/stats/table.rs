//! Everything that is counted over the pairs of a tournament: who did what against whom, with
//! which seat, from which opening. Sums only, so that nothing depends on the order of the pairs; a
//! filter is a choice of the pairs that are added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::score::Tally;

/// A pair that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedPair {
    /// Who played, by number; two different ones.
    pub players: [u32; 2],
    /// What both games began with.
    pub opening: u32,
    /// Half points of the first player, 0 to 2: in the game in which it had the first seat, and in
    /// the one in which it had the second.
    pub half_points: [u8; 2],
}

/// All games of two players against each other, as one of them sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// Games in which it had the first seat.
    pub first_seat: Tally,
    /// Games in which it had the second.
    pub second_seat: Tally,
    /// Pairs by the half points that they brought, 0 to 4.
    pub pairs: [u64; 5],
}

/// What an opening did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningRow {
    /// Games as the one with the first seat sees them, whoever that was.
    pub first_seat: Tally,
    /// Pairs by how far they were from even, in half points: shared evenly, by one, by two. An opening
    /// whose pairs are all even tells no two players apart.
    pub pairs_by_margin: [u64; 3],
}

/// The tables of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// By players, the lower number first, as that one sees it.
    meetings: BTreeMap<[u32; 2], Meeting>,
    openings: BTreeMap<u32, OpeningRow>,
    seats: BTreeMap<u32, [Tally; 2]>,
}

impl Meeting {
    /// The same games as the opponent sees them.
    pub fn turned(self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self { first_seat: self.second_seat.turned(), second_seat: self.first_seat.turned(), pairs }
    }

    /// All games.
    pub fn games(&self) -> Tally {
        self.first_seat.and(self.second_seat)
    }

    /// How many games have no twin.
    pub fn games_alone(&self) -> u64 {
        self.games().games().saturating_sub(2 * self.pairs_played())
    }

    /// How many pairs.
    pub fn pairs_played(&self) -> u64 {
        self.pairs.iter().sum()
    }
}

impl Tables {
    /// Counts a pair. One of a player against himself does not count.
    pub fn add(&mut self, pair: &PlayedPair) {
        let [a, b] = pair.players;
        let [first, second] = pair.half_points.map(|half_points| half_points.min(2));
        if a == b {
            return;
        }
        let mut meeting = Meeting::default();
        meeting.first_seat.add(first);
        meeting.second_seat.add(second);
        meeting.pairs[usize::from(first + second)] = 1;
        let (key, seen) = if a < b { ([a, b], meeting) } else { ([b, a], meeting.turned()) };
        let sum = self.meetings.entry(key).or_default();
        sum.first_seat = sum.first_seat.and(seen.first_seat);
        sum.second_seat = sum.second_seat.and(seen.second_seat);
        for (sum, seen) in sum.pairs.iter_mut().zip(seen.pairs) {
            *sum += seen;
        }

        let opening = self.openings.entry(pair.opening).or_default();
        opening.first_seat.add(first);
        opening.first_seat.add(2 - second);
        opening.pairs_by_margin[usize::from((first + second).abs_diff(2))] += 1;

        for (player, first, second) in [(a, first, second), (b, 2 - second, 2 - first)] {
            let [first_seat, second_seat] = self.seats.entry(player).or_default();
            first_seat.add(first);
            second_seat.add(second);
        }
    }

    /// Counts a game that has no twin, by the half points of the first player, who had the first seat.
    /// It is of no opening, and of no pair.
    pub fn add_game(&mut self, players: [u32; 2], half_points: u8) {
        let [a, b] = players;
        let half_points = half_points.min(2);
        if a == b {
            return;
        }
        let meeting = self.meetings.entry([a.min(b), a.max(b)]).or_default();
        if a < b {
            meeting.first_seat.add(half_points);
        } else {
            meeting.second_seat.add(2 - half_points);
        }
        self.seats.entry(a).or_default()[0].add(half_points);
        self.seats.entry(b).or_default()[1].add(2 - half_points);
    }

    /// The games of two players, as the first one sees them; none where they did not meet.
    pub fn meeting(&self, player: u32, opponent: u32) -> Option<Meeting> {
        let meeting = self.meetings.get(&[player.min(opponent), player.max(opponent)]).copied();
        if player < opponent { meeting } else { meeting.map(Meeting::turned) }
    }

    /// All meetings, the player with the lower number first.
    pub fn meetings(&self) -> impl Iterator<Item = ([u32; 2], &Meeting)> {
        self.meetings.iter().map(|(players, meeting)| (*players, meeting))
    }

    /// Who played, in order.
    pub fn players(&self) -> impl Iterator<Item = u32> + '_ {
        self.seats.keys().copied()
    }

    /// A player's games by seat; none of somebody who played none.
    pub fn by_seat(&self, player: u32) -> [Tally; 2] {
        self.seats.get(&player).copied().unwrap_or_default()
    }

    /// All games of a player.
    pub fn total(&self, player: u32) -> Tally {
        let [first, second] = self.by_seat(player);
        first.and(second)
    }

    /// What the openings did, in order.
    pub fn openings(&self) -> impl Iterator<Item = (u32, &OpeningRow)> {
        self.openings.iter().map(|(opening, row)| (*opening, row))
    }
}

#[cfg(test)]
impl Tables {
    /// Pairs of which the first player took so many half points, for the tests of others.
    pub(super) fn of_half_points(pairs: &[(u32, u32, u8)]) -> Self {
        let mut tables = Self::default();
        for (a, b, half_points) in pairs {
            let first = (*half_points).min(2);
            let half_points = [first, half_points - first];
            tables.add(&PlayedPair { players: [*a, *b], opening: 0, half_points });
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(a: u32, b: u32, opening: u32, half_points: [u8; 2]) -> PlayedPair {
        PlayedPair { players: [a, b], opening, half_points }
    }

    fn sum(pairs: &[PlayedPair]) -> Tables {
        let mut tables = Tables::default();
        pairs.iter().for_each(|pair| tables.add(pair));
        tables
    }

    fn text(tally: Tally) -> String {
        format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses)
    }

    /// As `player` sees `opponent`: first seat, second seat, pairs.
    fn check(pairs: &[PlayedPair], players: [u32; 2], expected: Option<&str>) {
        let seen = sum(pairs).meeting(players[0], players[1]).map(|meeting| {
            let [first, second] = [meeting.first_seat, meeting.second_seat].map(text);
            format!("{first} / {second} {:?}", meeting.pairs)
        });
        assert_eq!(seen.as_deref(), expected, "{pairs:?} {players:?}");
    }

    #[test]
    fn meetings_are_seen_from_both_sides() {
        let pairs = [pair(1, 0, 5, [2, 1]), pair(0, 1, 6, [2, 2]), pair(0, 2, 5, [0, 0])];
        check(&pairs, [0, 1], Some("+1 =1 -0 / +1 =0 -1 [0, 1, 0, 0, 1]"));
        check(&pairs, [1, 0], Some("+1 =0 -1 / +0 =1 -1 [1, 0, 0, 1, 0]"));
        check(&pairs, [2, 0], Some("+1 =0 -0 / +1 =0 -0 [0, 0, 0, 0, 1]"));
        check(&pairs, [1, 2], None);
        check(&[pair(3, 3, 0, [2, 2])], [3, 3], None);
    }

    #[test]
    fn openings_and_seats() {
        let tables = sum(&[pair(1, 0, 5, [2, 1]), pair(0, 1, 6, [2, 2]), pair(0, 2, 5, [0, 2])]);
        let rows: Vec<_> = tables
            .openings()
            .map(|(opening, row)| {
                format!("{opening} {} {:?}", text(row.first_seat), row.pairs_by_margin)
            })
            .collect();
        // A split pair, one game each, is even.
        assert_eq!(rows, ["5 +1 =1 -2 [1, 1, 0]", "6 +1 =0 -1 [0, 0, 1]"]);
        assert_eq!(tables.by_seat(0).map(text), ["+1 =1 -1", "+2 =0 -1"]);
        assert_eq!(text(tables.total(2)), "+1 =0 -1");
        assert_eq!(text(tables.total(9)), "+0 =0 -0");
    }

    #[test]
    fn games_without_a_twin() {
        let mut tables = sum(&[pair(0, 1, 5, [2, 1])]);
        tables.add_game([1, 0], 2);
        tables.add_game([0, 1], 1);
        tables.add_game([1, 1], 2);
        let seen = tables.meeting(0, 1).unwrap();
        assert_eq!([seen.first_seat, seen.second_seat].map(text), ["+1 =1 -0", "+0 =1 -1"]);
        assert_eq!((seen.pairs, seen.games_alone()), ([0, 0, 0, 1, 0], 2));
        assert_eq!(tables.by_seat(1).map(text), ["+1 =1 -0", "+0 =1 -1"]);
        assert_eq!(tables.openings().map(|(_, row)| row.first_seat.games()).sum::<u64>(), 2);
    }

    fn pairs() -> impl Strategy<Value = Vec<PlayedPair>> {
        let pair = (0..5_u32, 0..5_u32, 0..3_u32, [0..3_u8, 0..3_u8]).prop_map(
            |(a, b, opening, half_points)| PlayedPair { players: [a, b], opening, half_points },
        );
        proptest::collection::vec(pair, 0..40)
    }

    proptest! {
        /// Counted anew from the list, and in any order.
        #[test]
        fn sums_are_those_of_the_list(pairs in pairs(), seed in any::<u64>()) {
            let tables = sum(&pairs);
            let real: Vec<_> = pairs.iter().filter(|p| p.players[0] != p.players[1]).collect();
            for player in 0..5 {
                let won = |p: &&&PlayedPair| {
                    let [first, second] = p.half_points;
                    if p.players[0] == player { u64::from(first + second) }
                    else if p.players[1] == player { u64::from(4 - first - second) } else { 0 }
                };
                let half_points: u64 = real.iter().map(|p| won(&p)).sum();
                prop_assert_eq!(tables.total(player).half_points(), half_points);
                let played = real.iter().filter(|p| p.players.contains(&player)).count() as u64;
                prop_assert_eq!(tables.total(player).games(), 2 * played);
                let met: u64 = (0..5).filter_map(|other| tables.meeting(player, other)).map(|m| m.pairs_played()).sum();
                prop_assert_eq!(met, played);
            }
            let of_openings: u64 = tables.openings().map(|(_, row)| row.first_seat.games()).sum();
            prop_assert_eq!(of_openings, 2 * real.len() as u64);
            let mut other = pairs.clone();
            crate::seed::Stream::new(seed).shuffle(&mut other);
            prop_assert_eq!(sum(&other), tables);
        }
    }
}
