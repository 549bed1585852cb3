//! The setup of a tournament and the events that change it later, as values that are stored:
//! format, players, seed and changes.

use serde::{Deserialize, Serialize};

use super::error::SetupError;
use super::players::{HalfPoints, Players, SEATS_MAX};

/// The largest number of pairs.
pub(super) const PAIRS_MAX: u64 = 100_000_000;
/// The largest number of sets of players in a cycle of a round robin of more than two in a game: a
/// cycle is planned as a whole.
pub(super) const SETS_MAX: u64 = 1_000_000;
/// The largest number of events.
pub(super) const EVENTS_MAX: usize = 100_000;
/// The largest number of players. The pairing of a Swiss round needs memory for each two of them.
pub(super) const PLAYERS_MAX: usize = 2000;

/// The unit of every schedule: games from the same opening, or with the same deal, in which the
/// players exchange seats. Two players play a pair of two games. More players play as many games as
/// they are; from one game to the next, each player moves to the next seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair in the schedule, from 0.
    pub number: u32,
    /// The round, from 0.
    pub round: u32,
    /// The numbers of the players.
    pub players: Players,
    /// The number of the opening, from 0. If there are fewer openings, they are used again from the
    /// first.
    pub opening: u32,
}

/// The format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// As many players as a game has; each pair uses the next opening.
    Match {
        /// The number of pairs.
        pairs: u32,
    },
    /// The first players against all others, but not against each other. All pairs of a cycle share
    /// one opening. Only for games of two players.
    Gauntlet {
        /// The number of challengers: the players with the lowest numbers.
        challengers: u32,
        /// The number of pairs with each opponent.
        cycles: u32,
    },
    /// All players against each other; with more than two in a game, all sets of as many players.
    /// All pairs of a round share one opening. Two cycles are a double round robin.
    RoundRobin {
        /// The number of pairs between each two players, or of each set of players.
        cycles: u32,
    },
    /// The Swiss system: players with similar scores meet. No two players meet twice in games of
    /// two; in games of more, those meet that have met least often.
    Swiss {
        /// The number of rounds. The tournament ends earlier if no new pairing is left.
        rounds: u32,
    },
    /// A knockout: the loser of a match is eliminated. Only for games of two players.
    Knockout {
        /// The number of pairs in each match.
        pairs: u32,
        /// The number of further pairs, played one by one while the match is level. After that the
        /// better seed advances.
        tie_breaks: u32,
    },
    /// Rounds of players with similar strength, until all pairs are played.
    Ladder {
        /// The number of pairs.
        pairs: u32,
    },
}

/// A player in the setup of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The known strength in Elo. It seeds a knockout, orders the first round of a Swiss system,
    /// and is the initial strength in a ladder.
    pub rating: i32,
}

/// The setup of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The format of the tournament.
    pub format: Format,
    /// The players, numbered from 0 in this order.
    pub entrants: Vec<Entrant>,
    /// The seed of random decisions between equal players.
    pub seed: u64,
    /// The number of players in each game, 2 to [`SEATS_MAX`].
    #[serde(default = "two_seats")]
    pub seats: u8,
}

/// The number of players in each game where none is stated.
fn two_seats() -> u8 {
    2
}

/// The outcome of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The half points of each player, in the order of the players. In each game, a player gets two
    /// half points for each player that it beats, and one for each player with an equal score.
    HalfPoints(HalfPoints),
    /// The pair could not be played; no player scores.
    Void,
}

/// A change of a running tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A player joins with the next free number, from the next round on.
    Join(Entrant),
    /// A player withdraws. The player's later pairs are cancelled.
    Withdraw(u32),
    /// The tournament ends early.
    Stop,
    /// The tournament becomes longer: this is the new number of pairs, cycles or rounds of its
    /// format.
    Extend(u32),
    /// The pair with this number, started or not, is void. This applies only if the pair has these
    /// players: another pair that gets the number is played.
    Void {
        /// The players of the void pair.
        players: Players,
        /// The player at fault, if known, who loses the pair in a knockout.
        at_fault: Option<u32>,
    },
}

/// A change, with the number of the first pair to which it applies. [`Change::Void`] applies to
/// that pair alone, and may be in any order relative to other events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// The number of that pair.
    pub from_pair: u32,
    /// The change itself.
    pub change: Change,
}

/// The most rounds of a Swiss system in which each of this number of players can meet another, or
/// have a bye, without meeting anyone twice.
pub fn swiss_rounds_max(players: u32) -> u32 {
    // With an odd number, each player has one bye.
    if players.is_multiple_of(2) { players.saturating_sub(1) } else { players }
}

/// The number of sets of `k` players out of `n`, at most about 2⁶⁴.
pub(super) fn sets_of(n: u64, k: u64) -> u64 {
    // Each intermediate result is a binomial coefficient, so that every division is exact.
    (0..k.min(n)).fold(1_u64, |sets, i| sets.saturating_mul(n - i) / (i + 1))
}

/// Whether a round robin has too many sets of players to be planned.
pub(super) fn has_too_many_sets(players: usize, seats: u8) -> bool {
    seats > 2 && sets_of(players as u64, seats.into()) > SETS_MAX
}

impl Format {
    /// What its number counts, and the number. `None`: its length follows from its players.
    pub fn length(&self) -> Option<(&'static str, u32)> {
        match *self {
            Format::Match { pairs } | Format::Ladder { pairs } => Some(("pairs", pairs)),
            Format::Gauntlet { cycles, .. } | Format::RoundRobin { cycles } => {
                Some(("cycles", cycles))
            }
            Format::Swiss { rounds } => Some(("rounds", rounds)),
            Format::Knockout { .. } => None,
        }
    }

    /// The same format with another [`length`](Self::length), if it has one.
    pub fn with_length(self, count: u32) -> Self {
        match self {
            Format::Match { .. } => Format::Match { pairs: count },
            Format::Ladder { .. } => Format::Ladder { pairs: count },
            Format::Gauntlet { challengers, .. } => Format::Gauntlet { challengers, cycles: count },
            Format::RoundRobin { .. } => Format::RoundRobin { cycles: count },
            Format::Swiss { .. } => Format::Swiss { rounds: count },
            Format::Knockout { .. } => self,
        }
    }

    /// Whether the pairings of a round depend on the results of earlier rounds.
    pub fn depends_on_results(&self) -> bool {
        match self {
            Format::Match { .. } | Format::Gauntlet { .. } | Format::RoundRobin { .. } => false,
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        }
    }
}

impl Setup {
    /// Checks the setup.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let players = self.entrants.len();
        let seats = self.seats;
        if !(2..=SEATS_MAX).contains(&usize::from(seats)) {
            return Err(SetupError::Seats { seats });
        }
        if players < usize::from(seats) {
            return Err(SetupError::TooFewPlayers { players, seats });
        }
        if players > PLAYERS_MAX {
            return Err(SetupError::TooManyPlayers { players });
        }
        let n = players as u64;
        let (unit, count, pairs) = match self.format {
            Format::Match { .. } if players != usize::from(seats) => {
                return Err(SetupError::MatchSize { players, seats });
            }
            Format::Gauntlet { .. } | Format::Knockout { .. } if seats != 2 => {
                return Err(SetupError::OnlyForTwo { seats });
            }
            Format::Gauntlet { challengers, .. }
                if challengers == 0 || u64::from(challengers) >= n =>
            {
                return Err(SetupError::Challengers { challengers, players });
            }
            Format::Match { pairs } => ("pairs", pairs, u64::from(pairs)),
            Format::Gauntlet { challengers, cycles } => {
                let pairs_per_cycle =
                    u64::from(challengers).saturating_mul(n - u64::from(challengers));
                ("cycles", cycles, pairs_per_cycle.saturating_mul(cycles.into()))
            }
            Format::RoundRobin { .. } if has_too_many_sets(players, seats) => {
                return Err(SetupError::TooManySets { sets: sets_of(n, seats.into()) });
            }
            Format::RoundRobin { cycles } => {
                ("cycles", cycles, sets_of(n, seats.into()).saturating_mul(cycles.into()))
            }
            Format::Swiss { rounds } => {
                ("rounds", rounds, (n / u64::from(seats)).saturating_mul(rounds.into()))
            }
            Format::Knockout { pairs, tie_breaks } => {
                ("pairs", pairs, (n - 1).saturating_mul(u64::from(pairs) + u64::from(tie_breaks)))
            }
            Format::Ladder { pairs } => ("pairs", pairs, u64::from(pairs)),
        };
        match pairs {
            _ if count == 0 => Err(SetupError::NoGames { unit }),
            pairs if pairs > PAIRS_MAX => Err(SetupError::TooManyPairs { pairs }),
            _ => Ok(()),
        }
    }
}
