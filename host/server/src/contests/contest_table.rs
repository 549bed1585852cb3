//! The public table of a contest's arena: standings only. Seeds and engine output, which an arena's
//! view has too, are left out.

use serde::Serialize;
use utoipa::ToSchema;

use sandboard_arena_plan::{State, View};
use sandboard_contest::store::{Entrant, Submission};
use sandboard_contest::{Row, standings};

/// The table of one arena of a contest.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct ContestTable {
    /// The arena's name: `ladder`, or the name of the final.
    pub arena: String,
    /// `running`, `stopping`, `open` (no process runs it, and games are left) or `complete`.
    #[schema(value_type = String)]
    pub state: State,
    pub games: u64,
    /// Games in progress.
    pub games_playing: u32,
    /// The standings: best first, entrants that are out last.
    #[schema(value_type = Vec<Object>)]
    pub standings: Vec<Row>,
}

impl ContestTable {
    /// Builds the public table from an arena's view.
    pub(crate) fn of(
        arena: &str,
        view: &View,
        entrants: &[Entrant],
        entries: &[Submission],
    ) -> Self {
        Self {
            arena: arena.to_owned(),
            state: view.state,
            games: view.progress.games,
            games_playing: view.progress.games_playing,
            standings: standings(view, entrants, entries),
        }
    }
}
