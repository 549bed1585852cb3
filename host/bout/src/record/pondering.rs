//! Statistics of a player's pondering: its time, and how often the opponent replied as expected.

use serde::{Deserialize, Serialize};

use super::{PlyRecord, Record};
use crate::referee::PonderingTime;

/// A player's pondering, in one bout or in many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PonderingStatistics {
    /// The time that it took.
    pub time: PonderingTime,
    /// The number of opponent's replies to moves whose line predicted a reply.
    pub predictions: u64,
    /// The number of replies that were predicted.
    pub hits: u64,
}

impl PonderingStatistics {
    /// Adds the statistics of another bout.
    pub fn add(&mut self, other: PonderingStatistics) {
        self.time.add(other.time);
        self.predictions += other.predictions;
        self.hits += other.hits;
    }

    /// The share of predictions that were right, 0 to 1; none without predictions.
    pub fn hit_rate(&self) -> Option<f64> {
        (self.predictions > 0).then(|| self.hits as f64 / self.predictions as f64)
    }
}

impl Record {
    /// The pondering of `player`. Predictions are counted even if it did not ponder: they show what
    /// it would have gained.
    pub fn pondering(&self, player: usize) -> PonderingStatistics {
        let is_own =
            |ply: &PlyRecord| self.players.get(player).is_some_and(|player| player.owns(ply.seat));
        let mut sum = PonderingStatistics::default();
        for (index, ply) in self.plies.iter().enumerate().filter(|(_, ply)| is_own(ply)) {
            sum.time.add(ply.pondering.as_deref().copied().unwrap_or_default());
            let reply = self.plies.get(index + 1).filter(|next| !is_own(next));
            if let Some((expected, reply)) = expected_reply(ply).zip(reply) {
                sum.predictions += 1;
                sum.hits += u64::from(expected == reply.r#move);
            }
        }
        sum
    }
}

/// The reply that a move's line predicts; none if the line begins with another move.
fn expected_reply(ply: &PlyRecord) -> Option<&str> {
    let mut moves = ply.line.as_ref()?.pv.split_ascii_whitespace();
    moves.next().filter(|mv| *mv == ply.r#move).and(moves.next())
}
