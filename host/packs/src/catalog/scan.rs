//! Scans an engines folder, one level deep, and builds the catalog. Ignores files that are neither
//! modules nor packs.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{self, UnpackCache};
use super::bare_module::{self, FileType, file_type};
use super::game::{self, GameEntry};
use super::overrides;
use super::pack::{self, PackPlace};
use super::{CANDIDATES_MAX, Catalog, CatalogError, Entry, EntryKind, ScanContext};
use crate::game_loader::GameLoader;
use crate::manifest::{FILE_NAME, PackFault};
use sandboard_common::suggestions::nearest;
use sandboard_common::text::{plain, quoted};
use sandboard_games::Games;

/// The most names of a folder that are read. A folder with more is listed only in part.
const FOLDER_ENTRIES_MAX: usize = 100_000;

/// A pack or module in the engines folder.
enum Candidate {
    Folder,
    Archive,
    Module(FileType),
}

impl Catalog {
    /// Scans an engines folder, and unpacks its archives into the user's cache. Its engines may
    /// play the built-in games and those of the folder. Faults are part of the entries. Err: the
    /// folder cannot be listed.
    pub fn scan(dir: &Path, game_loader: &GameLoader) -> Result<Catalog, CatalogError> {
        Self::scan_into(dir, &UnpackCache::for_user(), game_loader)
    }

    /// The games that the engines of a folder may play, without its engines. Err: as in
    /// [`scan`](Self::scan).
    pub fn scan_games(dir: &Path, game_loader: &GameLoader) -> Result<Games, CatalogError> {
        let (root, names) = list(dir)?;
        let found = Found::search(&root, &names, &UnpackCache::for_user());
        let overriding = overrides::packs(&root);
        Ok(games_of(found.packs.iter().chain(&overriding), game_loader).1)
    }

    /// As [`scan`](Self::scan), with another cache for archives.
    pub(crate) fn scan_into(
        dir: &Path,
        unpack_cache: &UnpackCache,
        game_loader: &GameLoader,
    ) -> Result<Catalog, CatalogError> {
        let (root, names) = list(dir)?;
        let found = Found::search(&root, &names, unpack_cache);
        let overriding = overrides::packs(&root);
        let caps = game_loader.load_caps();
        let (game_entries, games) = games_of(found.packs.iter().chain(&overriding), game_loader);
        let mut catalog = Catalog { entries: found.broken, game_entries, games };
        let context = ScanContext { games: &catalog.games, caps };
        // A module that the top manifest names is not a bare module.
        let mut named = HashSet::new();
        for pack in &found.packs {
            let content = pack.read(context);
            if pack.place.as_os_str().is_empty() {
                named.extend(content.module_paths);
            }
            catalog.entries.extend(content.entries);
        }
        for (name, file_type) in found.modules {
            if !fs::canonicalize(root.join(name)).is_ok_and(|path| named.contains(&path)) {
                catalog.entries.push(bare_module::entry(&root, name, file_type, context));
            }
        }
        let overriding = overriding.iter().flat_map(|pack| pack.read(context).entries);
        catalog.entries.extend(overriding.map(|entry| Entry { overrides: true, ..entry }));
        // A stable sort keeps the order of the manifest.
        catalog.entries.sort_by(|a, b| a.source.cmp(&b.source));
        reject_duplicates(&mut catalog.entries);
        if found.skipped > 0 || names.len() >= FOLDER_ENTRIES_MAX {
            catalog.entries.push(too_many_entry(&root, found.skipped));
        }
        Ok(catalog)
    }
}

/// The canonical path of an engines folder, and the names in it.
fn list(dir: &Path) -> Result<(PathBuf, Vec<OsString>), CatalogError> {
    let unreadable = |error: std::io::Error| CatalogError::Unreadable {
        dir: dir.to_owned(),
        reason: error.to_string(),
    };
    let root = fs::canonicalize(dir).map_err(unreadable)?;
    let names = list_names(&root).map_err(unreadable)?;
    Ok((root, names))
}

/// The plugged-in games of these packs, and the games that engines may play.
fn games_of<'a>(
    packs: impl Iterator<Item = &'a PackPlace>,
    game_loader: &GameLoader,
) -> (Vec<GameEntry>, Games) {
    let games = packs.flat_map(|pack| pack.games(game_loader.load_caps()));
    let mut games: Vec<GameEntry> = games.collect();
    games.sort_by(|a, b| a.source.cmp(&b.source));
    game::reject_duplicates(&mut games);
    let newest = game::newest(&games);
    let known = Games::default().with(newest.into_iter().map(|game| game_loader.row(game)));
    (games, known)
}

/// What an engines folder contains, before any manifest is read.
#[derive(Default)]
struct Found<'a> {
    packs: Vec<PackPlace>,
    /// The entries of packs that cannot be read.
    broken: Vec<Entry>,
    modules: Vec<(&'a Path, FileType)>,
    /// The number of packs and modules that are not read.
    skipped: usize,
}

impl<'a> Found<'a> {
    fn search(root: &Path, names: &'a [OsString], unpack_cache: &UnpackCache) -> Self {
        let mut found = Self::default();
        if has_manifest(root) {
            found.packs.push(PackPlace { root: root.to_owned(), place: PathBuf::new() });
        } else {
            found.broken.extend(misnamed_manifest(root, Path::new("")));
        }
        let candidates = names.iter().filter_map(|name| Some((name, candidate(root, name)?)));
        for (index, (name, candidate)) in candidates.enumerate() {
            if index >= CANDIDATES_MAX {
                found.skipped += 1;
                continue;
            }
            let name = Path::new(name);
            match candidate {
                Candidate::Folder => found.add(folder(root, name)),
                Candidate::Archive => {
                    found.add(archive::unpack(root, name, unpack_cache).map(Some));
                }
                Candidate::Module(file_type) => found.modules.push((name, file_type)),
            }
        }
        found
    }

    fn add(&mut self, pack: Result<Option<PackPlace>, Box<Entry>>) {
        match pack {
            Ok(pack) => self.packs.extend(pack),
            Err(broken) => self.broken.push(*broken),
        }
    }
}

/// The names in a folder in alphabetical order, without hidden ones.
fn list_names(root: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> = fs::read_dir(root)?
        .take(FOLDER_ENTRIES_MAX)
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
    file_type(Path::new(name)).map(Candidate::Module)
}

/// Whether a file, folder or link with the manifest's name exists. True as well if that cannot be
/// determined: reading the manifest then reports why.
fn has_manifest(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder.join(FILE_NAME));
    found.map_or_else(|error| error.kind() != std::io::ErrorKind::NotFound, |_| true)
}

/// The pack in a folder inside the engines folder, if it is one. Err: the entry of a broken one.
fn folder(root: &Path, name: &Path) -> Result<Option<PackPlace>, Box<Entry>> {
    let broken = |reason: String| {
        let fault = PackFault::new(name, reason);
        Err(Box::new(pack::broken_pack(&root.join(name), name, name, vec![fault])))
    };
    match fs::canonicalize(root.join(name)) {
        Ok(folder) if !folder.starts_with(root) => {
            broken("is a link that leads out of the engines folder".into())
        }
        Ok(folder) if has_manifest(&folder) => {
            Ok(Some(PackPlace { root: folder, place: name.to_owned() }))
        }
        Ok(folder) => {
            misnamed_manifest(&folder, name).map_or(Ok(None), |entry| Err(Box::new(entry)))
        }
        Err(error) => broken(format!("cannot be accessed: {error}")),
    }
}

/// A folder that was probably meant to be a pack: it has a misspelt manifest or, below the engines
/// folder, modules without a manifest.
fn misnamed_manifest(folder: &Path, place: &Path) -> Option<Entry> {
    let names = list_names(folder).unwrap_or_default();
    let near = names.iter().filter_map(|name| name.to_str()).find(|name| {
        name.to_ascii_lowercase().ends_with(".xml") && nearest(name, [FILE_NAME]).is_some()
    });
    let reason = match near {
        Some(near) => {
            format!("{} is ignored; the manifest must be named `{FILE_NAME}`", quoted(near))
        }
        None if place.as_os_str().is_empty() => return None,
        None => {
            let module = names
                .iter()
                .find(|name| file_type(Path::new(name)).is_some() && folder.join(name).is_file())?;
            let module = quoted(&module.to_string_lossy());
            format!(
                "has {module}, but no `{FILE_NAME}`; add one, or move the module up into the \
                 engines folder"
            )
        }
    };
    let source = if place.as_os_str().is_empty() { Path::new(FILE_NAME) } else { place };
    Some(pack::broken_pack(folder, place, source, vec![PackFault::new(source, reason)]))
}

/// Marks the later of two usable engines with the same id and version as unusable. Ignores unusable
/// and overriding engines.
fn reject_duplicates(entries: &mut [Entry]) {
    let mut first: HashMap<(String, String), String> = HashMap::new();
    for entry in entries.iter_mut().filter(|entry| entry.is_usable() && !entry.overrides) {
        let file = plain(&entry.source.to_string_lossy());
        let here = entry.line.map_or(file.clone(), |line| format!("{file}:{line}"));
        let key = (entry.id.clone(), entry.version.clone());
        let Some(other) = first.get(&key) else {
            first.insert(key, here);
            continue;
        };
        let reason = format!("`{}` {} already exists in {other}", key.0, key.1);
        let fault = PackFault { line: entry.line, ..PackFault::new(&entry.source, reason) };
        entry.add_fault(match entry.entry_kind {
            EntryKind::Engine => fault.of_element("Engine").of_attribute("id"),
            _ => fault,
        });
    }
}

/// The entry that reports how many candidates were not read.
fn too_many_entry(root: &Path, skipped: usize) -> Entry {
    let reason = format!(
        "has too many packs and modules: the first {CANDIDATES_MAX} were read, at least {skipped} \
         were not"
    );
    let source = PathBuf::from(".");
    let fault = PackFault::new(&source, reason);
    pack::broken_pack(root, Path::new(""), &source, vec![fault])
}
