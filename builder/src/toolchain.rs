//! Finds a Rust compiler for another target than this machine, and installs one where that is
//! allowed. The choice is always printed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Result, bail};

use crate::command::{cargo, is_on_path, run_tool, stdout_of};
use crate::output;
use crate::packages::{self, Purpose};

/// A platform that Rust is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// WebAssembly without an operating system: the target of engines.
    Wasm,
    /// 64-bit ARM with Linux and glibc. Debian's cross compiler links it.
    Aarch64,
}

const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

impl Target {
    /// The name that Rust gives it.
    pub const fn triple(self) -> &'static str {
        match self {
            Target::Wasm => "wasm32-unknown-unknown",
            Target::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// The purposes of the Debian packages that compile Rust for it.
    fn purposes(self) -> [Purpose; 2] {
        match self {
            Target::Wasm => [Purpose::Compiler, Purpose::Wasm],
            Target::Aarch64 => [Purpose::Compiler, Purpose::Aarch64],
        }
    }

    /// The linker that this toolchain uses; none: the compiler's own.
    fn linker(self, source: Source) -> Option<&'static str> {
        match (self, source) {
            (Target::Wasm, Source::Current) => None,
            (Target::Wasm, Source::Debian) => Some("/usr/bin/wasm-ld-19"),
            (Target::Aarch64, _) => Some("aarch64-linux-gnu-gcc"),
        }
    }

    /// The parts of the standard library to build, where the compiler does not have it.
    fn std_parts(self) -> &'static str {
        match self {
            Target::Wasm => "-Zbuild-std=std,panic_abort",
            Target::Aarch64 => "-Zbuild-std=std,panic_unwind",
        }
    }
}

/// A way to compile Rust for a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Toolchain {
    target: Target,
    source: Source,
}

/// Whose compiler a toolchain is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// That of the toolchain that runs this program, which has the target.
    Current,
    /// Debian's, which builds the standard library, too.
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

/// A toolchain that compiles Rust for this target: the current one if it has the target, or if
/// rustup can add it, else Debian's compiler. Missing parts are installed with
/// [`InstallPolicy::IfPossible`] only.
pub fn find(target: Target, install: InstallPolicy) -> Result<Toolchain> {
    let may_install = install == InstallPolicy::IfPossible;
    // With the target, the compiler has its standard library. Debian's must compile one.
    if current_has(target) || may_install && is_on_path("rustup") && add_with_rustup(target) {
        return Ok(Toolchain { target, source: Source::Current });
    }
    if debian_has(target) || may_install && packages::may_install() && install_debian(target) {
        return Ok(Toolchain { target, source: Source::Debian });
    }
    let triple = target.triple();
    let command = match packages::is_debian() && !is_on_path("rustup") {
        true => packages::install_command(&packages::names(&target.purposes())),
        false => format!("rustup target add {triple}"),
    };
    bail!("no compiler from Rust to {triple} is installed; install one: {command}")
}

/// Adds the target to the current toolchain; later calls in this process return the same. False:
/// rustup has no network, or the toolchain is not one of its own.
fn add_with_rustup(target: Target) -> bool {
    static WASM: OnceLock<bool> = OnceLock::new();
    static AARCH64: OnceLock<bool> = OnceLock::new();
    let added = match target {
        Target::Wasm => &WASM,
        Target::Aarch64 => &AARCH64,
    };
    *added.get_or_init(|| {
        let triple = target.triple();
        output::note(&format!("adding {triple} to this Rust toolchain with rustup"));
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", triple]);
        // Without a network, rustup would wait for minutes.
        rustup.env("RUSTUP_DOWNLOAD_TIMEOUT", "20").env("RUSTUP_MAX_RETRIES", "1");
        match run_tool(&mut rustup) {
            Ok(()) if current_has(target) => return true,
            Ok(()) => output::note(&format!("rustup added {triple} to another toolchain")),
            Err(error) => output::note(&format!("{error:#}")),
        }
        false
    })
}

/// Installs Debian's packages. False: they cannot be installed, or their programs are missing.
fn install_debian(target: Target) -> bool {
    let triple = target.triple();
    output::note(&format!("installing Debian's compiler, which has the sources of {triple}"));
    match packages::install(&packages::names(&target.purposes())) {
        Ok(()) if debian_has(target) => return true,
        Ok(()) => output::note("the packages are installed, but their programs are missing"),
        Err(error) => output::note(&format!("{error:#}")),
    }
    false
}

impl Toolchain {
    /// The choice in one line, for people.
    pub fn describe(self) -> String {
        let triple = self.target.triple();
        match self.source {
            Source::Current => format!("the target {triple} of this Rust toolchain"),
            Source::Debian => {
                let version = stdout_of(Command::new(DEBIAN_RUSTC).arg("--version"));
                let version = version.as_deref().and_then(|text| text.split(" (").next());
                let version = version.unwrap_or("rustc").trim();
                format!("Debian's {version}, which builds std too (this toolchain has no {triple})")
            }
        }
    }

    /// Whether the compiler is older than a version of Rust, such as `1.95`. The one that runs this
    /// program is not: it has compiled it.
    pub fn is_older_than(self, version: &str) -> bool {
        let shown = || stdout_of(Command::new(DEBIAN_RUSTC).arg("--version")).unwrap_or_default();
        self.source == Source::Debian && is_older(&shown(), version)
    }

    /// `cargo build --target …`, ready for more arguments.
    pub fn cargo_build(self) -> Command {
        let mut command = match self.source {
            Source::Current => cargo(),
            Source::Debian => debian_cargo(),
        };
        let triple = self.target.triple();
        if let Some(linker) = self.target.linker(self.source) {
            let name = triple.replace('-', "_").to_uppercase();
            command.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
        }
        command.args(["build", "--target", triple]);
        if self.source == Source::Debian {
            command.arg(self.target.std_parts());
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
    command.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
    command
}

/// Whether the version in the output of `rustc --version` is less than another one. An output
/// without a version counts as older.
fn is_older(shown: &str, version: &str) -> bool {
    let numbers = |text: &str| {
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split('.').next()?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    shown.split(' ').nth(1).and_then(numbers) < numbers(version)
}

fn belongs_to_current_toolchain(variable: &str) -> bool {
    let exact = ["CARGO", "RUSTFLAGS", "RUSTDOC", "LD_LIBRARY_PATH", "CARGO_ENCODED_RUSTFLAGS"];
    exact.contains(&variable) || variable.starts_with("RUSTC") || variable.starts_with("RUSTUP_")
}

/// Whether the compiler of this toolchain has the target. The compiler answers, not rustup: not
/// every toolchain is installed by rustup.
fn current_has(target: Target) -> bool {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", target.triple()]);
    let Some(folder) = stdout_of(&mut rustc) else { return false };
    let Ok(files) = std::fs::read_dir(PathBuf::from(folder.trim())) else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn debian_has(target: Target) -> bool {
    [DEBIAN_CARGO, DEBIAN_RUSTC].iter().all(|program| Path::new(program).exists())
        && packages::is_debian()
        && target.purposes().into_iter().all(packages::is_complete)
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
    fn versions_are_compared_as_numbers() {
        let check = |shown, version, expected: bool| {
            assert_eq!(is_older(shown, version), expected, "{shown} and {version}");
        };
        check("rustc 1.94.1 (abc 2026-03-01)", "1.95", true);
        check("rustc 1.95.0 (abc 2026-04-14)", "1.95", false);
        check("rustc 1.100.0", "1.95", false);
        check("rustc 1.9.0", "1.95", true);
        check("rustc 2.0.0-nightly", "1.95", false);
        check("", "1.95", true);
        check("rustc", "1.95", true);
    }

    #[test]
    fn a_build_names_its_target_linker_and_compiler() {
        let check = |target, source, parts: &[&str], absent: &str| {
            let toolchain = Toolchain { target, source };
            let shown = crate::command::command_line(&toolchain.cargo_build());
            for part in parts {
                assert!(shown.contains(part), "{part} is not in {shown}");
            }
            assert!(!shown.contains(absent), "{absent} is in {shown}");
        };
        let build = "build --target wasm32-unknown-unknown";
        check(Target::Wasm, Source::Current, &[build], "LINKER");
        let linker = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=/usr/bin/wasm-ld-19";
        let debian = ["RUSTC=/usr/bin/rustc", "RUSTC_BOOTSTRAP=1", "/usr/bin/cargo"];
        let std = "-Zbuild-std=std,panic_abort";
        check(Target::Wasm, Source::Debian, &[&debian[..], &[build, linker, std]].concat(), "gcc");
        let build = "build --target aarch64-unknown-linux-gnu";
        let linker = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc";
        check(Target::Aarch64, Source::Current, &[build, linker], "build-std");
        let std = "-Zbuild-std=std,panic_unwind";
        check(
            Target::Aarch64,
            Source::Debian,
            &[&debian[..], &[build, linker, std]].concat(),
            "wasm",
        );
    }
}
