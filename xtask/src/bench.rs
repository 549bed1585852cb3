//! `cargo xtask bench`: figures. Never part of a test, as a loaded machine bends them.

use std::ffi::OsString;

use anyhow::{Result, bail};
use sandboard_forge::run::{cargo, run};

use crate::workspace::Workspace;
use crate::{engines, peers, setup};

const PACKAGE: &str = "sandboard-tests";
/// Ours beside those of others, which are installed for it.
const PEERS: &str = "peers";

#[derive(clap::Args)]
pub struct Args {
    /// Which bench; left out: a list of them
    name: Option<String>,

    /// Passed on to the bench
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn main(args: &Args) -> Result<()> {
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
        bail!("there is no bench `{name}`; there are: {}, {PEERS}", benches.join(", "));
    }
    setup::for_engines()?;
    engines::build(&workspace, &engines::Args::default())?;
    run(cargo()
        .args(["bench", "--package", PACKAGE, "--bench", name, "--"])
        .args(&args.arguments)
        .current_dir(&workspace.root))
}
