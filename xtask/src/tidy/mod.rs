//! `cargo xtask tidy`: house rules that neither compiler nor clippy knows. Rules are
//! pure functions over paths and texts; only this file reads folders.

mod graph;
mod mask;
mod rust;
mod text;
mod web;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, all_packages};

/// A file of the repository that is text.
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    pub text: String,
}

/// Where a rule is broken, and what to do.
#[derive(Debug)]
pub struct Finding {
    pub path: String,
    /// From 1.
    pub line: usize,
    pub what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: String) -> Finding {
        Finding { path: path.into(), line, what }
    }
}

impl File {
    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding::new(&self.path, line, what.into())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

pub fn main() -> Result<()> {
    check(&Workspace::load()?)
}

pub fn check(workspace: &Workspace) -> Result<()> {
    let mut tree = BTreeSet::new();
    collect(&workspace.root, "", &mut tree)?;
    let files: Vec<File> = tree.iter().filter_map(|path| read(&workspace.root, path)).collect();
    let machine = machine_folders(&workspace.root);

    let test_files = rust::test_modules(&files);
    let mut findings = Vec::new();
    for file in &files {
        findings.extend(rust::check(file, &test_files));
        findings.extend(text::machine_names(file, &machine));
        findings.extend(text::dead_links(file, &tree));
        findings.extend(text::header_length(file));
        findings.extend(web::check(file));
    }
    let roots = workspace.crate_roots();
    findings.extend(files.iter().filter(|f| roots.contains(&f.path)).filter_map(rust::crate_root));
    let find = |name: &str| files.iter().find(|file| file.path == name);
    match find("ARCHITECTURE.md") {
        Some(file) => findings.extend(text::folders_unspoken_of(file, &tree)),
        None => findings.push(Finding::new("ARCHITECTURE.md", 1, "is missing".into())),
    }
    findings.extend(graph::directions(&graph::members(workspace)));
    let deny = find("deny.toml").context("deny.toml is missing")?;
    findings.extend(graph::origins(&all_packages()?, &deny.text));
    for lock in files.iter().filter(|file| file.path.ends_with("package-lock.json")) {
        findings.extend(web::licences(lock, &graph::allowed_licences(&deny.text)));
    }

    findings.iter().for_each(|finding| println!("{finding}"));
    match findings.len() {
        0 => Ok(()),
        1 => bail!("tidy has 1 finding"),
        many => bail!("tidy has {many} findings"),
    }
}

/// Every file and folder below `folder`, but what git does not track: what is built,
/// fetched or dropped in.
fn collect(root: &Path, folder: &str, tree: &mut BTreeSet<String>) -> Result<()> {
    let entries = std::fs::read_dir(root.join(folder));
    for entry in entries.with_context(|| format!("cannot read the folder {folder}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !belongs(&path, &name) {
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

fn belongs(path: &str, name: &str) -> bool {
    let untracked = [".git", "target", "target-wasm", "node_modules", "dist", "test-results"];
    if let Some(inside) = path.strip_prefix("engines-dir/") {
        return [".gitignore", "EngineConfigs.xml", "README.md"].contains(&inside);
    }
    !untracked.contains(&name)
}

fn read(root: &Path, path: &str) -> Option<File> {
    let bytes = std::fs::read(root.join(path)).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(File { path: path.into(), text })
}

/// The clone's own folder and the home folder: no file may know them. Folders so
/// short that they say nothing (`/`, `/tmp`) are left out.
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
    fn what_is_built_or_dropped_in_is_not_looked_at() {
        let check = |path: &str, expected: bool| {
            let name = path.rsplit('/').next().unwrap_or(path);
            assert_eq!(belongs(path, name), expected, "{path}");
        };
        check("target", false);
        check("host/web/node_modules", false);
        check("engines-dir", true);
        check("engines-dir/README.md", true);
        check("engines-dir/my-pack", false);
        check("engines-dir/x.wasm", false);
        check("host/src/target.rs", true);
        check(".cargo", true);
    }

    #[test]
    fn findings_are_places_to_jump_to() {
        let file = File { path: "a/b.rs".into(), text: String::new() };
        assert_eq!(file.finding(7, "wrong").to_string(), "a/b.rs:7: wrong");
    }
}
