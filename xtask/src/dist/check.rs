//! Checks that a release is reproducible: makes it in two folders and compares the bytes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sandboard_builder::command::{command_line, run};
use sandboard_builder::output::{detail, note};

use super::build::Profile;
use super::compare;
use super::files::{self, Program};
use super::probe;
use super::remap::THIS_PROGRAM;
use crate::engines;
use crate::steps::step;
use crate::workspace::Workspace;

/// The names of the two copies, of different length: a path in a file changes its size, too.
const COPIES: [&str; 2] = ["a", "folder-with-a-longer-name"];
/// The engine in Rust whose libraries are in the bill of the small part.
const RUST_ENGINE: &str = "random-mover";

/// Makes the release in two copies of the working tree. Prints the sums if all files are equal.
pub(super) fn whole(workspace: &Workspace, profile: Profile, epoch: u64) -> Result<()> {
    let parent = workspace.target.join("dist-check");
    // All copies are made first, also of this program: the working tree may change meanwhile.
    let program = parent.join("xtask");
    step("copies of the sources", || {
        for name in COPIES {
            copy(&workspace.root, &parent.join(name))?;
        }
        std::fs::copy(THIS_PROGRAM, &program)
            .with_context(|| format!("cannot copy this program to {}", program.display()))
    })?;
    let mut results = Vec::new();
    for name in COPIES {
        let root = parent.join(name);
        note(&format!("making the release in {}", root.display()));
        results.push(make_in(&root, &program, profile, epoch)?);
    }
    let differences = step("comparison", || compare::folders(&results[0], &results[1]))?;
    fail_if_any(&differences)?;
    print!("{}", std::fs::read_to_string(results[0].join(super::SUMS))?);
    note("the releases of the two folders are equal byte for byte");
    // Each copy has a target folder of its own.
    std::fs::remove_dir_all(&parent).with_context(|| format!("cannot delete {}", parent.display()))
}

/// Runs this program in a copy of the sources; returns the folder with the release.
fn make_in(root: &Path, program: &Path, profile: Profile, epoch: u64) -> Result<PathBuf> {
    let out = root.join("target").join("dist");
    let mut command = Command::new(program);
    command
        .args(["dist", "--profile", profile.name(), "--out"])
        .arg(&out)
        .env("CARGO_MANIFEST_DIR", root.join("xtask"))
        .env("CARGO_TARGET_DIR", root.join("target"))
        .env("SOURCE_DATE_EPOCH", epoch.to_string())
        .current_dir(root)
        .stdout(std::io::stderr());
    run(&mut command)?;
    Ok(out)
}

/// Checks all but the program itself, two builds of which take minutes: a small program with all
/// that names a folder, the engines in C, the generated files and the archives. The engines and the
/// host of the workspace must be built.
pub(crate) fn small_part(workspace: &Workspace) -> Result<()> {
    let parent = workspace.target.join("dist-small");
    let root = parent.join(COPIES[1]);
    copy(&workspace.root, &root)?;
    let mut other = Workspace::load_at(&root)?;
    // Also where CARGO_TARGET_DIR names one folder for all.
    other.target = root.join("target");
    let rust_engine = workspace.root.join("engines-dir").join(RUST_ENGINE).with_extension("wasm");
    let rust_engine = std::fs::read(&rust_engine)
        .with_context(|| format!("cannot read {}", rust_engine.display()))?;
    let generator = PathBuf::from(engines::host(workspace).get_program());
    let part = |source: &Workspace, probe: &str| -> Result<BTreeMap<String, Vec<u8>>> {
        let installed = probe::build(&fresh(&parent.join(probe))?)?;
        let mut components = engines::components_in_c(source)?;
        components.insert(RUST_ENGINE.to_owned(), rust_engine.clone());
        let program = Program { generator: &generator, installed };
        files::make(source, program, &components, 1_700_000_000)
    };
    let (first, second) = (part(workspace, "probe")?, part(&other, "probe-with-a-longer-name")?);
    fail_if_any(&compare::sets(&first, &second))?;
    for (name, bytes) in &first {
        detail(&format!("{name}: {} bytes, equal in two folders", bytes.len()));
    }
    std::fs::remove_dir_all(&parent).with_context(|| format!("cannot delete {}", parent.display()))
}

/// The folder, which is deleted if it exists.
fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot delete {}", folder.display()))?;
    }
    Ok(folder.to_owned())
}

fn fail_if_any(differences: &[String]) -> Result<()> {
    if !differences.is_empty() {
        bail!(
            "the release depends on the folder where it is made \
             (docs/decisions/reproducible-builds.md):\n  {}",
            differences.join("\n  ")
        );
    }
    Ok(())
}

/// Copies the files of a working tree that git tracks or would track, into a new folder.
fn copy(root: &Path, to: &Path) -> Result<()> {
    fresh(to)?;
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = command.current_dir(root).output();
    let output = output.with_context(|| format!("cannot run `{}`", command_line(&command)))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed in {}: {}", command_line(&command), root.display(), errors.trim());
    }
    let names = String::from_utf8(output.stdout).context("a file has a name that is no UTF-8")?;
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        copy_file(&root.join(name), &to.join(name))
            .with_context(|| format!("cannot copy {name} to {}", to.display()))?;
    }
    Ok(())
}

/// Copies a file, or a link as a link. Copies nothing if there is none: git lists a deleted file
/// until the deletion is committed.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let kind = match std::fs::symlink_metadata(from) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    if kind.is_symlink() {
        std::os::unix::fs::symlink(std::fs::read_link(from)?, to)
    } else {
        std::fs::copy(from, to).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_files_that_git_knows_or_would_know() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, to) = (folder.path().join("root"), folder.path().join("copy"));
        let write = |file: PathBuf, text: &str| {
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("created");
            std::fs::write(file, text).expect("written");
        };
        write(root.join("tracked"), "tracked");
        write(root.join("s/new"), "new");
        std::os::unix::fs::symlink("s", root.join("link")).expect("linked");
        write(root.join("deleted"), "deleted");
        write(root.join(".gitignore"), "ignored\n");
        write(root.join("ignored"), "ignored");
        write(to.join("stale"), "stale");
        let git = |arguments: &[&str]| {
            let status = Command::new("git").args(arguments).current_dir(&root).status();
            assert!(status.expect("git runs").success());
        };
        git(&["init", "--quiet"]);
        git(&["add", "tracked", "deleted"]);
        std::fs::remove_file(root.join("deleted")).expect("deleted");
        copy(&root, &to).expect("copied");
        let check = |name: &str, expected: Option<&str>| {
            let text = std::fs::read_to_string(to.join(name)).ok();
            assert_eq!(text.as_deref(), expected, "{name}");
        };
        check("tracked", Some("tracked"));
        check("s/new", Some("new"));
        check("link/new", Some("new"));
        check("deleted", None);
        check("ignored", None);
        check("stale", None);
        // A folder that is no repository.
        assert!(copy(&to, &folder.path().join("another")).is_err());
    }

    #[test]
    fn the_names_of_the_copies_differ_in_length() {
        assert_ne!(COPIES[0].len(), COPIES[1].len());
    }
}
