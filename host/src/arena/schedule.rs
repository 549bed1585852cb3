//! Which games a match consists of, in which order, from which openings, with
//! which seeds. A pure value: the same arguments give the same jobs for ever,
//! and a job depends on nothing but its number.

use crate::bout::player_seed;

/// Games of a pair: the same opening with the seats exchanged.
pub const GAMES_OF_A_PAIR: u32 = 2;

/// The games of a match of two players, in pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How many pairs.
    pub pairs: u32,
    /// How many openings there are; 0: every game begins at the start position, or each pair
    /// with a deal of its own.
    /// Pairs take them in turn, from the first one again after the last.
    pub openings: u32,
    /// What the seeds of the games are drawn from.
    pub seed: u64,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its place in the schedule, from 0.
    pub index: u32,
    /// Its pair, from 0.
    pub pair: u32,
    /// Which game of the pair, 0 or 1.
    pub game: u8,
    /// Its opening, from 0; none: the start position.
    pub opening: Option<u32>,
    /// The player of each side.
    pub by_side: [usize; 2],
    /// The seed of the bout.
    pub seed: u64,
}

impl Schedule {
    /// How many games there are.
    pub fn games(&self) -> u32 {
        self.pairs.saturating_mul(GAMES_OF_A_PAIR)
    }

    /// The game at this place; none after the last.
    pub fn job(&self, index: u32) -> Option<Job> {
        if index >= self.games() {
            return None;
        }
        let (pair, game) = (index / GAMES_OF_A_PAIR, index % GAMES_OF_A_PAIR);
        let first = game as usize;
        Some(Job {
            index,
            pair,
            game: game as u8,
            opening: pair.checked_rem(self.openings),
            by_side: [first, 1 - first],
            // 53 bits, which every reader of JSON keeps whole.
            seed: player_seed(self.seed, index as usize) >> 11,
        })
    }

    /// The seed of the deal that both games of a pair begin with, where the game begins by
    /// chance and there are no openings.
    pub fn deal_seed(&self, pair: u32) -> u64 {
        // Another stream than that of the games.
        player_seed(!self.seed, pair as usize) >> 11
    }

    /// All games in their order.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        (0..self.games()).filter_map(|index| self.job(index))
    }
}

impl Job {
    /// Its name, which its record bears: `pair-000001-1` is the first game of
    /// the first pair.
    pub fn name(&self) -> String {
        format!("pair-{:06}-{}", self.pair + 1, self.game + 1)
    }

    /// The side that a player has in it.
    pub fn side_of(&self, player: usize) -> u8 {
        u8::from(self.by_side[1] == player)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A job as `name opening side-0-player`.
    fn check(pairs: u32, openings: u32, expected: &[&str]) {
        let schedule = Schedule { pairs, openings, seed: 1 };
        let text = |job: Job| {
            let opening = job.opening.map_or("start".into(), |opening| opening.to_string());
            format!("{} {opening} {}", job.name(), ["A", "B"][job.by_side[0]])
        };
        let jobs: Vec<String> = schedule.jobs().map(text).collect();
        assert_eq!(jobs, expected, "{schedule:?}");
    }

    #[test]
    fn jobs() {
        check(0, 0, &[]);
        check(1, 0, &["pair-000001-1 start A", "pair-000001-2 start B"]);
        check(
            3,
            2,
            &[
                "pair-000001-1 0 A",
                "pair-000001-2 0 B",
                "pair-000002-1 1 A",
                "pair-000002-2 1 B",
                "pair-000003-1 0 A",
                "pair-000003-2 0 B",
            ],
        );
    }

    #[test]
    fn seats_are_exchanged_and_sides_told() {
        let schedule = Schedule { pairs: 2, openings: 0, seed: 1 };
        for job in schedule.jobs() {
            assert_eq!(job.by_side[usize::from(job.side_of(0))], 0);
            assert_eq!(job.by_side[usize::from(job.side_of(1))], 1);
            assert_eq!(job.side_of(0), job.game);
        }
    }

    #[test]
    fn seeds_differ_and_depend_on_the_number_alone() {
        let long = Schedule { pairs: 500, openings: 7, seed: 42 };
        let short = Schedule { pairs: 3, openings: 0, seed: 42 };
        let seeds: BTreeSet<u64> = long.jobs().map(|job| job.seed).collect();
        assert_eq!(seeds.len(), 1000);
        assert!(short.jobs().zip(long.jobs()).all(|(a, b)| a.seed == b.seed));
        let deals: BTreeSet<u64> = (0..500).map(|pair| long.deal_seed(pair)).collect();
        assert!(deals.len() == 500 && deals.is_disjoint(&seeds));
        assert_eq!(short.deal_seed(2), long.deal_seed(2));
        let other = Schedule { seed: 43, ..long };
        assert!(other.jobs().all(|job| !seeds.contains(&job.seed)));
    }

    #[test]
    fn the_numbers_of_the_largest_match_do_not_overflow() {
        let schedule = Schedule { pairs: u32::MAX, openings: u32::MAX, seed: u64::MAX };
        assert_eq!(schedule.games(), u32::MAX);
        assert_eq!(schedule.job(u32::MAX), None);
        assert_eq!(schedule.job(u32::MAX - 1).map(|job| job.pair), Some(u32::MAX / 2));
    }
}
