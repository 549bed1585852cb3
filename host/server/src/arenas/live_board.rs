//! Live games of an arena as boards. The arena's store is not trusted: the rules check every move.

use serde::Serialize;
use utoipa::ToSchema;

use crate::room::position;
use crate::wire::Position;
use sandboard_arena_plan::LiveGame;
use sandboard_bout::start::StartPosition;

/// A live game and its current position.
#[derive(Serialize, ToSchema)]
pub(crate) struct LiveBoard {
    /// The game as the arena's process reports it.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    game: LiveGame,
    /// The position after its moves.
    position: Position,
}

/// Returns the board of a live game; `start` applies unless the game has its own start. None: the
/// rules refuse a move.
pub(crate) fn board(start: &StartPosition, game: &LiveGame) -> Option<LiveBoard> {
    let game_start =
        StartPosition { position: game.start.clone().or(start.position.clone()), ..start.clone() };
    let log_refusal = |error: &dyn std::fmt::Display| {
        log::warn!("{} is not shown: {error}", game.name);
    };
    let mut set_up = game_start.set_up().map_err(|error| log_refusal(&error)).ok()?;
    for mv in &game.moves {
        set_up.play(mv).map_err(|error| log_refusal(&error)).ok()?;
    }
    Some(LiveBoard { game: game.clone(), position: position(set_up.as_ref()) })
}
