//! `cargo xtask dist`: makes a release for Linux on x86-64. The same sources and tools give the
//! same bytes in every folder (docs/decisions/reproducible-builds.md). Publishes nothing.

mod archive;
mod build;
mod check;
mod compare;
#[cfg(all(test, unix))]
mod container;
mod contents;
mod deb;
mod files;
mod leaks;
mod libraries;
mod probe;
mod remap;
mod sbom;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use archive::{Mode, Tree};
use build::Profile;
use files::Program;
use remap::Remap;
use sandboard_builder::command::stdout_of;
use sandboard_builder::output::note;

pub(crate) use check::small_part;
pub(crate) use remap::run_as_rustc_wrapper;

use crate::steps::step;
use crate::workspace::Workspace;

/// The file with the sums of all others.
const SUMS: &str = "SHA256SUMS";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder for the release
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    out: Option<PathBuf>,

    /// How the program is compiled
    #[arg(long, value_enum, default_value = "release")]
    profile: Profile,

    /// Make the release in two other folders instead, and compare the results byte for byte
    ///
    /// The folders are copies of this working tree in target/dist-check/, which need 2 GiB each.
    #[arg(long)]
    check: bool,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")),
        "a release is made on Linux with glibc on x86-64; on other machines, build the program \
         with `cargo build --release --package sandboard-cli`"
    );
    let workspace = Workspace::load()?;
    let epoch = epoch(&workspace.root)?;
    if args.check {
        return check::whole(&workspace, args.profile, epoch);
    }
    let default = workspace.target.join("dist");
    let out = args.out.as_ref().unwrap_or(&default);
    let remap = Remap::of(&workspace)?;
    let built = build::everything(&workspace, &remap, args.profile)?;
    step("release files", || {
        let installed = std::fs::read(&built.program)
            .with_context(|| format!("cannot read {}", built.program.display()))?;
        leaks::check(&compiled(&installed, &built.engines)?, &remap.folders())?;
        let program = Program { generator: &built.program, installed };
        let files = files::make(&workspace, program, &built.engines, epoch)?;
        write(out, &files)
    })?;
    print!("{}", std::fs::read_to_string(out.join(SUMS))?);
    note(&format!("the release is in {}", out.display()));
    note("next: cargo xtask dist --check --profile dist-check makes two and compares them");
    Ok(())
}

/// The compiled files, with their names in a release.
fn compiled(program: &[u8], engines: &BTreeMap<String, Vec<u8>>) -> Result<Tree> {
    let mut tree = Tree::default();
    tree.add("bin/sandboard", Mode::Program, program)?;
    for (name, component) in engines {
        tree.add(format!("{name}.wasm"), Mode::Data, component.as_slice())?;
    }
    Ok(tree)
}

fn write(out: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    for (name, bytes) in files {
        let file = out.join(name);
        std::fs::write(&file, bytes).with_context(|| format!("cannot write {}", file.display()))?;
        note(&format!("{name}: {:.1} MB", bytes.len() as f64 / 1e6));
    }
    Ok(())
}

/// The time of all entries, in seconds since 1970: `SOURCE_DATE_EPOCH`, else that of the commit.
fn epoch(root: &Path) -> Result<u64> {
    if let Some(value) = std::env::var_os("SOURCE_DATE_EPOCH") {
        return parse_epoch(&value.to_string_lossy());
    }
    let time = stdout_of(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root));
    let time = time.context(
        "the time of the sources is unknown, because this folder is no git repository: set \
         SOURCE_DATE_EPOCH to it, in seconds since 1970",
    )?;
    time.trim().parse().context("cannot read the time of the last commit")
}

fn parse_epoch(value: &str) -> Result<u64> {
    // The greatest time that a tar header can hold, in 11 octal digits.
    let seconds = value.parse().ok().filter(|seconds| *seconds < 1 << 33);
    seconds.with_context(|| {
        format!("SOURCE_DATE_EPOCH is `{value}`: set it to a time in seconds since 1970")
    })
}

/// The bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_sources_is_in_seconds() {
        let check = |value, expected: Option<u64>| {
            assert_eq!(parse_epoch(value).ok(), expected, "{value}");
        };
        check("0", Some(0));
        check("1700000000", Some(1_700_000_000));
        check("8589934591", Some(8_589_934_591));
        check("8589934592", None);
        check("-1", None);
        check("", None);
        check("2024-01-01", None);
        let error = parse_epoch("x").expect_err("an error").to_string();
        assert!(error.contains("SOURCE_DATE_EPOCH is `x`"), "{error}");
    }

    #[test]
    fn bytes_are_written_in_two_digits_each() {
        assert_eq!(hex(&[0, 15, 16, 255]), "000f10ff");
    }
}
