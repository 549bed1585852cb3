//! Builds engines in Rust with cargo: native libraries or core wasm modules, for any number of
//! packages at once. The caller chooses the packages; profile and flags are chosen here.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::DLL_EXTENSION;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::{Compilation, compile_with_messages};
use crate::command::{cargo, cargo_home};
use crate::metadata::{Metadata, Package};
use crate::toolchain::Toolchain;

/// Whole-program optimisation: engines are small, and use most of the CPU time of a game. Variables
/// that are already set take precedence.
const PROFILE: &[(&str, &str)] = &[("CARGO_PROFILE_RELEASE_LTO", "fat")];

/// A panic of a wasm engine is a trap in any case, so that unwinding tables are useless.
const WASM_PROFILE: &[(&str, &str)] =
    &[("CARGO_PROFILE_RELEASE_PANIC", "abort"), ("CARGO_PROFILE_RELEASE_STRIP", "true")];

/// For a large module that is not hot: as small as possible, compiled in parallel.
const SIZE_PROFILE: &[(&str, &str)] = &[
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
];

/// Cargo names the files of a `cdylib` without a hash of its features. Engines use games as
/// libraries, with other features than the game's own module: one build would replace files of the
/// other one, and both would compile them again each time. This internal variable of cargo adds the
/// hash; a cargo that ignores it only compiles more often.
const FILE_PER_BUILD: &[(&str, &str)] = &[("__CARGO_DEFAULT_LIB_METADATA", "wasm")];

/// For a debugger, also in a workspace whose profile has no debug information.
const DEBUG_PROFILE: &[(&str, &str)] = &[("CARGO_PROFILE_DEV_DEBUG", "full")];

/// A variable with flags for the compiler, separated by spaces, instead of [`WASM_FLAGS`].
const WASM_FLAGS_VARIABLE: &str = "SANDBOARD_WASM_RUSTFLAGS";
const WASM_FLAGS: &str = "-Ctarget-feature=+simd128";

/// The profile of a native library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeProfile {
    /// Optimised, for every machine of this architecture.
    #[default]
    Release,
    /// Optimised for x86-64-v3 (AVX2, BMI2).
    ReleaseV3,
    /// Not optimised, with all checks, for a debugger.
    Debug,
}

/// What happens if a compiler gives warnings. They are shown in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warnings {
    /// The build succeeds.
    #[default]
    Allow,
    /// The build fails.
    Deny,
}

/// The built file of each package, by the package's name.
pub type BuiltFiles = BTreeMap<String, PathBuf>;

/// Packages of one workspace that are built together.
pub struct Crates<'a> {
    /// The metadata of the workspace.
    pub metadata: &'a Metadata,
    /// The packages, each with a `cdylib` if it is built.
    pub packages: &'a [&'a Package],
    pub warnings: Warnings,
}

impl Crates<'_> {
    /// Builds their native libraries.
    pub fn build_libraries(&self, how: NativeProfile) -> Result<BuiltFiles> {
        let mut command = cargo();
        command.arg("build").env_remove("CARGO_BUILD_TARGET");
        let folder = match how {
            NativeProfile::Debug => {
                set_defaults(&mut command, DEBUG_PROFILE);
                return self.compile(command, "engines", DLL_EXTENSION);
            }
            NativeProfile::Release => "engines",
            NativeProfile::ReleaseV3 => {
                if !cfg!(target_arch = "x86_64") {
                    bail!("x86-64-v3 needs an x86-64 machine");
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

    /// Builds their core modules, which the caller wraps into components.
    pub fn build_core_modules(&self, toolchain: Toolchain) -> Result<BuiltFiles> {
        self.compile(self.for_wasm(toolchain.cargo_build()), "wasm", "wasm")
    }

    /// Builds their core modules for size, in less time.
    pub fn build_small_core_modules(&self, toolchain: Toolchain) -> Result<BuiltFiles> {
        let mut command = toolchain.cargo_build();
        set_defaults(&mut command, SIZE_PROFILE);
        self.compile(self.for_wasm(command), "wasm-small", "wasm")
    }

    /// Adds the profile and the flags of wasm engines, without changing what is set already.
    fn for_wasm(&self, mut command: Command) -> Command {
        let mut flags: Vec<String> = std::env::var(WASM_FLAGS_VARIABLE)
            .unwrap_or_else(|_| WASM_FLAGS.into())
            .split_whitespace()
            .map(String::from)
            .collect();
        flags.extend(remap_flags(&self.source_roots()));
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")).arg("--release");
        set_defaults(&mut command, PROFILE);
        set_defaults(&mut command, WASM_PROFILE);
        set_defaults(&mut command, FILE_PER_BUILD);
        // The lock file is up to date, by the native build or the caller. Another cargo must not
        // edit it.
        command.arg("--locked");
        command
    }

    /// Selects the packages, and the target folder. Each kind of build has its own: it does not
    /// wait for the locks of other builds, nor invalidate their fingerprints.
    fn select(&self, command: &mut Command, folder: &str) {
        command
            .current_dir(&self.metadata.workspace_root)
            .arg("--target-dir")
            .arg(self.metadata.target_directory.join(folder));
        for package in self.packages {
            // By its id: a dependency may have the same name.
            command.args(["--package", &package.id]);
        }
    }

    /// Runs a build and finds the file of each package.
    fn compile(&self, mut command: Command, folder: &str, extension: &str) -> Result<BuiltFiles> {
        self.select(&mut command, folder);
        let Compilation { status, messages, warnings } = compile_with_messages(&mut command)?;
        let names: Vec<&str> = self.packages.iter().map(|package| &*package.name).collect();
        let names = names.join(", ");
        if !status.success() {
            bail!("cargo failed to build {names} ({status})");
        }
        if self.warnings == Warnings::Deny && warnings > 0 {
            bail!(
                "{warnings} warnings in the build of {names}: correct them, this project has none"
            );
        }
        let file = |package: &&Package| {
            let file = artifact(&messages, &package.manifest_path, extension);
            let file = file.with_context(|| {
                format!("cargo reported no .{extension} file of `{}`", package.name)
            })?;
            Ok((package.name.clone(), file))
        };
        self.packages.iter().map(file).collect()
    }

    /// The folders with the sources: the workspace, and the parents of path dependencies. No folder
    /// is inside another one. So an engine inside the SDK's workspace is built with the same flags
    /// as that workspace, and shares its compiled dependencies.
    fn source_roots(&self) -> Vec<PathBuf> {
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
        let is_set = command.get_envs().any(|(set, _)| set == *name);
        if !is_set && std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
}

/// Flags that remove the paths of this machine from panic messages, so that a module's hash depends
/// on its source only: those of `roots` and of the sources of cargo's registries.
fn remap_flags(roots: &[PathBuf]) -> Vec<String> {
    let mut prefixes = roots.to_vec();
    let sources = cargo_home().map(|home| home.join("registry").join("src"));
    if let Some(registries) = sources.and_then(|folder| std::fs::read_dir(folder).ok()) {
        prefixes.extend(registries.flatten().map(|registry| registry.path()));
    }
    let prefixes = prefixes.iter().map(|prefix| prefix.display());
    prefixes.map(|prefix| format!("--remap-path-prefix={prefix}=.")).collect()
}

/// The file with this extension in cargo's messages about the package with this manifest.
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
    fn the_artifact_is_found_in_cargos_messages() {
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
    fn packages_are_selected_by_their_ids() {
        let id = "path+file:///w/syn#0.1.0";
        let metadata: Metadata = serde_json::from_value(serde_json::json!({
            "packages": [{
                "id": id, "name": "syn", "version": "0.1.0", "license": null, "source": null,
                "manifest_path": "/w/syn/Cargo.toml", "targets": [], "dependencies": [],
                "publish": null, "description": null, "readme": null,
            }],
            "workspace_members": [id], "target_directory": "/w/target", "workspace_root": "/w",
        }))
        .unwrap();
        let packages = [&metadata.packages[0]];
        let crates = Crates { metadata: &metadata, packages: &packages, warnings: Warnings::Allow };
        let mut command = cargo();
        crates.select(&mut command, "wasm");
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["--target-dir", "/w/target/wasm", "--package", id]);
    }

    #[test]
    fn folders_inside_others_are_removed() {
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
