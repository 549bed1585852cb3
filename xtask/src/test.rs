//! `cargo xtask test`: everything that proves the project, in order of price. Ends
//! with the test runner's own summary and prints nothing after it.

use std::process::Command;

use anyhow::Result;
use sandboard_forge::run::{cargo, run};

use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{engines, setup, tidy};

/// The tests run the binary `sandboard`, which `cargo test` alone would not build. All steps
/// choose the whole workspace and build for tests: any other choice unites the features of
/// dependencies in another way, and wasmtime would be compiled once more (2 to 5 minutes).
const BUILD: [&str; 6] = ["build", "--workspace", "--lib", "--bins", "--tests", "--examples"];

#[derive(clap::Args)]
pub struct Args {
    /// Only formatting, clippy, unit and rule tests: minutes, for every change
    #[arg(long)]
    quick: bool,
}

pub fn main(args: &Args) -> Result<()> {
    let mut steps = Steps::new();
    if args.quick {
        format_and_lint(&mut steps)?;
        return steps.step("unit and rule tests", unit_tests);
    }
    steps.step("setup", setup::for_tests)?;
    format_and_lint(&mut steps)?;
    let workspace = Workspace::load()?;
    let mut libraries = Vec::new();
    steps.step("engines", || {
        libraries = engines::build(&workspace, &engines::Args::default())?;
        Ok(())
    })?;
    steps.step("build", || run(&mut cargo_at_root(&BUILD)))?;
    steps.step("trust", || engines::trust(&workspace, &libraries))?;
    steps.step("docs", docs)?;
    steps.step("tidy", || tidy::check(&workspace))?;
    steps.step("doc tests", || run(&mut cargo_at_root(&["test", "--workspace", "--doc"])))?;
    steps.step("unit tests", unit_tests)?;
    steps.step("integration tests", || {
        run(&mut cargo_at_root(&["test", "--workspace", "--test", "*"]))
    })
}

fn format_and_lint(steps: &mut Steps) -> Result<()> {
    steps.step("fmt", || run(&mut cargo_at_root(&["fmt", "--all", "--check"])))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    steps.step("clippy", || run(&mut cargo_at_root(&clippy)))
}

fn docs() -> Result<()> {
    let mut command = cargo_at_root(&["doc", "--workspace", "--no-deps"]);
    run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
}

fn unit_tests() -> Result<()> {
    run(&mut cargo_at_root(&["test", "--workspace", "--lib", "--bins"]))
}

/// Cargo looks for the workspace from here, so that the command works from every folder of it.
fn cargo_at_root(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(crate::workspace::own_root());
    command
}
