//! Games that are in play in an arena, as boards. What an arena's store says of them is judged by the
//! rules here, and believed no further.

use serde::Serialize;
use utoipa::ToSchema;

use crate::arena::LiveGame;
use crate::record::Start;
use crate::server::room::position;
use crate::server::wire::Position;

/// A game that is in play, and where it stands.
#[derive(Serialize, ToSchema)]
pub struct LiveBoard {
    /// What is told of it.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    game: LiveGame,
    /// What its moves have led to.
    position: Position,
}

/// The board of a game in an arena whose games begin there unless they say otherwise. None: the rules do not know
/// it.
pub fn board(start: &Start, game: &LiveGame) -> Option<LiveBoard> {
    let begins = Start { position: game.start.clone().or(start.position.clone()), ..start.clone() };
    let refused = |error: &dyn std::fmt::Display| {
        log::warn!("{} is not shown: {error}", game.name);
    };
    let mut set_up = begins.set_up().map_err(|error| refused(&error)).ok()?;
    for mv in &game.moves {
        set_up.play(mv).map_err(|error| refused(&error)).ok()?;
    }
    Some(LiveBoard { game: game.clone(), position: position(set_up.as_ref()) })
}
