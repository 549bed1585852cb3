//! How the members of a team search together, and the option that selects it.

use sandboard_abi::OptionSpec;
use sandboard_games::Rules;

use crate::chooser::NewGame;
use crate::options::pick_option;

/// How several threads or instances search one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParallelMode {
    /// Lazy SMP with ABDADA: each member searches the whole position. All share one transposition
    /// table, and marks in it keep two members from searching the same move.
    #[default]
    SharedTable,
    /// Root splitting: the members take the root's moves in turns, and share the best value.
    RootSplitting,
}

const OPTION_NAME: &str = "parallel";

impl ParallelMode {
    const ALL: [(ParallelMode, &'static str); 2] = [
        (ParallelMode::SharedTable, "shared-table"),
        (ParallelMode::RootSplitting, "root-splitting"),
    ];

    /// The mode that the option [`parallel_option`] of a game selects.
    pub fn from_options<R: Rules>(game: &NewGame<'_, R>) -> ParallelMode {
        let value = game.text(OPTION_NAME);
        Self::ALL
            .into_iter()
            .find(|(_, word)| *word == value)
            .map_or(ParallelMode::default(), |(mode, _)| mode)
    }
}

/// The option `parallel` for a description: how several threads or instances search together.
pub fn parallel_option() -> OptionSpec {
    let words = ParallelMode::ALL.map(|(_, word)| word);
    let about = "how several threads search: each the whole position with one shared table, or \
                 the root's moves in turns";
    pick_option(OPTION_NAME, &words, words[0], about)
}
