//! `cargo xtask setup`: everything a fresh machine needs, once. Never builds.

use std::process::Command;

use anyhow::{Context, Result};
use sandboard_forge::packages::{self, Purpose};
use sandboard_forge::run::{cargo, on_path, output, run};
use sandboard_forge::toolchain::{self, Install};

#[derive(clap::Args)]
pub struct Args {
    /// Print Debian's names of the packages that are missing here, one per line, and do nothing else
    #[arg(long, conflicts_with = "install")]
    print_packages: bool,

    /// Install the whole list with apt-get, even where another tool would do; but Node.js, which
    /// Debian's and another's would put out of each other's way, only where there is none
    #[arg(long)]
    install: bool,
}

pub fn main(args: &Args) -> Result<()> {
    if args.print_packages {
        let mut purposes = vec![Purpose::Build, Purpose::Web, Purpose::Test];
        if toolchain::find(Install::Never).is_err() {
            purposes.push(Purpose::Wasm);
        }
        packages::missing(&purposes).iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    if args.install {
        let mut all = packages::names(&[Purpose::Build, Purpose::Wasm, Purpose::Test]);
        all.extend(packages::missing(&[Purpose::Web]));
        anyhow::ensure!(
            packages::may_install(),
            "only root on Debian can install packages; this does it: {}",
            packages::command_for(&all)
        );
        packages::install(&all)?;
    }
    for_tests()?;
    eprintln!("wasm: {}", toolchain::find(Install::IfPossible)?.describe());
    eprintln!("everything is here");
    Ok(())
}

/// What building engines needs.
pub fn for_engines() -> Result<()> {
    packages::ensure(&[Purpose::Build])?;
    toolchain::find(Install::IfPossible).map(drop)
}

/// What `cargo xtask test` needs.
pub fn for_tests() -> Result<()> {
    packages::ensure(&[Purpose::Build, Purpose::Web, Purpose::Test])?;
    toolchain::find(Install::IfPossible)?;
    component("fmt", "rustfmt")?;
    component("clippy", "clippy")
}

/// A part of the Rust toolchain that minimal installations leave out.
fn component(subcommand: &str, name: &str) -> Result<()> {
    if output(cargo().args([subcommand, "--version"])).is_some() {
        return Ok(());
    }
    let advice = || format!("`cargo {subcommand}` is missing: install {name} for this toolchain");
    anyhow::ensure!(on_path("rustup"), advice());
    eprintln!("adding {name} to the Rust toolchain with rustup");
    run(Command::new("rustup").args(["component", "add", name])).with_context(advice)
}
