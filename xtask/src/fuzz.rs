//! `cargo xtask fuzz`: builds libFuzzer's programs of `tests/fuzz` and runs them for a
//! while. Needs no cargo-fuzz and no nightly Rust: the flags that cargo-fuzz sets are
//! set here. Never part of a test, as it never ends by itself.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sandboard_forge::run::{cargo, on_path, output, run};

use crate::workspace::Workspace;

/// What makes code tell which of its branches were taken; as cargo-fuzz does.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// An input that takes longer is a finding, in seconds.
const INPUT_SECONDS: u32 = 20;
/// A program that holds more is a finding, in MiB; the pool of wasm instances is reserved, not held.
const MEMORY_MIB: u32 = 2048;
/// The longest input that libFuzzer makes of shorter ones, in bytes.
const INPUT_BYTES: u32 = 32 * 1024;

#[derive(clap::Args)]
pub struct Args {
    /// Which program; left out: each of them in turn
    target: Option<String>,

    /// How long each runs, in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u32,

    /// Only build them
    #[arg(long)]
    build: bool,
}

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let targets = targets(&workspace.root)?;
    let chosen = choose(&targets, args.target.as_deref())?;
    ensure!(
        ["c++", "g++", "clang++"].iter().any(|program| on_path(program)),
        "libFuzzer is compiled by a C++ compiler, and none is here: on Debian `apt-get install g++` \
         brings one"
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

/// The names of all programs.
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

fn choose<'a>(targets: &'a [String], named: Option<&str>) -> Result<Vec<&'a str>> {
    let chosen: Vec<&str> =
        targets.iter().map(String::as_str).filter(|t| named.is_none_or(|n| n == *t)).collect();
    if chosen.is_empty() {
        let named = named.unwrap_or_default();
        bail!("there is no fuzz target `{named}`; there are: {}", targets.join(", "));
    }
    Ok(chosen)
}

fn host_triple() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV")).context("cannot run rustc")?;
    let triple = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(triple.context("rustc does not say what it runs on")?.to_owned())
}

fn build(root: &Path, triple: &str, targets: &[&str]) -> Result<()> {
    let mut command = cargo();
    // A target that is named keeps the flags from build scripts and macros.
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
        // A slash at the end: a folder.
        .arg(format!("-artifact_prefix={}/", finds.display()))
        .arg("-print_final_stats=1");
    run(&mut command).with_context(|| {
        format!(
            "`{target}` has found something; the input lies in {}: give it a name that says what \
             it is, put it into {}, where a test tries it ever after, and mend what it broke",
            finds.display(),
            fixtures.display()
        )
    })
}

/// Fixtures of other tests that are good to begin with.
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
    fn a_target_is_chosen_by_name_or_all_are() {
        let targets = ["manifest".to_owned(), "record".to_owned()];
        let check = |named, expected: &[&str]| {
            assert_eq!(choose(&targets, named).unwrap_or_default(), expected);
        };
        check(None, &["manifest", "record"]);
        check(Some("record"), &["record"]);
        check(Some("records"), &[]);
        let error = choose(&targets, Some("records")).unwrap_err().to_string();
        assert_eq!(error, "there is no fuzz target `records`; there are: manifest, record");
    }

    #[test]
    fn every_program_is_a_target_of_its_manifest() {
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
    fn the_programs_are_built_with_what_the_host_is_built_with() {
        let version = |lock: &str, name: &str| {
            let lock = std::fs::read_to_string(own_root().join(lock)).unwrap();
            let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        };
        for name in ["wasmtime", "serde_json", "quick-xml"] {
            assert_eq!(
                version("Cargo.lock", name),
                version("tests/fuzz/Cargo.lock", name),
                "`cargo update --precise` in tests/fuzz gives {name} the project's version"
            );
        }
    }
}
