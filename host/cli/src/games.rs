//! Looks up games, variants and positions by the names that users type.

use anyhow::Result;
use sandboard_games::{DynGame, GAMES, GameInfo, Variant};

use super::usage;
use sandboard_common::suggestions::nearest;

/// The game with this id; the error lists all games.
pub(crate) fn game_named(id: &str) -> Result<&'static GameInfo> {
    sandboard_games::game(id).ok_or_else(|| {
        let ids: Vec<&str> = GAMES.iter().map(|info| info.id).collect();
        let near = nearest(id, ids.iter().copied());
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        usage(format!("unknown game `{id}`; {near}known games: {}", ids.join(", ")))
    })
}

/// A variant of the game; `None` means the game's first one.
pub(crate) fn variant_of(game: &GameInfo, text: Option<&str>) -> Result<Variant> {
    game.variant(text.unwrap_or_default()).map_err(usage)
}

/// Sets the game up in a position; `None` means the start position of the variant.
pub(crate) fn set_up(
    game: &GameInfo,
    variant: &Variant,
    position: Option<&str>,
) -> Result<Box<dyn DynGame>> {
    (game.new)(variant, position).map_err(usage)
}
