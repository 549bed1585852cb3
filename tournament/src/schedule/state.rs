//! What a planner of rounds sees: who is there, and the pairs so far. Nothing later than the place at
//! which it plans is in it.

use super::format::{Entrant, Outcome, Pair};
use crate::seed::Stream;

/// A planned pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub pair: Pair,
    /// It fell out with a player who had withdrawn, or with the end of the tournament.
    pub out: bool,
    pub outcome: Option<Outcome>,
    /// Where it is void: whose doing it is.
    pub by: Option<u32>,
}

/// A pair yet without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pairing {
    pub players: [u32; 2],
    pub opening: u32,
}

/// What is known at the number that comes next.
pub(super) struct State<'a> {
    pub seed: u64,
    pub entrants: &'a [Entrant],
    /// By player.
    pub withdrawn: &'a [bool],
    pub slots: &'a [Slot],
    pub round: u32,
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// These pairs, with the number of their round.
    Round(u32, Vec<Pairing>),
    /// Nothing.
    End,
}

impl Slot {
    /// Half points of both, where it was played.
    pub fn points(&self) -> Option<[u64; 2]> {
        match self.outcome {
            Some(Outcome::HalfPoints(first)) => Some([first.into(), 4 - u64::from(first.min(4))]),
            _ => None,
        }
    }

    /// Half points of both where it was played, or is void by the doing of one: then the other has them all.
    pub fn points_or_forfeit(&self) -> Option<[u64; 2]> {
        let [first, _] = self.pair.players;
        let forfeit = |by: u32| if by == first { [0, 4] } else { [4, 0] };
        self.points().or_else(|| self.by.map(forfeit))
    }

    /// Whether nothing more is to come of it.
    pub fn is_over(&self) -> bool {
        self.out || self.outcome.is_some()
    }
}

impl State<'_> {
    /// Who plays on, by number.
    pub fn active(&self) -> Vec<u32> {
        (0..self.entrants.len() as u32).filter(|player| !self.is_withdrawn(*player)).collect()
    }

    pub fn is_withdrawn(&self, player: u32) -> bool {
        self.withdrawn.get(player as usize).copied().unwrap_or(true)
    }

    pub fn rating(&self, player: u32) -> i32 {
        self.entrants.get(player as usize).map_or(0, |entrant| entrant.rating)
    }

    /// A number that decides between equal players: the seed's, the same in all rounds.
    pub fn lot(&self, player: u32) -> u64 {
        Stream::new(self.seed ^ Stream::new(u64::from(player)).draw()).draw()
    }
}
