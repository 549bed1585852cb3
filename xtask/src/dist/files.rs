//! Makes the files of a release from compiled parts, in memory.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sandboard_builder::command::{cargo, command_line};
use sandboard_builder::toolchain::Target;
use sha2::{Digest, Sha256};

use super::archive::Tree;
use super::contents::Sources;
use super::sbom::{self, Crates};
use super::{deb, libraries};
use crate::workspace::Workspace;

/// The platform of the program.
const HOST_TARGET: &str = "x86_64-unknown-linux-gnu";

/// The program of a release.
pub(super) struct Program<'a> {
    /// Where it runs, to print manual pages and completions.
    pub generator: &'a Path,
    /// The bytes that are installed.
    pub installed: Vec<u8>,
}

/// The files of a release by name, with their sums. `epoch` is the time of all entries, in seconds
/// since 1970.
pub(super) fn make(
    workspace: &Workspace,
    program: Program<'_>,
    engines: &BTreeMap<String, Vec<u8>>,
    epoch: u64,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let (tree, bill, depends) = contents(workspace, program, engines, epoch)?;
    let version = &workspace.member("sandboard-cli")?.version;
    let folder = format!("sandboard-{version}-x86_64-linux");
    let package = deb::Package { version, depends: &depends, mtime: epoch };
    let mut files = BTreeMap::from([
        (format!("{folder}.tar.gz"), tree.below(&folder).tar_gz("", epoch)?),
        (format!("sandboard_{version}_amd64.deb"), package.build(&tree.below("usr"))?),
        (format!("sandboard-{version}.cdx.json"), bill.into_bytes()),
    ]);
    files.insert(super::SUMS.to_owned(), sums(&files).into_bytes());
    Ok(files)
}

/// The installed files, the bill of materials, and the packages that the program needs.
fn contents(
    workspace: &Workspace,
    program: Program<'_>,
    engines: &BTreeMap<String, Vec<u8>>,
    epoch: u64,
) -> Result<(Tree, String, Vec<String>)> {
    let depends = libraries::packages(&program.installed)?;
    let bill = bill(workspace, engines, epoch)?;
    let sources = Sources {
        root: &workspace.root,
        generator: program.generator,
        scratch: workspace.target.join("dist-build").join("man"),
        program: program.installed,
        engines,
        bill: &bill,
    };
    Ok((sources.tree()?, bill, depends))
}

/// The bill of materials of the host and of these engines.
fn bill(workspace: &Workspace, engines: &BTreeMap<String, Vec<u8>>, epoch: u64) -> Result<String> {
    let mut crates = Crates::default();
    crates.add(&tree(workspace, &["sandboard-cli"], HOST_TARGET)?)?;
    // Engines in C are no packages.
    let names = engines.keys().map(String::as_str);
    let packages: Vec<&str> = names.filter(|name| workspace.member(name).is_ok()).collect();
    if !packages.is_empty() {
        crates.add(&tree(workspace, &packages, Target::Wasm.triple())?)?;
    }
    let read = |path: &str| {
        std::fs::read_to_string(workspace.root.join(path))
            .with_context(|| format!("cannot read {path}"))
    };
    let inputs = sbom::Inputs {
        version: &workspace.member("sandboard-cli")?.version,
        epoch,
        crates: &crates,
        cargo_lock: &read("Cargo.lock")?,
        npm_lock: &read("host/server/web/package-lock.json")?,
    };
    inputs.bill()
}

/// The output of `cargo tree` for some packages.
fn tree(workspace: &Workspace, packages: &[&str], target: &str) -> Result<String> {
    let mut command = cargo();
    command.args(sbom::TREE).args(["--target", target]).current_dir(&workspace.root);
    for package in packages {
        command.args(["--package", package]);
    }
    let output = command.output();
    let output = output.with_context(|| format!("cannot run `{}`", command_line(&command)))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({}): {}", command_line(&command), output.status, errors.trim());
    }
    String::from_utf8(output.stdout).context("the output of `cargo tree` is no UTF-8")
}

/// The lines that `sha256sum --check` reads.
fn sums(files: &BTreeMap<String, Vec<u8>>) -> String {
    let line = |(name, bytes): (&String, &Vec<u8>)| {
        format!("{}  {name}\n", super::hex(&Sha256::digest(bytes)))
    };
    files.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_sha256sum() {
        let files = BTreeMap::from([("b".to_owned(), b"abc".to_vec()), ("a".to_owned(), vec![])]);
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                        ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n";
        assert_eq!(sums(&files), expected);
    }

    #[test]
    fn the_bill_of_this_workspace_has_its_libraries() {
        let workspace = Workspace::load().expect("the workspace");
        let engines =
            BTreeMap::from(["random-mover", "c-minimal"].map(|name| (name.into(), vec![])));
        let bill = bill(&workspace, &engines, 0).expect("a bill");
        let bill: serde_json::Value = serde_json::from_str(&bill).expect("JSON");
        let components = bill["components"].as_array().expect("components");
        let check = |purl: &str, expected: bool, has_hash: bool| {
            let found = components.iter().find(|it| {
                let own = it["purl"].as_str().unwrap_or_default();
                own.rsplit_once('@').is_some_and(|(name, _)| name == purl)
            });
            assert_eq!(found.is_some(), expected, "{purl}");
            assert_eq!(found.is_some_and(|it| it["hashes"].is_array()), has_hash, "{purl}");
        };
        check("pkg:cargo/wasmtime", true, true);
        check("pkg:cargo/async-nats", true, true);
        check("pkg:cargo/wit-bindgen", true, true);
        check("pkg:cargo/cc", true, true);
        check("pkg:npm/svelte", true, true);
        check("pkg:npm/uplot", true, true);
        check("pkg:cargo/sandboard-server", true, false);
        check("pkg:cargo/random-mover", true, false);
        // Of tests, of xtask, and of other engines.
        check("pkg:cargo/proptest", false, false);
        check("pkg:cargo/tar", false, false);
        check("pkg:cargo/reversi-ponder", false, false);
        check("pkg:npm/vite", false, false);
    }
}
