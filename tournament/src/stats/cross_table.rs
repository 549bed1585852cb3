//! The cross table of a tournament: results by opponent, seat and opening. Sums only, so that the
//! order of the pairs does not matter. To filter, add only the selected pairs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::score::Tally;
use crate::schedule::{Players, SeatList};

/// The result of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairResult {
    /// The numbers of the players, which differ.
    pub players: Players,
    /// The opening of all games.
    pub opening: u32,
    /// The half points of each player in each game: first by game, then in the order of the
    /// players. In the first game the players sit in their order; in each later one, every player
    /// sits one seat further.
    pub half_points: Vec<SeatList<u8>>,
}

impl PairResult {
    /// The result of two players, by the half points of the first, 0 to 2, in the game in which it
    /// had the first seat and in the one in which it had the second.
    pub fn of_two(players: [u32; 2], opening: u32, half_points: [u8; 2]) -> Self {
        let of_game = |own: u8| SeatList::from([own.min(2), 2 - own.min(2)]);
        Self { players: players.into(), opening, half_points: half_points.map(of_game).to_vec() }
    }

    /// The result of each two players of a game, as the first of them sees it.
    fn meetings(&self) -> impl Iterator<Item = Meeting> + '_ {
        let count = self.players.len();
        let is_valid = move |of_game: &&SeatList<u8>| of_game.len() == count;
        let games = self.half_points.iter().enumerate().filter(move |(_, it)| is_valid(it));
        games.flat_map(move |(game, of_game)| {
            let player = move |index: usize| (self.players[index], (index + game) % count);
            let two = (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]));
            two.map(move |[a, b]| Meeting {
                players: [player(a).0, player(b).0],
                seats: [player(a).1, player(b).1],
                half_points: match of_game[a].cmp(&of_game[b]) {
                    Ordering::Less => 0,
                    Ordering::Equal => 1,
                    Ordering::Greater => 2,
                },
            })
        })
    }
}

/// Two players of one game.
struct Meeting {
    players: [u32; 2],
    seats: [usize; 2],
    /// The half points of the first of them against the other, 0 to 2.
    half_points: u8,
}

/// All games of two players against each other, from the view of one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadToHead {
    /// The games in which the player had the first seat, or the earlier one of more than two.
    pub first_seat: Tally,
    /// The games in which the player had the second seat, or the later one.
    pub second_seat: Tally,
    /// The number of pairs by their half points, 0 to 4. Zeros if games have more than two players.
    pub pairs: [u64; 5],
}

/// The results of an opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningResults {
    /// The games from the view of the player in the first seat, against each of the others.
    pub first_seat: Tally,
    /// The number of pairs by their margin in half points: even, by one, by two. An opening whose
    /// pairs are all even does not separate players. Zeros if games have more than two players.
    pub pairs_by_margin: [u64; 3],
}

/// The cross table of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossTable {
    /// By players, the lower number first, from the view of that player.
    head_to_heads: BTreeMap<[u32; 2], HeadToHead>,
    openings: BTreeMap<u32, OpeningResults>,
    seats: BTreeMap<u32, Vec<Tally>>,
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
    /// Adds a pair. A pair in which a player meets itself is ignored. A game of more than two
    /// players counts as one game for each two of them.
    pub fn add(&mut self, pair: &PairResult) {
        let mut sorted = pair.players.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|two| two[0] == two[1]) {
            return;
        }
        let opening = self.openings.entry(pair.opening).or_default();
        for Meeting { players: [a, b], seats, half_points } in pair.meetings() {
            let sum = self.head_to_heads.entry([a.min(b), a.max(b)]).or_default();
            let lower_is_first = (a < b) == (seats[0] < seats[1]);
            let of_lower = if a < b { half_points } else { 2 - half_points };
            match lower_is_first {
                true => sum.first_seat.add(of_lower),
                false => sum.second_seat.add(of_lower),
            }
            let views = [(a, seats[0], half_points), (b, seats[1], 2 - half_points)];
            for (player, seat, half_points) in views {
                if seat == 0 {
                    opening.first_seat.add(half_points);
                }
                let of_player = self.seats.entry(player).or_default();
                if of_player.len() < pair.players.len() {
                    of_player.resize(pair.players.len(), Tally::default());
                }
                of_player[seat].add(half_points);
            }
        }
        let (Some([a, b]), [one, other]) = (pair.players.both(), &pair.half_points[..]) else {
            return;
        };
        let won = one.first().zip(other.first()).map_or(2, |(one, other)| one + other).min(4);
        opening.pairs_by_margin[usize::from(won.abs_diff(2))] += 1;
        let of_lower = if a < b { won } else { 4 - won };
        let sum = self.head_to_heads.entry([a.min(b), a.max(b)]).or_default();
        sum.pairs[usize::from(of_lower)] += 1;
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
        for (player, seat, half_points) in [(a, 0, half_points), (b, 1, 2 - half_points)] {
            let of_player = self.seats.entry(player).or_insert_with(|| vec![Tally::default(); 2]);
            of_player[seat].add(half_points);
        }
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

    /// The games of a player by seat; empty for a player without games.
    pub fn by_seat(&self, player: u32) -> &[Tally] {
        self.seats.get(&player).map_or(&[], Vec::as_slice)
    }

    /// All games of a player.
    pub fn total(&self, player: u32) -> Tally {
        self.by_seat(player).iter().fold(Tally::default(), |sum, seat| sum.plus(*seat))
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
            table.add(&PairResult::of_two([*a, *b], 0, half_points));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(a: u32, b: u32, opening: u32, half_points: [u8; 2]) -> PairResult {
        PairResult::of_two([a, b], opening, half_points)
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
        let seats = table.by_seat(0).iter().map(|seat| text(*seat)).collect::<Vec<_>>();
        assert_eq!(seats, ["+1 =1 -1", "+2 =0 -1"]);
        assert_eq!(table.by_seat(9), []);
        assert_eq!(text(table.total(2)), "+1 =0 -1");
        assert_eq!(text(table.total(9)), "+0 =0 -0");
    }

    #[test]
    fn games_of_three_count_for_each_two() {
        // In the order of the players; 7 wins the first game, 3 the second, and the third is a
        // draw of all.
        let games = [[4, 0, 2], [0, 4, 2], [2, 2, 2]].map(SeatList::from);
        let table = sum(&[PairResult {
            players: [7, 3, 5].into(),
            opening: 6,
            half_points: games.to_vec(),
        }]);
        let seats = |player: u32| {
            table.by_seat(player).iter().map(|seat| text(*seat)).collect::<Vec<_>>().join(" ")
        };
        // Player 7 sits at the seats 0, 1 and 2, player 3 at 1, 2 and 0, player 5 at 2, 0 and 1.
        assert_eq!(seats(7), "+2 =0 -0 +0 =0 -2 +0 =2 -0");
        assert_eq!(seats(3), "+0 =2 -0 +0 =0 -2 +2 =0 -0");
        assert_eq!(seats(5), "+1 =0 -1 +0 =2 -0 +1 =0 -1");
        let meeting = |a: u32, b: u32| {
            let meeting = table.head_to_head(a, b).unwrap();
            format!("{} / {}", text(meeting.first_seat), text(meeting.second_seat))
        };
        // 3 sits before 7 in the third game only.
        assert_eq!(meeting(3, 7), "+0 =1 -0 / +1 =0 -1");
        assert_eq!(meeting(7, 3), "+1 =0 -1 / +0 =1 -0");
        assert_eq!(meeting(5, 7), "+1 =1 -0 / +0 =0 -1");
        assert_eq!(table.head_to_head(3, 7).unwrap().pairs, [0; 5]);
        let first: Vec<_> = table.openings().map(|(_, row)| text(row.first_seat)).collect();
        assert_eq!(first, ["+3 =2 -1"]);
        // A table with a player twice, or with results of another number of players.
        let invalid = |players: [u32; 3], of_game: &[u8]| PairResult {
            players: players.into(),
            opening: 0,
            half_points: vec![of_game.iter().copied().collect()],
        };
        assert_eq!(sum(&[invalid([1, 2, 1], &[4, 2, 0])]), CrossTable::default());
        assert_eq!(sum(&[invalid([1, 2, 3], &[2, 0])]).players().count(), 0);
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
        let seats = table.by_seat(1).iter().map(|seat| text(*seat)).collect::<Vec<_>>();
        assert_eq!(seats, ["+1 =1 -0", "+0 =1 -1"]);
        assert_eq!(table.openings().map(|(_, row)| row.first_seat.games()).sum::<u64>(), 2);
    }

    fn pairs() -> impl Strategy<Value = Vec<PairResult>> {
        let pair = (0..5_u32, 0..5_u32, 0..3_u32, [0..3_u8, 0..3_u8])
            .prop_map(|(a, b, opening, half_points)| pair(a, b, opening, half_points));
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
                    let index = p.players.iter().position(|it| *it == player);
                    let won = |index: usize| p.half_points.iter().map(|it| u64::from(it[index])).sum();
                    index.map_or(0, won)
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
