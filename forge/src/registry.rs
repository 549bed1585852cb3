//! What registries have for us, in one version and by its hashes, which stand in `forge/tools`: a registry's own client
//! fetches it and refuses other bytes, a package's own dependencies as well. Knows no tool, and not where it is kept.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run::run;

/// Who has packages, whose client brings them, and the hashes of all that it may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// PyPI, by pip: a program in a wheel that needs no other.
    PyPi {
        /// A requirements file: the wheels of each system that there are any for.
        wheels: &'static str,
    },
    /// npm, on a Node.js.
    Npm {
        /// A `package.json` that asks for the package alone.
        manifest: &'static str,
        /// Its `package-lock.json`: the package and whatever it stands on, without addresses.
        lock: &'static str,
    },
}

/// The wheels of a package of PyPI.
macro_rules! wheels {
    ($package:literal) => {
        Registry::PyPi { wheels: include_str!(concat!("../tools/", $package, ".txt")) }
    };
}

/// A package of npm with all that it stands on. The lock is npm's own, by
/// `npm install --package-lock-only --omit-lockfile-registry-resolved` beside the manifest.
macro_rules! locked {
    ($folder:literal) => {
        Registry::Npm {
            manifest: include_str!(concat!("../tools/", $folder, "/package.json")),
            lock: include_str!(concat!("../tools/", $folder, "/package-lock.json")),
        }
    };
}

pub(crate) use {locked, wheels};

impl Registry {
    /// A number of all that is pinned, for the name of a folder: another lock is another folder. Guards against mistakes,
    /// not against people; FNV-1a of 64 bits, which no compiler changes.
    pub(crate) fn digest(&self) -> String {
        let texts = match *self {
            Registry::PyPi { wheels } => [wheels, ""],
            Registry::Npm { manifest, lock } => [manifest, lock],
        };
        // A clone with other line ends has the same.
        let bytes = texts.iter().flat_map(|text| text.bytes().chain([0])).filter(|it| *it != b'\r');
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Has the client bring it all into a folder, which is whole or not there; `file`: by which it is seen that it is.
    pub(crate) fn bring(&self, mut client: Command, folder: &Path, file: &Path) -> Result<()> {
        let home = folder.parent().unwrap_or(folder);
        std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
        let fresh = unused(folder)?;
        let ordered = self.order(&mut client, &fresh);
        let done = ordered.and_then(|()| run(client.stdout(std::io::stderr())));
        if let Err(error) = done {
            let _ = std::fs::remove_dir_all(&fresh);
            return Err(error);
        }
        if !folder.join(file).is_file() {
            // A broken one is in its place.
            let _ = std::fs::remove_dir_all(folder);
        }
        if std::fs::rename(&fresh, folder).is_err() {
            // Somebody else was faster.
            let _ = std::fs::remove_dir_all(&fresh);
        }
        Ok(())
    }

    /// Tells the client what to bring into a folder, and by which hashes it knows that it is this.
    fn order(&self, client: &mut Command, folder: &Path) -> Result<()> {
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

/// A folder beside this one that nobody has, made now; those that were left half are removed after a day.
fn unused(folder: &Path) -> Result<PathBuf> {
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
    bail!("too many folders like {}.new-0 are left over: remove them", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pinned_has_its_own_number() {
        let npm = |manifest, lock| Registry::Npm { manifest, lock }.digest();
        let wheels = |wheels| Registry::PyPi { wheels }.digest();
        let check = |one: String, other: String, same: bool| assert_eq!(one == other, same);
        check(npm("a", "b"), npm("a", "b"), true);
        check(npm("a", "b"), npm("a", "c"), false);
        check(npm("a", "b"), npm("ab", ""), false);
        check(wheels("--hash=1\n"), wheels("--hash=2\n"), false);
        check(wheels("--hash=1\n"), wheels("--hash=1\r\n"), true);
        // Of all time: an old folder is found again.
        assert_eq!(wheels("a"), "e5d2f7190427066c");
    }
}
