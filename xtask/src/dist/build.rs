//! Compiles what a release contains: the web client, the engines as components, and the host with
//! all features. Uses a target folder of its own for the host, so that the everyday one stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use sandboard_builder::cargo::compile;
use sandboard_builder::command::{cargo, run_tool};
use sandboard_builder::output::note;
use sandboard_builder::rust::Warnings;

use super::remap::Remap;
use crate::steps::step;
use crate::workspace::Workspace;
use crate::{engines, setup, web};

/// The engine for tests, which players have no use for.
const FOR_TESTS: &str = "faulty";

/// A profile of Cargo.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Profile {
    /// Optimised, for players
    Release,
    /// Not optimised, in a quarter of the time: to check that a build is reproducible
    DistCheck,
}

impl Profile {
    /// Its name, as cargo and this program write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::DistCheck => "dist-check",
        }
    }
}

/// The compiled files.
pub(super) struct Built {
    /// The program `sandboard`, without symbols.
    pub program: PathBuf,
    /// The component of each engine and of each game, by its name.
    pub engines: BTreeMap<String, Vec<u8>>,
}

/// Builds everything that a release contains.
pub(super) fn everything(workspace: &Workspace, remap: &Remap, profile: Profile) -> Result<Built> {
    step("required packages", setup::for_engines)?;
    // Before the host, which embeds the client.
    step("web client", || web::build(workspace))?;
    step("pages without a server", || web::build_pages(workspace, Warnings::Allow))?;
    // Only folders that exist are replaced in the compiled code.
    step("sources of libraries", || {
        run_tool(cargo().args(["fetch", "--locked"]).current_dir(&workspace.root))
    })?;
    let engines = released_engines(workspace)?;
    let program = step("host", || host(workspace, remap, profile))?;
    Ok(Built { program, engines })
}

fn released_engines(workspace: &Workspace) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut packages = workspace.sample_engines();
    packages.retain(|package| package.name != FOR_TESTS);
    let mut all = step("wasm engines in Rust", || {
        engines::components_in_rust(workspace, &packages, Warnings::Allow)
    })?;
    all.extend(step("games", || engines::games(workspace, Warnings::Allow))?);
    match step("engines in C", || engines::components_in_c(workspace)) {
        Ok(in_c) => all.extend(in_c),
        Err(error) => note(&format!("the release has no engines in C: {error:#}")),
    }
    Ok(all)
}

fn host(workspace: &Workspace, remap: &Remap, profile: Profile) -> Result<PathBuf> {
    if std::env::var_os("RUSTFLAGS").is_some_and(|flags| !flags.is_empty()) {
        note("RUSTFLAGS is set: a build without these flags gives other bytes");
    }
    program(workspace, remap, profile, "sandboard-cli", "sandboard")
}

/// Builds a program of a package without any path of this machine.
pub(super) fn program(
    workspace: &Workspace,
    remap: &Remap,
    profile: Profile,
    package: &str,
    name: &str,
) -> Result<PathBuf> {
    let target = workspace.target.join("dist-build");
    let mut command = cargo();
    command
        .args(["build", "--locked", "--package", package, "--bin", name])
        .args(["--profile", profile.name()])
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_BUILD_TARGET")
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .current_dir(&workspace.root);
    remap.apply(&mut command, &target)?;
    compile(&mut command, &[])?;
    let program = target.join(profile.name()).join(name);
    std::fs::metadata(&program)
        .with_context(|| format!("cargo has built no {}", program.display()))?;
    Ok(program)
}
