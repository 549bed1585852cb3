//! Which compiler makes wasm modules out of Rust here, and how it is called.
//! Installs what is missing where it may; never guesses silently: it says its way.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::packages::{self, Purpose};
use crate::run::{cargo, on_path, output, run};

/// The target of wasm engines: no system below it.
pub const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-19";

/// Ways to compile Rust to wasm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Toolchain {
    /// The toolchain that runs this program has the target.
    Own,
    /// Debian's compiler builds the standard library along.
    Debian,
}

/// What may be done about a compiler that is not here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Install {
    /// Fetched: Debian's packages as root on Debian, a target with rustup.
    IfPossible,
    /// Nothing: the error says how to install it.
    Never,
}

/// The first way that works here, installing what it needs where that is allowed.
pub fn find(install: Install) -> Result<Toolchain> {
    if own_has_target() {
        return Ok(Toolchain::Own);
    }
    if debian_is_complete() {
        return Ok(Toolchain::Debian);
    }
    let names = packages::names(&[Purpose::Wasm]);
    if install == Install::IfPossible
        && let Some(toolchain) = installed(&names)
    {
        return Ok(toolchain);
    }
    let way = match packages::is_debian() {
        true => packages::command_for(&names),
        false => format!("rustup target add {TARGET}"),
    };
    bail!("nothing here compiles Rust to wasm; this installs it: {way}")
}

fn installed(names: &[&str]) -> Option<Toolchain> {
    if packages::may_install() {
        eprintln!("wasm: this Rust toolchain has no {TARGET}, Debian's packages can stand in");
        match packages::install(names) {
            Ok(()) if debian_is_complete() => return Some(Toolchain::Debian),
            Ok(()) => eprintln!("wasm: the packages are there, but not their programs"),
            Err(error) => eprintln!("wasm: {error:#}"),
        }
    }
    if on_path("rustup") {
        eprintln!("wasm: adding {TARGET} to the Rust toolchain with rustup");
        let added = run(Command::new("rustup").args(["target", "add", TARGET]));
        match added {
            Ok(()) if own_has_target() => return Some(Toolchain::Own),
            Ok(()) => eprintln!("wasm: rustup added it to another toolchain than this one"),
            Err(error) => eprintln!("wasm: {error:#}"),
        }
    }
    None
}

impl Toolchain {
    /// One line for people: which way is taken.
    pub fn describe(self) -> String {
        match self {
            Toolchain::Own => format!("the target {TARGET} of this Rust toolchain"),
            Toolchain::Debian => {
                let version = output(Command::new(DEBIAN_RUSTC).arg("--version"));
                let version = version.as_deref().and_then(|text| text.split(" (").next());
                let version = version.unwrap_or("rustc").trim();
                format!("Debian's {version}, building std along (this toolchain has no {TARGET})")
            }
        }
    }

    /// `cargo build --release --target …`, ready for more arguments.
    pub fn cargo_build(self) -> Command {
        let mut command = match self {
            Toolchain::Own => cargo(),
            Toolchain::Debian => debian_cargo(),
        };
        command.args(["build", "--release", "--target", TARGET]);
        if self == Toolchain::Debian {
            command.arg("-Zbuild-std=std,panic_abort");
        }
        command
    }
}

/// Debian's cargo without anything that the cargo and rustup around this
/// program have put into the environment for their own compiler.
fn debian_cargo() -> Command {
    let mut command = Command::new(DEBIAN_CARGO);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(belongs_to_own_toolchain) {
            command.env_remove(name);
        }
    }
    command
        .env("RUSTC", DEBIAN_RUSTC)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
    command
}

fn belongs_to_own_toolchain(variable: &str) -> bool {
    let exact = ["CARGO", "RUSTFLAGS", "RUSTDOC", "LD_LIBRARY_PATH", "CARGO_ENCODED_RUSTFLAGS"];
    exact.contains(&variable) || variable.starts_with("RUSTC") || variable.starts_with("RUSTUP_")
}

/// Asks the compiler, not rustup: a compiler from elsewhere may have the target too.
fn own_has_target() -> bool {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let Some(folder) = output(rustc.args(["--print", "target-libdir", "--target", TARGET])) else {
        return false;
    };
    let Ok(files) = std::fs::read_dir(PathBuf::from(folder.trim())) else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn debian_is_complete() -> bool {
    let programs = [DEBIAN_CARGO, DEBIAN_RUSTC, DEBIAN_LINKER];
    programs.iter().all(|program| Path::new(program).exists())
        && packages::is_debian()
        && packages::complete(Purpose::Wasm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_toolchain_is_cleared_away() {
        let check = |name, expected: bool| assert_eq!(belongs_to_own_toolchain(name), expected);
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
    fn the_debian_way_is_the_documented_one() {
        let command = Toolchain::Debian.cargo_build();
        let shown = crate::run::show(&command);
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
