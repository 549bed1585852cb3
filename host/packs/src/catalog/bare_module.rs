//! Bare modules: modules at the top of the engines folder without a manifest, described by their
//! file names. Opens a module only to inspect it.

use std::path::Path;

use sandboard_abi::GameSpec;
use sandboard_games::{GameInfo, Games};

use super::pack::FileInspector;
use super::{Entry, EntryKind, ScanContext};
use crate::manifest::{ModuleKind, PackFault, check_id, check_version};
use sandboard_common::suggestions::nearest;
use sandboard_common::text::{plain, quoted};

/// The naming convention, as a hint in fault messages.
pub(super) const NAMING_HINT: &str =
    "name it `<id>-<version>.<game>.wasm` (or .so, .dll, .dylib), or add a manifest";

/// The type of a module by the extension of its file.
pub(super) enum FileType {
    Module(ModuleKind),
    /// A precompiled module: unchecked machine code, which is never loaded.
    Precompiled,
}

/// The module type of a file name; none: not a module.
pub(super) fn file_type(name: &Path) -> Option<FileType> {
    match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "wasm" => Some(FileType::Module(ModuleKind::Wasm)),
        "so" | "dll" | "dylib" => Some(FileType::Module(ModuleKind::Native)),
        "cwasm" => Some(FileType::Precompiled),
        _ => None,
    }
}

/// The parts of a bare module's file name.
struct ModuleName<'a> {
    id: &'a str,
    version: &'a str,
    game: &'static GameInfo,
}

/// The entry of a module at the top of the engines folder.
pub(super) fn entry(
    root: &Path,
    name: &Path,
    file_type: FileType,
    context: ScanContext<'_>,
) -> Entry {
    let fault = |reason: String| PackFault::new(name, reason);
    let mut entry = Entry {
        entry_kind: EntryKind::UnknownFile,
        id: plain(&name.to_string_lossy()),
        source: name.to_owned(),
        root: root.to_owned(),
        ..Entry::default()
    };
    let kind = match file_type {
        FileType::Module(kind) => kind,
        FileType::Precompiled => {
            let reason =
                "a precompiled `.cwasm` is never loaded; use the `.wasm` that it was compiled from";
            return entry.with_faults(vec![fault(reason.into())]);
        }
    };
    entry.kind = Some(kind);
    let mut faults = Vec::new();
    let text = name.to_str().ok_or("its name is not UTF-8".to_owned());
    match text.and_then(|text| read_name(text, context.games)) {
        Ok(convention) => {
            let variants = convention.game.variants.iter().map(|it| it.id.to_owned()).collect();
            entry.entry_kind = EntryKind::BareModule;
            entry.id = convention.id.to_owned();
            entry.name = convention.id.to_owned();
            entry.version = convention.version.to_owned();
            entry.games = vec![GameSpec { game: convention.game.id.to_owned(), variants }];
        }
        Err(why) => faults.push(fault(format!("{why}; {NAMING_HINT}"))),
    }
    match FileInspector::new(context.caps).module(root, name, kind) {
        Ok((path, facts)) => {
            entry.module = path;
            entry.sha256 = facts.sha256;
            entry.module_bytes = facts.bytes;
            entry.abi = facts.abi;
            faults.extend(facts.faults.into_iter().map(fault));
        }
        Err(why) => faults.push(fault(why)),
    }
    entry.with_faults(faults)
}

/// Splits `<id>-<version>.<game>.<extension>`: the game is between the last two dots, and the
/// version begins at the last `-` before a digit.
fn read_name<'a>(name: &'a str, games: &Games) -> Result<ModuleName<'a>, String> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (rest, game) = stem.rsplit_once('.').ok_or("its name has no game")?;
    let (id, version) = split_version(rest).ok_or("its name has no version")?;
    let game = games.find(game).ok_or_else(|| {
        let near = nearest(game, games.iter().map(|info| info.id));
        let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        format!("unknown game {} in its name{hint}", quoted(game))
    })?;
    check_id(id)?;
    check_version(version)?;
    if id == "human" {
        return Err("the id `human` is reserved".into());
    }
    Ok(ModuleName { id, version, game })
}

/// Splits `id-version` at the last `-` before a digit.
pub(super) fn split_version(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len().saturating_sub(1))
        .rev()
        .find(|&at| bytes[at] == b'-' && bytes[at + 1].is_ascii_digit())?;
    Some((&text[..at], &text[at + 1..]))
}
