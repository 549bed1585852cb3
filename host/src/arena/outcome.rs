//! What a match keeps of a finished game: read from its record, be it new or
//! years old, so that a resumed match counts exactly what the first run did.

use sandboard_games::Side;

use super::schedule::Job;
use crate::engine::Spent;
use crate::record::{Pondering, Record};
use crate::referee::Termination;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Half points of the first player, 0 to 2.
    pub half_points: u8,
    /// How many moves both made.
    pub plies: u64,
    /// What each player spent.
    pub spent: [Spending; 2],
    /// What ended the game, where an engine did something wrong.
    pub fault: Option<GameFault>,
}

/// What a player spent in a game, or in many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// Moves that it made.
    pub moves: u64,
    /// Wall time on them, in microseconds.
    pub wall_us: u64,
    /// How many of them were counted in CPU time, too.
    pub cpu_moves: u64,
    /// CPU time on those, in microseconds.
    pub cpu_us: u64,
    /// What it did on its opponent's time.
    pub pondering: Pondering,
}

/// A game lost by doing something wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFault {
    /// Who.
    pub player: usize,
    /// What kind of thing, in a word: `timeout`, `illegal-move`, `crash`, …
    pub code: String,
    /// One sentence.
    pub sentence: String,
    /// How many moves had been played.
    pub at_ply: u32,
}

impl GameResult {
    /// What the record of this job says; none where the game is unfinished or
    /// does not count, and so is to be played again.
    pub fn of(record: &Record, job: &Job) -> Option<Self> {
        let result = record.result.as_ref()?;
        let half_points = result.half_points(Side(job.side_of(0)))?;
        let mut spent = [Spending::default(); 2];
        for ply in &record.plies {
            let owns = |player: &usize| record.players[*player].seats.contains(&ply.seat);
            let Some(player) = (0..record.players.len().min(2)).find(owns) else { continue };
            spent[player].add(Spending::on_move(&ply.spent));
        }
        for (player, spent) in spent.iter_mut().enumerate() {
            spent.pondering = record.pondering(player);
        }
        let code = match &result.termination {
            Termination::Timeout => Some("timeout".to_owned()),
            Termination::IllegalMove => Some("illegal-move".to_owned()),
            Termination::Fault { fault } => Some(fault.to_string()),
            _ => None,
        };
        let fault = code.map(|code| GameFault {
            player: usize::from(half_points == 2),
            code,
            sentence: result.sentence.clone(),
            at_ply: record.plies.len() as u32,
        });
        Some(Self { half_points, plies: record.plies.len() as u64, spent, fault })
    }
}

impl Spending {
    /// What a single move took.
    fn on_move(spent: &Spent) -> Self {
        Self {
            moves: 1,
            wall_us: spent.wall_us,
            cpu_moves: u64::from(spent.cpu_us.is_some()),
            cpu_us: spent.cpu_us.unwrap_or(0),
            pondering: Pondering::default(),
        }
    }

    /// Adds that on other moves.
    pub fn add(&mut self, other: Spending) {
        self.moves += other.moves;
        self.wall_us = self.wall_us.saturating_add(other.wall_us);
        self.cpu_moves += other.cpu_moves;
        self.cpu_us = self.cpu_us.saturating_add(other.cpu_us);
        self.pondering.add(other.pondering);
    }

    /// Microseconds of a move on average; none where there was no move.
    pub fn us_per_move(&self) -> Option<f64> {
        mean(self.wall_us, self.moves)
    }

    /// Microseconds of CPU time on average of the moves of which it was counted; none where there
    /// was no such move.
    pub fn cpu_us_per_move(&self) -> Option<f64> {
        mean(self.cpu_us, self.cpu_moves)
    }
}

fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves, each with its wall time and its CPU time.
    fn check(moves: &[(u64, Option<u64>)], wall: Option<f64>, cpu: Option<f64>) {
        let mut spent = Spending::default();
        for &(wall_us, cpu_us) in moves {
            spent.add(Spending::on_move(&Spent { wall_us, cpu_us, ..Spent::default() }));
        }
        assert_eq!((spent.us_per_move(), spent.cpu_us_per_move()), (wall, cpu), "{moves:?}");
    }

    #[test]
    fn means_are_over_the_moves_that_were_counted() {
        check(&[], None, None);
        check(&[(10, None)], Some(10.0), None);
        check(&[(10, Some(0))], Some(10.0), Some(0.0));
        check(&[(10, Some(7)), (20, Some(9))], Some(15.0), Some(8.0));
        check(&[(10, Some(7)), (1, None), (19, Some(9))], Some(10.0), Some(8.0));
    }
}
