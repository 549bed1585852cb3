//! What a tournament is asked to be, as values that are written down: format, players, seed, and
//! what changes on the way.

use serde::{Deserialize, Serialize};

use super::error::SetupError;

/// More pairs than this are a mistake.
pub const PAIRS_MAX: u64 = 100_000_000;
/// More changes than this are a mistake.
pub const EVENTS_MAX: usize = 100_000;
/// The most players: a round of a Swiss system keeps who may meet whom, a place of a table for each two.
pub const PLAYERS_MAX: usize = 2000;

/// Two games with the same opening and the seats exchanged: the unit of every schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// Its place in the schedule, from 0.
    pub number: u32,
    /// Its round, from 0.
    pub round: u32,
    /// Who plays, by number.
    pub players: [u32; 2],
    /// Which opening, from 0; where there are fewer, they are taken from the first again.
    pub opening: u32,
}

/// How pairs are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub enum Format {
    /// Two players, each pair with the next opening.
    Match {
        /// How many pairs.
        pairs: u32,
    },
    /// The first players against all others, and not each other; each round all have one opening.
    Gauntlet {
        /// How many of the players are the heroes.
        heroes: u32,
        /// How many pairs with each opponent.
        folds: u32,
    },
    /// Everybody against everybody; each round all have one opening. Two folds are a double round robin.
    RoundRobin {
        /// How many pairs of each two.
        folds: u32,
    },
    /// Players of like scores, nobody the same opponent twice.
    Swiss {
        /// How many rounds; it ends sooner where nobody is left whom somebody has not met.
        rounds: u32,
    },
    /// Who loses is out.
    Knockout {
        /// Pairs of each meeting.
        pairs: u32,
        /// Pairs that may follow, one by one, while it is even. Then the better seed goes on.
        tie_breaks: u32,
    },
    /// Neighbours by strength, again and again.
    Ladder {
        /// How many pairs.
        pairs: u32,
    },
}

/// A player as the schedule sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// What is known of its strength before, in Elo: the seeding of a knockout, the first order of a
    /// Swiss system, where a ladder begins.
    pub rating: i32,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// How pairs are found.
    pub format: Format,
    /// The players, numbered from 0.
    pub entrants: Vec<Entrant>,
    /// What decides where nothing else does.
    pub seed: u64,
}

/// What became of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Half points of the first of its players, 0 to 4.
    HalfPoints(u8),
    /// It could not be played, and brings nobody anything.
    Void,
}

/// What changes a tournament while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Somebody joins, with the next free number, from the next round on.
    Join(Entrant),
    /// Somebody leaves. His pairs from there on fall out.
    Withdraw(u32),
    /// The tournament ends.
    Stop,
    /// The pair of that number, which may have been begun, brings nobody anything, as long as it is one of these: should the
    /// number become another pair's, that is played.
    Void {
        /// Who was to play it.
        players: [u32; 2],
        /// Whose doing it is, where that is known: a knockout is lost by it.
        by: Option<u32>,
    },
}

/// A change with the number of the first pair for which it counts. That a pair is void counts for it alone, and stands in no
/// order with other changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The number of that pair.
    pub at: u32,
    /// What changes.
    pub change: Change,
}

impl Format {
    /// Whether who meets whom in a round depends on the results of those before.
    pub fn depends_on_results(&self) -> bool {
        match self {
            Format::Match { .. } | Format::Gauntlet { .. } | Format::RoundRobin { .. } => false,
            Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder { .. } => true,
        }
    }
}

impl Setup {
    /// Refuses what is no tournament.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let players = self.entrants.len();
        if players < 2 {
            return Err(SetupError::TooFew { players });
        }
        if players > PLAYERS_MAX {
            return Err(SetupError::TooManyPlayers { players });
        }
        let n = players as u64;
        let (what, count, pairs) = match self.format {
            Format::Match { .. } if players != 2 => return Err(SetupError::NoMatch { players }),
            Format::Gauntlet { heroes, .. } if heroes == 0 || u64::from(heroes) >= n => {
                return Err(SetupError::Heroes { heroes, players });
            }
            Format::Match { pairs } => ("pairs", pairs, u64::from(pairs)),
            Format::Gauntlet { heroes, folds } => {
                let of_fold = u64::from(heroes).saturating_mul(n - u64::from(heroes));
                ("folds", folds, of_fold.saturating_mul(folds.into()))
            }
            Format::RoundRobin { folds } => {
                ("folds", folds, (n * (n - 1) / 2).saturating_mul(folds.into()))
            }
            Format::Swiss { rounds } => ("rounds", rounds, (n / 2).saturating_mul(rounds.into())),
            Format::Knockout { pairs, tie_breaks } => {
                ("pairs", pairs, (n - 1).saturating_mul(u64::from(pairs) + u64::from(tie_breaks)))
            }
            Format::Ladder { pairs } => ("pairs", pairs, u64::from(pairs)),
        };
        match pairs {
            _ if count == 0 => Err(SetupError::Nothing { what }),
            pairs if pairs > PAIRS_MAX => Err(SetupError::TooMany { pairs }),
            _ => Ok(()),
        }
    }
}
