//! The errors of a schedule.

use thiserror::Error;

use super::players::SEATS_MAX;
use super::setup::{EVENTS_MAX, PAIRS_MAX, PLAYERS_MAX, SETS_MAX};

/// The setup of a tournament is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There are fewer players than a game has.
    #[error("a tournament needs at least {seats} players, not {players}")]
    TooFewPlayers {
        /// The number of players.
        players: usize,
        /// The number of players in each game.
        seats: u8,
    },
    /// A game cannot have this number of players.
    #[error("a game of a tournament has 2 to {SEATS_MAX} players, not {seats}")]
    Seats {
        /// The number of players in each game.
        seats: u8,
    },
    /// The format exists only for games of two players.
    #[error(
        "a gauntlet or a knockout needs a game of 2 players, not of {seats}: choose a round robin, \
         a Swiss system or a ladder"
    )]
    OnlyForTwo {
        /// The number of players in each game.
        seats: u8,
    },
    /// There are too many players.
    #[error("a tournament has at most {PLAYERS_MAX} players, not {players}")]
    TooManyPlayers {
        /// The number of players.
        players: usize,
    },
    /// A match does not have as many players as a game.
    #[error("a match needs exactly {seats} players, not {players}")]
    MatchSize {
        /// The number of players.
        players: usize,
        /// The number of players in each game.
        seats: u8,
    },
    /// A gauntlet has no challengers, or no opponents for them.
    #[error(
        "{challengers} of {players} players cannot be challengers of a gauntlet: \
         at least one player must be a challenger, and at least one must not"
    )]
    Challengers {
        /// The number of challengers.
        challengers: u32,
        /// The number of players.
        players: usize,
    },
    /// The setup has no games.
    #[error("a tournament of 0 {unit} has no games")]
    NoGames {
        /// The setting that is 0: `pairs`, `cycles` or `rounds`.
        unit: &'static str,
    },
    /// A round robin has too many sets of players.
    #[error(
        "a round robin has at most {SETS_MAX} sets of players, not {sets}: choose a Swiss system or \
         a ladder"
    )]
    TooManySets {
        /// The number of sets of as many players as a game has.
        sets: u64,
    },
    /// There are too many pairs.
    #[error("a tournament has at most {PAIRS_MAX} pairs, not {pairs}")]
    TooManyPairs {
        /// The number of pairs.
        pairs: u64,
    },
}

/// An event is refused. The schedule is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventError {
    /// The event would change pairs that were already started.
    #[error("a change from pair {from_pair} on is too late: pairs below {first_unstarted} started")]
    TooLate {
        /// The first pair that the event should apply to.
        from_pair: u32,
        /// The first pair that an event can apply to.
        first_unstarted: u32,
    },
    /// Events must have ascending pair numbers.
    #[error("a change from pair {from_pair} on cannot follow one from pair {last} on")]
    OutOfOrder {
        /// The first pair that the event should apply to.
        from_pair: u32,
        /// The first pair of the previous event.
        last: u32,
    },
    /// There is no player with this number.
    #[error("there is no player {player}")]
    UnknownPlayer {
        /// The number of the player.
        player: u32,
    },
    /// The player withdrew earlier.
    #[error("player {player} has already withdrawn")]
    AlreadyWithdrawn {
        /// The number of the player.
        player: u32,
    },
    /// The format admits no late entries.
    #[error("players cannot join a match or a knockout after its setup")]
    NoLateEntry,
    /// The pair has a result or was cancelled.
    #[error("pair {number} is finished or cancelled and cannot become void")]
    PairFinished {
        /// The number of the pair.
        number: u32,
    },
    /// The limit of events is reached.
    #[error("a tournament has at most {EVENTS_MAX} changes")]
    TooManyEvents,
    /// No tournament has a pair with this number.
    #[error("there is no pair {number}")]
    UnknownPair {
        /// The number of the pair.
        number: u32,
    },
    /// The limit of players is reached, including those that withdrew.
    #[error("no player can join: a tournament has at most {PLAYERS_MAX} players")]
    TooManyPlayers,
    /// The length of the format follows from its players.
    #[error("a knockout cannot be extended")]
    NotExtensible,
    /// An extension does not make the tournament longer.
    #[error("it has {now} {unit} already, so {count} {unit} are no extension")]
    NotLonger {
        /// What its format counts: `pairs`, `cycles` or `rounds`.
        unit: &'static str,
        /// The number so far.
        now: u32,
        /// The number of the extension.
        count: u32,
    },
    /// The tournament was ended early, for good.
    #[error("the tournament was finished early and cannot be extended")]
    Finished,
    /// With an extension, the tournament has too many pairs.
    #[error("it cannot be extended as far: a tournament has at most {PAIRS_MAX} pairs")]
    TooManyPairs,
    /// With one more player, a round robin has too many sets of players.
    #[error("no player can join: a round robin has at most {SETS_MAX} sets of players")]
    TooManySets,
}

/// A result is refused. The schedule is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FinishError {
    /// The pair is not planned yet, or never will be.
    #[error("pair {number} is not planned")]
    NotPlanned {
        /// The number of the pair.
        number: u32,
    },
    /// The pair was cancelled.
    #[error("pair {number} was cancelled")]
    Cancelled {
        /// The number of the pair.
        number: u32,
    },
    /// The pair already has a result.
    #[error("pair {number} already has a result")]
    AlreadyFinished {
        /// The number of the pair.
        number: u32,
    },
    /// The half points are not those of the games of a pair.
    #[error("the half points of pair {number} must add up to {expected}, not {found}")]
    WrongPoints {
        /// The number of the pair.
        number: u32,
        /// The number of half points in all games of a pair.
        expected: u32,
        /// The sum of the half points of its players.
        found: u32,
    },
}
