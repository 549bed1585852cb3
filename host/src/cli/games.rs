//! Games, variants and positions as people name them.

use anyhow::Result;
use sandboard_games::{DynGame, GAMES, GameInfo, Variant};

use super::usage;
use crate::manifest::nearest;

/// The game with this id; the error names those there are.
pub fn game_named(id: &str) -> Result<&'static GameInfo> {
    sandboard_games::game(id).ok_or_else(|| {
        let ids: Vec<&str> = GAMES.iter().map(|info| info.id).collect();
        let near = nearest(id, ids.iter().copied());
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        usage(format!("there is no game `{id}`; {near}the games are: {}", ids.join(", ")))
    })
}

/// A variant of the game; none: the game's first.
pub fn variant_of(game: &GameInfo, text: Option<&str>) -> Result<Variant> {
    game.variant(text.unwrap_or_default()).map_err(usage)
}

/// The game in a position; none: the variant's own start.
pub fn set_up(
    game: &GameInfo,
    variant: &Variant,
    position: Option<&str>,
) -> Result<Box<dyn DynGame>> {
    (game.new)(variant, position).map_err(usage)
}
