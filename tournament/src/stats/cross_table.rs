//! The cross table of a tournament: results by opponent, seat and opening. Sums only, so that the
//! order of the pairs does not matter. To filter, add only the selected pairs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::score::Tally;

/// The result of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairResult {
    /// The numbers of the players, which differ.
    pub players: [u32; 2],
    /// The opening of both games.
    pub opening: u32,
    /// The half points of the first player, 0 to 2, in the game in which it had the first seat and
    /// in the one in which it had the second.
    pub half_points: [u8; 2],
}

/// All games of two players against each other, from the view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadToHead {
    /// The games in which the player had the first seat.
    pub first_seat: Tally,
    /// The games in which the player had the second seat.
    pub second_seat: Tally,
    /// The number of pairs by their half points, 0 to 4.
    pub pairs: [u64; 5],
}

/// The results of an opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningResults {
    /// The games from the view of the player in the first seat.
    pub first_seat: Tally,
    /// The number of pairs by their margin in half points: even, by one, by two. An opening whose
    /// pairs are all even does not separate players.
    pub pairs_by_margin: [u64; 3],
}

/// The cross table of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossTable {
    /// By players, the lower number first, from the view of that player.
    head_to_heads: BTreeMap<[u32; 2], HeadToHead>,
    openings: BTreeMap<u32, OpeningResults>,
    seats: BTreeMap<u32, [Tally; 2]>,
}

impl HeadToHead {
    /// The same games from the view of the opponent.
    pub fn reversed(self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self {
            first_seat: self.second_seat.reversed(),
            second_seat: self.first_seat.reversed(),
            pairs,
        }
    }

    /// All games of both seats.
    pub fn games(&self) -> Tally {
        self.first_seat.plus(self.second_seat)
    }

    /// The number of games outside complete pairs.
    pub(crate) fn single_games(&self) -> u64 {
        self.games().games().saturating_sub(2 * self.pair_count())
    }

    /// The number of pairs.
    pub(crate) fn pair_count(&self) -> u64 {
        self.pairs.iter().sum()
    }
}

impl CrossTable {
    /// Adds a pair. A pair of a player against itself is ignored.
    pub fn add(&mut self, pair: &PairResult) {
        let [a, b] = pair.players;
        let [first, second] = pair.half_points.map(|half_points| half_points.min(2));
        if a == b {
            return;
        }
        let mut head_to_head = HeadToHead::default();
        head_to_head.first_seat.add(first);
        head_to_head.second_seat.add(second);
        head_to_head.pairs[usize::from(first + second)] = 1;
        let (key, seen) =
            if a < b { ([a, b], head_to_head) } else { ([b, a], head_to_head.reversed()) };
        let sum = self.head_to_heads.entry(key).or_default();
        sum.first_seat = sum.first_seat.plus(seen.first_seat);
        sum.second_seat = sum.second_seat.plus(seen.second_seat);
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

    /// Adds a single game by the half points of the first player, who had the first seat. It
    /// belongs to no opening and no pair.
    pub fn add_game(&mut self, players: [u32; 2], half_points: u8) {
        let [a, b] = players;
        let half_points = half_points.min(2);
        if a == b {
            return;
        }
        let head_to_head = self.head_to_heads.entry([a.min(b), a.max(b)]).or_default();
        if a < b {
            head_to_head.first_seat.add(half_points);
        } else {
            head_to_head.second_seat.add(2 - half_points);
        }
        self.seats.entry(a).or_default()[0].add(half_points);
        self.seats.entry(b).or_default()[1].add(2 - half_points);
    }

    /// The games of two players from the view of the first; `None` if they did not meet.
    pub fn head_to_head(&self, player: u32, opponent: u32) -> Option<HeadToHead> {
        let head_to_head =
            self.head_to_heads.get(&[player.min(opponent), player.max(opponent)]).copied();
        if player < opponent { head_to_head } else { head_to_head.map(HeadToHead::reversed) }
    }

    /// All players' results against each other, the lower number first.
    pub fn head_to_heads(&self) -> impl Iterator<Item = ([u32; 2], &HeadToHead)> {
        self.head_to_heads.iter().map(|(players, head_to_head)| (*players, head_to_head))
    }

    /// The players with games, in ascending order.
    pub fn players(&self) -> impl Iterator<Item = u32> + '_ {
        self.seats.keys().copied()
    }

    /// The games of a player by seat; zeros for a player without games.
    pub fn by_seat(&self, player: u32) -> [Tally; 2] {
        self.seats.get(&player).copied().unwrap_or_default()
    }

    /// All games of a player.
    pub fn total(&self, player: u32) -> Tally {
        let [first, second] = self.by_seat(player);
        first.plus(second)
    }

    /// The results of the openings, in ascending order.
    pub fn openings(&self) -> impl Iterator<Item = (u32, &OpeningResults)> {
        self.openings.iter().map(|(opening, row)| (*opening, row))
    }
}

#[cfg(test)]
impl CrossTable {
    /// A cross table of pairs given by the half points of their first player, for tests.
    pub(super) fn of_half_points(pairs: &[(u32, u32, u8)]) -> Self {
        let mut table = Self::default();
        for (a, b, half_points) in pairs {
            let first = (*half_points).min(2);
            let half_points = [first, half_points - first];
            table.add(&PairResult { players: [*a, *b], opening: 0, half_points });
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(a: u32, b: u32, opening: u32, half_points: [u8; 2]) -> PairResult {
        PairResult { players: [a, b], opening, half_points }
    }

    fn sum(pairs: &[PairResult]) -> CrossTable {
        let mut table = CrossTable::default();
        pairs.iter().for_each(|pair| table.add(pair));
        table
    }

    fn text(tally: Tally) -> String {
        format!("+{} ={} -{}", tally.wins, tally.draws, tally.losses)
    }

    /// Checks the results of `players[0]` against `players[1]`: first seat, second seat, pairs.
    fn check(pairs: &[PairResult], players: [u32; 2], expected: Option<&str>) {
        let seen = sum(pairs).head_to_head(players[0], players[1]).map(|head_to_head| {
            let [first, second] = [head_to_head.first_seat, head_to_head.second_seat].map(text);
            format!("{first} / {second} {:?}", head_to_head.pairs)
        });
        assert_eq!(seen.as_deref(), expected, "{pairs:?} {players:?}");
    }

    #[test]
    fn results_are_mirrored_for_the_opponent() {
        let pairs = [pair(1, 0, 5, [2, 1]), pair(0, 1, 6, [2, 2]), pair(0, 2, 5, [0, 0])];
        check(&pairs, [0, 1], Some("+1 =1 -0 / +1 =0 -1 [0, 1, 0, 0, 1]"));
        check(&pairs, [1, 0], Some("+1 =0 -1 / +0 =1 -1 [1, 0, 0, 1, 0]"));
        check(&pairs, [2, 0], Some("+1 =0 -0 / +1 =0 -0 [0, 0, 0, 0, 1]"));
        check(&pairs, [1, 2], None);
        check(&[pair(3, 3, 0, [2, 2])], [3, 3], None);
    }

    #[test]
    fn results_by_opening_and_seat() {
        let table = sum(&[pair(1, 0, 5, [2, 1]), pair(0, 1, 6, [2, 2]), pair(0, 2, 5, [0, 2])]);
        let rows: Vec<_> = table
            .openings()
            .map(|(opening, row)| {
                format!("{opening} {} {:?}", text(row.first_seat), row.pairs_by_margin)
            })
            .collect();
        // A pair with one win each is even.
        assert_eq!(rows, ["5 +1 =1 -2 [1, 1, 0]", "6 +1 =0 -1 [0, 0, 1]"]);
        assert_eq!(table.by_seat(0).map(text), ["+1 =1 -1", "+2 =0 -1"]);
        assert_eq!(text(table.total(2)), "+1 =0 -1");
        assert_eq!(text(table.total(9)), "+0 =0 -0");
    }

    #[test]
    fn single_games_are_counted() {
        let mut table = sum(&[pair(0, 1, 5, [2, 1])]);
        table.add_game([1, 0], 2);
        table.add_game([0, 1], 1);
        table.add_game([1, 1], 2);
        let seen = table.head_to_head(0, 1).unwrap();
        assert_eq!([seen.first_seat, seen.second_seat].map(text), ["+1 =1 -0", "+0 =1 -1"]);
        assert_eq!((seen.pairs, seen.single_games()), ([0, 0, 0, 1, 0], 2));
        assert_eq!(table.by_seat(1).map(text), ["+1 =1 -0", "+0 =1 -1"]);
        assert_eq!(table.openings().map(|(_, row)| row.first_seat.games()).sum::<u64>(), 2);
    }

    fn pairs() -> impl Strategy<Value = Vec<PairResult>> {
        let pair = (0..5_u32, 0..5_u32, 0..3_u32, [0..3_u8, 0..3_u8]).prop_map(
            |(a, b, opening, half_points)| PairResult { players: [a, b], opening, half_points },
        );
        proptest::collection::vec(pair, 0..40)
    }

    proptest! {
        /// The sums equal those computed from the list, in any order.
        #[test]
        fn sums_match_the_list_of_pairs(pairs in pairs(), seed in any::<u64>()) {
            let table = sum(&pairs);
            let real: Vec<_> = pairs.iter().filter(|p| p.players[0] != p.players[1]).collect();
            for player in 0..5 {
                let won = |p: &&&PairResult| {
                    let [first, second] = p.half_points;
                    if p.players[0] == player { u64::from(first + second) }
                    else if p.players[1] == player { u64::from(4 - first - second) } else { 0 }
                };
                let half_points: u64 = real.iter().map(|p| won(&p)).sum();
                prop_assert_eq!(table.total(player).half_points(), half_points);
                let played = real.iter().filter(|p| p.players.contains(&player)).count() as u64;
                prop_assert_eq!(table.total(player).games(), 2 * played);
                let head_to_heads = (0..5).filter_map(|other| table.head_to_head(player, other));
                let met: u64 = head_to_heads.map(|it| it.pair_count()).sum();
                prop_assert_eq!(met, played);
            }
            let of_openings: u64 = table.openings().map(|(_, row)| row.first_seat.games()).sum();
            prop_assert_eq!(of_openings, 2 * real.len() as u64);
            let mut other = pairs.clone();
            sandboard_games::splitmix::SplitMix64::new(seed).shuffle(&mut other);
            prop_assert_eq!(sum(&other), table);
        }
    }
}
