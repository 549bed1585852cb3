//! `cargo xtask aarch64`: builds the host for another processor and runs it in an emulator, so that
//! records are verified by machine code of another compiler back end. It is not part of the tests,
//! because the build takes as long as that of the host. `tests/all/museum.rs` runs V8 for this
//! processor.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sandboard_builder::cargo::compile;
use sandboard_builder::command::run;
use sandboard_builder::emulator;
use sandboard_builder::output::detail;
use sandboard_builder::packages::{self, Purpose};
use sandboard_builder::toolchain::{self, InstallPolicy, Target};

use crate::steps::{last_step, step};
use crate::workspace::Workspace;

/// The record of an endless loop of 5,000 million units. The others have less than 60 million.
const SLOWEST_RECORD: &str = "faulty-loop-in-start.json";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Arguments for `sandboard` [default: verify the museum with each runtime]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", not(target_arch = "aarch64"))),
        "QEMU emulates the processor on Linux; on 64-bit ARM itself run `cargo xtask test`"
    );
    let workspace = Workspace::load()?;
    step("required packages", || packages::ensure(&[Purpose::Build, Purpose::Aarch64]))?;
    let program = step("host for aarch64", || build(&workspace))?;
    if !args.arguments.is_empty() {
        return last_step("run", || run(emulator::aarch64(&program)?.args(&args.arguments)));
    }
    let museum = workspace.root.join("tests/museum");
    step("verify with wasmtime", || run(verify(&program, &museum)?.arg(museum.join("records"))))?;
    step("verify with wasmi", || {
        let records = records_for_interpreter(&museum.join("records/counted-by-modules"))?;
        run(verify(&program, &museum)?.args(["--runtime", "wasmi"]).args(records))
    })
}

/// Builds the program with what verifies; returns its path.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let toolchain = toolchain::find(Target::Aarch64, InstallPolicy::IfPossible)?;
    detail(&format!("aarch64: {}", toolchain.describe()));
    let target = workspace.target.join("aarch64");
    let mut command = toolchain.cargo_build();
    command.args(["--package", "sandboard-cli", "--bin", "sandboard", "--locked"]);
    command.args(["--no-default-features", "--features", "wasmi", "--target-dir"]).arg(&target);
    compile(command.current_dir(&workspace.root), &[])?;
    Ok(target.join(Target::Aarch64.triple()).join("debug/sandboard"))
}

/// A command that verifies records with the museum's engines.
fn verify(program: &Path, museum: &Path) -> Result<Command> {
    let mut command = emulator::aarch64(program)?;
    command.args(["verify", "--strict", "--engines-dir"]).arg(museum.join("engines"));
    Ok(command)
}

fn records_for_interpreter(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .collect::<Result<Vec<_>, _>>()?;
    let records = entries.into_iter().map(|entry| entry.path());
    Ok(records.filter(|record| !record.ends_with(SLOWEST_RECORD)).collect())
}
