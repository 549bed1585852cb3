//! Where a match stands: everything that is counted over its games, added up
//! game by game in the order of the schedule. Pure.

use std::collections::BTreeMap;

use sandboard_tournament::stats::{Score, Tally};
use serde::Serialize;

use super::outcome::{GameResult, Spending};
use super::schedule::Job;

/// The counts over the games of a match, from its first one on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The first player against the second.
    pub score: Score,
    /// Results of each player by the side that it had.
    pub by_side: [[Tally; 2]; 2],
    /// What each player did wrong, by the word for it.
    pub faults: [BTreeMap<String, Faults>; 2],
    /// Moves made.
    pub plies: u64,
    /// What each player spent.
    pub spent: [Spending; 2],
}

/// Games that a player lost by one kind of fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// How many.
    pub games: u64,
    /// The first such game of the schedule, by its name.
    pub first: String,
    /// How that one ended.
    pub sentence: String,
    /// How many moves had been played in it.
    pub at_ply: u32,
    /// The command that shows it again; empty where the folder is not known.
    pub replay: String,
}

impl Standing {
    /// Counts the next game of the schedule.
    pub fn add(&mut self, job: &Job, result: &GameResult) {
        self.score.add(result.half_points);
        for (player, half_points) in
            [result.half_points, 2 - result.half_points.min(2)].into_iter().enumerate()
        {
            self.by_side[player][usize::from(job.side_of(player))].add(half_points);
            self.spent[player].add(result.spent[player]);
        }
        self.plies += result.plies;
        if let Some(fault) = &result.fault {
            let first = || Faults {
                games: 0,
                first: job.name(),
                sentence: fault.sentence.clone(),
                at_ply: fault.at_ply,
                replay: String::new(),
            };
            self.faults[fault.player & 1].entry(fault.code.clone()).or_insert_with(first).games +=
                1;
        }
    }
}
