//! `cargo xtask fuzz`: builds the libFuzzer programs of `tests/fuzz` and runs them for a limited
//! time. Needs neither cargo-fuzz nor nightly Rust: the flags that cargo-fuzz sets are set here. It
//! is not part of the tests, because fuzzing has no end.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sandboard_builder::command::{cargo, is_on_path, run, stdout_of};

use crate::workspace::Workspace;

/// Compiler flags that instrument branches for libFuzzer, as cargo-fuzz sets them.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// The time limit for one input, in seconds; a longer run is a finding.
const INPUT_SECONDS: u32 = 20;
/// The memory limit of a program, in MiB; more is a finding. The pool of wasm instances is only
/// reserved and does not count.
const MEMORY_MIB: u32 = 2048;
/// The longest generated input, in bytes.
const INPUT_BYTES: u32 = 32 * 1024;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program to run [default: all, one after another]
    target: Option<String>,

    /// The time for each program, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u32,

    /// Only build the programs
    #[arg(long)]
    build: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let targets = targets(&workspace.root)?;
    let chosen = choose(&targets, args.target.as_deref())?;
    ensure!(
        ["c++", "g++", "clang++"].iter().any(|program| is_on_path(program)),
        "libFuzzer needs a C++ compiler, and none is installed; on Debian: apt-get install g++"
    );
    let triple = host_triple()?;
    build(&workspace.root, &triple, &chosen)?;
    if args.build {
        return Ok(());
    }
    for target in chosen {
        fuzz(&workspace.root, &triple, target, args.seconds)?;
    }
    Ok(())
}

/// The names of all fuzzing programs.
fn targets(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("tests/fuzz/targets");
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

fn choose<'a>(targets: &'a [String], name: Option<&str>) -> Result<Vec<&'a str>> {
    let chosen: Vec<&str> =
        targets.iter().map(String::as_str).filter(|t| name.is_none_or(|n| n == *t)).collect();
    if chosen.is_empty() {
        let name = name.unwrap_or_default();
        bail!("unknown fuzz target `{name}`; known ones: {}", targets.join(", "));
    }
    Ok(chosen)
}

fn host_triple() -> Result<String> {
    let version = stdout_of(Command::new("rustc").arg("-vV")).context("cannot run rustc")?;
    let triple = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(triple.context("rustc -vV has no line `host:`")?.to_owned())
}

fn build(root: &Path, triple: &str, targets: &[&str]) -> Result<()> {
    let mut command = cargo();
    // With an explicit target, the flags do not apply to build scripts and macros.
    command
        .args(["build", "--release", "--locked", "--target", triple, "--target-dir"])
        .arg(root.join("target/fuzz"))
        .args(targets.iter().flat_map(|target| ["--bin", target]))
        .env("RUSTFLAGS", COVERAGE.join(" "))
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(root.join("tests/fuzz"));
    run(&mut command)
}

fn fuzz(root: &Path, triple: &str, target: &str, seconds: u32) -> Result<()> {
    let fuzz = root.join("target/fuzz");
    let (corpus, finds) = (fuzz.join("corpus").join(target), fuzz.join("finds").join(target));
    for folder in [&corpus, &finds] {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let fixtures = root.join("tests/fixtures/fuzz").join(target);
    eprintln!("== {target}: {seconds} s");
    let mut command = Command::new(fuzz.join(triple).join("release").join(target));
    command
        .arg(&corpus)
        .arg(&fixtures)
        .args(more_seeds(root, target))
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={INPUT_SECONDS}"))
        .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
        .arg(format!("-max_len={INPUT_BYTES}"))
        // The slash at the end makes it a folder.
        .arg(format!("-artifact_prefix={}/", finds.display()))
        .arg("-print_final_stats=1");
    run(&mut command).with_context(|| {
        format!(
            "`{target}` found a fault; the input is in {}. Give it a descriptive name, move it to {}, \
             where a test runs it from then on, and fix the fault",
            finds.display(),
            fixtures.display()
        )
    })
}

/// Fixtures of other tests that are good seeds.
fn more_seeds(root: &Path, target: &str) -> Vec<std::path::PathBuf> {
    let fixtures = root.join("tests/fixtures");
    match target {
        "manifest" => ["good", "bad"].map(|kind| fixtures.join("manifest").join(kind)).into(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::own_root;

    #[test]
    fn one_target_or_all_are_chosen() {
        let targets = ["manifest".to_owned(), "record".to_owned()];
        let check = |name, expected: &[&str]| {
            assert_eq!(choose(&targets, name).unwrap_or_default(), expected);
        };
        check(None, &["manifest", "record"]);
        check(Some("record"), &["record"]);
        check(Some("records"), &[]);
        let error = choose(&targets, Some("records")).unwrap_err().to_string();
        assert_eq!(error, "unknown fuzz target `records`; known ones: manifest, record");
    }

    #[test]
    fn every_program_is_in_the_manifest() {
        let root = own_root();
        let manifest = std::fs::read_to_string(root.join("tests/fuzz/Cargo.toml")).unwrap();
        let targets = targets(&root).unwrap();
        assert!(targets.contains(&"manifest".to_owned()), "{targets:?}");
        for target in &targets {
            let line = format!("path = \"targets/{target}.rs\"");
            assert!(manifest.contains(&line), "{target}");
        }
        assert_eq!(manifest.matches("[[bin]]").count(), targets.len());
    }

    #[test]
    fn the_programs_use_the_hosts_versions_of_dependencies() {
        let version = |lock: &str, name: &str| {
            let lock = std::fs::read_to_string(own_root().join(lock)).unwrap();
            let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        for name in ["wasmtime", "serde_json", "quick-xml"] {
            assert_eq!(
                version("Cargo.lock", name),
                version("tests/fuzz/Cargo.lock", name),
                "run `cargo update --precise` in tests/fuzz to give {name} the project's version"
            );
        }
    }
}
