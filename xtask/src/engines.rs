//! `cargo xtask engines`: every sample engine, as a native library and as a wasm
//! component, into `engines-dir/`. What is up to date is not touched: compilers decide
//! what to compile, and a file is written only when its bytes differ.

use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sandboard_forge::c::{self, Clang};
use sandboard_forge::component;
use sandboard_forge::rust::{Crates, Native};
use sandboard_forge::toolchain::{self, Install};

use crate::workspace::Workspace;

#[derive(clap::Args, Default)]
pub struct Args {
    /// Build the native libraries for x86-64-v3 (AVX2, BMI2) instead of any x86-64
    #[arg(long)]
    release_native_v3: bool,
}

pub fn main(args: &Args) -> Result<()> {
    build(&Workspace::load()?, args)
}

pub fn build(workspace: &Workspace, args: &Args) -> Result<()> {
    let engines = workspace.sample_engines();
    if engines.is_empty() {
        bail!("no crate under sample-engines/ has `crate-type = [\"cdylib\"]`");
    }
    let folder = workspace.root.join("engines-dir");
    std::fs::create_dir_all(&folder)?;
    let crates = Crates { metadata: &workspace.metadata, packages: &engines };
    let how = if args.release_native_v3 { Native::ReleaseV3 } else { Native::Release };
    let mut written = 0;
    for (name, library) in crates.native(how)? {
        let bytes = std::fs::read(&library)?;
        written += place(&folder.join(format!("{name}.{DLL_EXTENSION}")), &bytes)?;
    }
    let toolchain = toolchain::find(Install::IfPossible)?;
    eprintln!("wasm: {}", toolchain.describe());
    for (name, module) in crates.wasm(toolchain)? {
        let component = component::encode(&std::fs::read(&module)?)
            .with_context(|| format!("`{name}` does not make a component"))?;
        written += place(&folder.join(format!("{name}.wasm")), &component)?;
    }
    let in_c = c_engines(workspace)?;
    written += build_c(workspace, &in_c, how, &folder)?;
    if written == 0 {
        let mut names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        names.extend(in_c.iter().map(|(name, _)| name.as_str()));
        eprintln!("engines-dir: native and wasm up to date: {}", names.join(", "));
    }
    Ok(())
}

/// The folders under `sample-engines/` with an engine in C, by name.
fn c_engines(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let mut engines = Vec::new();
    for entry in std::fs::read_dir(workspace.root.join("sample-engines"))? {
        let path = entry?.path();
        if c::source(&path).is_some() && !path.join("Cargo.toml").exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            engines.push((name, path));
        }
    }
    engines.sort();
    Ok(engines)
}

/// Without clang their components are left out: nobody needs them to play.
fn build_c(
    workspace: &Workspace,
    engines: &[(String, PathBuf)],
    how: Native,
    folder: &Path,
) -> Result<usize> {
    let mut written = 0;
    let clang = Clang::find();
    if let Err(error) = &clang {
        eprintln!("wasm: engines in C are built as native libraries only: {error:#}");
    }
    for (name, source) in engines {
        let scratch = workspace.target.join("c-engines").join(name);
        let library = c::native(source, &scratch, how)?;
        let file = folder.join(format!("{name}.{DLL_EXTENSION}"));
        written += place(&file, &std::fs::read(library)?)?;
        if let Ok(clang) = &clang {
            let component = c::wasm(source, clang, &scratch)?;
            written += place(&folder.join(format!("{name}.wasm")), &component)?;
        }
    }
    Ok(written)
}

/// Writes a file if its bytes differ, all at once: a host that has the old one open keeps it.
/// Returns how many files were written.
fn place(file: &Path, bytes: &[u8]) -> Result<usize> {
    if std::fs::read(file).is_ok_and(|old| old == bytes) {
        return Ok(0);
    }
    let fresh = file.with_added_extension(format!("new-{}", std::process::id()));
    std::fs::write(&fresh, bytes).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, file).with_context(|| format!("cannot write {}", file.display()))?;
    let name = file.file_name().unwrap_or_default().display();
    eprintln!("engines-dir: {name}, {} KiB", bytes.len().div_ceil(1024));
    Ok(1)
}
