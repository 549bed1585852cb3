//! What a record tells of a player's thinking on its opponent's time: how long, and how
//! often the reply came that it had expected. Judges nothing.

use serde::{Deserialize, Serialize};

use super::{PlyRecord, Record};
use crate::referee::Pondered;

/// A player's thinking on its opponent's time, in a bout or in many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pondering {
    /// What it took.
    pub pondered: Pondered,
    /// Replies of an opponent to moves whose line named one.
    pub predictions: u64,
    /// Those of them that were the ones named.
    pub hits: u64,
}

impl Pondering {
    /// Adds another bout's.
    pub fn add(&mut self, other: Pondering) {
        self.pondered.add(other.pondered);
        self.predictions += other.predictions;
        self.hits += other.hits;
    }

    /// The share of replies that were expected, 0 to 1; none where none was named.
    pub fn hit_rate(&self) -> Option<f64> {
        (self.predictions > 0).then(|| self.hits as f64 / self.predictions as f64)
    }
}

impl Record {
    /// What `player` did on its opponent's time. Its replies are counted where it did not think
    /// then, too: what it would have gained.
    pub fn pondering(&self, player: usize) -> Pondering {
        let owns = |ply: &PlyRecord| {
            self.players.get(player).is_some_and(|player| player.seats.contains(&ply.seat))
        };
        let mut sum = Pondering::default();
        for (index, ply) in self.plies.iter().enumerate().filter(|(_, ply)| owns(ply)) {
            sum.pondered.add(ply.pondered.as_deref().copied().unwrap_or_default());
            let reply = self.plies.get(index + 1).filter(|next| !owns(next));
            if let Some((expected, reply)) = expected_reply(ply).zip(reply) {
                sum.predictions += 1;
                sum.hits += u64::from(expected == reply.r#move);
            }
        }
        sum
    }
}

/// The reply that a move's line names; none where the line is about another move.
fn expected_reply(ply: &PlyRecord) -> Option<&str> {
    let mut moves = ply.line.as_ref()?.pv.split_ascii_whitespace();
    moves.next().filter(|mv| *mv == ply.r#move).and(moves.next())
}
