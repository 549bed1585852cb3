//! What cargo knows of the workspace: packages, dependencies, folders. Reads
//! `cargo metadata`; never reads a manifest itself and writes nothing.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::run::show;

/// The answer of `cargo metadata`, and where the workspace lies.
pub struct Workspace {
    pub root: PathBuf,
    /// Honours `CARGO_TARGET_DIR` and cargo's configuration.
    pub target: PathBuf,
    metadata: Metadata,
}

#[derive(Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub version: String,
    /// An SPDX expression; absent where the author gave only a file.
    pub license: Option<String>,
    /// Absent for the workspace's own packages and other paths.
    pub source: Option<String>,
    pub manifest_path: PathBuf,
    pub targets: Vec<Target>,
    /// As declared, of every kind (normal, build, dev) and for every platform.
    pub dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub struct Dependency {
    pub name: String,
}

#[derive(Deserialize)]
pub struct Target {
    pub name: String,
    pub kind: Vec<String>,
    pub crate_types: Vec<String>,
    src_path: PathBuf,
}

impl Package {
    /// The targets of one kind: `lib`, `cdylib`, `bin`, `test`, `bench`.
    pub fn targets_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Target> + 'a {
        self.targets.iter().filter(move |target| target.kind.iter().any(|k| k == kind))
    }
}

impl Workspace {
    /// Asks for the workspace's own packages only: no download, no wait.
    pub fn load() -> Result<Workspace> {
        let metadata = metadata(&["--no-deps"])?;
        let root = metadata.workspace_root.clone();
        let target = metadata.target_directory.clone();
        Ok(Workspace { root, target, metadata })
    }

    /// The workspace's own packages.
    pub fn members(&self) -> impl Iterator<Item = &Package> {
        let members = &self.metadata.workspace_members;
        self.metadata.packages.iter().filter(move |package| members.contains(&package.id))
    }

    pub fn member(&self, name: &str) -> Result<&Package> {
        self.members()
            .find(|package| package.name == name)
            .with_context(|| format!("the workspace has no package `{name}`"))
    }

    /// The packages under `sample-engines/` that build a loadable library.
    pub fn sample_engines(&self) -> Vec<&Package> {
        let folder = self.root.join("sample-engines");
        self.members()
            .filter(|package| package.manifest_path.starts_with(&folder))
            .filter(|package| {
                package.targets.iter().any(|t| t.crate_types.iter().any(|c| c == "cdylib"))
            })
            .collect()
    }

    /// The files that programs and libraries begin with, relative to the root.
    pub fn crate_roots(&self) -> BTreeSet<String> {
        let built = |target: &&Target| !target.kind.iter().any(|kind| kind == "custom-build");
        let targets = self.members().flat_map(|package| &package.targets).filter(built);
        targets.map(|target| self.relative(&target.src_path)).collect()
    }

    /// A path below the root, written with `/` on every platform.
    pub fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// Every package of the lock file, for every platform: downloads what is not here yet.
pub fn all_packages() -> Result<Metadata> {
    metadata(&["--locked"])
}

fn metadata(arguments: &[&str]) -> Result<Metadata> {
    let mut command = cargo();
    command.args(["metadata", "--quiet", "--format-version", "1"]).args(arguments);
    command.current_dir(own_root()).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("cannot run `{}`", show(&command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", show(&command), output.status);
    }
    serde_json::from_slice(&output.stdout)
        .context("the answer of `cargo metadata` is not what xtask expects")
}

/// The cargo that runs this program, so that nested calls use the same one.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// `cargo run` says at run time which manifest it runs; the one that was
/// compiled in may be that of another clone with the same target folder.
pub fn own_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR"))).join("..")
}
