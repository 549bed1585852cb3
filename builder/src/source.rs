//! The source folder of an engine: detects its language and builds its modules. The caller decides
//! which modules are built and where they are stored.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command::canonical_path;
use crate::component;
use crate::languages::{BuildOutput, LANGUAGES, Language, LanguageInfo};
use crate::metadata::{Metadata, Package};
use crate::rust::{Crates, NativeProfile, Warnings};
use crate::template::check_name;
use crate::toolchain::{self, InstallPolicy, Target};

/// The subfolder for build output of engines in other languages than Rust.
const TARGET: &str = "target";

/// The source folder of one engine.
pub struct SourceFolder {
    folder: PathBuf,
    kind: Kind,
}

enum Kind {
    /// A crate in the workspace of this metadata.
    Crate(Metadata),
    /// Files in another language than Rust.
    Files(&'static LanguageInfo),
}

impl SourceFolder {
    /// Whether a folder looks like the source of an engine.
    pub fn is_at(folder: &Path) -> bool {
        Language::detect(folder).is_some()
    }

    /// Opens a folder. An error says why it is not the source of an engine.
    pub fn open(folder: &Path) -> Result<SourceFolder> {
        let folder = canonical_path(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?;
        let Some(language) = Language::detect(&folder) else {
            let mains: Vec<&str> = LANGUAGES.iter().skip(1).map(|row| row.main_file).collect();
            bail!(
                "{} is not the source of an engine: it has neither a Cargo.toml nor one of {}",
                folder.display(),
                mains.join(", ")
            );
        };
        if language != Language::Rust {
            let row = language.info();
            let source = SourceFolder { folder, kind: Kind::Files(row) };
            check_name(source.name()?, "an engine").with_context(|| {
                format!(
                    "an engine in {} has the name of its folder, {}",
                    row.name,
                    source.folder.display()
                )
            })?;
            return Ok(source);
        }
        // With dependencies, so that cargo updates the lock file.
        let metadata = Metadata::load(&folder, &[])?;
        let package = package(&folder, &metadata)?;
        if !package.is_loadable() {
            bail!(
                "the crate `{}` builds no library that a host can load: its Cargo.toml needs [lib] \
                 with crate-type = [\"cdylib\"]",
                package.name
            );
        }
        Ok(SourceFolder { folder, kind: Kind::Crate(metadata) })
    }

    /// The canonical path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the engine: that of the crate, or of the folder in another language than Rust.
    pub fn name(&self) -> Result<&str> {
        match &self.kind {
            Kind::Crate(metadata) => Ok(&package(&self.folder, metadata)?.name),
            Kind::Files(_) => self.folder.file_name().and_then(OsStr::to_str).with_context(|| {
                format!("the name of {} cannot be the name of an engine", self.folder.display())
            }),
        }
    }

    /// The code that exports the engine, for messages to the author.
    pub fn export_hint(&self) -> &'static str {
        match &self.kind {
            Kind::Crate(_) => Language::Rust.info().export_hint,
            Kind::Files(row) => row.export_hint,
        }
    }

    /// The kinds of module that can be built.
    pub fn output(&self) -> BuildOutput {
        match &self.kind {
            Kind::Crate(_) => Language::Rust.info().output,
            Kind::Files(row) => row.output,
        }
    }

    /// Whether a change of this file requires a new build. Build output and hidden files do not.
    pub fn is_build_input(&self, file: &Path) -> bool {
        // Python writes compiled files beside their source.
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

    /// A folder for packs that are built but not installed. It is ignored by builds and by
    /// [`Self::is_build_input`].
    pub fn scratch_folder(&self) -> PathBuf {
        match &self.kind {
            Kind::Crate(metadata) => metadata.target_directory.join("packs"),
            Kind::Files(_) => self.folder.join(TARGET).join("packs"),
        }
    }

    /// Builds the native library; returns its path.
    pub fn build_library(&self, how: NativeProfile) -> Result<PathBuf> {
        match &self.kind {
            Kind::Crate(metadata) => self.file(metadata, |crates| crates.build_libraries(how)),
            Kind::Files(row) => row.build_library(&self.folder, &self.folder.join(TARGET), how),
        }
    }

    /// Builds the component; returns its bytes.
    pub fn build_component(&self) -> Result<Vec<u8>> {
        match &self.kind {
            Kind::Crate(metadata) => {
                let toolchain = toolchain::find(Target::Wasm, InstallPolicy::Never)?;
                let file = self.file(metadata, |crates| crates.build_core_modules(toolchain))?;
                let module = std::fs::read(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                component::wrap_described_module(&module)
                    .with_context(|| format!("cannot make a component of {}", file.display()))
            }
            Kind::Files(row) => row.build_component(&self.folder, &self.folder.join(TARGET)),
        }
    }

    /// Builds the component of the rules of a game; returns its bytes.
    pub fn build_game(&self) -> Result<Vec<u8>> {
        match &self.kind {
            Kind::Crate(_) => self.build_component(),
            Kind::Files(row) => row.build_game(&self.folder, &self.folder.join(TARGET)),
        }
    }

    /// Builds the program; returns its bytes.
    pub fn build_program(&self) -> Result<Vec<u8>> {
        let row = match &self.kind {
            Kind::Crate(_) => Language::Rust.info(),
            Kind::Files(row) => row,
        };
        row.build_program(&self.folder, &self.folder.join(TARGET))
    }

    fn file(
        &self,
        metadata: &Metadata,
        build: impl FnOnce(Crates) -> Result<crate::rust::BuiltFiles>,
    ) -> Result<PathBuf> {
        let package = package(&self.folder, metadata)?;
        let mut files =
            build(Crates { metadata, packages: &[package], warnings: Warnings::Allow })?;
        files.remove(&package.name).context("cargo did not build the package")
    }
}

/// The package whose manifest is in the folder.
fn package<'a>(folder: &Path, metadata: &'a Metadata) -> Result<&'a Package> {
    let manifest = folder.join("Cargo.toml");
    let found = metadata
        .packages
        .iter()
        .find(|package| canonical_path(&package.manifest_path).is_ok_and(|path| path == manifest));
    found.with_context(|| format!("{} has no [package]", manifest.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_does_not_require_a_build() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("mine");
        std::fs::create_dir(&folder).unwrap();
        let check = |file: &str, expected: bool| {
            let source = SourceFolder::open(&folder).unwrap();
            assert_eq!(source.is_build_input(&source.folder().join(file)), expected, "{file}");
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
        // A crate inside the target folder of another one.
        let target = folder.to_str().unwrap();
        let config = format!("[build]\ntarget-dir = {target:?}\n");
        let inner = folder.join("inner");
        std::fs::create_dir_all(inner.join(".cargo")).unwrap();
        std::fs::write(inner.join(".cargo/config.toml"), config).unwrap();
        crate_in(&inner, "[lib]\ncrate-type = [\"cdylib\"]\n");
        let source = SourceFolder::open(&inner).unwrap();
        assert!(source.is_build_input(&source.folder().join("src/lib.rs")));
    }

    fn crate_in(folder: &Path, lib: &str) {
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::write(folder.join("src/lib.rs"), "").unwrap();
        let package = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        let text = format!("{package}[workspace]\n{lib}");
        std::fs::write(folder.join("Cargo.toml"), text).unwrap();
    }

    #[test]
    fn a_folder_that_is_no_engine_is_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let check = |expected: &str| {
            let error = SourceFolder::open(folder.path()).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        };
        assert!(!SourceFolder::is_at(folder.path()));
        check("has neither a Cargo.toml nor one of engine.c, engine.cpp,");
        let named = folder.path().join("My Engine");
        std::fs::create_dir(&named).unwrap();
        std::fs::write(named.join("engine.c"), "").unwrap();
        let error = format!("{:#}", SourceFolder::open(&named).err().unwrap());
        assert!(
            error.contains("has the name of its folder") && error.contains("`My Engine`"),
            "{error}"
        );
        crate_in(folder.path(), "");
        check("crate-type = [\"cdylib\"]");
    }
}
