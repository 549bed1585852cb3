//! All that a contest keeps, as files of a folder: for its organiser, to look at and to keep, with other programs than this one. Tokens
//! and the seed of a contest that goes on are not in it.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::folder::{ContestFolder, ContestFolderError};
use super::likeness;
use super::lot::commitment;
use super::roster::version_name;
use super::runner::{FINAL_PAPER, LADDER, OVER_PAPER};
use crate::arena::store::Packed;
use crate::arena::{FolderError, OpenFolder};

/// So many games are read at once.
const AT_ONCE: u32 = 256;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Entries, each with its bytes and its report.
    pub entries: usize,
    /// Unrated bouts that were played.
    pub trials: usize,
    /// Games of all arenas.
    pub games: usize,
}

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is something already.
    #[error("{} is there already: name a folder that is not", .0.display())]
    Taken(PathBuf),
    /// The contest cannot be read.
    #[error(transparent)]
    Contest(#[from] ContestFolderError),
    /// An arena of it cannot be read.
    #[error(transparent)]
    Arena(#[from] FolderError),
    /// A record cannot be unpacked.
    #[error("the record of {game}: {source}")]
    Record {
        /// Which.
        game: String,
        /// What is wrong with it.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The arenas of a contest that were begun, in the order in which they were played.
pub fn arenas(folder: &ContestFolder) -> Vec<String> {
    let finals = (2_u32..).map(|number| format!("{FINAL_PAPER}-{number}"));
    let names = [LADDER.to_owned(), FINAL_PAPER.to_owned()].into_iter();
    let is_one = |name: &String| OpenFolder::is_one(&folder.dir().join(name));
    let later = finals.take_while(|name| folder.dir().join(name).exists());
    names.chain(later).filter(is_one).collect()
}

/// Writes everything into a folder that is not there yet; where anything fails it is not there afterwards either.
pub fn export(folder: &ContestFolder, out: &Path) -> Result<Exported, ExportError> {
    if out.exists() {
        return Err(ExportError::Taken(out.to_owned()));
    }
    let beside = out.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |source| ExportError::Write { path: out.to_owned(), source };
    let made = tempfile::Builder::new().prefix(".sandboard-export-").tempdir_in(beside);
    let made = made.map_err(failed)?;
    let exported = fill(folder, made.path())?;
    std::fs::rename(made.path(), out).map_err(failed)?;
    // It has another name now, and is to stay.
    let _ = made.keep();
    Ok(exported)
}

fn fill(folder: &ContestFolder, out: &Path) -> Result<Exported, ExportError> {
    let store = folder.store();
    let entries = folder.wait(store.entries(None))?;
    let mut exported = Exported { entries: entries.len(), ..Exported::default() };
    let mut told = Vec::with_capacity(entries.len());
    for listed in &entries {
        let name = version_name(&entries, listed);
        let Some(entry) = folder.wait(store.entry(listed.number))? else { continue };
        if let Some(module) = folder.wait(store.module(&entry.sha256))? {
            write(out, &format!("modules/{}.wasm", entry.sha256), &module)?;
        }
        if let Some(report) = &entry.report {
            write(out, &format!("reports/entry-{}.json", entry.number), report.as_bytes())?;
        }
        told.push(json!({
            "number": entry.number, "name": name, "entrant": entry.entrant, "sha256": entry.sha256, "bytes": entry.bytes,
            "submitted_ms": entry.submitted_ms, "state": entry.state, "judged_ms": entry.judged_ms,
        }));
    }
    let mut trials = Vec::new();
    for trial in folder.wait(store.trials(None))? {
        if let Some(record) = folder.wait(store.trial_record(trial.number))? {
            exported.trials += 1;
            write_record(out, "trials", &format!("trial-{}", trial.number), &record)?;
        }
        trials.push(json!({
            "number": trial.number, "entrant": trial.entrant, "entry": trial.entry, "house": trial.house, "side": trial.side,
            "asked_ms": trial.asked_ms, "sentence": trial.sentence,
        }));
    }
    let names = arenas(folder);
    for name in &names {
        exported.games += games(&OpenFolder::look(&folder.dir().join(name))?, name, out)?;
    }
    let founding = folder.founding();
    let over = folder.wait(store.paper(OVER_PAPER))?.filter(|text| !text.is_empty());
    let flags = folder.wait(store.paper(likeness::PAPER))?;
    let flags: Option<Value> = flags.and_then(|text| serde_json::from_str(&text).ok());
    let entrants = folder.wait(store.entrants())?.into_iter().map(|entrant| {
        json!({
            "name": entrant.name, "status": entrant.status, "reason": entrant.reason, "since_ms": entrant.since_ms,
        })
    });
    let all = json!({
        "format": "sandboard-contest-export", "version": 1,
        "file": founding.file, "founded_ms": founding.founded_ms, "commitment": commitment(&founding.seed),
        "seed": over.as_ref().map(|_| crate::hex(&founding.seed)), "over": over,
        "contest": folder.contest(), "entrants": entrants.collect::<Vec<_>>(), "entries": told, "trials": trials,
        "arenas": names, "flags": flags, "acts": folder.wait(store.acts())?,
    });
    if let Some(openings) = &founding.openings {
        write(out, "openings", openings)?;
    }
    write(out, "contest.json", &serde_json::to_vec_pretty(&all).unwrap_or_default())?;
    Ok(exported)
}

/// The records of an arena's games that count; how many there are.
fn games(arena: &OpenFolder, name: &str, out: &Path) -> Result<usize, ExportError> {
    let (mut last, mut count) = (None, 0);
    loop {
        let some = arena.wait(arena.reader().games_after(last, AT_ONCE))?;
        let Some(listed) = some.last() else { return Ok(count) };
        last = Some(listed.game);
        for game in &some {
            if let Some(record) = arena.wait(arena.reader().record(game.game))? {
                count += 1;
                write_record(out, &format!("games/{name}"), &game.game.name(), &record)?;
            }
        }
    }
}

fn write_record(out: &Path, folder: &str, name: &str, record: &Packed) -> Result<(), ExportError> {
    let record = record.unpack();
    let record = record.map_err(|source| ExportError::Record { game: name.into(), source })?;
    write(out, &format!("{folder}/{name}.json"), &record)
}

fn write(out: &Path, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
    let path = out.join(name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = made.and_then(|()| std::fs::write(&path, bytes));
    written.map_err(|source| ExportError::Write { path, source })
}
