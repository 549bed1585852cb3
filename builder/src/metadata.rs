//! Packages of a workspace, from the answer of `cargo metadata`; manifests are never read here.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::{cargo, command_line};

/// The answer of `cargo metadata`.
#[derive(Deserialize)]
pub struct Metadata {
    /// The workspace's own packages; without `--no-deps` also their dependencies.
    pub packages: Vec<Package>,
    /// The ids of the workspace's own packages.
    pub workspace_members: Vec<String>,
    /// The target folder, by `CARGO_TARGET_DIR` and cargo's configuration.
    pub target_directory: PathBuf,
    /// The folder with the lock file.
    pub workspace_root: PathBuf,
}

/// A package of the workspace, or a dependency.
#[derive(Deserialize)]
pub struct Package {
    /// The package id, as in `workspace_members`.
    pub id: String,
    pub name: String,
    pub version: String,
    /// An SPDX expression; absent if the manifest names only a licence file.
    pub license: Option<String>,
    /// The registries that it may be published to: none for an empty list, all if absent.
    pub publish: Option<Vec<String>>,
    pub description: Option<String>,
    /// The file that crates.io shows.
    pub readme: Option<PathBuf>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub categories: Vec<String>,
    /// Absent for the workspace's own packages and other paths.
    pub source: Option<String>,
    /// The path of its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// Libraries, programs, tests, benches and examples.
    pub targets: Vec<Target>,
    /// The declared dependencies of every kind (normal, build, dev) and platform.
    pub dependencies: Vec<Dependency>,
}

/// A dependency as the manifest declares it.
#[derive(Deserialize)]
pub struct Dependency {
    /// The name of the package.
    pub name: String,
    /// The folder of a path dependency.
    pub path: Option<PathBuf>,
}

/// A library, program, test, bench or example of a package.
#[derive(Deserialize)]
pub struct Target {
    pub name: String,
    /// `lib`, `cdylib`, `bin`, `test`, `bench` …
    pub kind: Vec<String>,
    /// `rlib`, `cdylib`, `bin` …
    pub crate_types: Vec<String>,
    /// The root source file.
    pub src_path: PathBuf,
}

impl Package {
    /// The targets of one kind: `lib`, `cdylib`, `bin`, `test`, `bench`.
    pub fn targets_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Target> + 'a {
        self.targets.iter().filter(move |target| target.kind.iter().any(|k| k == kind))
    }

    /// Whether it may be published.
    pub fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }

    /// Whether it builds a library that a host can load (`crate-type = ["cdylib"]`).
    pub fn is_loadable(&self) -> bool {
        self.targets_of_kind("cdylib").next().is_some()
    }
}

impl Metadata {
    /// Runs `cargo metadata` in a folder. With the argument `--no-deps` cargo neither resolves nor
    /// downloads anything.
    pub fn load(folder: &Path, arguments: &[&str]) -> Result<Metadata> {
        let mut command = cargo();
        command.args(["metadata", "--quiet", "--format-version", "1"]).args(arguments);
        command.current_dir(folder).stderr(Stdio::inherit());
        let output =
            command.output().with_context(|| format!("cannot run `{}`", command_line(&command)))?;
        if !output.status.success() {
            bail!(
                "`{}` failed in {} ({})",
                command_line(&command),
                folder.display(),
                output.status
            );
        }
        serde_json::from_slice(&output.stdout).context("cannot read the answer of `cargo metadata`")
    }
}
