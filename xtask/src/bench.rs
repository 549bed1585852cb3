//! `cargo xtask bench`: runs a benchmark. Benchmarks are not part of the tests, because their
//! figures depend on the load of the machine.

use std::ffi::OsString;

use anyhow::{Result, bail};
use sandboard_builder::command::{cargo, run};
use sandboard_builder::rust::{NativeProfile, Warnings};

use crate::engines::Libraries;
use crate::workspace::Workspace;
use crate::{engines, peers, setup};

const PACKAGE: &str = "sandboard-tests";
/// The benchmark that compares our engines with external ones, which it installs.
const PEERS: &str = "peers";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The benchmark to run [default: list all]
    name: Option<String>,

    /// Arguments for the benchmark
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let package = workspace.member(PACKAGE)?;
    let benches: Vec<&str> = package.targets_of_kind("bench").map(|b| b.name.as_str()).collect();
    let Some(name) = &args.name else {
        benches.iter().chain(&[PEERS]).for_each(|bench| println!("{bench}"));
        return Ok(());
    };
    if name == PEERS {
        return peers::main(&workspace, &args.arguments);
    }
    if !benches.contains(&name.as_str()) {
        bail!("unknown benchmark `{name}`; known ones: {}, {PEERS}", benches.join(", "));
    }
    setup::for_engines()?;
    engines::build(&workspace, Warnings::Allow, Libraries::Build(NativeProfile::Release))?;
    engines::build_built_in_games(&workspace)?;
    run(cargo()
        .args(["bench", "--package", PACKAGE, "--bench", name, "--"])
        .args(&args.arguments)
        .current_dir(&workspace.root))
}
