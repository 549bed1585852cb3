//! `cargo xtask engines`: every sample engine, as a native library and as a wasm
//! component, into `engines-dir/`. What is up to date is not touched: cargo decides
//! what to compile, and a file is written only when its bytes differ.

pub mod toolchain;

use std::collections::BTreeMap;
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use wit_component::ComponentEncoder;

use crate::run::show;
use crate::workspace::{Package, Workspace, cargo};

#[derive(clap::Args, Default)]
pub struct Args {
    /// Build the native libraries for x86-64-v3 (AVX2, BMI2) instead of any x86-64
    #[arg(long)]
    release_native_v3: bool,
}

/// Engines are where the time goes, and small: whole-program optimisation for both kinds.
/// A variable that is set already wins.
const PROFILE: &[(&str, &str)] = &[("CARGO_PROFILE_RELEASE_LTO", "fat")];

/// A wasm engine's panic is a trap either way; tables for unwinding would only be ballast.
const WASM_PROFILE: &[(&str, &str)] =
    &[("CARGO_PROFILE_RELEASE_PANIC", "abort"), ("CARGO_PROFILE_RELEASE_STRIP", "true")];

/// Replaces the code generation flags of the wasm build, separated by spaces.
const WASM_FLAGS_VARIABLE: &str = "SANDBOARD_WASM_RUSTFLAGS";
const WASM_FLAGS: &str = "-Ctarget-feature=+simd128";

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
    let mut written = 0;
    for (name, library) in build_native(workspace, &engines, args)? {
        let bytes = std::fs::read(&library)?;
        written += place(&folder.join(format!("{name}.{DLL_EXTENSION}")), &bytes)?;
    }
    for (name, module) in build_wasm(workspace, &engines)? {
        let component = componentise(&std::fs::read(&module)?)
            .with_context(|| format!("`{name}` does not make a component"))?;
        written += place(&folder.join(format!("{name}.wasm")), &component)?;
    }
    if written == 0 {
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        eprintln!("engines-dir: native and wasm up to date: {}", names.join(", "));
    }
    Ok(())
}

type Built = BTreeMap<String, PathBuf>;

fn build_native(workspace: &Workspace, engines: &[&Package], args: &Args) -> Result<Built> {
    let mut command = cargo();
    command.args(["build", "--release"]).env_remove("CARGO_BUILD_TARGET");
    let folder = match args.release_native_v3 {
        false => "engines",
        true => {
            if !cfg!(target_arch = "x86_64") {
                bail!("x86-64-v3 is a kind of x86-64, which this machine is not");
            }
            let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
            command.env("RUSTFLAGS", format!("{flags} -Ctarget-cpu=x86-64-v3").trim_start());
            "engines-v3"
        }
    };
    set_defaults(&mut command, PROFILE);
    compile(command, workspace, engines, folder, DLL_EXTENSION)
}

fn build_wasm(workspace: &Workspace, engines: &[&Package]) -> Result<Built> {
    let toolchain = toolchain::find()?;
    eprintln!("wasm: {}", toolchain.describe());
    let mut command = toolchain.cargo_build();
    let mut flags: Vec<String> = std::env::var(WASM_FLAGS_VARIABLE)
        .unwrap_or_else(|_| WASM_FLAGS.into())
        .split_whitespace()
        .map(String::from)
        .collect();
    flags.extend(without_machine_paths(&workspace.root));
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    set_defaults(&mut command, PROFILE);
    set_defaults(&mut command, WASM_PROFILE);
    compile(command, workspace, engines, "wasm", "wasm")
}

fn set_defaults(command: &mut Command, variables: &[(&str, &str)]) {
    for (name, value) in variables {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
}

/// Panic messages name source files: cut off what differs between machines, so that a module says
/// nothing of the machine that built it, and its hash depends on its source alone.
fn without_machine_paths(root: &Path) -> Vec<String> {
    let mut prefixes = vec![root.to_owned()];
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = cargo_home.map(|home| home.join("registry").join("src"));
    if let Some(registries) = sources.and_then(|folder| std::fs::read_dir(folder).ok()) {
        prefixes.extend(registries.flatten().map(|registry| registry.path()));
    }
    let prefixes = prefixes.iter().map(|prefix| prefix.display());
    prefixes.map(|prefix| format!("--remap-path-prefix={prefix}=.")).collect()
}

/// Runs a build in a target folder of its own, so that it neither waits for the locks of other
/// builds nor shares fingerprints with them, and returns each package's file of this kind.
fn compile(
    mut command: Command,
    workspace: &Workspace,
    engines: &[&Package],
    folder: &str,
    extension: &str,
) -> Result<Built> {
    command
        .current_dir(&workspace.root)
        .arg("--target-dir")
        .arg(workspace.target.join(folder))
        // Building xtask has brought the lock file up to date; another cargo must not edit it.
        .args(["--locked", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit());
    for engine in engines {
        command.args(["--package", &engine.name]);
    }
    let output = command.output().with_context(|| format!("cannot run `{}`", show(&command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", show(&command), output.status);
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    engines
        .iter()
        .map(|engine| {
            let file = artifact(&messages, &engine.manifest_path, extension);
            let file = file.with_context(|| {
                format!("cargo named no .{extension} file of `{}`", engine.name)
            })?;
            Ok((engine.name.clone(), file))
        })
        .collect()
}

/// The file with this extension that cargo's messages name for a package.
fn artifact(messages: &str, manifest: &Path, extension: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| message["manifest_path"].as_str().map(Path::new) == Some(manifest))
        .filter_map(|message| {
            let files = message["filenames"].as_array()?;
            let mut files = files.iter().filter_map(|file| file.as_str()).map(PathBuf::from);
            files.find(|file| file.extension().is_some_and(|e| e == extension))
        })
        .next_back()
}

/// Wraps a core module, whose sections tell its world, into a component.
fn componentise(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default().module(module)?.validate(true).encode()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_artifact_is_found_among_cargos_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","manifest_path":"/a/Cargo.toml","filenames":["/t/liba.rlib"]}"#,
            "\nnot json\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/b/Cargo.toml","filenames":["/t/b.dll.lib","/t/b.dll"]}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        let check = |manifest: &str, extension, expected: Option<&str>| {
            let found = artifact(messages, Path::new(manifest), extension);
            assert_eq!(found, expected.map(PathBuf::from));
        };
        check("/b/Cargo.toml", "dll", Some("/t/b.dll"));
        check("/a/Cargo.toml", "rlib", Some("/t/liba.rlib"));
        check("/a/Cargo.toml", "dll", None);
        check("/c/Cargo.toml", "dll", None);
    }

    #[test]
    fn what_is_no_module_makes_no_component() {
        assert!(componentise(b"not wasm").is_err());
    }
}
