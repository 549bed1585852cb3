//! Why there is no answer.

use std::fmt;

use sandboard_games::bridge::Card;

/// The search was stopped by who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search was stopped")
    }
}

impl std::error::Error for Stopped {}

/// Why a deal has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DealError {
    /// The search was stopped by who asked for it.
    Stopped,
    /// A card is held twice, or the hands are not of the same number of cards.
    Hands,
}

impl fmt::Display for DealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DealError::Stopped => Stopped.fmt(f),
            DealError::Hands => {
                f.write_str("the hands differ in their number of cards, or share a card")
            }
        }
    }
}

impl std::error::Error for DealError {}

impl From<Stopped> for DealError {
    fn from(_: Stopped) -> DealError {
        DealError::Stopped
    }
}

/// Why a played hand has no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// The search was stopped by who asked for it.
    Stopped,
    /// A card cannot be played when its turn comes.
    Illegal {
        /// Which of the cards, counted from 0.
        at: usize,
        /// The card.
        card: Card,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Stopped => Stopped.fmt(f),
            TraceError::Illegal { at, card } => {
                write!(f, "card {}, {card}, cannot be played there", at + 1)
            }
        }
    }
}

impl std::error::Error for TraceError {}

impl From<Stopped> for TraceError {
    fn from(_: Stopped) -> TraceError {
        TraceError::Stopped
    }
}
