//! The result of a bout: the winner, the cause, and a sentence for people.

use sandboard_engine::FaultCode;
use sandboard_games::Side;
use serde::{Deserialize, Serialize};

/// The result of a finished bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoutResult {
    /// The side that won alone, by its index; none for a draw and for an aborted bout.
    pub winner: Option<u8>,
    /// What ended the bout.
    #[serde(flatten)]
    pub termination: Termination,
    /// The score of each seat; a seat beats every seat with a lower score. In the game's unit
    /// (discs, tricks, points) if the rules or perfect play ended the bout; otherwise 1 for a win,
    /// 0 for a draw and -1 for a loss. Empty for an aborted bout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<i32>,
    /// One sentence for people, without a full stop.
    pub sentence: String,
}

/// What ended a bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "termination", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Termination {
    /// The rules of the game.
    Rules {
        /// The rule, in a few words.
        rule: String,
    },
    /// A player resigned.
    Resignation,
    /// The sides agreed on a draw.
    DrawAgreed,
    /// A player exceeded its time limit.
    Timeout,
    /// An engine chose illegal moves until it had no request left.
    IllegalMove,
    /// An engine made another fault.
    Fault { fault: FaultCode },
    /// A player left for good.
    Disconnected,
    /// The bout reached the largest number of plies of its settings: a draw.
    PlyLimit,
    /// The bout ended early by its [`Adjudication`](super::Adjudication).
    Adjudicated { by: AdjudicationRule },
    /// The bout has no result: no win, no draw, and it does not count.
    Aborted,
}

/// A rule of [`Adjudication`](super::Adjudication).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjudicationRule {
    /// The scores of both sides agreed on a winner.
    Win,
    /// The scores of the losing side showed that it had lost.
    Resign,
    /// The scores of both sides agreed on a draw.
    Draw,
    /// A solver computed the result of perfect play.
    Solver,
}

impl BoutResult {
    /// Whether the bout counts; an aborted bout does not.
    pub fn counts(&self) -> bool {
        self.termination != Termination::Aborted
    }

    /// The half points of a side: 2, 1 or 0; none if the bout does not count.
    pub fn half_points(&self, side: Side) -> Option<u8> {
        let half_points = match self.winner {
            None => 1,
            Some(winner) if winner == side.0 => 2,
            Some(_) => 0,
        };
        self.counts().then_some(half_points)
    }
}
