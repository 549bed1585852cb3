//! The folder of an engine's source: what is in it, and how its modules are made.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::component;
use crate::metadata::{Metadata, Package};
use crate::rust::{Crates, Native};
use crate::toolchain::{self, Install};

/// A folder with the source of one engine.
pub struct Source {
    folder: PathBuf,
    metadata: Metadata,
}

impl Source {
    /// Whether a folder looks like an engine's source.
    pub fn is_at(folder: &Path) -> bool {
        folder.join("Cargo.toml").is_file()
    }

    /// Looks at a folder. Err: what keeps it from being an engine's source.
    pub fn open(folder: &Path) -> Result<Source> {
        let folder = std::fs::canonicalize(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        if !Source::is_at(&folder) {
            bail!("{} holds no Cargo.toml: it is not an engine's source", folder.display());
        }
        // With dependencies: this brings the lock file up to date.
        let metadata = Metadata::load(&folder, &[])?;
        let source = Source { folder, metadata };
        let package = source.package()?;
        if !package.is_loadable() {
            bail!(
                "the crate `{}` builds nothing that a host can load: its Cargo.toml needs [lib] with \
                 crate-type = [\"cdylib\"]",
                package.name
            );
        }
        Ok(source)
    }

    fn package(&self) -> Result<&Package> {
        let manifest = self.folder.join("Cargo.toml");
        let found = self.metadata.packages.iter().find(|package| {
            std::fs::canonicalize(&package.manifest_path).is_ok_and(|path| path == manifest)
        });
        found.with_context(|| format!("{} holds no package", manifest.display()))
    }

    /// The folder, canonical.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is called: the package's name.
    pub fn name(&self) -> Result<&str> {
        Ok(&self.package()?.name)
    }

    /// Whether a file's change makes another build necessary: not what builds write.
    pub fn concerns(&self, file: &Path) -> bool {
        let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        let Ok(inside) = file.strip_prefix(&self.folder) else { return false };
        let lock = inside == Path::new("Cargo.lock");
        !lock && !file.starts_with(&self.metadata.target_directory) && !inside.iter().any(hidden)
    }

    /// Builds the native library: its file.
    pub fn native(&self, how: Native) -> Result<PathBuf> {
        let package = self.package()?;
        let packages = [package];
        let crates = Crates { metadata: &self.metadata, packages: &packages };
        let mut files = crates.native(how)?;
        files.remove(&package.name).context("cargo built another package")
    }

    /// Builds the component: its bytes.
    pub fn wasm(&self) -> Result<Vec<u8>> {
        let package = self.package()?;
        let packages = [package];
        let crates = Crates { metadata: &self.metadata, packages: &packages };
        let mut files = crates.wasm(toolchain::find(Install::Never)?)?;
        let file = files.remove(&package.name).context("cargo built another package")?;
        let module =
            std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        component::encode(&module)
            .with_context(|| format!("`{}` does not make a component", package.name))
    }
}
