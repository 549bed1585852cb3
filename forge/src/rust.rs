//! Engines in Rust: cargo builds them to both kinds, one call for any number of
//! packages. Chooses profile and flags; which packages is the caller's matter.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::metadata::{Metadata, Package};
use crate::run::{cargo, show};
use crate::toolchain::Toolchain;

/// Engines are where the time goes, and small: whole-program optimisation for both kinds.
/// A variable that is set already wins.
const PROFILE: &[(&str, &str)] = &[("CARGO_PROFILE_RELEASE_LTO", "fat")];

/// A wasm engine's panic is a trap either way; tables for unwinding would only be ballast.
const WASM_PROFILE: &[(&str, &str)] =
    &[("CARGO_PROFILE_RELEASE_PANIC", "abort"), ("CARGO_PROFILE_RELEASE_STRIP", "true")];

/// Replaces the code generation flags of the wasm build, separated by spaces.
const WASM_FLAGS_VARIABLE: &str = "SANDBOARD_WASM_RUSTFLAGS";
const WASM_FLAGS: &str = "-Ctarget-feature=+simd128";

/// How a native library is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Native {
    /// For any machine of this kind, optimised.
    #[default]
    Release,
    /// For x86-64-v3 (AVX2, BMI2), optimised.
    ReleaseV3,
    /// For a debugger: not optimised, all checks on.
    Debug,
}

/// The file of each package, by the package's name.
pub type Files = BTreeMap<String, PathBuf>;

/// Packages of one workspace that are built together.
pub struct Crates<'a> {
    /// What cargo said of the workspace.
    pub metadata: &'a Metadata,
    /// The packages, each with a `cdylib`.
    pub packages: &'a [&'a Package],
}

impl Crates<'_> {
    /// Their native libraries.
    pub fn native(&self, how: Native) -> Result<Files> {
        let mut command = cargo();
        command.arg("build").env_remove("CARGO_BUILD_TARGET");
        let folder = match how {
            Native::Debug => return self.compile(command, "engines", DLL_EXTENSION),
            Native::Release => "engines",
            Native::ReleaseV3 => {
                if !cfg!(target_arch = "x86_64") {
                    bail!("x86-64-v3 is a kind of x86-64, which this machine is not");
                }
                let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
                command.env("RUSTFLAGS", format!("{flags} -Ctarget-cpu=x86-64-v3").trim_start());
                "engines-v3"
            }
        };
        command.arg("--release");
        set_defaults(&mut command, PROFILE);
        self.compile(command, folder, DLL_EXTENSION)
    }

    /// Their core modules, which are not yet components.
    pub fn wasm(&self, toolchain: Toolchain) -> Result<Files> {
        let mut command = toolchain.cargo_build();
        let mut flags: Vec<String> = std::env::var(WASM_FLAGS_VARIABLE)
            .unwrap_or_else(|_| WASM_FLAGS.into())
            .split_whitespace()
            .map(String::from)
            .collect();
        flags.extend(without_machine_paths(&self.roots()));
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        set_defaults(&mut command, PROFILE);
        set_defaults(&mut command, WASM_PROFILE);
        // The native build, or the caller, has brought the lock file up to date;
        // another cargo must not edit it.
        command.arg("--locked");
        self.compile(command, "wasm", "wasm")
    }

    /// Runs a build in a target folder of its own, so that it neither waits for the locks of
    /// other builds nor shares fingerprints with them, and finds each package's file.
    fn compile(&self, mut command: Command, folder: &str, extension: &str) -> Result<Files> {
        command
            .current_dir(&self.metadata.workspace_root)
            .arg("--target-dir")
            .arg(self.metadata.target_directory.join(folder))
            .args(["--message-format", "json-render-diagnostics"])
            .stderr(Stdio::inherit());
        for package in self.packages {
            command.args(["--package", &package.name]);
        }
        let output =
            command.output().with_context(|| format!("cannot run `{}`", show(&command)))?;
        if !output.status.success() {
            let names: Vec<&str> = self.packages.iter().map(|package| &*package.name).collect();
            bail!("cargo could not build {} ({})", names.join(", "), output.status);
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        let file = |package: &&Package| {
            let file = artifact(&messages, &package.manifest_path, extension);
            let file = file.with_context(|| {
                format!("cargo named no .{extension} file of `{}`", package.name)
            })?;
            Ok((package.name.clone(), file))
        };
        self.packages.iter().map(file).collect()
    }

    /// The folders that the sources lie in: the workspace, and what surrounds the paths that
    /// its packages name. None lies in another, so that an engine below the SDK's own
    /// workspace is built with the same flags as that, and shares what was compiled for it.
    fn roots(&self) -> Vec<PathBuf> {
        let paths = self.packages.iter().flat_map(|package| &package.dependencies);
        let paths = paths.filter_map(|dependency| dependency.path.as_deref()?.parent());
        let all: BTreeSet<&Path> = paths.chain([self.metadata.workspace_root.as_path()]).collect();
        outermost(&all)
    }
}

fn outermost(folders: &BTreeSet<&Path>) -> Vec<PathBuf> {
    let inner =
        |folder: &&&Path| folders.iter().any(|other| other != *folder && folder.starts_with(other));
    folders.iter().filter(|folder| !inner(folder)).map(|folder| folder.to_path_buf()).collect()
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
fn without_machine_paths(roots: &[PathBuf]) -> Vec<String> {
    let mut prefixes = roots.to_vec();
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
    fn only_the_outermost_folders_count() {
        let check = |folders: &[&str], expected: &[&str]| {
            let folders: BTreeSet<&Path> = folders.iter().map(Path::new).collect();
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(outermost(&folders), expected);
        };
        check(&["/a", "/a/mine"], &["/a"]);
        check(&["/a", "/ab"], &["/a", "/ab"]);
        check(&["/b/mine", "/a"], &["/a", "/b/mine"]);
    }
}
