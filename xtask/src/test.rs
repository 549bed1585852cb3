//! `cargo xtask test`: runs every check of the project, cheap ones first. The test runner's summary
//! is the last output.

mod durations;

use std::io::Write;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use sandboard_builder::cargo::compile;
use sandboard_builder::command::{cargo, run, run_with_lines};
use sandboard_builder::rust::{NativeProfile, Warnings};
use sandboard_builder::schemathesis;

use crate::engines::Libraries;
use crate::steps::{both, last_step, step};
use crate::workspace::Workspace;
use crate::{crates, disk, dist, engines, progress, setup, tidy, web};
use durations::Output;

/// Builds everything, including the binary `sandboard`, which tests run and `cargo test` alone
/// would not build. All steps build the whole workspace for tests: with another selection, cargo
/// unifies the features of dependencies differently and compiles wasmtime again (2 to 5 minutes).
/// Without `--lib`, because nothing uses the libraries of the sample engines in this profile.
const BUILD: [&str; 5] = ["build", "--workspace", "--bins", "--tests", "--examples"];

/// The variable with the number of threads of the test runner.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only formatting, tidy, clippy, unit and rule tests, which takes minutes
    #[arg(long)]
    quick: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    disk::ensure_room_for_first_build(&workspace.root, &workspace.target)?;
    if args.quick {
        step("format", format)?;
        step("tidy", || tidy::check(&workspace))?;
        step("lint", lint)?;
        return last_step("unit and rule tests", unit_tests);
    }
    step("required packages", setup::for_tests)?;
    step("format", format)?;
    step("tidy", || tidy::check(&workspace))?;
    // The host embeds the client and the pages: nothing writes them while it is compiled.
    let (libraries, ()) = both(
        || engines::build(&workspace, Warnings::Deny, Libraries::Build(NativeProfile::Release)),
        || {
            step("web client", || web::build(&workspace))?;
            step("pages without a server", || web::build_pages(&workspace, Warnings::Deny))
        },
    )?;
    both(compile_all, || check_the_rest(&workspace))?;
    step("trust engines", || engines::trust(&workspace, &libraries))?;
    step("reproducible release", || dist::small_part(&workspace))?;
    step("unit tests", unit_tests)?;
    last_step("integration tests", || tests(&["--test", "*"], integration_threads()))
}

/// The steps that compile into cargo's own folder, and wait for its lock.
fn compile_all() -> Result<()> {
    step("lint", lint)?;
    step("build", || compile(&mut cargo_at_root(&BUILD), &[]))?;
    step("rustdoc", docs)?;
    step("doc tests", || run(&mut cargo_at_root(&["test", "--workspace", "--doc"])))
}

/// What leaves cargo's own folder alone: it runs beside the compiler.
fn check_the_rest(workspace: &Workspace) -> Result<()> {
    step("checks of the web client", || web::verify(workspace))?;
    step("Node.js for aarch64", || web::fetch_node_for_emulator(workspace))?;
    step(engines::IN_OTHER_LANGUAGES, || {
        without_warnings(|| engines::build_languages(workspace, &["all".into()]))
    })?;
    engines::build_built_in_games(workspace)?;
    step("Schemathesis", || schemathesis::command().map(drop))?;
    step("crates for crates.io", || crates::verify(workspace))
}

/// Fails if a compiler shows a warning meanwhile. Cargo's warnings have flags of their own.
fn without_warnings(build: impl FnOnce() -> Result<()>) -> Result<()> {
    let before = progress::warnings();
    build()?;
    let warnings = progress::warnings() - before;
    ensure!(warnings == 0, "the compilers show {warnings} warnings, see above");
    Ok(())
}

fn format() -> Result<()> {
    // It prints differences to standard output.
    run(cargo_at_root(&["fmt", "--all", "--check"]).stdout(std::io::stderr()))
}

fn lint() -> Result<()> {
    let deny = ["--", "-D", "warnings"];
    compile(&mut cargo_at_root(&["clippy", "--workspace", "--all-targets"]), &deny)?;
    // What `cargo xtask play` builds.
    let small = ["clippy", "--package", "sandboard-cli", "--no-default-features"];
    compile(&mut cargo_at_root(&small), &deny)
}

fn docs() -> Result<()> {
    let mut command = cargo_at_root(&["doc", "--workspace", "--no-deps"]);
    compile(command.env("RUSTDOCFLAGS", "-Dwarnings"), &[])
}

fn unit_tests() -> Result<()> {
    tests(&["--lib", "--bins"], cores())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of integration tests that run at once: three for each core. They wait for processes,
/// clocks, connections and each other's builds: with two for each core, a third of the CPU time is
/// not used.
fn integration_threads() -> usize {
    cores() * 3
}

/// Builds and runs the tests of these targets, `threads` at once unless the user has chosen a
/// number. The test runner prints itself; before its last line there is a table of the slowest
/// tests.
fn tests(targets: &[&str], threads: usize) -> Result<()> {
    let arguments = [&["test", "--workspace"], targets].concat();
    let threads = match std::env::var(TEST_THREADS) {
        Ok(chosen) => chosen
            .parse()
            .with_context(|| format!("{TEST_THREADS} is `{chosen}`, and must be a number"))?,
        Err(_) => threads,
    };
    compile(cargo_at_root(&arguments).arg("--no-run"), &[])?;
    let mut command = cargo_at_root(&arguments);
    command.env(TEST_THREADS, threads.to_string());
    let mut output = Output::new(threads);
    let outcome = run_with_lines(&mut command, |line| {
        print(&output.line(line, Instant::now()));
    });
    print(&output.end());
    outcome
}

fn print(lines: &[String]) {
    let mut stdout = std::io::stdout().lock();
    for line in lines {
        // An error, such as a closed pipe, must not end the tests.
        let _ = writeln!(stdout, "{line}");
    }
}

/// A cargo command that runs at the root, so that xtask works in every folder of the workspace.
fn cargo_at_root(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments).current_dir(crate::workspace::own_root());
    command
}
