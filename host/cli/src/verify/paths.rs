//! Finds the records to verify: single files, folders, arenas.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::usage;
use sandboard_arena::OpenFolder;
use sandboard_arena_plan::GameKey;
use sandboard_bout::record::Record;

/// The files to verify; a folder means all records in it and below.
pub(super) fn records(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in named {
        if OpenFolder::holds_arena(path) {
            add_arena(path, &mut all)?;
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

/// Adds the games of an arena, as paths into its folder.
fn add_arena(dir: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    let folder = OpenFolder::open_to_read(dir)?;
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
        // Links to folders are not followed, since they may form a cycle.
        if kind.is_dir() {
            collect(&path, all)?;
        } else if path.is_file()
            && path.extension().is_some_and(|extension| extension == "json")
            && Record::is_record_file(&path)
        {
            all.push(path);
        }
    }
    Ok(())
}
