//! The folder of a new engine or game: made as a whole, or not at all.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::SdkLocation;
use crate::command::canonical_path;

/// The folders of a clone that new sources are not put into, with their contents.
const SAMPLES: [[&str; 2]; 2] = [["sample-engines", "engines"], ["sample-games", "games"]];

/// A folder that does not exist yet.
pub(super) struct NewFolder {
    /// Its path as the caller gave it, for messages.
    shown: PathBuf,
    /// The canonical path of its parent.
    parent: PathBuf,
    file: PathBuf,
}

impl NewFolder {
    /// Checks that there is no such folder yet, but its parent.
    pub(super) fn at(folder: &Path) -> Result<Self> {
        ensure!(
            std::fs::symlink_metadata(folder).is_err(),
            "{} already exists; nothing was changed (choose another name, or another folder with \
             --dir)",
            folder.display()
        );
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let parent = canonical_path(parent)
            .with_context(|| format!("there is no folder {}", parent.display()))?;
        let file = folder.file_name().context("the folder needs a name")?;
        Ok(Self { shown: folder.to_owned(), parent, file: file.into() })
    }

    /// The last part of its path.
    pub(super) fn file_name(&self) -> &OsStr {
        self.file.as_os_str()
    }

    /// The relative path to the clone with the SDK, if the SDK is in one. Err: the folder would be
    /// among the clone's own samples; `name` is for the advice.
    pub(super) fn path_to_clone(&self, sdk: &SdkLocation, name: &str) -> Result<Option<String>> {
        let SdkLocation::Clone(root) = sdk else { return Ok(None) };
        let root = canonical_path(root)?;
        for [folder, contents] in SAMPLES {
            if self.parent.starts_with(root.join(folder)) {
                bail!(
                    "{folder}/ has the project's own {contents}, which are built and tested with \
                     it; choose another folder, for example --dir ../{name}"
                );
            }
        }
        Ok(Some(relative(&self.parent.join(&self.file), &root)))
    }

    /// Makes the folder with the files that `fill` puts into it. After an error nothing is left
    /// behind.
    pub(super) fn write(&self, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let fresh = format!(".{}.new-{}", self.file.display(), std::process::id());
        let fresh = self.parent.join(fresh);
        let result = fill(&fresh).and_then(|()| {
            std::fs::rename(&fresh, self.parent.join(&self.file))
                .with_context(|| format!("cannot make {}", self.shown.display()))
        });
        if result.is_err() {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        result
    }
}

/// Writes a file of a folder, whose subfolders are made if they are missing.
pub(super) fn put(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap_or(folder))
        .and_then(|()| std::fs::write(&file, text))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// The relative path from one folder to another, with `/` on every platform. Both are absolute.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.iter().collect(), to.iter().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // Another drive, or only the root in common: the absolute path is clearer.
    if common <= 1 {
        let whole: PathBuf = to.iter().collect();
        return whole.to_string_lossy().replace('\\', "/");
    }
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_to_the_sdk_is_relative_where_possible() {
        let check = |from: &str, to: &str, expected: &str| {
            assert_eq!(relative(Path::new(from), Path::new(to)), expected);
        };
        check("/code/sandboard/mine", "/code/sandboard", "..");
        check("/code/mine", "/code/sandboard", "../sandboard");
        check("/other/mine", "/code/sandboard", "/code/sandboard");
    }
}
