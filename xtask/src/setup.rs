//! `cargo xtask setup`: checks for the required packages and tools, and installs them where
//! possible. Builds nothing.

use std::process::Command;

use anyhow::{Context, Result};
use sandboard_builder::command::{cargo, is_on_path, run_tool, stdout_of};
use sandboard_builder::output::note;
use sandboard_builder::packages::{self, Purpose};
use sandboard_builder::toolchain::{self, InstallPolicy, Target};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the Debian names of missing packages, one per line, and do nothing else
    #[arg(long, conflicts_with = "install")]
    print_packages: bool,

    /// Install the whole list with apt-get, even if a replacement is installed
    ///
    /// Node.js is installed only if it is missing: Debian's package conflicts with others.
    #[arg(long)]
    install: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    if args.print_packages {
        let mut purposes = vec![Purpose::Build, Purpose::Web, Purpose::Test];
        // With rustup, `cargo xtask test` adds the target, and installs these if it cannot.
        if toolchain::find(Target::Wasm, InstallPolicy::Never).is_err() && !is_on_path("rustup") {
            purposes.extend([Purpose::Compiler, Purpose::Wasm]);
        }
        packages::missing(&purposes).iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    if args.install {
        let mut all =
            packages::names(&[Purpose::Build, Purpose::Compiler, Purpose::Wasm, Purpose::Test]);
        all.extend(packages::missing(&[Purpose::Web]));
        anyhow::ensure!(
            packages::may_install(),
            "packages can only be installed as root on Debian; install them: {}",
            packages::install_command(&all)
        );
        packages::install(&all)?;
    }
    for_tests()?;
    eprintln!("wasm: {}", toolchain::find(Target::Wasm, InstallPolicy::IfPossible)?.describe());
    eprintln!("all requirements are installed");
    Ok(())
}

/// Installs what building engines needs. What only engines in C need is installed where that is
/// possible, and is otherwise missing.
pub(crate) fn for_engines() -> Result<()> {
    let with_c = [Purpose::Build, Purpose::Engines];
    packages::ensure(if packages::may_install() { &with_c } else { &[Purpose::Build] })?;
    toolchain::find(Target::Wasm, InstallPolicy::IfPossible).map(drop)
}

/// Installs what `cargo xtask test` needs.
pub(crate) fn for_tests() -> Result<()> {
    packages::ensure(&[Purpose::Build, Purpose::Web, Purpose::Test])?;
    toolchain::find(Target::Wasm, InstallPolicy::IfPossible)?;
    component("fmt", "rustfmt")?;
    component("clippy", "clippy")
}

/// Installs a component of the Rust toolchain that minimal installations lack.
fn component(subcommand: &str, name: &str) -> Result<()> {
    if stdout_of(cargo().args([subcommand, "--version"])).is_some() {
        return Ok(());
    }
    let advice = || format!("`cargo {subcommand}` is missing: install the component {name}");
    anyhow::ensure!(is_on_path("rustup"), advice());
    note(&format!("installing {name} with rustup"));
    run_tool(Command::new("rustup").args(["component", "add", name])).with_context(advice)
}
