//! What is asked of whoever plays an arena, from another process: somebody is to join, to leave, or the session is to
//! end. Written into the store as JSON, and answered there.

use serde::{Deserialize, Serialize};

use super::setup::Contestant;
use crate::bout::EnginePlayer;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// An engine is to join, from the next round on.
    Join {
        /// As it is typed: `id:option=value@budget`.
        engine: String,
        /// What it may spend, as it is typed, where the engine's text does not say.
        #[serde(default)]
        budget: Option<String>,
        /// What is known of its strength, in Elo.
        #[serde(default)]
        rating: i32,
    },
    /// A player is to leave: its pairs that were not begun fall out.
    Withdraw {
        /// Its name.
        player: String,
    },
    /// The tournament is over: its pairs that were not begun fall out.
    End,
    /// Bouts are to be finished and none begun; the arena can be gone on with later.
    Stop,
}

/// Finds the engines of those who join.
pub trait Recruiter {
    /// The player, ready to play; the error is a sentence for whoever asked.
    fn recruit(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String>;
}

/// Finds nobody.
impl Recruiter for () {
    fn recruit(&mut self, _: &str, _: Option<&str>) -> Result<(Contestant, EnginePlayer), String> {
        Err("nobody can join here".into())
    }
}
