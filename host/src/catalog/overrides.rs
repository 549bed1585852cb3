//! Engines under development, which go before the installed ones of their id for
//! as long as somebody works on them: `.dev/<name>/` in the engines folder.
//!
//! Invariant: an override lasts as long as the process that claimed it. A lock on a file says
//! so, which the system takes back however that process ends.
//! Invariant: readers see one whole build: each is a folder of its own, named by a file that
//! is replaced in one step, and the build before it stays until the next one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Entry, pack};
use crate::engine::wasm::scan::LoadCaps;

const FOLDER: &str = ".dev";
/// Locked while the override is claimed.
const LOCK: &str = "lock";
/// What the folders of builds begin with.
const BUILD: &str = "build-";
/// Holds the number of the build that counts.
const CURRENT: &str = "current";

/// How often, and after what pause, a lock that is held is tried.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The claim to override engines; given back when it is dropped.
#[derive(Debug)]
pub struct Override {
    folder: PathBuf,
    build: u64,
    _lock: File,
}

/// Why there is no override.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// Another process has it.
    #[error("another `sandboard dev` of `{0}` runs: end it first (Ctrl-C where it runs)")]
    Taken(String),
    /// The place for it is a link.
    #[error("{} is a link, which is not followed here; remove it", .0.display())]
    Link(PathBuf),
    /// The folder cannot be written.
    #[error("cannot write {}: {error}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl Override {
    /// Claims the override called `name` in an engines folder; as yet it overrides nothing.
    pub fn claim(engines_dir: &Path, name: &str) -> Result<Self, ClaimError> {
        let folder = engines_dir.join(FOLDER).join(name);
        // What lies behind a link is somebody's, and what is here will be removed.
        for place in [&engines_dir.join(FOLDER), &folder] {
            if place.is_symlink() {
                return Err(ClaimError::Link(place.clone()));
            }
        }
        let failed = |error| ClaimError::Io { folder: folder.clone(), error };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let lock =
            OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK));
        let lock = lock.map_err(failed)?;
        let mut tries = 0;
        while let Err(error) = lock.try_lock() {
            tries += 1;
            match error {
                TryLockError::Error(error) => return Err(failed(error)),
                // Whoever looks through the folder just now holds it for a moment, too.
                TryLockError::WouldBlock if tries < TRIES => std::thread::sleep(PAUSE),
                TryLockError::WouldBlock => return Err(ClaimError::Taken(name.into())),
            }
        }
        // What a killed process left behind counts from now on, unless it is gone.
        retire(&folder).map_err(failed)?;
        tidy_up(&folder, &[]);
        Ok(Self { folder, build: 0, _lock: lock })
    }

    /// The empty folder into which the next build is put.
    pub fn next(&self) -> io::Result<PathBuf> {
        let next = self.build_folder(self.build + 1);
        if next.exists() {
            std::fs::remove_dir_all(&next)?;
        }
        std::fs::create_dir_all(&next)?;
        Ok(next)
    }

    /// From now on the next build counts.
    pub fn publish(&mut self) -> io::Result<()> {
        let next = self.build + 1;
        let fresh = self.folder.join(format!("{CURRENT}.new"));
        std::fs::write(&fresh, next.to_string())?;
        std::fs::rename(&fresh, self.folder.join(CURRENT))?;
        // Whoever has just read the old number finds the old build for one more turn.
        let kept = [self.build_folder(self.build), self.build_folder(next)];
        self.build = next;
        tidy_up(&self.folder, &kept);
        Ok(())
    }

    fn build_folder(&self, build: u64) -> PathBuf {
        self.folder.join(format!("{BUILD}{build}"))
    }
}

impl Drop for Override {
    fn drop(&mut self) {
        if let Err(error) = retire(&self.folder) {
            log::warn!("{}: cannot be cleared: {error}", self.folder.display());
        }
        tidy_up(&self.folder, &[]);
    }
}

/// No build counts any more. Builds go after this, never before.
fn retire(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(CURRENT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the builds that do not count. One that cannot be removed, as a library that is
/// loaded on Windows, harms nobody and goes another time.
fn tidy_up(folder: &Path, kept: &[PathBuf]) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let named = path.file_name().and_then(|name| name.to_str());
        let build = named.is_some_and(|name| name.starts_with(BUILD));
        if build
            && !path.is_symlink()
            && !kept.contains(&path)
            && let Err(error) = std::fs::remove_dir_all(&path)
        {
            log::info!("{}: cannot be removed yet: {error}", path.display());
        }
    }
}

/// The engines that override others in a canonical engines folder. What is left of a
/// process that has ended counts for nothing.
pub(super) fn entries(root: &Path, caps: &LoadCaps) -> Vec<Entry> {
    let Ok(folders) = std::fs::read_dir(root.join(FOLDER)) else { return Vec::new() };
    let mut names: Vec<_> = folders.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let packs = names.iter().flat_map(|name| {
        let place = Path::new(FOLDER).join(name);
        let folder = root.join(&place);
        if !is_claimed(&folder) {
            return Vec::new();
        }
        let Some(build) = current(&folder) else { return Vec::new() };
        pack::read(&folder.join(&build), &place.join(&build), caps).entries
    });
    packs.map(|entry| Entry { overrides: true, ..entry }).collect()
}

fn is_claimed(folder: &Path) -> bool {
    File::open(folder.join(LOCK))
        .is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn current(folder: &Path) -> Option<String> {
    let build: u64 = std::fs::read_to_string(folder.join(CURRENT)).ok()?.parse().ok()?;
    Some(format!("{BUILD}{build}"))
}

#[cfg(test)]
mod tests {
    use super::super::Catalog;
    use super::super::module::fixtures::component;
    use super::super::tests::{WASM, folder, manifest};
    use super::*;

    /// Puts a pack with engine `a` of this version into the next build.
    fn fill(claim: &mut Override, version: &str) {
        let build = claim.next().unwrap();
        let text = manifest(&[&format!("a {version} {WASM}")]);
        std::fs::write(build.join("EngineConfigs.xml"), text).unwrap();
        std::fs::write(build.join("m.wasm"), component(1, "")).unwrap();
        claim.publish().unwrap();
    }

    fn check(dir: &Path, name: &str, expected: &str) {
        let catalog = Catalog::scan(dir).unwrap();
        let found = catalog.find(name).map(|entry| {
            let kind = if entry.overrides { "override" } else { "installed" };
            format!("{kind} {}", entry.version)
        });
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{name}");
    }

    #[test]
    fn an_override_goes_before_all_for_as_long_as_it_is_claimed() {
        let wasm = component(1, "");
        let dir = folder(&[("a-1.gomoku.wasm", &wasm), ("a-3.gomoku.wasm", &wasm)]);
        let dir = dir.path();
        check(dir, "a", "installed 3");
        let mut claim = Override::claim(dir, "a").unwrap();
        check(dir, "a", "installed 3");
        fill(&mut claim, "1");
        check(dir, "a", "override 1");
        check(dir, "a-1", "override 1");
        check(dir, "a-3", "installed 3");
        let taken = Override::claim(dir, "a").unwrap_err().to_string();
        assert!(taken.contains("another `sandboard dev` of `a` runs"), "{taken}");
        for version in ["4", "5"] {
            fill(&mut claim, version);
            check(dir, "a", &format!("override {version}"));
        }
        drop(claim);
        check(dir, "a", "installed 3");
        assert_eq!(std::fs::read_dir(dir.join(".dev/a")).unwrap().count(), 1, "only the lock");
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_behind_a_link_is_left_alone() {
        let dir = folder(&[("work/engine.c", b"mine"), ("engines/x", b"")]);
        let engines = dir.path().join("engines");
        std::os::unix::fs::symlink(dir.path(), engines.join(".dev")).unwrap();
        let refused = Override::claim(&engines, "work").unwrap_err().to_string();
        assert!(refused.contains("is a link, which is not followed here"), "{refused}");
        std::fs::remove_file(engines.join(".dev")).unwrap();
        std::fs::create_dir(engines.join(".dev")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("work"), engines.join(".dev/work")).unwrap();
        assert!(Override::claim(&engines, "work").is_err());
        assert!(dir.path().join("work/engine.c").is_file());
    }

    #[test]
    fn what_a_killed_process_left_counts_for_nothing() {
        let wasm = component(1, "");
        let pack = manifest(&[&format!("a 2 {WASM}")]);
        let dir = folder(&[
            ("a-1.gomoku.wasm", &wasm),
            (".dev/a/lock", b""),
            (".dev/a/current", b"1"),
            (".dev/a/build-1/EngineConfigs.xml", &pack),
            (".dev/a/build-1/m.wasm", &wasm),
        ]);
        let dir = dir.path();
        check(dir, "a", "installed 1");
        let lock = File::open(dir.join(".dev/a/lock")).unwrap();
        lock.try_lock().unwrap();
        check(dir, "a", "override 2");
        drop(lock);
        check(dir, "a", "installed 1");
        let mut again = Override::claim(dir, "a").unwrap();
        check(dir, "a", "installed 1");
        fill(&mut again, "7");
        check(dir, "a", "override 7");
    }
}
