//! The folder of an engine's source: in which language it is, and how its modules
//! are made. Which modules are wanted, and where they go, is the caller's matter.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::component;
use crate::languages::{LANGUAGES, Language, Makes, Row};
use crate::metadata::{Metadata, Package};
use crate::run::canonical;
use crate::rust::{Crates, Native};
use crate::template::check_name;
use crate::toolchain::{self, Install};

/// Where the builds of an engine in another language than Rust lie, below its folder.
const TARGET: &str = "target";

/// A folder with the source of one engine.
pub struct Source {
    folder: PathBuf,
    kind: Kind,
}

enum Kind {
    /// A crate, of this workspace.
    Crate(Metadata),
    /// Files in another language.
    Files(&'static Row),
}

impl Source {
    /// Whether a folder looks like an engine's source.
    pub fn is_at(folder: &Path) -> bool {
        Language::of(folder).is_some()
    }

    /// Looks at a folder. Err: what keeps it from being an engine's source.
    pub fn open(folder: &Path) -> Result<Source> {
        let folder = canonical(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        let Some(language) = Language::of(&folder) else {
            let mains: Vec<&str> = LANGUAGES.iter().skip(1).map(|row| row.main).collect();
            bail!(
                "{} is not an engine's source: it holds neither a Cargo.toml nor one of {}",
                folder.display(),
                mains.join(", ")
            );
        };
        if language != Language::Rust {
            let row = language.row();
            let source = Source { folder, kind: Kind::Files(row) };
            check_name(source.name()?).with_context(|| {
                format!(
                    "an engine in {} is called as its folder {}",
                    row.name,
                    source.folder.display()
                )
            })?;
            return Ok(source);
        }
        // With dependencies: this brings the lock file up to date.
        let metadata = Metadata::load(&folder, &[])?;
        let package = package(&folder, &metadata)?;
        if !package.is_loadable() {
            bail!(
                "the crate `{}` builds nothing that a host can load: its Cargo.toml needs [lib] \
                 with crate-type = [\"cdylib\"]",
                package.name
            );
        }
        Ok(Source { folder, kind: Kind::Crate(metadata) })
    }

    /// The folder, canonical.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it is called: the crate's name; the folder's, if it is in another language.
    pub fn name(&self) -> Result<&str> {
        match &self.kind {
            Kind::Crate(metadata) => Ok(&package(&self.folder, metadata)?.name),
            Kind::Files(_) => self.folder.file_name().and_then(OsStr::to_str).with_context(|| {
                format!("the name of {} cannot be an engine's", self.folder.display())
            }),
        }
    }

    /// What makes an engine of it, as an author writes it.
    pub fn export(&self) -> &'static str {
        match &self.kind {
            Kind::Crate(_) => Language::Rust.row().export,
            Kind::Files(row) => row.export,
        }
    }

    /// What it becomes.
    pub fn makes(&self) -> Makes {
        match &self.kind {
            Kind::Crate(_) => Language::Rust.row().makes,
            Kind::Files(row) => row.makes,
        }
    }

    /// Whether a file's change makes another build necessary: not what builds write.
    pub fn concerns(&self, file: &Path) -> bool {
        // What Python compiles lies beside its source.
        let hidden =
            |part: &OsStr| part.as_encoded_bytes().starts_with(b".") || part == "__pycache__";
        let Ok(inside) = file.strip_prefix(&self.folder) else { return false };
        let built = match &self.kind {
            Kind::Crate(metadata) => {
                let target = metadata.target_directory.strip_prefix(&self.folder);
                inside == Path::new("Cargo.lock")
                    || target.is_ok_and(|target| inside.starts_with(target))
            }
            Kind::Files(_) => inside.starts_with(TARGET),
        };
        !built && !inside.iter().any(hidden)
    }

    /// A folder for what is built and not installed; builds and watches overlook it.
    pub fn scratch(&self) -> PathBuf {
        match &self.kind {
            Kind::Crate(metadata) => metadata.target_directory.join("packs"),
            Kind::Files(_) => self.folder.join(TARGET).join("packs"),
        }
    }

    /// Builds the native library: its file.
    pub fn native(&self, how: Native) -> Result<PathBuf> {
        match &self.kind {
            Kind::Crate(metadata) => self.file(metadata, |crates| crates.native(how)),
            Kind::Files(row) => row.native(&self.folder, &self.folder.join(TARGET), how),
        }
    }

    /// Builds the component: its bytes.
    pub fn wasm(&self) -> Result<Vec<u8>> {
        match &self.kind {
            Kind::Crate(metadata) => {
                let toolchain = toolchain::find(Install::Never)?;
                let file = self.file(metadata, |crates| crates.wasm(toolchain))?;
                let module = std::fs::read(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                component::encode(&module)
                    .with_context(|| format!("{} does not make a component", file.display()))
            }
            Kind::Files(row) => row.wasm(&self.folder, &self.folder.join(TARGET)),
        }
    }

    /// Builds the program: its bytes.
    pub fn program(&self) -> Result<Vec<u8>> {
        let row = match &self.kind {
            Kind::Crate(_) => Language::Rust.row(),
            Kind::Files(row) => row,
        };
        row.program(&self.folder, &self.folder.join(TARGET))
    }

    fn file(
        &self,
        metadata: &Metadata,
        build: impl FnOnce(Crates) -> Result<crate::rust::Files>,
    ) -> Result<PathBuf> {
        let package = package(&self.folder, metadata)?;
        let mut files = build(Crates { metadata, packages: &[package] })?;
        files.remove(&package.name).context("cargo built another package")
    }
}

/// The package whose manifest lies in the folder.
fn package<'a>(folder: &Path, metadata: &'a Metadata) -> Result<&'a Package> {
    let manifest = folder.join("Cargo.toml");
    let found = metadata
        .packages
        .iter()
        .find(|package| canonical(&package.manifest_path).is_ok_and(|path| path == manifest));
    found.with_context(|| format!("{} names no package", manifest.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_builds_write_concerns_nobody() {
        let there = tempfile::tempdir().unwrap();
        let folder = there.path().join("mine");
        std::fs::create_dir(&folder).unwrap();
        let check = |file: &str, expected: bool| {
            let source = Source::open(&folder).unwrap();
            assert_eq!(source.concerns(&source.folder().join(file)), expected, "{file}");
        };
        std::fs::write(folder.join("engine.c"), "").unwrap();
        check("engine.c", true);
        check("data/book.bin", true);
        check("target/engine.so", false);
        check("targets.h", true);
        check(".engine.c.swp", false);
        check("../other.c", false);
        check("__pycache__/engine.cpython-314.pyc", false);

        std::fs::remove_file(folder.join("engine.c")).unwrap();
        crate_in(&folder, "[lib]\ncrate-type = [\"cdylib\"]\n");
        check("src/lib.rs", true);
        check("Cargo.toml", true);
        check("Cargo.lock", false);
        check("target/debug/x.d", false);
        // A crate below the folder of another's builds: its sources are sources.
        let target = folder.to_str().unwrap();
        let config = format!("[build]\ntarget-dir = {target:?}\n");
        let inner = folder.join("inner");
        std::fs::create_dir_all(inner.join(".cargo")).unwrap();
        std::fs::write(inner.join(".cargo/config.toml"), config).unwrap();
        crate_in(&inner, "[lib]\ncrate-type = [\"cdylib\"]\n");
        let source = Source::open(&inner).unwrap();
        assert!(source.concerns(&source.folder().join("src/lib.rs")));
    }

    fn crate_in(folder: &Path, lib: &str) {
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::write(folder.join("src/lib.rs"), "").unwrap();
        let package = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        let text = format!("{package}[workspace]\n{lib}");
        std::fs::write(folder.join("Cargo.toml"), text).unwrap();
    }

    #[test]
    fn a_folder_that_is_no_engine_is_told_why() {
        let folder = tempfile::tempdir().unwrap();
        let check = |expected: &str| {
            let error = Source::open(folder.path()).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        };
        assert!(!Source::is_at(folder.path()));
        check("neither a Cargo.toml nor one of engine.c, engine.cpp,");
        let named = folder.path().join("My Engine");
        std::fs::create_dir(&named).unwrap();
        std::fs::write(named.join("engine.c"), "").unwrap();
        let error = format!("{:#}", Source::open(&named).err().unwrap());
        assert!(error.contains("called as its folder") && error.contains("`My Engine`"), "{error}");
        crate_in(folder.path(), "");
        check("crate-type = [\"cdylib\"]");
    }
}
