//! `cargo xtask tidy`: checks rules of this repository that neither the compiler nor clippy checks.
//! Rules are pure functions over paths and texts; only this file reads folders.

mod doc_comments;
mod features;
mod graph;
mod lexer;
mod licences;
mod markdown;
mod promises;
mod prose;
mod rust;
mod text;
mod web;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sandboard_builder::output::note;

use crate::workspace::{Workspace, all_packages};

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Report only what is in these files and folders [default: the whole repository]
    paths: Vec<PathBuf>,
}

/// A text file of the repository.
pub(crate) struct File {
    /// The path relative to the root, with `/` on every platform.
    pub path: String,
    pub text: String,
}

/// A broken rule: where, and what to do about it.
#[derive(Debug)]
pub(crate) struct Finding {
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    pub message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.into(), line, message: message.into() }
    }
}

impl File {
    fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding::new(&self.path, line, message)
    }

    /// The part of the path after the last dot; empty if there is none.
    fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    let mut findings = find(&workspace)?;
    if !args.paths.is_empty() {
        let root = std::fs::canonicalize(&workspace.root)?;
        let chosen: Vec<String> =
            args.paths.iter().map(|path| relative(&root, path)).collect::<Result<_>>()?;
        findings.retain(|finding| chosen.iter().any(|path| is_within(&finding.path, path)));
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    fail_if_any(&findings)
}

/// Checks the whole repository and prints every finding to standard error; an error if there is
/// one.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let findings = find(workspace)?;
    findings.iter().for_each(|finding| note(&finding.to_string()));
    fail_if_any(&findings)
}

fn fail_if_any(findings: &[Finding]) -> Result<()> {
    match findings.len() {
        0 => Ok(()),
        1 => bail!("tidy has 1 finding"),
        count => bail!("tidy has {count} findings"),
    }
}

fn find(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut tree = BTreeSet::new();
    collect(&workspace.root, "", &mut tree)?;
    let files: Vec<File> = tree.iter().filter_map(|path| read(&workspace.root, path)).collect();
    let machine = machine_folders(&workspace.root);

    let test_modules = rust::test_modules(&files);
    let mut findings = Vec::new();
    for file in &files {
        findings.extend(rust::check(file, &test_modules));
        findings.extend(doc_comments::check(file));
        findings.extend(markdown::check(file, &tree));
        findings.extend(prose::check(file));
        findings.extend(text::machine_names(file, &machine));
        findings.extend(text::header_length(file));
        findings.extend(web::check(file));
    }
    let roots = workspace.crate_roots();
    findings.extend(files.iter().filter(|f| roots.contains(&f.path)).filter_map(rust::crate_root));
    let find = |name: &str| files.iter().find(|file| file.path == name);
    match find("ARCHITECTURE.md") {
        Some(file) => findings.extend(text::unmentioned_folders(file, &tree)),
        None => findings.push(Finding::new("ARCHITECTURE.md", 1, "is missing")),
    }
    match find(promises::PAGE) {
        Some(page) => findings.extend(promises::check(page, &files)),
        None => findings.push(Finding::new(promises::PAGE, 1, "is missing")),
    }
    findings.extend(graph::directions(&graph::members(workspace)));
    findings.extend(features::check(workspace)?);
    let deny = find("deny.toml").context("deny.toml is missing")?;
    findings.extend(licences::origins(&all_packages()?, &deny.text));
    for lock in files.iter().filter(|file| file.path.ends_with("package-lock.json")) {
        findings.extend(web::licences(lock, &licences::allowed_licences(&deny.text)));
    }
    Ok(findings)
}

/// A path of the command line, as findings write it; `root` is canonical.
fn relative(root: &Path, path: &Path) -> Result<String> {
    let whole = std::fs::canonicalize(path)
        .with_context(|| format!("there is no file or folder {}", path.display()))?;
    let inside = whole
        .strip_prefix(root)
        .with_context(|| format!("{} is outside the repository", path.display()))?;
    Ok(inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
}

/// Whether `path` is `chosen` or below it. The root is the empty path.
fn is_within(path: &str, chosen: &str) -> bool {
    chosen.is_empty()
        || path.strip_prefix(chosen).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Adds every file and folder below `folder`, except what git does not track: build output,
/// fetched packages and engines that were dropped in.
fn collect(root: &Path, folder: &str, tree: &mut BTreeSet<String>) -> Result<()> {
    let entries = std::fs::read_dir(root.join(folder));
    for entry in entries.with_context(|| format!("cannot read the folder {folder}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !is_tracked(&path, &name) {
            continue;
        }
        let is_folder = entry.file_type()?.is_dir();
        tree.insert(path.clone());
        if is_folder {
            collect(root, &path, tree)?;
        }
    }
    Ok(())
}

fn is_tracked(path: &str, name: &str) -> bool {
    let untracked = [".git", "target", "target-wasm", "node_modules", "test-results"];
    if let Some(inside) = path.strip_prefix("engines-dir/") {
        return [".gitignore", "README.md"].contains(&inside);
    }
    let built = ["dist", "dist-published", "dist-verify"];
    let is_built = path.strip_prefix("host/server/web/").is_some_and(|it| built.contains(&it));
    !is_built && !untracked.contains(&name)
}

fn read(root: &Path, path: &str) -> Option<File> {
    let bytes = std::fs::read(root.join(path)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(File { path: path.into(), text })
}

/// The folder of this clone and the home folder, which no file may name. Short folders, such as
/// `/` and `/tmp`, are left out: they identify no machine.
fn machine_folders(root: &Path) -> Vec<String> {
    let home = std::env::home_dir();
    let folders = [Some(root), home.as_deref()].into_iter().flatten();
    folders
        .filter(|folder| folder.components().count() > 2)
        .map(|folder| format!("{}/", folder.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_and_dropped_in_engines_are_skipped() {
        let check = |path: &str, expected: bool| {
            let name = path.rsplit('/').next().unwrap_or(path);
            assert_eq!(is_tracked(path, name), expected, "{path}");
        };
        check("target", false);
        check("host/server/web/node_modules", false);
        check("host/server/web/dist", false);
        check("host/server/web/dist-published", false);
        check("host/server/web/distance", true);
        check("xtask/src/dist", true);
        check("engines-dir", true);
        check("engines-dir/README.md", true);
        check("engines-dir/my-pack", false);
        check("engines-dir/x.wasm", false);
        check("host/src/target.rs", true);
        check(".cargo", true);
    }

    #[test]
    fn a_finding_begins_with_its_file_and_line() {
        let file = File { path: "a/b.rs".into(), text: String::new() };
        assert_eq!(file.finding(7, "wrong").to_string(), "a/b.rs:7: wrong");
    }

    #[test]
    fn paths_restrict_the_report() {
        let check = |path: &str, chosen: &str, expected: bool| {
            assert_eq!(is_within(path, chosen), expected, "{path} in {chosen}");
        };
        check("host/src/x.rs", "host", true);
        check("host/src/x.rs", "host/src/x.rs", true);
        check("host/src/x.rs", "", true);
        check("host/src/x.rs", "ho", false);
        check("host/src/x.rs", "host/src/x", false);
        check("README.md", "docs", false);

        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        std::fs::create_dir(root.join("docs")).unwrap();
        assert_eq!(relative(&root, &root.join("docs/../docs")).unwrap(), "docs");
        assert_eq!(relative(&root, &root).unwrap(), "");
        assert!(relative(&root.join("docs"), &root).is_err());
        assert!(relative(&root, &root.join("doc")).is_err());
    }
}
