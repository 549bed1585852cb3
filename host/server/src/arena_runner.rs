//! The trait through which the server creates arenas and has them played. The server itself plays
//! none.

use std::path::Path;
use std::process::Command;

use super::problem::ApiResult;
use super::wire::NewArena;

/// Creates arenas, and plays each in a process of its own.
pub trait ArenaRunner: Send + Sync {
    /// Checks a request as the command line checks its arguments, and creates the arena in the
    /// folder of arenas. Returns its id. Err: names the field that is wrong; no folder is created.
    /// Blocks for as long as compiling the engines takes.
    fn create(&self, arenas: &Path, request: &NewArena) -> ApiResult<String>;

    /// Returns the command that plays the arena of a folder, with this many games at once. Its
    /// process ends when its standard input ends; what was stored stays complete.
    fn command(&self, arena: &Path, games_at_once: u16) -> Command;
}
