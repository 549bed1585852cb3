//! Each library is compiled once: in every selection of packages that the commands build, it has
//! the same features (docs/decisions/build-profile.md). Reads what `cargo tree` prints.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use sandboard_builder::command::{cargo, command_line, stdout_of};

use super::Finding;
use crate::workspace::Workspace;

/// The selections that `cargo xtask` itself and `cargo xtask play` build, and their manifests.
const SMALL: [(&str, &[&str]); 2] = [
    ("xtask/Cargo.toml", &["--package", "xtask"]),
    ("host/cli/Cargo.toml", &["--package", "sandboard-cli", "--no-default-features"]),
];

/// The selection of all other commands.
const WHOLE: &[&str] = &["--workspace"];

/// Libraries that differ on purpose: a small build has no PostgreSQL and no TLS.
const DIFFERENT: [&str; 2] = ["sqlx", "ureq"];

/// A library with its version, and the sets of features with which it is compiled: as part of a
/// program and, if they differ, as part of a macro or a build script.
type Features = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let whole = parse(&tree(workspace, WHOLE)?);
    ensure!(!whole.is_empty(), "`cargo tree` shows no library");
    let mut findings = Vec::new();
    for (manifest, selection) in SMALL {
        let small = parse(&tree(workspace, selection)?);
        ensure!(!small.is_empty(), "`cargo tree` shows no library of {manifest}");
        let messages = differences(&small, &whole).into_iter();
        findings.extend(messages.map(|message| Finding::new(manifest, 1, message)));
    }
    Ok(findings)
}

fn tree(workspace: &Workspace, selection: &[&str]) -> Result<String> {
    let mut command = cargo();
    command.args(["tree", "--locked", "--prefix", "none", "--format", "{p}|{f}"]);
    command.args(["--edges", if selection == WHOLE { "all" } else { "normal,build" }]);
    command.args(selection).current_dir(&workspace.root);
    stdout_of(&mut command)
        .with_context(|| format!("`{}` failed: run it to see why", command_line(&command)))
}

/// Reads lines such as `bytes v1.2.3|default,std`, with ` (*)` behind those that came before.
fn parse(tree: &str) -> Features {
    let mut all = Features::new();
    for line in tree.lines() {
        let line = line.strip_suffix(" (*)").unwrap_or(line);
        if let Some((package, features)) = line.split_once('|') {
            let package = package.strip_suffix(" (proc-macro)").unwrap_or(package);
            // Packages of the workspace have their folder behind the version.
            if !package.ends_with(')') {
                all.entry(package.to_owned()).or_default().insert(features.to_owned());
            }
        }
    }
    all
}

/// A message for each library that the small selection compiles with other features.
fn differences(small: &Features, whole: &Features) -> Vec<String> {
    let mut messages = Vec::new();
    for (package, sets) in small {
        let name = package.split(' ').next().unwrap_or_default();
        let Some(expected) = whole.get(package).filter(|_| !DIFFERENT.contains(&name)) else {
            continue;
        };
        let other: Vec<&String> = sets.difference(expected).collect();
        if !other.is_empty() {
            messages.push(format!(
                "`{package}` has the features {other:?} here and {expected:?} in the whole \
                 workspace, so it is compiled twice with all that uses it: ask for the missing \
                 features here, or for the same ones there (the workspace's Cargo.toml, \"Shared \
                 features\")"
            ));
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_with_other_features_are_found() {
        let check = |small: &str, whole: &str, expected: &[&str]| {
            let found = differences(&parse(small), &parse(whole));
            let found: Vec<&str> = found.iter().filter_map(|it| it.split('`').nth(1)).collect();
            assert_eq!(found, expected, "{small}");
        };
        let whole = "xtask v0.1.0 (/x)|\nbytes v1.2.3|default,std\nsyn v3.0.0|full\n\
                     syn v2.0.0|\nserde_derive v1.0.0 (proc-macro)|default\nsqlx v0.9.0|postgres\n\
                     log v0.4.0|\nlog v0.4.0|std\n";
        check("bytes v1.2.3|default,std\nbytes v1.2.3|default,std (*)\n", whole, &[]);
        check("bytes v1.2.3|std\nsyn v2.0.0|\n", whole, &["bytes v1.2.3"]);
        // Another version is another library.
        check("syn v3.0.0|\nsyn v1.0.0|full\n", whole, &["syn v3.0.0"]);
        check("serde_derive v1.0.0 (proc-macro)|\n", whole, &["serde_derive v1.0.0"]);
        // One of the two sets is enough; packages of the workspace have features of their own.
        check("log v0.4.0|std\nxtask v0.1.0 (/x)|more\n", whole, &[]);
        // On purpose, and what the whole workspace does not use.
        check("sqlx v0.9.0|\nother v1.0.0|a\n", whole, &[]);
    }
}
