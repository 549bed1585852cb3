//! What cargo knows of packages: reads `cargo metadata`, never a manifest itself.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::run::{cargo, show};

/// The answer of `cargo metadata`.
#[derive(Deserialize)]
pub struct Metadata {
    /// The workspace's own packages, and the others where they were asked for.
    pub packages: Vec<Package>,
    /// The ids of the workspace's own packages.
    pub workspace_members: Vec<String>,
    /// Honours `CARGO_TARGET_DIR` and cargo's configuration.
    pub target_directory: PathBuf,
    /// The folder with the lock file.
    pub workspace_root: PathBuf,
}

/// A package.
#[derive(Deserialize)]
pub struct Package {
    /// What `workspace_members` calls it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// An SPDX expression; absent where the author gave only a file.
    pub license: Option<String>,
    /// Absent for the workspace's own packages and other paths.
    pub source: Option<String>,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// What is built of it.
    pub targets: Vec<Target>,
    /// As declared, of every kind (normal, build, dev) and for every platform.
    pub dependencies: Vec<Dependency>,
}

/// A dependency as it is declared.
#[derive(Deserialize)]
pub struct Dependency {
    /// The package that it names.
    pub name: String,
    /// Its folder, where it is a path.
    pub path: Option<PathBuf>,
}

/// What is built of a package.
#[derive(Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// `lib`, `cdylib`, `bin`, `test`, `bench` …
    pub kind: Vec<String>,
    /// `rlib`, `cdylib`, `bin` …
    pub crate_types: Vec<String>,
    /// The file that it begins with.
    pub src_path: PathBuf,
}

impl Package {
    /// The targets of one kind: `lib`, `cdylib`, `bin`, `test`, `bench`.
    pub fn targets_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Target> + 'a {
        self.targets.iter().filter(move |target| target.kind.iter().any(|k| k == kind))
    }

    /// Whether it builds a loadable library: an engine, if it exports one.
    pub fn is_loadable(&self) -> bool {
        self.targets_of_kind("cdylib").next().is_some()
    }
}

impl Metadata {
    /// Asks cargo in a folder. `--no-deps` neither resolves nor downloads anything.
    pub fn load(folder: &Path, arguments: &[&str]) -> Result<Metadata> {
        let mut command = cargo();
        command.args(["metadata", "--quiet", "--format-version", "1"]).args(arguments);
        command.current_dir(folder).stderr(Stdio::inherit());
        let output =
            command.output().with_context(|| format!("cannot run `{}`", show(&command)))?;
        if !output.status.success() {
            bail!("`{}` failed in {} ({})", show(&command), folder.display(), output.status);
        }
        serde_json::from_slice(&output.stdout)
            .context("the answer of `cargo metadata` is not what is expected here")
    }
}
