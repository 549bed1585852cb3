//! Finds a Rust compiler with a wasm target, and installs one where that is allowed. The choice is
//! always printed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, bail};

use crate::command::{cargo, is_on_path, run_tool, stdout_of};
use crate::output;
use crate::packages::{self, Purpose};

/// The target of wasm engines: WebAssembly without an operating system.
pub const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-19";

/// A way to compile Rust to wasm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Toolchain {
    /// The toolchain that runs this program, which has the target.
    Current,
    /// Debian's compiler, which builds the standard library too.
    Debian,
}

/// Whether a missing tool may be installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstallPolicy {
    /// Yes: a target with rustup, else Debian's packages as root on Debian.
    IfPossible,
    /// No: the error says how to install it.
    Never,
}

/// A toolchain that compiles Rust to wasm on this machine: the current one if it has the target, or
/// if rustup can add it, else Debian's compiler. Missing parts are installed with
/// [`InstallPolicy::IfPossible`] only.
pub fn find(install: InstallPolicy) -> Result<Toolchain> {
    let may_install = install == InstallPolicy::IfPossible;
    // With the target, the compiler has a standard library for wasm. Debian's must compile one.
    if current_has_target() || may_install && is_on_path("rustup") && add_target_with_rustup() {
        return Ok(Toolchain::Current);
    }
    if debian_is_complete() || may_install && packages::may_install() && install_debian() {
        return Ok(Toolchain::Debian);
    }
    let command = match packages::is_debian() && !is_on_path("rustup") {
        true => packages::install_command(&packages::names(&[Purpose::Wasm])),
        false => format!("rustup target add {TARGET}"),
    };
    bail!("no compiler from Rust to wasm is installed; install one: {command}")
}

/// Adds the target to the current toolchain; later calls in this process return the same. False:
/// rustup has no network, or the toolchain is not one of its own.
fn add_target_with_rustup() -> bool {
    static ADDED: OnceLock<bool> = OnceLock::new();
    *ADDED.get_or_init(|| {
        output::note(&format!("wasm: adding {TARGET} to this Rust toolchain with rustup"));
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", TARGET]);
        // Without a network, rustup would wait for minutes.
        rustup.env("RUSTUP_DOWNLOAD_TIMEOUT", "20").env("RUSTUP_MAX_RETRIES", "1");
        match run_tool(&mut rustup) {
            Ok(()) if current_has_target() => return true,
            Ok(()) => output::note("wasm: rustup added the target to another toolchain"),
            Err(error) => output::note(&format!("wasm: {error:#}")),
        }
        false
    })
}

/// Installs Debian's packages. False: they cannot be installed, or their programs are missing.
fn install_debian() -> bool {
    output::note("wasm: installing Debian's compiler, which has the sources of the target");
    match packages::install(&packages::names(&[Purpose::Wasm])) {
        Ok(()) if debian_is_complete() => return true,
        Ok(()) => output::note("wasm: the packages are installed, but their programs are missing"),
        Err(error) => output::note(&format!("wasm: {error:#}")),
    }
    false
}

impl Toolchain {
    /// The choice in one line, for people.
    pub fn describe(self) -> String {
        match self {
            Toolchain::Current => format!("the target {TARGET} of this Rust toolchain"),
            Toolchain::Debian => {
                let version = stdout_of(Command::new(DEBIAN_RUSTC).arg("--version"));
                let version = version.as_deref().and_then(|text| text.split(" (").next());
                let version = version.unwrap_or("rustc").trim();
                format!("Debian's {version}, which builds std too (this toolchain has no {TARGET})")
            }
        }
    }

    /// `cargo build --release --target …`, ready for more arguments.
    pub fn cargo_build(self) -> Command {
        self.cargo("build")
    }

    fn cargo(self, subcommand: &str) -> Command {
        let mut command = match self {
            Toolchain::Current => cargo(),
            Toolchain::Debian => debian_cargo(),
        };
        command.args([subcommand, "--release", "--target", TARGET]);
        if self == Toolchain::Debian {
            command.arg("-Zbuild-std=std,panic_abort");
        }
        command
    }
}

/// Debian's cargo, without the variables that the cargo and rustup around this program have set for
/// their own compiler.
fn debian_cargo() -> Command {
    let mut command = Command::new(DEBIAN_CARGO);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(belongs_to_current_toolchain) {
            command.env_remove(name);
        }
    }
    command
        .env("RUSTC", DEBIAN_RUSTC)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
    command
}

fn belongs_to_current_toolchain(variable: &str) -> bool {
    let exact = ["CARGO", "RUSTFLAGS", "RUSTDOC", "LD_LIBRARY_PATH", "CARGO_ENCODED_RUSTFLAGS"];
    exact.contains(&variable) || variable.starts_with("RUSTC") || variable.starts_with("RUSTUP_")
}

/// Whether the compiler of this toolchain has the target. The compiler answers, not rustup: not
/// every toolchain is installed by rustup.
fn current_has_target() -> bool {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let Some(folder) = stdout_of(rustc.args(["--print", "target-libdir", "--target", TARGET]))
    else {
        return false;
    };
    let Ok(files) = std::fs::read_dir(PathBuf::from(folder.trim())) else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn debian_is_complete() -> bool {
    let programs = [DEBIAN_CARGO, DEBIAN_RUSTC, DEBIAN_LINKER];
    programs.iter().all(|program| Path::new(program).exists())
        && packages::is_debian()
        && packages::is_complete(Purpose::Wasm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_of_the_current_toolchain_are_removed() {
        let check = |name, expected: bool| assert_eq!(belongs_to_current_toolchain(name), expected);
        check("CARGO", true);
        check("RUSTC", true);
        check("RUSTC_WRAPPER", true);
        check("RUSTFLAGS", true);
        check("RUSTUP_TOOLCHAIN", true);
        check("CARGO_HOME", false);
        check("CARGO_PROFILE_RELEASE_LTO", false);
        check("RUST_BACKTRACE", false);
        check("PATH", false);
    }

    #[test]
    fn debians_cargo_builds_with_its_own_compiler_and_linker() {
        let command = Toolchain::Debian.cargo_build();
        let shown = crate::command::command_line(&command);
        for part in [
            "RUSTC=/usr/bin/rustc",
            "RUSTC_BOOTSTRAP=1",
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/bin/wasm-ld-19",
            "/usr/bin/cargo build --release --target wasm32-unknown-unknown",
            "-Zbuild-std=std,panic_abort",
        ] {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
    }
}
