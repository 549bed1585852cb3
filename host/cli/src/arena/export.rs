//! Writes the games of an arena into a file in a format of the game, while the arena is played.
//! Every game is appended when it is stored. At the start the file is written again from the
//! store, so a killed process leaves no gap.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use sandboard_games::formats::Format;
use sandboard_games::{GameInfo, Games};

use crate::convert::tag_arena;
use crate::usage;
use sandboard_arena::ArenaFolder;
use sandboard_arena_plan::GameKey;
use sandboard_bout::convert::ConvertedGame;
use sandboard_bout::record::Record;
use sandboard_common::files::write_atomically;

/// The games of an arena in one file.
pub(super) struct Export {
    path: PathBuf,
    file: File,
    format: &'static Format,
    games: Games,
    /// The arena's name, for the files.
    event: String,
    /// Whether the file cannot be written any more.
    has_failed: bool,
}

/// The file in an arena's folder with the path of its export: only such a file is replaced.
const PLACE: &str = "export";

/// The format of a file by its extension: one that holds several games and can be continued.
pub(super) fn format_of(path: &Path, game: &GameInfo) -> Result<&'static Format> {
    let extension = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
    let fits = |format: &&Format| {
        format.write.is_some() && format.join.is_none() && format.features.several
    };
    let mut usable = game.formats.iter().filter(fits);
    let found = usable.clone().find(|format| {
        extension.as_deref().is_some_and(|extension| format.extensions.contains(&extension))
    });
    found.ok_or_else(|| {
        let known = usable.clone().filter_map(|format| format.extensions.first());
        let known: Vec<String> = known.map(|extension| format!(".{extension}")).collect();
        let known = match usable.next() {
            Some(_) => known.join(", "),
            None => "none".to_owned(),
        };
        usage(format!(
            "--export {}: the extension names the format; files of {} that can be continued: {known}",
            path.display(),
            game.id
        ))
    })
}

/// Refuses to replace a file with content, unless it is the export of this arena. `arena`: its
/// folder, which may not exist yet.
pub(super) fn check_replaceable(path: &Path, arena: Option<&Path>) -> Result<()> {
    let has_content = std::fs::metadata(path).is_ok_and(|facts| facts.len() > 0);
    let place = arena.and_then(|arena| std::fs::read_to_string(arena.join(PLACE)).ok());
    let own = std::path::absolute(path).ok();
    let is_own = place.zip(own).is_some_and(|(place, own)| Path::new(&place) == own);
    match has_content && !is_own {
        true => Err(usage(format!(
            "--export: {} exists and is not the export of this arena, so it is not replaced",
            path.display()
        ))),
        false => Ok(()),
    }
}

impl Export {
    /// Writes the stored games of an arena, and opens the file for further ones. Err: the format
    /// does not fit, the file belongs to something else, or it cannot be written.
    pub(super) fn create(
        path: &Path,
        folder: &ArenaFolder,
        game: &'static GameInfo,
        games: &Games,
    ) -> Result<Self> {
        let format = format_of(path, game)?;
        check_replaceable(path, Some(folder.dir()))?;
        let stored = folder.wait(folder.reader().accepted())?;
        let failed = || format!("cannot write {}", path.display());
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(path);
        let file = file.with_context(failed)?;
        let place = std::path::absolute(path)?.to_string_lossy().into_owned();
        write_atomically(&folder.dir().join(PLACE), place.as_bytes())?;
        let event = folder.dir().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (path, games) = (path.to_owned(), games.clone());
        let mut export = Self { path, file, format, games, event, has_failed: false };
        for game in stored {
            export.append(folder, game.game);
        }
        match export.has_failed {
            true => Err(anyhow!("cannot write {}", export.path.display())),
            false => Ok(export),
        }
    }

    /// Appends a game. A game that the format cannot hold is left out with a warning. When the file
    /// cannot be written, the arena goes on without it.
    pub(super) fn append(&mut self, folder: &ArenaFolder, key: GameKey) {
        if self.has_failed {
            return;
        }
        let path = self.path.display();
        let bytes = match self.bytes_of(folder, key) {
            Ok(bytes) => bytes,
            Err(error) => return log::warn!("{path} lacks game {}: {error:#}", key.name()),
        };
        if let Err(error) = self.file.write_all(&bytes) {
            log::warn!("{path} ends before game {}: {error}", key.name());
            self.has_failed = true;
        }
    }

    /// A game in the format of the file.
    fn bytes_of(&self, folder: &ArenaFolder, key: GameKey) -> Result<Vec<u8>> {
        let record = Record::parse(&folder.record(&key.name())?, &self.games)?;
        let mut game = ConvertedGame::from_record(&record, &self.games)?;
        tag_arena(&mut game.tree, &self.event, key);
        let written = game.write(self.format).ok_or_else(|| anyhow!("the format is only read"))?;
        written.map_err(|error| anyhow!("{error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_names_a_format_that_can_be_continued() {
        let check = |game: &str, path: &str, expected: &str| {
            let info = Games::default().find(game).unwrap();
            let found = format_of(Path::new(path), info);
            let found = found.map_or_else(|error| error.to_string(), |format| format.id.to_owned());
            assert!(found.starts_with(expected), "{path}: {found}");
        };
        check("gomoku", "a.sgf", "sgf");
        check("gomoku", "a.SGF", "sgf");
        check("reversi", "a.ggf", "ggf");
        // A database of games needs a header with their number; a file of one game cannot grow.
        check(
            "reversi",
            "a.wtb",
            "--export a.wtb: the extension names the format; files of reversi",
        );
        check("gomoku", "a.psq", "--export a.psq: the extension");
        check("gomoku", "a", "--export a: the extension names the format; files of gomoku");
        check("xiangqi", "a.pgn", "");
        check("bridge", "a.pbn", "pbn");
    }
}
