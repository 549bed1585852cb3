//! What an instance may query of its host: the files of its pack, and the rules of games.

use std::fmt;
use std::sync::Arc;

use sandboard_abi::View;
use sandboard_games::Games;

use crate::Assets;

/// What all instances of a module may query of their host. The default is no files and the built-in
/// games.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The files of its pack.
    pub assets: Assets,
    /// The games that the host knows.
    pub games: Games,
    /// Who knows the other games, if somebody does.
    pub remote_rules: Option<Arc<dyn RemoteRules>>,
}

/// Answers queries about the current game of an instance, outside of this process.
pub trait RemoteRules: fmt::Debug + Send + Sync {
    /// The legal moves after a line of moves. Err: as in the ABI's `legal`.
    fn legal(&self, moves: &str) -> Result<String, String>;
    /// The position after a line of moves. Err: as in the ABI's `look`.
    fn look(&self, moves: &str) -> Result<View, String>;
}
