//! What the project needs beyond cargo: the one list, who is missing, and how to
//! get it. Installs only as root on Debian; elsewhere it says the one command.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{on_path, output, run};

/// What a package is for, so that `play` does not ask for what only tests need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Every build.
    Build,
    /// Rust to wasm where the toolchain has no `wasm32-unknown-unknown`.
    Wasm,
    /// The tests.
    Test,
}

/// A package of Debian.
pub struct Package {
    /// Debian's name.
    pub name: &'static str,
    /// Who needs it.
    pub purposes: &'static [Purpose],
    /// What it does here.
    pub why: &'static str,
    /// Any of these commands will do, whoever installed it; none: only Debian's package will.
    commands: &'static [&'static str],
}

/// Served by `cargo xtask setup --print-packages` to `.ci/run`, and by every command that installs.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "gcc",
        purposes: &[Purpose::Build],
        why: "links every Rust program; compiles engines in C, and the C header as C99 in the tests",
        commands: &["cc"],
    },
    Package {
        name: "libc6-dev",
        purposes: &[Purpose::Build],
        why: "the C library's headers and start files, for gcc",
        commands: &["cc"],
    },
    Package {
        name: "rustc-web",
        purposes: &[Purpose::Wasm],
        why: "a Rust compiler whose standard library can be built for wasm",
        commands: &[],
    },
    Package {
        name: "cargo-web",
        purposes: &[Purpose::Wasm],
        why: "the cargo of that compiler",
        commands: &[],
    },
    Package {
        name: "rust-web-src",
        purposes: &[Purpose::Wasm],
        why: "the source of that compiler's standard library",
        commands: &[],
    },
    Package {
        name: "rust-web-llvm",
        purposes: &[Purpose::Wasm],
        why: "strips what that compiler makes",
        commands: &[],
    },
    Package {
        name: "lld-19",
        purposes: &[Purpose::Wasm, Purpose::Test],
        why: "links wasm modules, from Rust and from C",
        commands: &["wasm-ld-19", "wasm-ld"],
    },
    Package {
        name: "g++",
        purposes: &[Purpose::Test],
        why: "compiles the C header, and an engine in C, as C++11",
        commands: &["c++"],
    },
    Package {
        name: "clang-19",
        purposes: &[Purpose::Test],
        why: "compiles C engines to wasm",
        commands: &["clang-19", "clang"],
    },
    Package {
        name: "tmux",
        purposes: &[Purpose::Test],
        why: "plays at the terminal as a person would",
        commands: &["tmux"],
    },
    Package {
        name: "libxml2-utils",
        purposes: &[Purpose::Test],
        why: "checks manifests against the shipped schema (xmllint)",
        commands: &["xmllint"],
    },
];

impl Package {
    fn serves(&self, purposes: &[Purpose]) -> bool {
        self.purposes.iter().any(|purpose| purposes.contains(purpose))
    }

    fn is_here(&self) -> bool {
        if self.commands.is_empty() {
            return debian_has(self.name);
        }
        self.commands.iter().any(|command| on_path(command))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_each_package_once() {
        let mut all = names(&[Purpose::Build, Purpose::Wasm, Purpose::Test]);
        assert_eq!(all.len(), PACKAGES.len());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), PACKAGES.len());
    }

    #[test]
    fn a_misspelt_package_is_not_there() {
        assert!(!debian_has("gcc-that-nobody-packaged"));
        assert!(!on_path("tmux-that-nobody-packaged"));
    }
}
