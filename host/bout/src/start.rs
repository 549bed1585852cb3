//! The position in which a bout begins.

use sandboard_games::{DynGame, GameInfo, SetupError, Variant};

/// A game, its variant and a position.
#[derive(Clone, Debug)]
pub struct StartPosition {
    /// The game's row in the table of games.
    pub game: &'static GameInfo,
    /// The variant, with its size if it has one.
    pub variant: Variant,
    /// The position text; none: the variant's own start.
    pub position: Option<String>,
}

impl StartPosition {
    /// A game in this position.
    pub fn set_up(&self) -> Result<Box<dyn DynGame>, SetupError> {
        (self.game.new)(&self.variant, self.position.as_deref())
    }
}
