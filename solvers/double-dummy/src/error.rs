//! The errors of the solver.

use std::fmt;

use sandboard_games::bridge::Card;

/// The caller stopped the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchStopped;

impl fmt::Display for SearchStopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search was stopped")
    }
}

impl std::error::Error for SearchStopped {}

/// Why a deal could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DealError {
    /// The caller stopped the search.
    Stopped,
    /// Two hands hold the same card, or the hands have different numbers of cards.
    InvalidHands,
}

impl fmt::Display for DealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DealError::Stopped => SearchStopped.fmt(f),
            DealError::InvalidHands => {
                f.write_str("the hands have different numbers of cards, or share a card")
            }
        }
    }
}

impl std::error::Error for DealError {}

impl From<SearchStopped> for DealError {
    fn from(_: SearchStopped) -> DealError {
        DealError::Stopped
    }
}

/// Why the play of a deal could not be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// The caller stopped the search.
    Stopped,
    /// A card is illegal when its turn comes.
    IllegalCard {
        /// The index of the card in the play, from 0.
        index: usize,
        /// The illegal card.
        card: Card,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Stopped => SearchStopped.fmt(f),
            TraceError::IllegalCard { index, card } => {
                write!(f, "card {}, {card}, cannot be played there", index + 1)
            }
        }
    }
}

impl std::error::Error for TraceError {}

impl From<SearchStopped> for TraceError {
    fn from(_: SearchStopped) -> TraceError {
        TraceError::Stopped
    }
}
