//! Which records are meant by what was typed: files, folders of them, arenas.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::arena::{GameKey, OpenFolder};
use crate::cli::usage;
use crate::record::Record;

/// The files to verify: of a folder, the records in it and below.
pub fn records(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in named {
        if OpenFolder::is_one(path) {
            of_arena(path, &mut all)?;
        } else if path.is_dir() {
            let before = all.len();
            collect(path, &mut all)?;
            if all.len() == before {
                return Err(usage(format!("there are no records in {}", path.display())));
            }
        } else {
            all.push(path.clone());
        }
    }
    Ok(all)
}

/// The games of an arena, as paths into its folder.
fn of_arena(dir: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    let folder = OpenFolder::look(dir)?;
    let games = folder.wait(folder.reader().accepted())?;
    if games.is_empty() {
        return Err(usage(format!("the arena in {} has no finished game", dir.display())));
    }
    all.extend(games.iter().map(|game| dir.join(GameKey::name(&game.game))));
    Ok(())
}

fn collect(folder: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    let listed = || format!("cannot list {}", folder.display());
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(listed)? {
        let entry = entry.with_context(listed)?;
        entries.push((entry.path(), entry.file_type().with_context(listed)?));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in entries {
        // A link to a folder may lead back here.
        if kind.is_dir() {
            collect(&path, all)?;
        } else if path.is_file()
            && path.extension().is_some_and(|extension| extension == "json")
            && Record::is_one(&path)
        {
            all.push(path);
        }
    }
    Ok(())
}
