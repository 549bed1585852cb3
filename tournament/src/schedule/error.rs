//! What a schedule refuses, and why.

use thiserror::Error;

use super::format::{PAIRS_MAX, PLAYERS_MAX};

/// A setup that is no tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Nobody to play against.
    #[error("a tournament needs at least two players, not {players}")]
    TooFew {
        /// How many there are.
        players: usize,
    },
    /// Too many of them.
    #[error("{players} players are more than {PLAYERS_MAX}")]
    TooManyPlayers {
        /// How many there are.
        players: usize,
    },
    /// A match of more than two.
    #[error("a match is between two players, not {players}")]
    NoMatch {
        /// How many there are.
        players: usize,
    },
    /// Heroes without a field, or the other way round.
    #[error(
        "{heroes} of {players} players cannot run the gauntlet: at least one must, and one not"
    )]
    Heroes {
        /// How many heroes.
        heroes: u32,
        /// How many players.
        players: usize,
    },
    /// No games.
    #[error("a tournament of 0 {what} has no games")]
    Nothing {
        /// What there is none of.
        what: &'static str,
    },
    /// Too many games.
    #[error("{pairs} pairs are more than {PAIRS_MAX}")]
    TooMany {
        /// How many.
        pairs: u64,
    },
}

/// A change that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventError {
    /// It would change what was begun.
    #[error("a change from pair {at} on comes too late: pairs below {place} were begun")]
    TooLate {
        /// Where it was to count.
        at: u32,
        /// Where one can count.
        place: u32,
    },
    /// Changes come in the order of their places.
    #[error("a change from pair {at} on comes after one from pair {last} on")]
    Order {
        /// Where it was to count.
        at: u32,
        /// Where the last one counts.
        last: u32,
    },
    /// Nobody has the number.
    #[error("there is no player {player}")]
    NoPlayer {
        /// The number.
        player: u32,
    },
    /// He left before.
    #[error("player {player} has withdrawn before")]
    Gone {
        /// The number.
        player: u32,
    },
    /// The format admits nobody.
    #[error("nobody can join a match or a knockout once it was set up")]
    Closed,
    /// It has a result, or is not to be played.
    #[error("pair {number} is over, and cannot be void")]
    Over {
        /// The number of the pair.
        number: u32,
    },
    /// There are more of them than any tournament has.
    #[error("a tournament changes {most} times at most")]
    TooMany {
        /// How often.
        most: usize,
    },
    /// No tournament has a pair of that number.
    #[error("there is no pair {number}")]
    NoPair {
        /// The number.
        number: u32,
    },
    /// There are as many players as there can be, those who left among them.
    #[error("nobody can join any more: there have been {PLAYERS_MAX} players")]
    Full,
}

/// A result that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FinishError {
    /// Its pair is not known yet, or never.
    #[error("there is no pair {number} yet")]
    NotPlanned {
        /// The number.
        number: u32,
    },
    /// Its pair is not to be played.
    #[error("pair {number} fell out of the schedule")]
    FellOut {
        /// The number.
        number: u32,
    },
    /// It was told before.
    #[error("pair {number} has a result already")]
    Twice {
        /// The number.
        number: u32,
    },
    /// More points than a pair has.
    #[error("pair {number} cannot bring {half_points} half points: there are 4")]
    Points {
        /// The number.
        number: u32,
        /// What it was to bring.
        half_points: u8,
    },
}
