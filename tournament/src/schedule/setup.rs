//! The setup of a tournament and the events that change it later, as values that are stored:
//! format, players, seed and changes.

use serde::{Deserialize, Serialize};

use super::error::SetupError;

/// The largest number of pairs.
pub(super) const PAIRS_MAX: u64 = 100_000_000;
/// The largest number of events.
pub(super) const EVENTS_MAX: usize = 100_000;
/// The largest number of players. The pairing of a Swiss round needs memory for each two of them.
pub(super) const PLAYERS_MAX: usize = 2000;

/// Two games from the same opening with exchanged seats: the unit of every schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The number of the pair in the schedule, from 0.
    pub number: u32,
    /// The round, from 0.
    pub round: u32,
    /// The numbers of the players.
    pub players: [u32; 2],
    /// The number of the opening, from 0. If there are fewer openings, they are used again from the
    /// first.
    pub opening: u32,
}

/// The format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Two players; each pair uses the next opening.
    Match {
        /// The number of pairs.
        pairs: u32,
    },
    /// The first players against all others, but not against each other. All pairs of a cycle share
    /// one opening.
    Gauntlet {
        /// The number of challengers: the players with the lowest numbers.
        challengers: u32,
        /// The number of pairs with each opponent.
        cycles: u32,
    },
    /// All players against each other. All pairs of a round share one opening. Two cycles are a
    /// double round robin.
    RoundRobin {
        /// The number of pairs between each two players.
        cycles: u32,
    },
    /// The Swiss system: players with similar scores meet, and no two players meet twice.
    Swiss {
        /// The number of rounds. The tournament ends earlier if no new pairing is left.
        rounds: u32,
    },
    /// A knockout: the loser of a match is eliminated.
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
}

/// The outcome of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The half points of the first player, 0 to 4.
    HalfPoints(u8),
    /// The pair could not be played; neither player scores.
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
    /// The pair with this number, started or not, is void. This applies only if the pair has these
    /// players: another pair that gets the number is played.
    Void {
        /// The players of the void pair.
        players: [u32; 2],
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

impl Format {
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
        if players < 2 {
            return Err(SetupError::TooFewPlayers { players });
        }
        if players > PLAYERS_MAX {
            return Err(SetupError::TooManyPlayers { players });
        }
        let n = players as u64;
        let (unit, count, pairs) = match self.format {
            Format::Match { .. } if players != 2 => return Err(SetupError::MatchSize { players }),
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
            Format::RoundRobin { cycles } => {
                ("cycles", cycles, (n * (n - 1) / 2).saturating_mul(cycles.into()))
            }
            Format::Swiss { rounds } => ("rounds", rounds, (n / 2).saturating_mul(rounds.into())),
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
