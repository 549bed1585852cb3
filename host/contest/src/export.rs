//! Exports everything that a contest stores into a folder of plain files, for its organiser. Tokens
//! are never exported, and the seed of a running contest is not.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::folder::{ContestFolder, ContestFolderError};
use super::roster::version_name;
use super::similarity;
use super::store::OVER_PROPERTY;
use sandboard_arena::store::PackedRecord;
use sandboard_arena::{FolderError, OpenFolder};
use sandboard_contest_rules::arena_rules::ArenaKind;

/// How many games are read at once.
const AT_ONCE: u32 = 256;

/// The numbers of exported items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Entries, each with its module and its report.
    pub entries: usize,
    /// Trials that were played.
    pub trials: usize,
    /// Games of all arenas.
    pub games: usize,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The folder exists.
    #[error("{} exists already: name a new folder", .0.display())]
    Taken(PathBuf),
    /// The contest cannot be read.
    #[error(transparent)]
    Contest(#[from] ContestFolderError),
    /// An arena of the contest cannot be read.
    #[error(transparent)]
    Arena(#[from] FolderError),
    /// A record cannot be unpacked.
    #[error("the record of {game}: {source}")]
    Record {
        /// The game's name.
        game: String,
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// The started arenas of a contest, in playing order.
pub fn arenas(folder: &ContestFolder) -> Vec<String> {
    let first = [ArenaKind::Ladder, ArenaKind::Final(1)].map(ArenaKind::name).into_iter();
    let is_one = |name: &String| OpenFolder::holds_arena(&folder.dir().join(name));
    let later = (2_u32..).map(|number| ArenaKind::Final(number).name());
    let later = later.take_while(|name| folder.dir().join(name).exists());
    first.chain(later).filter(is_one).collect()
}

/// Writes everything into a new folder. If anything fails, the folder does not exist.
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
    // The folder was renamed and must stay.
    let _ = made.keep();
    Ok(exported)
}

fn fill(folder: &ContestFolder, out: &Path) -> Result<Exported, ExportError> {
    let store = folder.store();
    let entries = folder.wait(store.entries(None))?;
    let mut exported = Exported { entries: entries.len(), ..Exported::default() };
    let mut entry_rows = Vec::with_capacity(entries.len());
    for listed in &entries {
        let name = version_name(&entries, listed);
        let Some(entry) = folder.wait(store.entry(listed.number))? else { continue };
        if let Some(module) = folder.wait(store.module(&entry.sha256))? {
            write(out, &format!("modules/{}.wasm", entry.sha256), &module)?;
        }
        if let Some(report) = &entry.report {
            write(out, &format!("reports/entry-{}.json", entry.number), report.as_bytes())?;
        }
        entry_rows.push(json!({
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
        exported.games += games(&OpenFolder::open_to_read(&folder.dir().join(name))?, name, out)?;
    }
    let founding = folder.founding();
    let over = folder.wait(store.property(OVER_PROPERTY))?.filter(|text| !text.is_empty());
    let flags = folder.wait(store.property(similarity::PROPERTY))?;
    let flags: Option<Value> = flags.and_then(|text| serde_json::from_str(&text).ok());
    let entrants = folder.wait(store.entrants())?.into_iter().map(|entrant| {
        json!({
            "name": entrant.name, "status": entrant.status, "reason": entrant.reason, "since_ms": entrant.since_ms,
        })
    });
    let all = json!({
        "format": "sandboard-contest-export", "version": 1,
        "file": founding.file, "founded_ms": founding.founded_ms, "commitment": founding.commitment(),
        "seed": over.as_ref().map(|_| sandboard_common::hex::hex(&founding.seed)), "over": over,
        "contest": folder.contest(), "entrants": entrants.collect::<Vec<_>>(), "entries": entry_rows, "trials": trials,
        "arenas": names, "flags": flags, "audit_log": folder.wait(store.audit_log())?,
    });
    if let Some(openings) = &founding.openings {
        write(out, "openings", openings)?;
    }
    write(out, "contest.json", &serde_json::to_vec_pretty(&all).unwrap_or_default())?;
    Ok(exported)
}

/// Exports the records of an arena's counted games. Returns their number.
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

fn write_record(
    out: &Path,
    folder: &str,
    name: &str,
    record: &PackedRecord,
) -> Result<(), ExportError> {
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
