//! The workspace as the project's own commands need it: packages and folders.
//! Asks cargo; never reads a manifest itself and writes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sandboard_forge::metadata::{Metadata, Package, Target};

/// The answer of `cargo metadata`, and where the workspace lies.
pub struct Workspace {
    pub root: PathBuf,
    /// Honours `CARGO_TARGET_DIR` and cargo's configuration.
    pub target: PathBuf,
    pub metadata: Metadata,
}

impl Workspace {
    /// Asks for the workspace's own packages only: no download, no wait.
    pub fn load() -> Result<Workspace> {
        let metadata = Metadata::load(&own_root(), &["--no-deps"])?;
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
            .filter(|package| package.is_loadable())
            .collect()
    }

    /// The ids of the games: each is a folder of rules, with a row for the table of games.
    pub fn games(&self) -> Result<Vec<String>> {
        let folder = self.root.join("games").join("src");
        let mut games = Vec::new();
        for entry in std::fs::read_dir(&folder).context("cannot list games/src")? {
            let entry = entry?;
            let text = std::fs::read_to_string(entry.path().join("mod.rs")).unwrap_or_default();
            if text.contains("pub static INFO: GameInfo") {
                games.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        games.sort();
        Ok(games)
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
    Metadata::load(&own_root(), &["--locked"])
}

/// `cargo run` says at run time which manifest it runs; the one that was
/// compiled in may be that of another clone with the same target folder.
pub fn own_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR"))).join("..")
}
