//! How a team searches, and the option by which people say so.

use sandboard_abi::OptionSpec;
use sandboard_games::Rules;

use crate::engine::{NewGame, pick};

/// How several threads or instances search one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Way {
    /// Each searches it on its own; all share one table, and marks keep two from the same move.
    #[default]
    SharedTable,
    /// They take the moves of the root in turns, and share the best value, too.
    RootSplitting,
}

/// The option's name.
const NAME: &str = "parallel";

impl Way {
    const ALL: [(Way, &'static str); 2] =
        [(Way::SharedTable, "shared-table"), (Way::RootSplitting, "root-splitting")];

    /// What the option [`way_option`] of a game says.
    pub fn of<R: Rules>(game: &NewGame<'_, R>) -> Way {
        let said = game.text(NAME);
        Self::ALL.into_iter().find(|(_, word)| *word == said).map_or(Way::default(), |(way, _)| way)
    }
}

/// The option `parallel` for a description: how several threads or instances search together.
pub fn way_option() -> OptionSpec {
    let words = Way::ALL.map(|(_, word)| word);
    let about = "how several threads search: each for itself with one table, or the moves of the root in turns";
    pick(NAME, &words, words[0], about)
}
