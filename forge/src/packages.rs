//! What the project needs beyond cargo: the one list, who is missing, and how to
//! get it. Installs only as root on Debian; elsewhere it says the one command.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{found_in, on_path, output, run, search_path};

/// What a package is for, so that `play` does not ask for what only tests need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Every build.
    Build,
    /// Rust to wasm where the toolchain has no `wasm32-unknown-unknown`.
    Wasm,
    /// The client in the browser.
    Web,
    /// The tests.
    Test,
}

/// How it is seen that a package is here.
enum Seen {
    /// Any of these commands will do, whoever installed it.
    By(&'static [&'static str]),
    /// This command, on the path or where Debian puts games.
    AmongGames(&'static str),
    /// Only Debian's package will.
    InDebian,
    /// Its programs are where Debian or this system has them.
    ByServer,
    /// Its program is where Debian or this system has it.
    ByBroker,
    /// Some font has the letters of this language.
    ByGlyphs(&'static str),
}

/// A package of Debian.
pub struct Package {
    /// Debian's name.
    pub name: &'static str,
    /// Who needs it.
    pub purposes: &'static [Purpose],
    /// What it does here.
    pub why: &'static str,
    seen: Seen,
}

/// The browser of the tests.
const CHROMIUM: &str = "chromium";

/// Served by `cargo xtask setup --print-packages` to `.ci/run`, and by every command that installs.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "gcc",
        purposes: &[Purpose::Build],
        why: "links every Rust program; compiles engines in C, and the C header as C99 in the tests",
        seen: Seen::By(&["cc"]),
    },
    Package {
        name: "libc6-dev",
        purposes: &[Purpose::Build],
        why: "the C library's headers and start files, for gcc",
        seen: Seen::By(&["cc"]),
    },
    Package {
        name: "rustc-web",
        purposes: &[Purpose::Wasm],
        why: "a Rust compiler whose standard library can be built for wasm",
        seen: Seen::InDebian,
    },
    Package {
        name: "cargo-web",
        purposes: &[Purpose::Wasm],
        why: "the cargo of that compiler",
        seen: Seen::InDebian,
    },
    Package {
        name: "rust-web-src",
        purposes: &[Purpose::Wasm],
        why: "the source of that compiler's standard library",
        seen: Seen::InDebian,
    },
    Package {
        name: "rust-web-llvm",
        purposes: &[Purpose::Wasm],
        why: "strips what that compiler makes",
        seen: Seen::InDebian,
    },
    Package {
        name: "lld-19",
        purposes: &[Purpose::Wasm, Purpose::Test],
        why: "links wasm modules, from Rust and from C",
        seen: Seen::By(&["wasm-ld-19", "wasm-ld"]),
    },
    Package {
        name: "g++",
        purposes: &[Purpose::Test],
        why: "compiles engines in C++; the C header, and an engine in C, as C++11",
        seen: Seen::By(&["c++"]),
    },
    Package {
        name: "clang-19",
        purposes: &[Purpose::Test],
        why: "compiles engines in C and C++ to wasm",
        seen: Seen::By(&["clang-19", "clang"]),
    },
    Package {
        name: "python3-pip",
        purposes: &[Purpose::Test],
        why: "fetches the tools of engines in Zig, Go and Python",
        seen: Seen::By(&["pip3", "pip"]),
    },
    Package {
        name: "default-jdk-headless",
        purposes: &[Purpose::Test],
        why: "compiles engines in Java, and runs them",
        seen: Seen::By(&["javac"]),
    },
    Package {
        name: "tmux",
        purposes: &[Purpose::Test],
        why: "plays at the terminal as a person would",
        seen: Seen::By(&["tmux"]),
    },
    Package {
        name: "libxml2-utils",
        purposes: &[Purpose::Test],
        why: "checks manifests against the shipped schema (xmllint)",
        seen: Seen::By(&["xmllint"]),
    },
    Package {
        name: "postgresql",
        purposes: &[Purpose::Test],
        why: "the database server of the tests, which start one of their own",
        seen: Seen::ByServer,
    },
    Package {
        name: "nats-server",
        purposes: &[Purpose::Test],
        why: "the broker of the tests, which start one of their own",
        seen: Seen::ByBroker,
    },
    Package {
        name: "nodejs",
        purposes: &[Purpose::Web],
        why: "builds the client in the browser; where it is too old, it fetches a newer one",
        seen: Seen::By(&["node"]),
    },
    Package {
        name: "npm",
        purposes: &[Purpose::Web],
        why: "fetches what the client is built with",
        seen: Seen::By(&["npm", "npm.cmd"]),
    },
    Package {
        name: CHROMIUM,
        purposes: &[Purpose::Test],
        why: "the browser of the tests in a browser",
        seen: Seen::By(&["chromium", "chromium-browser", "google-chrome", "chrome"]),
    },
    Package {
        name: "fairy-stockfish",
        purposes: &[Purpose::Test],
        why: "a program of others that speaks UCI and UCCI, against which whole games of xiangqi are played",
        seen: Seen::AmongGames("fairy-stockfish"),
    },
    Package {
        name: "grhino",
        purposes: &[Purpose::Test],
        why: "a program of others that speaks GTP, against which whole games of reversi are played",
        seen: Seen::AmongGames("gtp-rhino"),
    },
    Package {
        name: "uci2wb",
        purposes: &[Purpose::Test],
        why: "an adapter of others by which XBoard runs programs of UCI and UCCI, and so ours",
        seen: Seen::AmongGames("uci2wb"),
    },
    Package {
        name: "fontconfig",
        purposes: &[Purpose::Test],
        why: "says which fonts are here (fc-list)",
        seen: Seen::By(&["fc-list"]),
    },
    Package {
        name: "fonts-wqy-microhei",
        purposes: &[Purpose::Test],
        why: "Chinese letters for the tests in a browser",
        seen: Seen::ByGlyphs("zh-cn"),
    },
];

impl Package {
    fn serves(&self, purposes: &[Purpose]) -> bool {
        self.purposes.iter().any(|purpose| purposes.contains(purpose))
    }

    fn is_here(&self) -> bool {
        match self.seen {
            Seen::By(commands) => commands.iter().any(|command| on_path(command)),
            Seen::AmongGames(command) => game(command).is_some(),
            Seen::InDebian => debian_has(self.name),
            Seen::ByServer => crate::postgres::programs().is_some(),
            Seen::ByBroker => crate::nats::program().is_some(),
            Seen::ByGlyphs(language) => has_glyphs(language),
        }
    }
}

/// A program that Debian puts where games are, which is not on everybody's path; none: it is not here.
pub fn game(name: &str) -> Option<PathBuf> {
    let mut folders = search_path();
    folders.push("/usr/games".into());
    found_in(&folders, name)
}

/// The program of the browser that tests drive, where there is one.
pub fn browser() -> Option<PathBuf> {
    let package = PACKAGES.iter().find(|package| package.name == CHROMIUM)?;
    let Seen::By(commands) = package.seen else { return None };
    commands.iter().find_map(|command| found_in(&search_path(), command))
}

/// Debian's names of what serves one of these purposes and is not here.
pub fn missing(purposes: &[Purpose]) -> Vec<&'static str> {
    let serving = PACKAGES.iter().filter(|package| package.serves(purposes));
    serving.filter(|package| !package.is_here()).map(|package| package.name).collect()
}

/// Debian's names of all packages that serve one of these purposes.
pub fn names(purposes: &[Purpose]) -> Vec<&'static str> {
    PACKAGES.iter().filter(|p| p.serves(purposes)).map(|p| p.name).collect()
}

/// Whether everything for this purpose is here.
pub fn complete(purpose: Purpose) -> bool {
    PACKAGES.iter().filter(|package| package.serves(&[purpose])).all(Package::is_here)
}

/// Sees to it that everything for these purposes is here, or says what to do.
pub fn ensure(purposes: &[Purpose]) -> Result<()> {
    let missing: Vec<&Package> =
        PACKAGES.iter().filter(|package| package.serves(purposes) && !package.is_here()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for package in &missing {
        eprintln!("missing: {} ({})", package.name, package.why);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if !may_install() {
        bail!("{} missing; this installs it: {}", listed(&names), command_for(&names));
    }
    install(&names)?;
    match missing.iter().find(|package| !package.is_here()) {
        Some(package) => bail!("`{}` was installed and is still not found", package.name),
        None => Ok(()),
    }
}

/// Installs packages, saying so. Fresh machines have no package lists yet, old ones stale lists:
/// the lists are fetched only when an installation fails without.
pub fn install(names: &[&str]) -> Result<()> {
    eprintln!("installing Debian's {} with apt-get, as this is root on Debian", listed(names));
    let attempt = || {
        let mut apt = apt_get();
        apt.args(["install", "--yes", "--no-install-recommends"]).args(names);
        apt
    };
    if run(&mut attempt()).is_ok() {
        return Ok(());
    }
    eprintln!("fetching Debian's package lists for a second attempt");
    run(apt_get().arg("update"))?;
    run(&mut attempt())
}

/// Whether this is root on a Debian.
pub fn may_install() -> bool {
    is_debian() && output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Whether this is a Debian, or one of its kin.
pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").exists() && on_path("apt-get") && on_path("dpkg-query")
}

/// The one command that installs these packages.
pub fn command_for(names: &[&str]) -> String {
    let command = format!("sudo apt-get install --yes {}", names.join(" "));
    if is_debian() {
        return command;
    }
    format!("`{command}` on Debian, the same tools from this system's own packages elsewhere")
}

fn listed(names: &[&str]) -> String {
    names.join(", ")
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // Its questions have no one to answer them; its words are for the error stream only.
    command.arg("-qq").env("DEBIAN_FRONTEND", "noninteractive").stdin(std::process::Stdio::null());
    command.stdout(std::io::stderr());
    command
}

fn debian_has(name: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    output(query.args(["--show", "--showformat=${db:Status-Status}", name]))
        .is_some_and(|status| status == "installed")
}

fn has_glyphs(language: &str) -> bool {
    output(Command::new("fc-list").args([&format!(":lang={language}"), "family"]))
        .is_some_and(|families| !families.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_each_package_once() {
        let mut all = names(&[Purpose::Build, Purpose::Wasm, Purpose::Web, Purpose::Test]);
        assert_eq!(all.len(), PACKAGES.len());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), PACKAGES.len());
    }

    #[test]
    fn a_misspelt_package_is_not_there() {
        assert!(!debian_has("gcc-that-nobody-packaged"));
        assert!(!on_path("tmux-that-nobody-packaged"));
        assert!(!has_glyphs("a-language-that-nobody-speaks"));
    }
}
