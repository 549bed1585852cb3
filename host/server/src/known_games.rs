//! The games that a running server knows: they change when a game is put into the engines folder.

use std::sync::{Arc, PoisonError, RwLock};

use sandboard_games::Games;

/// The games of the engines folder at its last scan. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownGames(Arc<RwLock<Games>>);

impl KnownGames {
    /// Knows these games at first.
    pub(crate) fn new(games: Games) -> Self {
        Self(Arc::new(RwLock::new(games)))
    }

    /// The games of the last scan.
    pub(crate) fn now(&self) -> Games {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the games after a scan.
    pub(crate) fn replace(&self, games: Games) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = games;
    }
}
