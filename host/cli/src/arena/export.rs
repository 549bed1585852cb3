//! Writes the games of an arena into a file in a format of the game, while the arena is played.
//! Every game is appended when it is stored. At the start the file is written again from the
//! store, so a killed process leaves no gap.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use sandboard_games::formats::Format;
use sandboard_games::{GameInfo, Games};

use crate::usage;
use sandboard_arena::ArenaFolder;
use sandboard_bout::convert::ConvertedGame;
use sandboard_bout::record::Record;

/// The games of an arena in one file.
pub(super) struct Export {
    path: PathBuf,
    file: File,
    format: &'static Format,
    games: Games,
    /// Why nothing is written any more.
    failed: Option<String>,
}

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

impl Export {
    /// Writes the stored games of an arena, and opens the file for further ones. Err: the format
    /// does not fit, a new arena would replace a file, or the file cannot be written.
    pub(super) fn create(
        path: &Path,
        folder: &ArenaFolder,
        game: &'static GameInfo,
        games: &Games,
    ) -> Result<Self> {
        let format = format_of(path, game)?;
        let stored = folder.wait(folder.reader().accepted())?;
        let has_content = std::fs::metadata(path).is_ok_and(|facts| facts.len() > 0);
        if stored.is_empty() && has_content {
            return Err(usage(format!(
                "--export: {} exists, and a new arena does not replace it",
                path.display()
            )));
        }
        let failed = || format!("cannot write {}", path.display());
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(path);
        let file = file.with_context(failed)?;
        let mut export =
            Self { path: path.to_owned(), file, format, games: games.clone(), failed: None };
        for game in stored {
            let record = folder.record(&game.game.name())?;
            export.write(&record).with_context(failed)?;
        }
        Ok(export)
    }

    /// Appends a game. After a failure nothing more is written, and the arena goes on.
    pub(super) fn append(&mut self, folder: &ArenaFolder, name: &str) {
        if self.failed.is_some() {
            return;
        }
        let written = folder.record(name).map_err(Into::into);
        if let Err(error) = written.and_then(|record| self.write(&record)) {
            let path = self.path.display();
            log::warn!(
                "{path} ends before game {name}: {error:#}; `sandboard convert` writes all games"
            );
            self.failed = Some(error.to_string());
        }
    }

    fn write(&mut self, record: &[u8]) -> Result<()> {
        let record = Record::parse(record, &self.games)?;
        let game = ConvertedGame::from_record(&record, &self.games)?;
        let written = game.write(self.format).ok_or_else(|| anyhow!("the format is only read"))?;
        let bytes = written.map_err(|error| anyhow!("{error}"))?;
        self.file.write_all(&bytes)?;
        Ok(())
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
