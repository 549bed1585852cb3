//! The input of the planners: the players and the pairs planned so far. It contains nothing later
//! than the pair number that is being planned.

use super::players::{HalfPoints, Players};
use super::setup::{Entrant, Outcome, Pair};
use sandboard_games::splitmix::SplitMix64;

/// A planned pair with its outcome.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedPair {
    pub(super) pair: Pair,
    /// Cancelled, because a player withdrew or the tournament was stopped.
    pub(super) cancelled: bool,
    pub(super) outcome: Option<Outcome>,
    /// If void: the player at fault, if known.
    pub(super) at_fault: Option<u32>,
}

/// A pairing that has no number yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) players: Players,
    pub(super) opening: u32,
}

/// The state of the tournament at the next pair number.
pub(super) struct PlannerInput<'a> {
    pub(super) seed: u64,
    /// The number of players in each game.
    pub(super) seats: u8,
    pub(super) entrants: &'a [Entrant],
    /// By player number.
    pub(super) withdrawn: &'a [bool],
    pub(super) pairs: &'a [PlannedPair],
    pub(super) round: u32,
}

/// The half points in all games of a pair of `seats` players.
pub(super) fn half_points_of_pair(seats: u8) -> u32 {
    let seats = u32::from(seats);
    // In each of as many games as there are players, each two of them share two half points.
    seats * seats * seats.saturating_sub(1)
}

/// The result of planning.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextRound {
    /// The pairings of the next round, with its number.
    Pairings(u32, Vec<Pairing>),
    /// The tournament has no further rounds.
    Finished,
}

impl PlannedPair {
    /// The half points of each player, if the pair was played.
    pub(super) fn points(&self) -> Option<HalfPoints> {
        match self.outcome {
            Some(Outcome::HalfPoints(half_points)) => Some(half_points),
            _ => None,
        }
    }

    /// The half points of both players, if the pair was played or is void through the fault of one;
    /// the opponent then gets all of them.
    pub(super) fn points_or_forfeit(&self) -> Option<HalfPoints> {
        let forfeit = |at_fault: u32| {
            let points = |player: &u32| if *player == at_fault { 0 } else { 4 };
            self.pair.players.iter().map(points).collect()
        };
        self.points().or_else(|| self.at_fault.map(forfeit))
    }

    /// Whether the pair is finished, cancelled or void.
    pub(super) fn is_settled(&self) -> bool {
        self.cancelled || self.outcome.is_some()
    }
}

impl PlannerInput<'_> {
    /// The players that have not withdrawn, in ascending order.
    pub(super) fn active(&self) -> Vec<u32> {
        (0..self.entrants.len() as u32).filter(|player| !self.is_withdrawn(*player)).collect()
    }

    pub(super) fn is_withdrawn(&self, player: u32) -> bool {
        self.withdrawn.get(player as usize).copied().unwrap_or(true)
    }

    pub(super) fn rating(&self, player: u32) -> i32 {
        self.entrants.get(player as usize).map_or(0, |entrant| entrant.rating)
    }

    /// A random key that orders equal players; it depends on the seed and is the same in all
    /// rounds.
    pub(super) fn random_key(&self, player: u32) -> u64 {
        SplitMix64::new(self.seed ^ SplitMix64::new(u64::from(player)).next_u64()).next_u64()
    }
}
