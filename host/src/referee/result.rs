//! How a bout ended, as a value: who won, by what, and the sentence for people.

use sandboard_games::Side;
use serde::{Deserialize, Serialize};

use crate::engine::FaultCode;

/// The result of a finished bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoutResult {
    /// The side that won, 0 or 1; none for a draw and for an aborted bout.
    pub winner: Option<u8>,
    /// What ended it.
    #[serde(flatten)]
    pub termination: Termination,
    /// The result in the game's own unit from side 0's view (discs, tricks),
    /// where the rules ended it, or perfect play in their stead; 0 in games that only know win
    /// and loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
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
        /// Which rule, in a few words.
        rule: String,
    },
    /// A player gave up.
    Resignation,
    /// The sides agreed on a draw.
    DrawAgreed,
    /// A player's time was up.
    Timeout,
    /// An engine chose illegal moves until its requests were used up.
    IllegalMove,
    /// An engine did something else wrong.
    Fault {
        /// What kind of thing.
        fault: FaultCode,
    },
    /// A player was gone for good.
    Disconnected,
    /// The bout had as many plies as its settings admit: a draw.
    PlyLimit,
    /// The settings of the bout ended it early.
    Adjudicated {
        /// By which of their rules.
        by: Adjudicator,
    },
    /// Ended by force: no win, no draw, it does not count.
    Aborted,
}

/// The rules of [`Adjudication`](super::Adjudication), by the names of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjudicator {
    /// Both sides said that one of them was ahead.
    Win,
    /// Both sides said that nobody was ahead.
    Draw,
    /// Perfect play was known from there on.
    Exact,
}

impl BoutResult {
    /// Whether it counts; an aborted bout does not.
    pub fn counts(&self) -> bool {
        self.termination != Termination::Aborted
    }

    /// Whether it is a draw, which an aborted bout is not.
    pub fn is_draw(&self) -> bool {
        self.counts() && self.winner.is_none()
    }

    /// Half points of a side: 2, 1 or 0; none where the bout does not count.
    pub fn half_points(&self, side: Side) -> Option<u8> {
        let half_points = match self.winner {
            None => 1,
            Some(winner) if winner == side.0 => 2,
            Some(_) => 0,
        };
        self.counts().then_some(half_points)
    }
}
