//! Which format a file is of: by the name of the format, or by the ending of the
//! file's. A table look-up, over every game.

use std::path::Path;

use anyhow::Result;
use sandboard_games::formats::{Format, Holds};
use sandboard_games::{GAMES, GameInfo};

use crate::cli::usage;
use crate::convert::RECORD_HOLDS;
use crate::manifest::nearest;

/// The name of the host's own format, and what its files end with.
const RECORD: &str = "record";
const RECORD_EXTENSION: &str = "json";

/// What a file is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A record, of any game.
    Record,
    /// A file of one game.
    Format(&'static GameInfo, &'static Format),
}

impl Kind {
    pub fn id(&self) -> &'static str {
        match self {
            Kind::Record => RECORD,
            Kind::Format(_, format) => format.id,
        }
    }

    pub fn holds(&self) -> Holds {
        match self {
            Kind::Record => RECORD_HOLDS,
            Kind::Format(_, format) => format.holds,
        }
    }

    pub fn extension(&self) -> &'static str {
        match self {
            Kind::Record => RECORD_EXTENSION,
            Kind::Format(_, format) => format.extensions.first().copied().unwrap_or_default(),
        }
    }

    /// One file of all these files of a game each.
    pub fn joined(&self, files: &[&[u8]]) -> Result<Vec<u8>> {
        match self {
            // A file of it has one game, and no more than one are asked for.
            Kind::Record => Ok(files.concat()),
            Kind::Format(_, format) => Ok(format.joined(files)?),
        }
    }

    fn is_called(&self, name: &str) -> bool {
        match self {
            Kind::Record => name == RECORD || name == RECORD_EXTENSION,
            Kind::Format(_, format) => format.id == name || format.extensions.contains(&name),
        }
    }
}

/// What a file is: `named` by an option, or by its ending; of one game, where one is
/// asked for.
pub(super) fn of(
    path: &Path,
    named: Option<&str>,
    option: &str,
    game: Option<&'static GameInfo>,
) -> Result<Kind> {
    let all = all(game);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let Some(name) = named.map(str::to_owned).or(ending) else {
        let shown = path.display();
        return Err(usage(format!("what is `{shown}`? {option} says it: {}", names(&all))));
    };
    let found: Vec<Kind> = all.iter().copied().filter(|kind| kind.is_called(&name)).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let near = nearest(&name, all.iter().map(Kind::id));
            let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let of = game.map_or(String::new(), |game| format!(" of {}", game.id));
            let names = names(&all);
            Err(usage(format!("there is no format `{name}`{of}; {near}{option} takes: {names}")))
        }
        several => {
            let games: Vec<&str> = several.iter().filter_map(game_of).collect();
            let games = games.join(", ");
            Err(usage(format!("several games have files of `{name}`: say --game, one of {games}")))
        }
    }
}

fn game_of(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Record => None,
        Kind::Format(info, _) => Some(info.id),
    }
}

fn all(game: Option<&'static GameInfo>) -> Vec<Kind> {
    let games = GAMES.iter().copied().filter(|info| game.is_none_or(|game| game.id == info.id));
    let formats =
        games.flat_map(|info| info.formats.iter().map(move |format| Kind::Format(info, format)));
    std::iter::once(Kind::Record).chain(formats).collect()
}

fn names(all: &[Kind]) -> String {
    let mut names: Vec<&str> = all.iter().map(Kind::id).collect();
    names.dedup();
    names.join(", ")
}
