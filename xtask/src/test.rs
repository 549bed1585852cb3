//! `cargo xtask test`: everything that proves the project, in order of price. Ends
//! with the test runner's own summary and prints nothing after it.

use std::process::Command;

use anyhow::Result;
use sandboard_forge::run::{cargo, run};

use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{engines, setup, tidy, web};

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
        steps.step("fmt", format)?;
        steps.step("clippy", lint)?;
        return steps.step("unit and rule tests", unit_tests);
    }
    steps.step("setup", setup::for_tests)?;
    steps.step("fmt", format)?;
    let workspace = Workspace::load()?;
    // Before anything that compiles the host, which embeds it.
    steps.step("web", || web::prove(&workspace))?;
    steps.step("clippy", lint)?;
    let mut libraries = Vec::new();
    steps.step("engines", || {
        libraries = engines::build(&workspace, &engines::Args::default())?;
        Ok(())
    })?;
    steps.step("languages", || engines::build_languages(&workspace, &["all".into()]))?;
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

fn format() -> Result<()> {
    run(&mut cargo_at_root(&["fmt", "--all", "--check"]))
}

fn lint() -> Result<()> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    run(&mut cargo_at_root(&clippy))
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
