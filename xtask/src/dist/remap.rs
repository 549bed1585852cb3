//! Replaces the paths of this machine in compiled code by fixed ones. This program is cargo's
//! `RUSTC_WRAPPER` for that: flags in `RUSTFLAGS` would differ from folder to folder, and cargo
//! hashes them into names that end up in the code.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use sandboard_builder::command::{cargo_home, stdout_of};

use crate::workspace::Workspace;

/// Makes this program behave as the compiler. The value is the table of prefixes in JSON.
const PREFIXES: &str = "SANDBOARD_DIST_PREFIXES";
/// The wrapper that the user has chosen, such as a cache of compilations.
const NEXT_WRAPPER: &str = "SANDBOARD_DIST_NEXT_WRAPPER";
/// The variables with flags of C compilers that build scripts read. Others than the first are used
/// in place of it where they are set.
const C_FLAGS: [&str; 5] = [
    "CFLAGS",
    "HOST_CFLAGS",
    "TARGET_CFLAGS",
    "CFLAGS_x86_64-unknown-linux-gnu",
    "CFLAGS_x86_64_unknown_linux_gnu",
];

/// The fixed names of the workspace, of the folder of libraries, and of the Rust toolchain.
const WORKSPACE: &str = "/sandboard";
const CARGO_HOME: &str = "/cargo";
const SYSROOT: &str = "/rust";

/// Folders of this machine, each with its fixed name. Of two that match, the later one counts.
#[derive(Clone, Debug)]
pub(super) struct Remap {
    prefixes: Vec<(PathBuf, String)>,
}

impl Remap {
    /// The folders that a build of this workspace can name.
    pub(super) fn of(workspace: &Workspace) -> Result<Remap> {
        let mut prefixes = vec![(workspace.root.clone(), WORKSPACE.to_owned())];
        prefixes.push((workspace.target.clone(), format!("{WORKSPACE}/target")));
        let cargo_home = cargo_home().context("cargo's home folder is unknown: set CARGO_HOME")?;
        // A mirror has a folder of its own for the same libraries.
        let registries = std::fs::read_dir(cargo_home.join("registry").join("src"));
        let registries = registries.into_iter().flatten().flatten().map(|entry| entry.path());
        prefixes.push((cargo_home, CARGO_HOME.to_owned()));
        prefixes.extend(registries.map(|folder| (folder, format!("{CARGO_HOME}/registry"))));
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let ask = |arguments: &[&str]| {
            stdout_of(Command::new(&rustc).args(arguments).current_dir(&workspace.root))
                .with_context(|| format!("`rustc {}` failed", arguments.join(" ")))
        };
        let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?.trim());
        let version = ask(&["--version", "--verbose"])?;
        let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
        let sources = sysroot.join("lib/rustlib/src/rust");
        prefixes.push((sysroot, SYSROOT.to_owned()));
        // The name that the compiled standard library has for its own sources.
        prefixes.push((sources, format!("/rustc/{}", commit.unwrap_or("unknown"))));
        Ok(Remap { prefixes })
    }

    /// The folders of this machine that a release must not name.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let home = std::env::home_dir();
        self.prefixes.iter().map(|(folder, _)| folder.clone()).chain(home).collect()
    }

    /// Makes cargo compile with the fixed names, in Rust and in C. Flags of the user stay. A copy
    /// of this program is put into the folder `scratch`.
    pub(super) fn apply(&self, command: &mut Command, scratch: &Path) -> Result<()> {
        command.env(PREFIXES, serde_json::to_string(&self.prefixes)?);
        if let Some(wrapper) = std::env::var_os("RUSTC_WRAPPER").filter(|it| !it.is_empty()) {
            command.env(NEXT_WRAPPER, wrapper);
        }
        command.env("RUSTC_WRAPPER", copy_of_this_program(scratch)?);
        let flags = self.c_flags()?;
        for name in C_FLAGS {
            let value = std::env::var(name);
            if value.is_ok() || name == C_FLAGS[0] {
                let own = value.unwrap_or_default();
                command.env(name, format!("{own} {flags}").trim_start());
            }
        }
        Ok(())
    }

    fn c_flags(&self) -> Result<String> {
        let flag = |(folder, name): &(PathBuf, String)| {
            let folder = folder.display().to_string();
            ensure!(
                !folder.contains(char::is_whitespace),
                "the folder `{folder}` has a space in its name, which flags of C compilers \
                 cannot have: build in a folder without spaces"
            );
            Ok(format!("-ffile-prefix-map={folder}={name}"))
        };
        Ok(self.prefixes.iter().map(flag).collect::<Result<Vec<_>>>()?.join(" "))
    }
}

/// This program on Linux, also if cargo has built it again and has deleted the running file.
pub(super) const THIS_PROGRAM: &str = "/proc/self/exe";

/// Copies this program, which cargo may build again during a long build.
fn copy_of_this_program(scratch: &Path) -> Result<PathBuf> {
    let file = scratch.join("rustc-wrapper");
    let fresh = scratch.join(format!("rustc-wrapper.new-{}", std::process::id()));
    let copy = || {
        std::fs::create_dir_all(scratch)?;
        std::fs::copy(THIS_PROGRAM, &fresh)?;
        // A program that runs cannot be written, but replaced.
        std::fs::rename(&fresh, &file)
    };
    copy().with_context(|| format!("cannot copy this program to {}", file.display()))?;
    // Cargo runs it from other folders.
    std::path::absolute(&file).with_context(|| format!("{} has no path", file.display()))
}

/// Runs the compiler if cargo has started this program as its wrapper; none otherwise.
pub(crate) fn run_as_rustc_wrapper() -> Option<ExitCode> {
    let prefixes = std::env::var(PREFIXES).ok()?;
    let prefixes: Vec<(PathBuf, String)> = serde_json::from_str(&prefixes).ok()?;
    let mut words = std::env::args_os().skip(1);
    let compiler = words.next()?;
    let next = std::env::var_os(NEXT_WRAPPER);
    let mut command = Command::new(next.as_ref().unwrap_or(&compiler));
    command.args(next.is_some().then_some(&compiler)).args(words);
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    command.args(rust_flags(&prefixes, out.as_deref(), &package));
    match command.status() {
        Ok(status) => {
            // A compiler that was killed by a signal has no code.
            Some(ExitCode::from(status.code().and_then(|code| code.try_into().ok()).unwrap_or(1)))
        }
        Err(error) => {
            eprintln!("error: cannot run the compiler {}: {error}", compiler.display());
            Some(ExitCode::FAILURE)
        }
    }
}

/// The flags for one crate. `out` is the folder with the sources that its build script has made:
/// its name contains a hash that depends on this machine.
fn rust_flags(prefixes: &[(PathBuf, String)], out: Option<&Path>, package: &str) -> Vec<String> {
    let flag = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut flags: Vec<String> = prefixes.iter().map(|(from, to)| flag(from, to)).collect();
    flags.extend(out.map(|out| flag(out, &format!("{WORKSPACE}/generated/{package}"))));
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remap(prefixes: &[(&str, &str)]) -> Remap {
        let prefixes = prefixes.iter().map(|(from, to)| (PathBuf::from(from), to.to_string()));
        Remap { prefixes: prefixes.collect() }
    }

    #[test]
    fn each_compiler_gets_the_prefixes_in_their_order() {
        let remap = remap(&[("/build/clone", "/sandboard"), ("/home/user/.cargo", "/cargo")]);
        let check = |out: Option<&str>, expected: &[&str]| {
            assert_eq!(rust_flags(&remap.prefixes, out.map(Path::new), "mine"), expected);
        };
        let base = [
            "--remap-path-prefix=/build/clone=/sandboard",
            "--remap-path-prefix=/home/user/.cargo=/cargo",
        ];
        check(None, &base);
        let generated =
            "--remap-path-prefix=/build/clone/target/x-0f/out=/sandboard/generated/mine";
        check(Some("/build/clone/target/x-0f/out"), &[base[0], base[1], generated]);
        assert_eq!(
            remap.c_flags().expect("flags"),
            "-ffile-prefix-map=/build/clone=/sandboard -ffile-prefix-map=/home/user/.cargo=/cargo"
        );
    }

    #[test]
    fn a_folder_with_a_space_is_refused() {
        let check = |folder: &str, expected: bool| {
            let flags = remap(&[(folder, "/x")]).c_flags();
            assert_eq!(flags.is_ok(), expected, "{folder}");
        };
        check("/build/my clone", false);
        check("/build/my\tclone", false);
        check("/build/my-clone", true);
    }

    #[test]
    fn a_build_names_workspace_libraries_and_toolchain() {
        let workspace = Workspace::load().expect("the workspace");
        let remap = Remap::of(&workspace).expect("the folders");
        let check = |name: &str| assert!(remap.prefixes.iter().any(|(_, to)| to == name), "{name}");
        check("/sandboard");
        check("/sandboard/target");
        check("/cargo");
        check("/cargo/registry");
        check("/rust");
        assert!(remap.prefixes.iter().any(|(from, to)| {
            from.ends_with("lib/rustlib/src/rust") && to.starts_with("/rustc/")
        }));
        let mut command = Command::new("cargo");
        let scratch = tempfile::tempdir().expect("a folder");
        remap.apply(&mut command, scratch.path()).expect("applied");
        let value = |name: &str| {
            let found = command.get_envs().find(|(key, _)| *key == name);
            found.and_then(|(_, value)| Some(value?.to_string_lossy().into_owned()))
        };
        let root = workspace.root.display();
        let flag = format!("-ffile-prefix-map={root}=/sandboard");
        assert!(value("CFLAGS").is_some_and(|flags| flags.contains(&flag)));
        let wrapper = scratch.path().join("rustc-wrapper");
        assert_eq!(value("RUSTC_WRAPPER").as_deref(), wrapper.to_str());
        assert!(wrapper.is_file());
        assert_eq!(value("RUSTFLAGS"), None);
    }
}
