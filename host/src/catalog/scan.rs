//! Walks through the engines folder, one level of packs deep, and puts the
//! catalog together. What is no module and no pack is nobody's business here.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{self, Shelf};
use super::bare::{self, Ending, ending};
use super::overrides;
use super::pack::{self, Inspector};
use super::{CANDIDATES, Catalog, CatalogError, Entry, Subject};
use crate::engine::wasm::scan::LoadCaps;
use crate::manifest::{FILE_NAME, PackFault, nearest, plain, quoted};

/// Names of a folder that are read at most; a folder with more is not listed whole.
const NAMES: usize = 100_000;

/// What a name in the engines folder may stand for.
enum Candidate {
    Folder,
    Archive,
    Module(Ending),
}

impl Catalog {
    /// Looks through the engines folder. What is wrong with anything in it
    /// stands in the entries; Err only when the folder itself cannot be listed.
    /// Archives are unpacked into the user's cache.
    pub fn scan(dir: &Path) -> Result<Catalog, CatalogError> {
        Self::scan_capped(dir, &LoadCaps::default())
    }

    /// As [`scan`](Self::scan); wasm may be as large as `caps` say.
    pub fn scan_capped(dir: &Path, caps: &LoadCaps) -> Result<Catalog, CatalogError> {
        Self::scan_with(dir, &Shelf::of_user(), caps)
    }

    /// As [`scan_capped`](Self::scan_capped), with another place to unpack archives.
    pub fn scan_with(dir: &Path, shelf: &Shelf, caps: &LoadCaps) -> Result<Catalog, CatalogError> {
        let unreadable = |error: std::io::Error| CatalogError::Unreadable {
            dir: dir.to_owned(),
            reason: error.to_string(),
        };
        let root = fs::canonicalize(dir).map_err(unreadable)?;
        let names = names(&root).map_err(unreadable)?;
        let mut entries = Vec::new();
        // Modules that the top manifest names are its, not bare ones.
        let mut named = HashSet::new();
        if has_manifest(&root) {
            let pack = pack::read(&root, Path::new(""), caps);
            named.extend(pack.named);
            entries.extend(pack.entries);
        } else {
            entries.extend(mistaken_manifest(&root, Path::new("")));
        }
        let candidates = names.iter().filter_map(|name| Some((name, candidate(&root, name)?)));
        let mut left_out = 0usize;
        for (index, (name, candidate)) in candidates.enumerate() {
            if index >= CANDIDATES {
                left_out += 1;
                continue;
            }
            let name = Path::new(name);
            match candidate {
                Candidate::Folder => entries.extend(folder(&root, name, caps)),
                Candidate::Archive => entries.extend(archive::entries(&root, name, shelf, caps)),
                Candidate::Module(ending) => {
                    let path = fs::canonicalize(root.join(name));
                    if !path.is_ok_and(|path| named.contains(&path)) {
                        entries.push(bare::entry(&root, name, ending, &mut Inspector::new(caps)));
                    }
                }
            }
        }
        entries.extend(overrides::entries(&root, caps));
        // A stable sort: the order of the manifest stays.
        entries.sort_by(|a, b| a.source.cmp(&b.source));
        refuse_doubles(&mut entries);
        if left_out > 0 || names.len() >= NAMES {
            entries.push(crowded(&root, left_out));
        }
        Ok(Catalog { entries })
    }
}

/// The names in a folder in a fixed order, hidden ones left out.
fn names(root: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> = fs::read_dir(root)?
        .take(NAMES)
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .collect();
    names.sort();
    Ok(names)
}

fn candidate(root: &Path, name: &OsString) -> Option<Candidate> {
    if root.join(name).is_dir() {
        return Some(Candidate::Folder);
    }
    if archive::is_archive(Path::new(name)) {
        return Some(Candidate::Archive);
    }
    ending(Path::new(name)).map(Candidate::Module)
}

/// Whether there is something by the manifest's name, be it what it may. Where
/// that cannot be seen, reading it will say why.
fn has_manifest(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder.join(FILE_NAME));
    found.map_or_else(|error| error.kind() != std::io::ErrorKind::NotFound, |_| true)
}

/// What a folder in the engines folder brings.
fn folder(root: &Path, name: &Path, caps: &LoadCaps) -> Vec<Entry> {
    let broken = |reason: String| {
        let fault = PackFault::new(name, reason);
        vec![pack::broken(&root.join(name), name, name, vec![fault])]
    };
    match fs::canonicalize(root.join(name)) {
        Ok(folder) if !folder.starts_with(root) => {
            broken("is a link that leaves the engines folder".into())
        }
        Ok(folder) if has_manifest(&folder) => pack::read(&folder, name, caps).entries,
        Ok(folder) => mistaken_manifest(&folder, name).map_or(Vec::new(), |entry| vec![entry]),
        Err(error) => broken(format!("cannot be reached: {error}")),
    }
}

/// A folder without a manifest that was probably meant to be a pack: a name
/// near the manifest's, or, below the engines folder, modules without one.
fn mistaken_manifest(folder: &Path, place: &Path) -> Option<Entry> {
    let names = names(folder).unwrap_or_default();
    let near = names.iter().filter_map(|name| name.to_str()).find(|name| {
        name.to_ascii_lowercase().ends_with(".xml") && nearest(name, [FILE_NAME]).is_some()
    });
    let reason = match near {
        Some(near) => format!("{} is not read; a manifest is called `{FILE_NAME}`", quoted(near)),
        None if place.as_os_str().is_empty() => return None,
        None => {
            let module = names
                .iter()
                .find(|name| ending(Path::new(name)).is_some() && folder.join(name).is_file())?;
            let module = quoted(&module.to_string_lossy());
            format!("holds {module}, but no `{FILE_NAME}`; give it one, or put the module above")
        }
    };
    let source = if place.as_os_str().is_empty() { Path::new(FILE_NAME) } else { place };
    Some(pack::broken(folder, place, source, vec![PackFault::new(source, reason)]))
}

/// Of two usable engines with one id and version the later one is refused. An
/// unusable one takes no name away, and one that overrides is no double.
fn refuse_doubles(entries: &mut [Entry]) {
    let mut first: HashMap<(String, String), String> = HashMap::new();
    for entry in entries.iter_mut().filter(|entry| entry.is_usable() && !entry.overrides) {
        let file = plain(&entry.source.to_string_lossy());
        let here = entry.line.map_or(file.clone(), |line| format!("{file}:{line}"));
        let key = (entry.id.clone(), entry.version.clone());
        let Some(other) = first.get(&key) else {
            first.insert(key, here);
            continue;
        };
        let reason = format!("`{}` {} is in the folder already, in {other}", key.0, key.1);
        let fault = PackFault { line: entry.line, ..PackFault::new(&entry.source, reason) };
        entry.add_fault(match entry.subject {
            Subject::Engine => fault.of_element("Engine").of_attribute("id"),
            _ => fault,
        });
    }
}

/// The entry that says how much was not looked at.
fn crowded(root: &Path, left_out: usize) -> Entry {
    let reason = format!(
        "holds too much: the first {CANDIDATES} packs and modules were looked at, {left_out} or \
         more were not"
    );
    let source = PathBuf::from(".");
    let fault = PackFault::new(&source, reason);
    pack::broken(root, Path::new(""), &source, vec![fault])
}
