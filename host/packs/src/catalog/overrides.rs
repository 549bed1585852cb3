//! Overrides: engines under development, which take precedence over the installed engines of their
//! id. They are in `.dev/<name>/` of the engines folder.
//!
//! Invariant: an override lasts as long as the process that claimed it. The process holds a file
//! lock, which the system releases however the process ends.
//! Invariant: readers see one complete build. Each build is a folder of its own; the file that
//! names the current one is replaced in one step, and the previous build stays until the next.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::pack::PackPlace;
use sandboard_common::files::{open_regular, open_regular_with, read_regular_text};

const FOLDER: &str = ".dev";
/// Locked while the override is claimed.
const LOCK: &str = "lock";
/// The prefix of a build's folder.
const BUILD_PREFIX: &str = "build-";
/// The file with the number of the current build.
const CURRENT: &str = "current";

/// The number of attempts to take a lock that is held, and the pause between two attempts.
const LOCK_ATTEMPTS: u32 = 20;
const LOCK_RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The exclusive right to override engines under one name. Released when dropped.
#[derive(Debug)]
pub struct OverrideClaim {
    folder: PathBuf,
    build: u64,
    _lock: File,
}

/// Why an override cannot be claimed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// Another process has claimed it.
    #[error("another `sandboard dev` of `{0}` is running: stop it first (Ctrl-C in its terminal)")]
    AlreadyClaimed(String),
    /// Its folder is a link.
    #[error("{} is a link, and links are not followed here; remove it", .0.display())]
    Link(PathBuf),
    /// The folder cannot be written.
    #[error("cannot write {}: {error}", folder.display())]
    Io {
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl OverrideClaim {
    /// Claims the override `name` in an engines folder. It has no effect before the first
    /// [`publish`](Self::publish).
    pub fn claim(engines_dir: &Path, name: &str) -> Result<Self, ClaimError> {
        let folder = engines_dir.join(FOLDER).join(name);
        // Files in this folder will be removed, so it must not be a link to the user's files.
        for place in [&engines_dir.join(FOLDER), &folder] {
            if place.is_symlink() {
                return Err(ClaimError::Link(place.clone()));
            }
        }
        let failed = |error| ClaimError::Io { folder: folder.clone(), error };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let lock = open_regular_with(
            OpenOptions::new().create(true).truncate(false).write(true),
            &folder.join(LOCK),
        );
        let lock = lock.map_err(failed)?;
        let mut tries = 0;
        while let Err(error) = lock.try_lock() {
            tries += 1;
            match error {
                TryLockError::Error(error) => return Err(failed(error)),
                // A scan of the folder holds the lock for a moment, too.
                TryLockError::WouldBlock if tries < LOCK_ATTEMPTS => {
                    std::thread::sleep(LOCK_RETRY_PAUSE)
                }
                TryLockError::WouldBlock => return Err(ClaimError::AlreadyClaimed(name.into())),
            }
        }
        // Without this, the build of a killed process would become current.
        clear_current(&folder).map_err(failed)?;
        remove_old_builds(&folder, &[]);
        Ok(Self { folder, build: 0, _lock: lock })
    }

    /// Creates the empty folder of the next build.
    pub fn create_build_folder(&self) -> io::Result<PathBuf> {
        let next = self.build_folder(self.build + 1);
        if next.exists() {
            std::fs::remove_dir_all(&next)?;
        }
        std::fs::create_dir_all(&next)?;
        Ok(next)
    }

    /// Makes the next build the current one.
    pub fn publish(&mut self) -> io::Result<()> {
        let next = self.build + 1;
        let fresh = self.folder.join(format!("{CURRENT}.new"));
        std::fs::write(&fresh, next.to_string())?;
        std::fs::rename(&fresh, self.folder.join(CURRENT))?;
        // A reader that has just read the old number still finds the old build.
        let kept = [self.build_folder(self.build), self.build_folder(next)];
        self.build = next;
        remove_old_builds(&self.folder, &kept);
        Ok(())
    }

    fn build_folder(&self, build: u64) -> PathBuf {
        self.folder.join(format!("{BUILD_PREFIX}{build}"))
    }
}

impl Drop for OverrideClaim {
    fn drop(&mut self) {
        if let Err(error) = clear_current(&self.folder) {
            log::warn!("{}: the override cannot be removed: {error}", self.folder.display());
        }
        remove_old_builds(&self.folder, &[]);
    }
}

/// Removes the number of the current build. Builds are removed only after this.
fn clear_current(folder: &Path) -> io::Result<()> {
    match std::fs::remove_file(folder.join(CURRENT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes all builds but `kept`. One that cannot be removed, such as a library that is loaded on
/// Windows, is harmless and is removed later.
fn remove_old_builds(folder: &Path, kept: &[PathBuf]) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let named = path.file_name().and_then(|name| name.to_str());
        let build = named.is_some_and(|name| name.starts_with(BUILD_PREFIX));
        if build
            && !path.is_symlink()
            && !kept.contains(&path)
            && let Err(error) = std::fs::remove_dir_all(&path)
        {
            log::info!("{}: cannot be removed yet: {error}", path.display());
        }
    }
}

/// The packs whose engines override others in a canonical engines folder. Leftovers of a process
/// that has ended are ignored.
pub(super) fn packs(root: &Path) -> Vec<PackPlace> {
    let Ok(folders) = std::fs::read_dir(root.join(FOLDER)) else { return Vec::new() };
    let mut names: Vec<_> = folders.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let place = |name: &OsString| {
        let place = Path::new(FOLDER).join(name);
        let folder = root.join(&place);
        let build = is_claimed(&folder).then(|| current(&folder)).flatten()?;
        Some(PackPlace { root: folder.join(&build), place: place.join(&build) })
    };
    names.iter().filter_map(place).collect()
}

fn is_claimed(folder: &Path) -> bool {
    open_regular(&folder.join(LOCK))
        .is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn current(folder: &Path) -> Option<String> {
    let build: u64 = read_regular_text(&folder.join(CURRENT), 64).ok()?.parse().ok()?;
    Some(format!("{BUILD_PREFIX}{build}"))
}

#[cfg(test)]
mod tests {
    use crate::game_loader::GameLoader;

    use super::super::Catalog;
    use super::super::module::fixtures::component;
    use super::super::tests::{WASM, folder, manifest};
    use super::*;

    /// Publishes a build with engine `a` of this version.
    fn publish_version(claim: &mut OverrideClaim, version: &str) {
        let build = claim.create_build_folder().unwrap();
        let text = manifest(&[&format!("a {version} {WASM}")]);
        std::fs::write(build.join("EngineConfigs.xml"), text).unwrap();
        std::fs::write(build.join("m.wasm"), component(1, "")).unwrap();
        claim.publish().unwrap();
    }

    fn check(dir: &Path, name: &str, expected: &str) {
        let catalog = Catalog::scan(dir, &GameLoader::default()).unwrap();
        let found = catalog.find(name).map(|entry| {
            let kind = if entry.overrides { "override" } else { "installed" };
            format!("{kind} {}", entry.version)
        });
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{name}");
    }

    #[test]
    fn an_override_takes_precedence_while_it_is_claimed() {
        let wasm = component(1, "");
        let dir = folder(&[("a-1.gomoku.wasm", &wasm), ("a-3.gomoku.wasm", &wasm)]);
        let dir = dir.path();
        check(dir, "a", "installed 3");
        let mut claim = OverrideClaim::claim(dir, "a").unwrap();
        check(dir, "a", "installed 3");
        publish_version(&mut claim, "1");
        check(dir, "a", "override 1");
        check(dir, "a-1", "override 1");
        check(dir, "a-3", "installed 3");
        let error = OverrideClaim::claim(dir, "a").unwrap_err().to_string();
        assert!(error.contains("another `sandboard dev` of `a` is running"), "{error}");
        for version in ["4", "5"] {
            publish_version(&mut claim, version);
            check(dir, "a", &format!("override {version}"));
        }
        drop(claim);
        check(dir, "a", "installed 3");
        assert_eq!(std::fs::read_dir(dir.join(".dev/a")).unwrap().count(), 1, "only the lock");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = folder(&[("work/engine.c", b"mine"), ("engines/x", b"")]);
        let engines = dir.path().join("engines");
        std::os::unix::fs::symlink(dir.path(), engines.join(".dev")).unwrap();
        let error = OverrideClaim::claim(&engines, "work").unwrap_err().to_string();
        assert!(error.contains("is a link, and links are not followed"), "{error}");
        std::fs::remove_file(engines.join(".dev")).unwrap();
        std::fs::create_dir(engines.join(".dev")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("work"), engines.join(".dev/work")).unwrap();
        assert!(OverrideClaim::claim(&engines, "work").is_err());
        assert!(dir.path().join("work/engine.c").is_file());
    }

    #[test]
    fn leftovers_of_a_killed_process_are_ignored() {
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
        let mut again = OverrideClaim::claim(dir, "a").unwrap();
        check(dir, "a", "installed 1");
        publish_version(&mut again, "7");
        check(dir, "a", "override 7");
    }
}
