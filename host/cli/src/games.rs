//! Looks up games, variants and positions by the names that users type.

use std::sync::OnceLock;

use anyhow::Result;
use sandboard_games::{DynGame, GameInfo, Games, Variant};

use super::engines::EngineArgs;
use super::usage;
use sandboard_common::suggestions::nearest;

/// The games that commands without an option for the engines folder know: the built-in ones, and
/// those of the folder that such an option would find. Read once.
pub(crate) fn known_games() -> Games {
    static KNOWN: OnceLock<Games> = OnceLock::new();
    let read = || match EngineArgs::default().loader() {
        Ok(loader) => loader.games().clone(),
        Err(error) => {
            log::warn!("plugged-in games are not known here: {error:#}");
            Games::default()
        }
    };
    KNOWN.get_or_init(read).clone()
}

/// The game with this id; the error lists all games.
pub(crate) fn game_named(games: &Games, id: &str) -> Result<&'static GameInfo> {
    games.find(id).ok_or_else(|| {
        let ids: Vec<&str> = games.iter().map(|info| info.id).collect();
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
fn set_up(game: &GameInfo, variant: &Variant, position: Option<&str>) -> Result<Box<dyn DynGame>> {
    (game.new)(variant, position).map_err(usage)
}

/// The start of a game on a command line.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct StartArgs {
    /// The game's id
    game: String,
    /// The variant, with its board size if it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// The start position, in the game's notation
    #[arg(long, value_name = "TEXT")]
    pub(crate) position: Option<String>,
}

impl StartArgs {
    /// Begins the game; returns the variant as it was named, too.
    pub(crate) fn begin(&self) -> Result<(Variant, Box<dyn DynGame>)> {
        let info = game_named(&known_games(), &self.game)?;
        let variant = variant_of(info, self.variant.as_deref())?;
        let game = set_up(info, &variant, self.position.as_deref())?;
        Ok((variant, game))
    }
}
