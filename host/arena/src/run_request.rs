//! Requests from other processes to the one that plays an arena. They are written into the store
//! as JSON and answered there.

use serde::{Deserialize, Serialize};

use sandboard_arena_plan::Contestant;
use sandboard_bout::driver::EnginePlayer;

/// A request to the process that plays an arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Let an engine join, from the next round on.
    Join {
        /// The engine as on the command line: `id:option=value@budget`.
        engine: String,
        /// The budget as on the command line, if the engine's text has none.
        #[serde(default)]
        budget: Option<String>,
        /// Its known strength, in Elo.
        #[serde(default)]
        rating: i32,
    },
    /// Withdraw a player: its pairs that have not begun are cancelled.
    Withdraw {
        /// The player's name.
        player: String,
    },
    /// Finish the tournament: its pairs that have not begun are cancelled.
    Finish,
    /// Stop the session: bouts in play are finished, none begins. The arena can be resumed.
    Stop,
}

/// Loads the engines of players that join.
pub trait PlayerSource {
    /// Loads a player, ready to play. The error is a sentence for the requester.
    fn load_player(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String>;
}

/// A source without players: every request to join is refused.
impl PlayerSource for () {
    fn load_player(
        &mut self,
        _: &str,
        _: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        Err("this arena accepts no new players".into())
    }
}
