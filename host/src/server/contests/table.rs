//! What everybody may know of a contest's games: who stands where. Neither seeds nor what an engine says, which a view of an arena
//! has, too.

use serde::Serialize;
use utoipa::ToSchema;

use crate::arena::{State, View};
use crate::contest::store::{Entrant, Submission};
use crate::contest::{Row, standings};

/// The table of an arena of a contest.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Table {
    /// The arena's name: `ladder`, or the final's.
    pub arena: String,
    /// `running`, `stopping`, `open` (nobody plays it, and something is left) or `complete`.
    #[schema(value_type = String)]
    pub state: State,
    /// Games that are counted.
    pub games: u64,
    /// Games that are being played.
    pub games_playing: u32,
    /// Who stands where, the best first, and who is out last.
    #[schema(value_type = Vec<Object>)]
    pub standings: Vec<Row>,
}

impl Table {
    /// What everybody may know of a view.
    pub fn of(arena: &str, view: &View, entrants: &[Entrant], entries: &[Submission]) -> Self {
        Self {
            arena: arena.to_owned(),
            state: view.state,
            games: view.progress.games,
            games_playing: view.progress.games_playing,
            standings: standings(view, entrants, entries),
        }
    }
}
