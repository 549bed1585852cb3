//! Modules that lie in the engines folder by themselves: what their names say.
//! Opens the module only to inspect it.

use std::path::Path;

use sandboard_abi::GameSpec;
use sandboard_games::{GAMES, GameInfo};

use super::pack::Inspector;
use super::{Entry, Subject};
use crate::manifest::{ModuleKind, PackFault, check_id, check_version, nearest, plain, quoted};

/// The naming convention, for people.
pub(super) const CONVENTION: &str =
    "name it `<id>-<version>.<game>.wasm` (or .so, .dll, .dylib), or let a manifest name it";

/// What a file's ending promises; none: it does not look like a module.
pub(super) enum Ending {
    Module(ModuleKind),
    /// A module compiled beforehand: a way to have any machine code run.
    Precompiled,
}

pub(super) fn ending(name: &Path) -> Option<Ending> {
    match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "wasm" => Some(Ending::Module(ModuleKind::Wasm)),
        "so" | "dll" | "dylib" => Some(Ending::Module(ModuleKind::Native)),
        "cwasm" => Some(Ending::Precompiled),
        _ => None,
    }
}

/// What the name of a bare module says.
struct Convention<'a> {
    id: &'a str,
    version: &'a str,
    game: &'static GameInfo,
}

/// The entry of a module at the top of the engines folder.
pub(super) fn entry(
    root: &Path,
    name: &Path,
    ending: Ending,
    inspector: &mut Inspector<'_>,
) -> Entry {
    let fault = |reason: String| PackFault::new(name, reason);
    let mut entry = Entry {
        subject: Subject::File,
        id: plain(&name.to_string_lossy()),
        source: name.to_owned(),
        root: root.to_owned(),
        ..Entry::default()
    };
    let kind = match ending {
        Ending::Module(kind) => kind,
        Ending::Precompiled => {
            let reason = "a precompiled `.cwasm` is never loaded; drop the `.wasm` it came from";
            return entry.with_faults(vec![fault(reason.into())]);
        }
    };
    entry.kind = Some(kind);
    let mut faults = Vec::new();
    match name.to_str().ok_or("its name is not UTF-8".to_owned()).and_then(read_name) {
        Ok(convention) => {
            let variants = convention.game.variants.iter().map(|it| it.id.to_owned()).collect();
            entry.subject = Subject::Bare;
            entry.id = convention.id.to_owned();
            entry.name = convention.id.to_owned();
            entry.version = convention.version.to_owned();
            entry.games = vec![GameSpec { game: convention.game.id.to_owned(), variants }];
        }
        Err(why) => faults.push(fault(format!("{why}; {CONVENTION}"))),
    }
    match inspector.module(root, name, kind) {
        Ok((path, facts)) => {
            entry.module = path;
            entry.sha256 = facts.sha256;
            entry.module_bytes = facts.bytes;
            entry.abi = facts.abi;
            faults.extend(facts.wrongs.into_iter().map(fault));
        }
        Err(why) => faults.push(fault(why)),
    }
    entry.with_faults(faults)
}

/// Takes `<id>-<version>.<game>.<ending>` apart: the game stands between the
/// last two dots, and the version begins at the last `-` before a digit.
fn read_name(name: &str) -> Result<Convention<'_>, String> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (rest, game) = stem.rsplit_once('.').ok_or("its name says no game")?;
    let (id, version) = split_version(rest).ok_or("its name says no version")?;
    let game = sandboard_games::game(game).ok_or_else(|| {
        let near = nearest(game, GAMES.iter().map(|info| info.id));
        let hint = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        format!("its name says the game {}, which is not known here{hint}", quoted(game))
    })?;
    check_id(id)?;
    check_version(version)?;
    if id == "human" {
        return Err("the id `human` is taken".into());
    }
    Ok(Convention { id, version, game })
}

/// Splits `id-version` at the last `-` before a digit.
pub(super) fn split_version(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len().saturating_sub(1))
        .rev()
        .find(|&at| bytes[at] == b'-' && bytes[at + 1].is_ascii_digit())?;
    Some((&text[..at], &text[at + 1..]))
}
