//! Finds files of an engines folder: only regular files, and never a file outside the folder
//! through a link or a path. Writes nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sandboard_common::suggestions::nearest;
use sandboard_common::text::quoted;

/// The most names of a folder that are compared with the name of a missing file.
const NEIGHBOURS_MAX: usize = 1000;

/// The canonical path of `relative`: a regular file inside `root`, which must be canonical. Err:
/// what is wrong, for people.
pub(super) fn locate(root: &Path, relative: &Path) -> Result<PathBuf, String> {
    let found = canonicalize(&root.join(relative))?;
    if !found.starts_with(root) {
        return Err("is a link that leads out of the pack".into());
    }
    check_regular(found)
}

/// The canonical path of a program of this machine, which is a regular file.
pub(super) fn locate_program(path: &Path) -> Result<PathBuf, String> {
    canonicalize(path).and_then(check_regular)
}

fn canonicalize(given: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(given).map_err(|error| match error.kind() {
        ErrorKind::NotFound if given.is_symlink() => "is a dangling link".to_owned(),
        ErrorKind::NotFound | ErrorKind::NotADirectory => missing_file_reason(given),
        _ => format!("cannot be accessed: {error}"),
    })
}

fn check_regular(found: PathBuf) -> Result<PathBuf, String> {
    match fs::metadata(&found) {
        Ok(data) if data.is_file() => Ok(found),
        Ok(data) if data.is_dir() => Err("is a folder, not a file".into()),
        Ok(_) => Err("is not a regular file".into()),
        Err(error) => Err(format!("cannot be accessed: {error}")),
    }
}

fn missing_file_reason(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names: Vec<String> = path
        .parent()
        .and_then(|folder| fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .take(NEIGHBOURS_MAX)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    match nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => format!("no such file; did you mean {}?", quoted(near)),
        None => "no such file".into(),
    }
}
