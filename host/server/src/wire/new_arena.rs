//! The bodies of requests that start and resume arenas.

use serde::Deserialize;
use utoipa::ToSchema;

use super::request::EngineSeat;
use super::{object, whole_number};

/// The most players of a new arena.
pub(crate) const ARENA_PLAYERS_MAX: usize = 64;

/// A request to create an arena and play it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewArena {
    /// The name of the arena and its folder: letters, digits, inner spaces and `.`, `_`, `-`, `'`;
    /// empty: made from the players and the date.
    #[serde(default)]
    #[schema(max_length = 60)]
    pub name: String,
    /// The game's id.
    pub game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    pub variant: String,
    /// How games are scheduled.
    pub format: ArenaFormat,
    /// Pairs of a match, of each meeting of a knockout, and of a ladder; rounds of a Swiss system;
    /// cycles of a round robin and a gauntlet. With `sprt`, the upper limit.
    #[serde(deserialize_with = "whole_number::one")]
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub count: u32,
    /// The players, in order: in a gauntlet, the first one meets all others.
    #[serde(deserialize_with = "object::list")]
    #[schema(min_items = 2, max_items = 64)]
    pub players: Vec<NewArenaPlayer>,
    /// The budget of players without their own.
    pub budget: String,
    /// The openings that the pairs use in turn; absent: the start position, or random deals.
    #[serde(default, deserialize_with = "object::optional")]
    pub openings: Option<OpeningList>,
    /// The sequential test that ends a match of two players.
    #[serde(default, deserialize_with = "object::optional")]
    pub sprt: Option<SequentialTest>,
    /// The seed of everything random; absent: a random one.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    pub seed: Option<u64>,
    /// The number of games played at once; absent: one for each two cores.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 1024)]
    pub games_at_once: Option<u16>,
}

/// How the games of an arena are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArenaFormat {
    /// As many players as a game has meet again and again.
    Match,
    /// The first player meets all others.
    Gauntlet,
    /// All players meet each other.
    RoundRobin,
    /// Players with similar scores meet.
    Swiss,
    /// The loser of each meeting is eliminated.
    Knockout,
    /// Players of similar strength meet.
    Ladder,
}

/// A player of a new arena.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewArenaPlayer {
    /// The engine with its options.
    #[serde(deserialize_with = "object::one")]
    pub engine: EngineSeat,
    /// The player's own budget; absent: that of the arena.
    #[serde(default)]
    pub budget: Option<String>,
}

/// A list of openings.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningList {
    /// The name of the file that the list is from.
    #[schema(max_length = 120)]
    pub name: String,
    /// A position or a list of moves in each line.
    #[schema(max_length = 4_000_000)]
    pub text: String,
}

/// A sequential test (SPRT): whether the first player is better by at most `elo0`, or by at least
/// `elo1`.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SequentialTest {
    /// The lower bound in normalised Elo.
    pub elo0: f64,
    /// The upper bound in normalised Elo.
    pub elo1: f64,
}

/// A request to play an arena further.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResumeArena {
    /// The number of games played at once; absent: one for each two cores.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[schema(minimum = 1, maximum = 1024)]
    pub games_at_once: Option<u16>,
}
