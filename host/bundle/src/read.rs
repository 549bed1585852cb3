//! Opens a bundle from a file or a folder: its index, and its files by name, each within its
//! limits. Judges no game.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sandboard_abi::limits::LABEL_BYTES;
use serde::Deserialize;

use super::index::Index;
use super::{
    FORMAT, INDEX, INDEX_BYTES, LIMITS, VERSION, check_name, is_sha256, module_file, openings_file,
    record_file,
};
use sandboard_archive::Archive;
use sandboard_arena_plan::GameKey;
use sandboard_common::bounded_files::read_bounded;

/// How many problems of an archive are reported.
const PROBLEMS_MAX: usize = 5;
/// The most files in a folder.
const FILES_MAX: usize = 1_000_000;

/// An open bundle.
pub struct Bundle {
    /// The index. Its names and hashes are well-formed, and names are unique; nothing else is
    /// verified yet.
    pub index: Index,
    location: Location,
}

enum Location {
    Archive(Archive),
    Folder(PathBuf),
}

/// Why a bundle cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BundleError {
    /// The file or the folder.
    pub path: PathBuf,
    /// The reason, with the place.
    pub reason: String,
}

#[derive(Deserialize)]
struct Label {
    format: Option<String>,
    version: Option<u64>,
}

impl Bundle {
    /// Opens the bundle in a ZIP file or an unpacked folder. Fails if it is not a bundle or not
    /// safe to read.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        let location = match path.is_dir() {
            true => Ok(Location::Folder(path.to_owned())),
            false => Archive::open(path, &LIMITS).map(Location::Archive).map_err(problems),
        };
        let opened = location.and_then(Self::at);
        opened.map_err(|reason| BundleError { path: path.to_owned(), reason })
    }

    /// Opens the bundle in the bytes of a ZIP file. The error says why they are not a bundle, or
    /// not safe to read.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        Self::at(Location::Archive(Archive::from_bytes(bytes, &LIMITS).map_err(problems)?))
    }

    fn at(location: Location) -> Result<Self, String> {
        let bytes = location.read(INDEX, INDEX_BYTES).map_err(|why| format!("{INDEX} {why}"))?;
        let bytes = bytes.ok_or_else(|| format!("is not a bundle: it holds no {INDEX}"))?;
        let index = index(&bytes).map_err(|why| format!("{INDEX}: {why}"))?;
        Ok(Self { index, location })
    }

    /// Reads a file of at most `most` bytes; `None` if there is no such file. The error says what
    /// is wrong with it.
    pub fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        self.location.read(name, most)
    }

    /// The files that the index does not name, in order. Fails if the files cannot be listed.
    pub fn unlisted_files(&self) -> Result<Vec<String>, String> {
        let mut named = BTreeSet::from([INDEX.to_owned()]);
        for module in self.index.modules.iter().filter(|module| module.published) {
            named.insert(module_file(&module.sha256));
        }
        for arena in &self.index.arenas {
            named.extend(arena.setup.openings.iter().map(|it| openings_file(&it.sha256)));
            named.extend(arena.games.iter().map(|game| record_file(&arena.name, &game.name)));
        }
        let is_unlisted = |name: &String| !named.contains(name);
        Ok(match &self.location {
            Location::Archive(archive) => {
                archive.names().map(str::to_owned).filter(is_unlisted).collect()
            }
            Location::Folder(folder) => {
                let mut files = Vec::new();
                list(folder, "", &mut files)?;
                files.into_iter().filter(is_unlisted).collect()
            }
        })
    }
}

impl Location {
    fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        match self {
            Location::Archive(archive) => archive.read(name, most),
            Location::Folder(folder) => {
                // No part of the path may be a link, because a link could lead anywhere.
                let mut path = folder.clone();
                for part in name.split('/') {
                    path.push(part);
                    match fs::symlink_metadata(&path) {
                        Ok(found) if found.is_symlink() => return Err("is a link".into()),
                        Ok(_) => (),
                        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                            return Ok(None);
                        }
                        Err(error) => return Err(format!("cannot be read: {error}")),
                    }
                }
                read_bounded(&path, most).map(Some)
            }
        }
    }
}

/// The problems of an archive as one text.
fn problems(mut reasons: Vec<String>) -> String {
    let more = reasons.len().saturating_sub(PROBLEMS_MAX);
    reasons.truncate(PROBLEMS_MAX);
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    reasons.join("; ") + &more
}

/// All files in a folder, recursively, as relative paths.
fn list(folder: &Path, below: &str, files: &mut Vec<String>) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("{} cannot be listed: {error}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        entries.push(entry.map_err(cannot)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        // A link counts as a file, which the index does not name.
        match entry.file_type().map_err(cannot)?.is_dir() {
            true => list(&entry.path(), &format!("{name}/"), files)?,
            false => files.push(name),
        }
        if files.len() > FILES_MAX {
            return Err(format!("{} holds more than {FILES_MAX} files", folder.display()));
        }
    }
    Ok(())
}

/// Checks that readers of a table can tell a player by its name.
fn check_player_name(name: &str) -> Result<(), String> {
    let shown = || sandboard_common::text::quoted(name);
    if name.trim().is_empty() {
        return Err("has an empty name".into());
    }
    if name.trim() != name || name.contains(sandboard_common::text::is_hidden) {
        return Err(format!("is called {}, with blanks at an end or hidden characters", shown()));
    }
    match name.len() > LABEL_BYTES {
        true => Err(format!("is called {}, more than {LABEL_BYTES} bytes", shown())),
        false => Ok(()),
    }
}

/// Parses and validates the index.
fn index(bytes: &[u8]) -> Result<Index, String> {
    let label: Label = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if label.format.as_deref() != Some(FORMAT) {
        return Err(format!("`format` is not \"{FORMAT}\": this is not a bundle"));
    }
    if label.version != Some(u64::from(VERSION)) {
        let version = label.version.map_or("none".into(), |version| version.to_string());
        return Err(format!("`version` is {version}, and this host reads version {VERSION}"));
    }
    let index: Index = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let hash = |what: &str, text: &str| match is_sha256(text) {
        true => Ok(()),
        false => Err(format!("{what} has no SHA-256 of 64 digits in hexadecimal, lower case")),
    };
    let mut modules = BTreeSet::new();
    for module in &index.modules {
        hash("a module", &module.sha256)?;
        if !modules.insert(&module.sha256) {
            return Err(format!("the module {} is listed twice", module.sha256));
        }
    }
    let mut names = BTreeSet::new();
    for arena in &index.arenas {
        check_name(&arena.name)?;
        let name = &arena.name;
        if !names.insert(name.to_lowercase()) {
            return Err(format!("the arena `{name}` is listed twice"));
        }
        if let Some(openings) = &arena.setup.openings {
            hash(&format!("the file of openings of {name}"), &openings.sha256)?;
        }
        let mut players = BTreeSet::new();
        for player in arena.players() {
            check_player_name(&player.name).map_err(|why| format!("a player of {name} {why}"))?;
            if !players.insert(&player.name) {
                let shown = sandboard_common::text::quoted(&player.name);
                return Err(format!("two players of {name} are called {shown}"));
            }
        }
        let mut games = BTreeSet::new();
        for game in &arena.games {
            let key = GameKey::from_name(&game.name);
            let key = key.ok_or_else(|| {
                let shown = sandboard_common::text::quoted(&game.name);
                format!("{shown} of {name} is not the name of a game, such as `pair-000001-1`")
            })?;
            hash(&format!("the game {} of {name}", game.name), &game.sha256)?;
            if !games.insert(key) {
                return Err(format!("the game {} of {name} is listed twice", game.name));
            }
        }
    }
    if index.arenas.is_empty() {
        return Err("it names no arena".into());
    }
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_archive::ZipWriter;

    /// Checks the error for an archive of these files.
    fn check(files: &[(&str, &[u8])], expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.zip");
        let mut zip = ZipWriter::new(fs::File::create(&path).unwrap(), LIMITS);
        for (name, bytes) in files {
            zip.add(name, bytes).unwrap();
        }
        drop(zip.finish().unwrap());
        let reason = Bundle::open(&path).err().unwrap().reason;
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(Bundle::from_bytes(fs::read(&path).unwrap()).err(), Some(reason));
    }

    #[test]
    fn hostile_archives_are_refused() {
        let empty = br#"{"format": "sandboard-bundle", "version": 1, "title": "", "host": "", "modules": [],
            "fuel_meter": {"runtime": "", "prices": 1, "opt_level": ""}, "arenas": []}"#;
        check(&[(INDEX, empty)], "it names no arena");
        check(&[], "is not a bundle: it holds no bundle.json");
        check(&[(INDEX, empty), ("../x", b"")], "its name ");
        check(&[(INDEX, empty), ("/etc/x", b"")], "its name ");
        check(&[(INDEX, empty), (INDEX, empty)], "occurs twice");
        check(&[(INDEX, empty), ("BUNDLE.json", empty)], "only in upper and lower case");
        check(&[(INDEX, &vec![b' '; 8 << 20])], "bundle.json: EOF while parsing");
        let long = vec![0; LIMITS.file_bytes as usize + 1];
        check(&[(INDEX, empty), ("records/a", &long)], "the limit is");
        check(&[(INDEX, b"{")], "bundle.json: EOF while parsing");
        check(&[(INDEX, b"{}")], "`format` is not");
        let later = br#"{"format": "sandboard-bundle", "version": 2}"#;
        check(&[(INDEX, later)], "`version` is 2, and this host reads version 1");
        let named = String::from_utf8_lossy(empty).replace(
            "\"modules\": []",
            "\"modules\": [{\"sha256\": \"../x\", \"published\": true}]",
        );
        check(&[(INDEX, named.as_bytes())], "a module has no SHA-256");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "{}").unwrap();
        let bundle = folder.path().join("b");
        fs::create_dir(&bundle).unwrap();
        std::os::unix::fs::symlink("../secret", bundle.join(INDEX)).unwrap();
        assert_eq!(Bundle::open(&bundle).err().unwrap().reason, "bundle.json is a link");
    }
}
