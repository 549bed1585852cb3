//! The input of the planners: the players and the pairs planned so far. It contains nothing later
//! than the pair number that is being planned.

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
    pub(super) players: [u32; 2],
    pub(super) opening: u32,
}

/// The state of the tournament at the next pair number.
pub(super) struct PlannerInput<'a> {
    pub(super) seed: u64,
    pub(super) entrants: &'a [Entrant],
    /// By player number.
    pub(super) withdrawn: &'a [bool],
    pub(super) pairs: &'a [PlannedPair],
    pub(super) round: u32,
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
    /// The half points of both players, if the pair was played.
    pub(super) fn points(&self) -> Option<[u64; 2]> {
        match self.outcome {
            Some(Outcome::HalfPoints(first)) => Some([first.into(), 4 - u64::from(first.min(4))]),
            _ => None,
        }
    }

    /// The half points of both players, if the pair was played or is void through the fault of one;
    /// the opponent then gets all of them.
    pub(super) fn points_or_forfeit(&self) -> Option<[u64; 2]> {
        let [first, _] = self.pair.players;
        let forfeit = |at_fault: u32| if at_fault == first { [0, 4] } else { [4, 0] };
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
