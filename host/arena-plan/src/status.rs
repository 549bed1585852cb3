//! The status of a process that plays an arena, beside the results. A value.

use serde::{Deserialize, Serialize};

use super::view::{LiveGame, LongGame};

/// The status of a running session, beside its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Whether the session is stopping: games in play are finished, none begins.
    pub stopping: bool,
    /// The number of games played at once.
    pub concurrency: usize,
    /// The expected time to the end of the arena, in seconds.
    pub seconds_left: Option<f64>,
    /// A game in play that has lasted ten times the mean or longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_game: Option<LongGame>,
    /// The moves per second of this session.
    pub plies_per_second: Option<f64>,
    /// The games in play.
    pub games: Vec<LiveGame>,
}
