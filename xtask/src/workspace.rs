//! The packages and folders of the workspace, from `cargo metadata`. Reads no manifests and writes
//! nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sandboard_builder::metadata::{Metadata, Package, Target};

/// The answer of `cargo metadata` about this workspace.
pub(crate) struct Workspace {
    pub root: PathBuf,
    /// The target folder, by `CARGO_TARGET_DIR` and cargo's configuration.
    pub target: PathBuf,
    pub metadata: Metadata,
}

impl Workspace {
    /// Loads the workspace's own packages only, which needs no download.
    pub(crate) fn load() -> Result<Workspace> {
        Workspace::load_at(&own_root())
    }

    /// Loads the workspace in another folder, such as a copy of this one.
    pub(crate) fn load_at(root: &Path) -> Result<Workspace> {
        let metadata = Metadata::load(root, &["--no-deps"])?;
        let root = metadata.workspace_root.clone();
        let target = metadata.target_directory.clone();
        Ok(Workspace { root, target, metadata })
    }

    /// The workspace's own packages.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        let members = &self.metadata.workspace_members;
        self.metadata.packages.iter().filter(move |package| members.contains(&package.id))
    }

    pub(crate) fn member(&self, name: &str) -> Result<&Package> {
        self.members()
            .find(|package| package.name == name)
            .with_context(|| format!("the workspace has no package `{name}`"))
    }

    /// The packages in `sample-engines/` that build a loadable library.
    pub(crate) fn sample_engines(&self) -> Vec<&Package> {
        self.loadable_in("sample-engines")
    }

    /// The packages in `sample-games/` that build a loadable library.
    pub(crate) fn sample_games(&self) -> Vec<&Package> {
        self.loadable_in("sample-games")
    }

    /// The packages in `tests/games/`, which have the rules of the built-in games.
    pub(crate) fn built_in_games(&self) -> Vec<&Package> {
        self.loadable_in("tests/games")
    }

    fn loadable_in(&self, folder: &str) -> Vec<&Package> {
        let folder = self.root.join(folder);
        self.members()
            .filter(|package| package.manifest_path.starts_with(&folder))
            .filter(|package| package.is_loadable())
            .collect()
    }

    /// The ids of the games: the modules of `games/src` that define a `GameInfo`.
    pub(crate) fn games(&self) -> Result<Vec<String>> {
        let folder = self.root.join("games").join("src");
        let mut games = Vec::new();
        for entry in std::fs::read_dir(&folder).context("cannot list games/src")? {
            let entry = entry?;
            let path = entry.path();
            let is_module = path.extension().is_some_and(|extension| extension == "rs");
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if let Some(name) = path.file_stem().filter(|_| is_module)
                && text.contains("pub static INFO: GameInfo")
            {
                games.push(name.to_string_lossy().into_owned());
            }
        }
        games.sort();
        Ok(games)
    }

    /// The root files of all libraries and programs, relative to the root of the workspace.
    pub(crate) fn crate_roots(&self) -> BTreeSet<String> {
        let built = |target: &&Target| !target.kind.iter().any(|kind| kind == "custom-build");
        let targets = self.members().flat_map(|package| &package.targets).filter(built);
        targets.map(|target| self.relative(&target.src_path)).collect()
    }

    /// A path relative to the root, with `/` on every platform.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

/// Loads every package of the lock file, for every platform; missing ones are downloaded.
pub(crate) fn all_packages() -> Result<Metadata> {
    Metadata::load(&own_root(), &["--locked"])
}

/// The root of the workspace that this program was run in. `cargo run` passes it at run time; the
/// compiled-in path may be that of another clone with the same target folder.
pub(crate) fn own_root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR"))).join("..")
}
