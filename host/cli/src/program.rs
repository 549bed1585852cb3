//! Programs of this machine as engines: finds them, asks them in their jail, and tries them with
//! one move. `add` installs them; an arena plays them without an installation.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use sandboard_builder::command::{find_program_in, search_path};
use sandboard_builder::packages::find_game;

use crate::engines::named_options;
use crate::usage;
use sandboard_bout::driver::EnginePlayer;
use sandboard_bout::query::{PositionQuery, checked_move};
use sandboard_bout::start::StartPosition;
use sandboard_common::bytes;
use sandboard_common::text::plain;
use sandboard_engine::{Budget, Fault, FaultCode};
use sandboard_engine_wasm::Metering;
use sandboard_packs::catalog::{Entry, inspect};
use sandboard_packs::loader::Loader;
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::packaging::program::{ProgramSource, write_pack};
use sandboard_protocols::{Dialect, Protocol};

/// The memory of a program without a limit of its own: enough for a network and a small table.
pub(crate) const MEMORY_BYTES: u64 = 1 << 30;
/// The time to start of a program without a limit of its own, in milliseconds.
pub(crate) const START_MS: u64 = 30_000;
/// How long a program may think about the move that tries it, in microseconds.
const TRIAL_US: u64 = 1_000_000;
/// The seed of the position in which a program is tried, in games with random starts.
const TRIAL_SEED: u64 = 1;

/// A program that was asked and tried.
#[derive(Debug)]
pub(crate) struct TriedProgram {
    /// Its engine in the pack.
    pub entry: Entry,
    /// Its first move; none: it resigned.
    pub first_move: Option<String>,
}

/// The absolute path of a program that is named by its path, or by its name on the search path.
pub(crate) fn find(typed: &Path) -> Result<PathBuf> {
    let is_name = typed.components().count() == 1 && !typed.is_file();
    let found = match is_name {
        true => {
            let name = typed.to_string_lossy();
            // Debian's folder of games is not on the search path of root.
            find_program_in(&search_path(), &name).or_else(|| find_game(&name))
        }
        false => Some(typed.to_owned()).filter(|path| path.is_file()),
    };
    let found = found.ok_or_else(|| {
        let place = if is_name { "here or on the search path" } else { "there" };
        usage(format!("{}: no such program {place}", typed.display()))
    })?;
    std::path::absolute(&found).with_context(|| format!("{}", found.display()))
}

/// The SHA-256 of a program. Err: the file cannot be a program of this machine.
pub(crate) fn hash(program: &Path, loader: &Loader) -> Result<String> {
    let wrong = |why: String| anyhow!("{} {why}", program.display());
    let facts = inspect(program, ModuleKind::External, loader.load_caps()).map_err(wrong)?;
    match facts.faults.is_empty() {
        true => Ok(facts.sha256),
        false => Err(wrong(facts.faults.join("; "))),
    }
}

/// Writes the pack of a program into `folder`, and lets the program choose a first move. The loader
/// must trust it. If the program counts ranks from 1 where the game counts from 0, its manifest
/// says so. `options` are those of the trial, by their names in the protocol or the manifest. Err:
/// it cannot be described, or its first move is a fault.
pub(crate) fn make_pack(
    source: &ProgramSource,
    loader: &Loader,
    folder: &Path,
    options: &[(String, String)],
) -> Result<TriedProgram> {
    let entry = write_pack(source, loader, folder)?;
    let fault = match first_move(&entry, loader, options)? {
        Ok(first_move) => return Ok(TriedProgram { entry, first_move }),
        Err(fault) => fault,
    };
    let writes_moves = [FaultCode::IllegalMove, FaultCode::Protocol].contains(&fault.code);
    let protocol = &source.protocol;
    if writes_moves && protocol.protocol.has_dialects() && protocol.dialect == Dialect::Same {
        let mut other = source.clone();
        other.protocol.dialect = Dialect::RanksFromOne;
        let entry = write_pack(&other, loader, folder)?;
        if let Ok(first_move) = first_move(&entry, loader, options)? {
            return Ok(TriedProgram { entry, first_move });
        }
    }
    let (program, game) = (source.program.display(), &source.game.game);
    let memory = source.limits.memory_bytes.unwrap_or_default() >> 20;
    let hint = match fault.code {
        FaultCode::Crash => {
            format!(" (it has {memory} MiB of memory, and sees no file but those that it is given)")
        }
        _ => String::new(),
    };
    let sentence = plain(&fault.sentence);
    Err(anyhow!("{program} cannot play {game}: at its first move it {sentence}{hint}"))
}

/// The first move of a program in its game, if it has no fault.
fn first_move(
    entry: &Entry,
    loader: &Loader,
    options: &[(String, String)],
) -> Result<Result<Option<String>, Fault>> {
    let spec = entry.games.first().context("it plays no game")?;
    let games = loader.games();
    let game = games.find(&spec.game).with_context(|| format!("unknown game {}", spec.game))?;
    let variant = match spec.variants.first() {
        Some(text) => game.variant(text).map_err(usage)?,
        None => game.default_variant(),
    };
    let position = game.deal.map(|deal| deal(&variant, TRIAL_SEED));
    let position = StartPosition::new(game, variant, position).set_up().map_err(usage)?;
    let loaded = match loader.load(entry, Metering::Deadline) {
        Ok(loaded) => loaded,
        Err(fault) => return Ok(Err(fault)),
    };
    let engine = EnginePlayer {
        limits: loaded.limits,
        // An option that does not exist is reported with the others of its player.
        options: named_options(entry, options)
            .into_iter()
            .filter(|(name, _)| entry.options.iter().any(|option| option.name == *name))
            .collect(),
        ..EnginePlayer::new(loaded.source, entry.id.clone())
    };
    let budget = Budget::wall_per_move(TRIAL_US);
    let result = PositionQuery { engine, budget, seed: TRIAL_SEED }.run(&*position, &[]);
    Ok(result.answer.and_then(|answer| checked_move(&*position, &answer.choice, &[])))
}

/// Parses the word of a protocol.
pub(crate) fn protocol(word: &str) -> Result<Protocol, String> {
    Protocol::from_word(word)
        .ok_or_else(|| format!("known protocols: {}", Protocol::WORDS.join(", ")))
}

/// Parses an amount of memory: `512MiB`, `1GiB`.
pub(crate) fn memory_bytes(text: &str) -> Result<u64, String> {
    let bytes = bytes::parse(text).filter(|bytes| (64 << 10..=2 << 30).contains(bytes));
    bytes.ok_or_else(|| format!("`{text}` is not an amount from 64KiB to 2GiB, such as 512MiB"))
}

/// Parses an option with its value: `Hash=64`.
pub(crate) fn option_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err(format!("`{text}` is not an option with a value: write NAME=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_path_or_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fish");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(find(&file).unwrap(), file);
        assert!(find(Path::new("sh")).unwrap().is_absolute());
        let check = |path: &Path, expected: &str| {
            let error = find(path).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        };
        check(&folder.path().join("bird"), "bird: no such program there");
        check(
            Path::new("no-such-fish"),
            "no-such-fish: no such program here or on the search path",
        );
    }

    #[test]
    fn values_of_arguments() {
        assert_eq!(memory_bytes("512MiB"), Ok(512 << 20));
        assert!(memory_bytes("3GiB").is_err() && memory_bytes("1MB").is_err());
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(option_value("Skill Level=3"), pair("Skill Level", "3"));
        assert_eq!(option_value("Book=a=b"), pair("Book", "a=b"));
        assert_eq!(option_value("Path="), pair("Path", ""));
        assert!(option_value("=3").is_err() && option_value("Hash").is_err());
        assert_eq!(protocol("ucci"), Ok(Protocol::Ucci));
        assert!(protocol("xboard").unwrap_err().contains("uci, ucci"));
    }
}
