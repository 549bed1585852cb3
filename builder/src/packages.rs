//! The list of system packages that the project needs beyond cargo. Finds the missing ones, and
//! installs them as root on Debian; on other systems the error has the command to install them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::command::{find_program_in, is_on_path, run_tool, search_path, stdout_of};
use crate::output;

/// The purpose of a package: `cargo xtask play` needs no packages that only tests use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Needed by every build.
    Build,
    /// Compiles Rust for a target that the toolchain lacks.
    Compiler,
    /// Compiles Rust to wasm, together with [`Purpose::Compiler`].
    Wasm,
    /// Compiles Rust for 64-bit ARM, and runs it in an emulator.
    Aarch64,
    /// Builds the sample engines in C to wasm. Without them only that is missing.
    Engines,
    /// Builds the web client.
    Web,
    /// Needed only by tests.
    Test,
}

/// How to detect that a package, or a replacement for it, is installed.
enum Detection {
    /// One of these commands is on the path.
    Command(&'static [&'static str]),
    /// This command is on the path or in Debian's folder of games.
    Game(&'static str),
    /// Debian's package is installed; nothing replaces it.
    DebianPackage,
    /// This file exists.
    File(&'static str),
    /// The programs of a PostgreSQL server are installed.
    PostgresServer,
    /// The program of a NATS server is installed.
    NatsServer,
    /// A font has the letters of this language.
    Font(&'static str),
}

/// A Debian package that the project needs.
pub struct Package {
    /// The package's name in Debian.
    pub name: &'static str,
    pub purposes: &'static [Purpose],
    /// What the project uses it for.
    pub use_here: &'static str,
    detection: Detection,
}

/// The package of the browser that tests drive. This shell has no windows: a test takes two thirds
/// of the CPU time that it takes with the whole browser.
const BROWSER: &str = "chromium-headless-shell";

/// The list, for every command that installs and for `cargo xtask setup --print-packages`.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "gcc",
        purposes: &[Purpose::Build],
        use_here: "links every Rust program; compiles engines in C, and the C header as C99 in the tests",
        detection: Detection::Command(&["cc"]),
    },
    Package {
        name: "libc6-dev",
        purposes: &[Purpose::Build],
        use_here: "the C library's headers and start files, for gcc",
        detection: Detection::Command(&["cc"]),
    },
    Package {
        name: "rustc-web",
        purposes: &[Purpose::Compiler],
        use_here: "a Rust compiler whose standard library can be built for other targets",
        detection: Detection::DebianPackage,
    },
    Package {
        name: "cargo-web",
        purposes: &[Purpose::Compiler],
        use_here: "the cargo of that compiler",
        detection: Detection::DebianPackage,
    },
    Package {
        name: "rust-web-src",
        purposes: &[Purpose::Compiler],
        use_here: "the source of that compiler's standard library",
        detection: Detection::DebianPackage,
    },
    Package {
        name: "rust-web-llvm",
        purposes: &[Purpose::Wasm],
        use_here: "strips what that compiler makes",
        detection: Detection::DebianPackage,
    },
    #[cfg(not(target_arch = "aarch64"))]
    Package {
        name: "gcc-aarch64-linux-gnu",
        purposes: &[Purpose::Aarch64],
        use_here: "compiles C for 64-bit ARM, and links Rust for it",
        detection: Detection::Command(&["aarch64-linux-gnu-gcc"]),
    },
    #[cfg(not(target_arch = "aarch64"))]
    Package {
        name: "libc6-dev-arm64-cross",
        purposes: &[Purpose::Aarch64],
        use_here: "the C library of 64-bit ARM",
        detection: Detection::File("/usr/aarch64-linux-gnu/lib/libc.so.6"),
    },
    #[cfg(not(target_arch = "aarch64"))]
    Package {
        name: "libstdc++6-arm64-cross",
        purposes: &[Purpose::Test],
        use_here: "the C++ library of 64-bit ARM, for Node.js in an emulator",
        detection: Detection::File("/usr/aarch64-linux-gnu/lib/libstdc++.so.6"),
    },
    #[cfg(not(target_arch = "aarch64"))]
    Package {
        name: "qemu-user",
        purposes: &[Purpose::Aarch64, Purpose::Test],
        use_here: "runs programs for 64-bit ARM on other processors",
        detection: Detection::Command(&["qemu-aarch64", "qemu-aarch64-static"]),
    },
    Package {
        name: "lld-19",
        purposes: &[Purpose::Wasm, Purpose::Engines, Purpose::Test],
        use_here: "links wasm modules, from Rust and from C",
        detection: Detection::Command(&["wasm-ld-19", "wasm-ld"]),
    },
    Package {
        name: "g++",
        purposes: &[Purpose::Test],
        use_here: "compiles engines in C++; the C header, and an engine in C, as C++11",
        detection: Detection::Command(&["c++"]),
    },
    Package {
        name: "clang-19",
        purposes: &[Purpose::Engines, Purpose::Test],
        use_here: "compiles engines in C and C++ to wasm",
        detection: Detection::Command(&["clang-19", "clang"]),
    },
    Package {
        name: "python3-pip",
        purposes: &[Purpose::Test],
        use_here: "fetches the tools of engines in Zig, Go and Python, and Schemathesis",
        detection: Detection::Command(&["pip3", "pip"]),
    },
    Package {
        name: "default-jdk-headless",
        purposes: &[Purpose::Test],
        use_here: "compiles and runs engines in Java",
        detection: Detection::Command(&["javac"]),
    },
    Package {
        name: "tmux",
        purposes: &[Purpose::Test],
        use_here: "plays at the terminal as a person would",
        detection: Detection::Command(&["tmux"]),
    },
    Package {
        name: "libxml2-utils",
        purposes: &[Purpose::Test],
        use_here: "checks manifests against the shipped schema (xmllint)",
        detection: Detection::Command(&["xmllint"]),
    },
    Package {
        name: "systemd",
        purposes: &[Purpose::Test],
        use_here: "checks the units of the services (systemd-analyze)",
        detection: Detection::Command(&["systemd-analyze"]),
    },
    Package {
        name: "postgresql",
        purposes: &[Purpose::Test],
        use_here: "the database server of the tests, which start their own instance",
        detection: Detection::PostgresServer,
    },
    Package {
        name: "nats-server",
        purposes: &[Purpose::Test],
        use_here: "the broker of the tests, which start their own instance",
        detection: Detection::NatsServer,
    },
    Package {
        name: "nodejs",
        purposes: &[Purpose::Web],
        use_here: "builds the web client; if it is too old, a newer one is fetched with it",
        detection: Detection::Command(&["node"]),
    },
    Package {
        name: "npm",
        purposes: &[Purpose::Web],
        use_here: "fetches the packages that build the web client",
        detection: Detection::Command(&["npm", "npm.cmd"]),
    },
    Package {
        name: BROWSER,
        purposes: &[Purpose::Test],
        use_here: "the browser of the browser tests",
        detection: Detection::Command(&[
            BROWSER,
            "chromium",
            "chromium-browser",
            "google-chrome",
            "chrome",
        ]),
    },
    Package {
        name: "fairy-stockfish",
        purposes: &[Purpose::Test],
        use_here: "an external engine with UCI and UCCI, for whole games of xiangqi in the tests",
        detection: Detection::Game("fairy-stockfish"),
    },
    Package {
        name: "stockfish",
        purposes: &[Purpose::Test],
        use_here: "an external engine with UCI, for whole games of chess in the tests",
        detection: Detection::Game("stockfish"),
    },
    Package {
        name: "grhino",
        purposes: &[Purpose::Test],
        use_here: "an external engine with GTP, for whole games of reversi in the tests",
        detection: Detection::Game("gtp-rhino"),
    },
    Package {
        name: "uci2wb",
        purposes: &[Purpose::Test],
        use_here: "an adapter with which XBoard runs our engines as UCI and UCCI programs",
        detection: Detection::Game("uci2wb"),
    },
    Package {
        name: "fontconfig",
        purposes: &[Purpose::Test],
        use_here: "lists the installed fonts (fc-list)",
        detection: Detection::Command(&["fc-list"]),
    },
    Package {
        name: "fonts-wqy-microhei",
        purposes: &[Purpose::Test],
        use_here: "Chinese characters for the browser tests",
        detection: Detection::Font("zh-cn"),
    },
];

impl Package {
    fn has_purpose(&self, purposes: &[Purpose]) -> bool {
        self.purposes.iter().any(|purpose| purposes.contains(purpose))
    }

    fn is_installed(&self) -> bool {
        match self.detection {
            Detection::Command(commands) => commands.iter().any(|command| is_on_path(command)),
            Detection::Game(command) => find_game(command).is_some(),
            Detection::DebianPackage => debian_has(self.name),
            Detection::File(path) => Path::new(path).is_file(),
            Detection::PostgresServer => crate::postgres::find_programs().is_some(),
            Detection::NatsServer => crate::nats::find_program().is_some(),
            Detection::Font(language) => has_font(language),
        }
    }
}

/// Finds a program on the path or in Debian's folder of games, which is not on every path.
pub fn find_game(name: &str) -> Option<PathBuf> {
    let mut folders = search_path();
    folders.push("/usr/games".into());
    find_program_in(&folders, name)
}

/// The program of the browser that tests drive; none if no browser is installed.
pub fn find_browser() -> Option<PathBuf> {
    let package = PACKAGES.iter().find(|package| package.name == BROWSER)?;
    let Detection::Command(commands) = package.detection else { return None };
    commands.iter().find_map(|command| find_program_in(&search_path(), command))
}

/// The names of the missing packages for these purposes.
pub fn missing(purposes: &[Purpose]) -> Vec<&'static str> {
    let needed = PACKAGES.iter().filter(|package| package.has_purpose(purposes));
    needed.filter(|package| !package.is_installed()).map(|package| package.name).collect()
}

/// The names of all packages for these purposes, installed or not.
pub fn names(purposes: &[Purpose]) -> Vec<&'static str> {
    PACKAGES.iter().filter(|p| p.has_purpose(purposes)).map(|p| p.name).collect()
}

/// Whether all packages for this purpose are installed.
pub fn is_complete(purpose: Purpose) -> bool {
    PACKAGES.iter().filter(|p| p.has_purpose(&[purpose])).all(Package::is_installed)
}

/// Installs the missing packages for these purposes. Where that is not allowed, the error has the
/// command to install them.
pub fn ensure(purposes: &[Purpose]) -> Result<()> {
    let missing: Vec<&Package> =
        PACKAGES.iter().filter(|p| p.has_purpose(purposes) && !p.is_installed()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for package in &missing {
        output::note(&format!("missing: {} ({})", package.name, package.use_here));
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if !may_install() {
        bail!("missing packages: {}; install them: {}", names.join(", "), install_command(&names));
    }
    install(&names)?;
    match missing.iter().find(|package| !package.is_installed()) {
        Some(package) => bail!("`{}` was installed, but is still not found", package.name),
        None => Ok(()),
    }
}

/// Installs packages with apt-get and says so. If that fails, the package lists are missing or old:
/// they are fetched, and the installation is tried again.
pub fn install(names: &[&str]) -> Result<()> {
    output::note(&format!("installing with apt-get, as root on Debian: {}", names.join(", ")));
    let attempt = || {
        let mut apt = apt_get();
        apt.args(["install", "--yes", "--no-install-recommends"]).args(names);
        apt
    };
    if run_tool(&mut attempt()).is_ok() {
        return Ok(());
    }
    output::note("fetching Debian's package lists for another attempt");
    run_tool(apt_get().arg("update"))?;
    run_tool(&mut attempt())
}

/// Whether this process may install packages: it is root on Debian.
pub fn may_install() -> bool {
    is_debian() && stdout_of(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Whether this system is Debian or a derivative.
pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists() && is_on_path("apt-get") && is_on_path("dpkg-query")
}

/// The command to install these packages, for a message.
pub fn install_command(names: &[&str]) -> String {
    let command = format!("sudo apt-get install --yes {}", names.join(" "));
    if is_debian() {
        return command;
    }
    format!("`{command}` on Debian, or the same tools from this system's packages")
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // No person can answer its questions. Standard output belongs to results.
    command.arg("-qq").env("DEBIAN_FRONTEND", "noninteractive").stdin(std::process::Stdio::null());
    command.stdout(std::io::stderr());
    command
}

fn debian_has(name: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    stdout_of(query.args(["--show", "--showformat=${db:Status-Status}", name]))
        .is_some_and(|status| status == "installed")
}

fn has_font(language: &str) -> bool {
    stdout_of(Command::new("fc-list").args([&format!(":lang={language}"), "family"]))
        .is_some_and(|families| !families.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_is_listed_once() {
        use Purpose::{Aarch64, Build, Compiler, Test, Wasm, Web};
        let mut all = names(&[Build, Compiler, Wasm, Aarch64, Web, Test]);
        assert_eq!(all.len(), PACKAGES.len());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), PACKAGES.len());
    }

    #[test]
    fn a_misspelt_package_is_not_installed() {
        assert!(!debian_has("gcc-misspelt"));
        assert!(!is_on_path("tmux-misspelt"));
        assert!(!has_font("a-language-without-fonts"));
    }
}
