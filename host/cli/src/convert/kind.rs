//! Finds the format of a file, by the name of the format or by the file's extension, in the tables
//! of all games.

use std::path::Path;

use anyhow::Result;
use sandboard_games::formats::{Features, Format};
use sandboard_games::{GameInfo, Games};

use crate::usage;
use sandboard_bout::convert::RECORD_FEATURES;
use sandboard_common::suggestions::nearest;

/// The name of the host's own format, and the extension of its files.
const RECORD: &str = "record";
const RECORD_EXTENSION: &str = "json";

/// The format of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A record, of any game.
    Record,
    /// A file of one game.
    Format(&'static GameInfo, &'static Format),
}

impl Kind {
    pub(super) fn id(&self) -> &'static str {
        match self {
            Kind::Record => RECORD,
            Kind::Format(_, format) => format.id,
        }
    }

    pub(super) fn features(&self) -> Features {
        match self {
            Kind::Record => RECORD_FEATURES,
            Kind::Format(_, format) => format.features,
        }
    }

    pub(super) fn extension(&self) -> &'static str {
        match self {
            Kind::Record => RECORD_EXTENSION,
            Kind::Format(_, format) => format.extensions.first().copied().unwrap_or_default(),
        }
    }

    /// Joins several files with one game each into one file.
    pub(super) fn join_files(&self, files: &[&[u8]]) -> Result<Vec<u8>> {
        match self {
            // A record file has one game, so there is only one file here.
            Kind::Record => Ok(files.concat()),
            Kind::Format(_, format) => Ok(format.join_files(files)?),
        }
    }

    fn is_called(&self, name: &str) -> bool {
        match self {
            Kind::Record => name == RECORD || name == RECORD_EXTENSION,
            Kind::Format(_, format) => format.id == name || format.extensions.contains(&name),
        }
    }
}

/// The format of a file: `named` by an option, or by its extension; only formats of `game`, if
/// given, which is one of `games`.
pub(super) fn of(
    games: &Games,
    path: &Path,
    named: Option<&str>,
    option: &str,
    game: Option<&'static GameInfo>,
) -> Result<Kind> {
    let all = all(games, game);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let Some(name) = named.map(str::to_owned).or(ending) else {
        let shown = path.display();
        return Err(usage(format!(
            "`{shown}` has no extension; set its format with {option}: {}",
            names(&all)
        )));
    };
    let found: Vec<Kind> = all.iter().copied().filter(|kind| kind.is_called(&name)).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let near = nearest(&name, all.iter().map(Kind::id));
            let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let of = game.map_or(String::new(), |game| format!(" of {}", game.id));
            let names = names(&all);
            Err(usage(format!("unknown format `{name}`{of}; {near}values of {option}: {names}")))
        }
        several => {
            let games: Vec<&str> = several.iter().filter_map(game_of).collect();
            let games = games.join(", ");
            Err(usage(format!(
                "several games have the format `{name}`: choose one with --game: {games}"
            )))
        }
    }
}

fn game_of(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Record => None,
        Kind::Format(info, _) => Some(info.id),
    }
}

fn all(games: &Games, game: Option<&'static GameInfo>) -> Vec<Kind> {
    let games = games.iter().filter(|info| game.is_none_or(|game| game.id == info.id));
    let formats =
        games.flat_map(|info| info.formats.iter().map(move |format| Kind::Format(info, format)));
    std::iter::once(Kind::Record).chain(formats).collect()
}

fn names(all: &[Kind]) -> String {
    let mut names: Vec<&str> = all.iter().map(Kind::id).collect();
    names.dedup();
    names.join(", ")
}
