//! `cargo xtask test`: runs every check of the project, cheap ones first. The test runner's summary
//! is the last output.

use std::process::Command;

use anyhow::Result;
use sandboard_builder::command::{cargo, run};

use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{disk, engines, setup, tidy, web};

/// Builds everything, including the binary `sandboard`, which tests run and `cargo test` alone
/// would not build. All steps build the whole workspace for tests: with another selection, cargo
/// unifies the features of dependencies differently and compiles wasmtime again (2 to 5 minutes).
const BUILD: [&str; 6] = ["build", "--workspace", "--lib", "--bins", "--tests", "--examples"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only formatting, clippy, unit and rule tests, which takes minutes
    #[arg(long)]
    quick: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    disk::ensure_room_for_first_build(&workspace.root, &workspace.target)?;
    let mut steps = Steps::new();
    if args.quick {
        steps.step("format", format)?;
        steps.step("lint", lint)?;
        return steps.step("unit and rule tests", unit_tests);
    }
    steps.step("required packages", setup::for_tests)?;
    steps.step("format", format)?;
    // Before the host is compiled, which embeds the client.
    steps.step("web client", || web::verify(&workspace))?;
    steps.step("lint", lint)?;
    let mut libraries = Vec::new();
    steps.step("sample engines in Rust and C", || {
        libraries = engines::build(&workspace, &engines::Args::default())?;
        Ok(())
    })?;
    steps.step("sample engines in other languages", || {
        engines::build_languages(&workspace, &["all".into()])
    })?;
    steps.step("build", || run(&mut cargo_at_root(&BUILD)))?;
    steps.step("trust engines", || engines::trust(&workspace, &libraries))?;
    steps.step("rustdoc", docs)?;
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
    run(&mut cargo_at_root(&clippy))?;
    // What `cargo xtask play` builds.
    let small = ["clippy", "--package", "sandboard-cli", "--no-default-features"];
    run(&mut cargo_at_root(&[&small[..], &["--", "-D", "warnings"]].concat()))
}

fn docs() -> Result<()> {
    let mut command = cargo_at_root(&["doc", "--workspace", "--no-deps"]);
    run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
}

fn unit_tests() -> Result<()> {
    run(&mut cargo_at_root(&["test", "--workspace", "--lib", "--bins"]))
}

/// A cargo command that runs at the root, so that xtask works in every folder of the workspace.
fn cargo_at_root(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(crate::workspace::own_root());
    command
}
