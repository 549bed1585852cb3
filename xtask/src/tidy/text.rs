//! Rules over one file of any kind: no file names a machine or configures a package registry, the C
//! header stays short, ARCHITECTURE.md mentions every top-level folder.

use std::collections::BTreeSet;

use super::lexer::is_word;
use super::{File, Finding};

const HEADER_LINES: usize = 200;

/// Folders that belong to one machine or one person.
const MACHINE_FOLDERS: &[&str] =
    &[concat!("/wor", "k/"), concat!("/roo", "t/"), "/home/", "/Users/", "C:\\Users\\"];

/// User names of examples and tests, which belong to no real person.
const EXAMPLE_USERS: &[&str] = &["u", "user", "you", "name"];

/// Settings that point a package manager at another registry. The words are put together by
/// `concat!`, so that this file is no finding itself.
const REGISTRY_WORDS: &[&str] = &[
    concat!("index", "-url"),
    concat!("extra", "-index"),
    concat!("registry ", "="),
    concat!("registry", "="),
    concat!("[regis", "tries"),
    concat!("replace", "-with"),
    concat!("-auth", "token"),
    concat!("arti", "factory"),
];

/// Origins that lock files may name. Lock files of npm name none.
const PUBLIC_ORIGINS: &[&str] = &["https://github.com/rust-lang/crates.io-index"];

/// `machine` has the folders of the machine that runs this, in addition to [`MACHINE_FOLDERS`].
pub(super) fn machine_names(file: &File, machine: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // In source code, "registry" may be any table.
    let is_source = [".rs", ".ts", ".js", ".c", ".h"].iter().any(|end| file.path.ends_with(end));
    for (at, line) in file.text.lines().enumerate() {
        let known = MACHINE_FOLDERS.iter().copied();
        let folders = known.chain(machine.iter().map(String::as_str));
        if let Some(folder) = folders.into_iter().find(|folder| names_folder(line, folder)) {
            findings.push(file.finding(at + 1, format!("names a machine's folder, `{folder}…`")));
        }
        if let Some(word) = configured_registry(line).filter(|_| !is_source) {
            findings.push(file.finding(at + 1, format!("configures a registry (`{word}`)")));
        }
    }
    if file.path.ends_with(".lock") || file.path.ends_with("-lock.json") {
        findings.extend(foreign_origins(file));
    }
    findings
}

fn configured_registry(line: &str) -> Option<&'static str> {
    // Environment variables have the same words with `_`. The key `unknown-registry` of deny.toml
    // refuses registries.
    let line = line.to_ascii_lowercase().replace('_', "-").replace("unknown-registry", "");
    REGISTRY_WORDS.iter().copied().find(|word| line.contains(word))
}

fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let after = &line[at + folder.len()..];
        let name = after.split(|c| !is_word(c)).next().unwrap_or_default();
        if MACHINE_FOLDERS.contains(&folder) && EXAMPLE_USERS.contains(&name) {
            return false;
        }
        // `target/home/x` and `https://host/home/x` are no home folders.
        let before = line[..at].chars().next_back();
        let continues = |c: char| is_word(c) || ".-~/}".contains(c);
        !before.is_some_and(continues)
            && after.chars().next().is_some_and(|c| is_word(c) || c == '.')
    })
}

fn foreign_origins(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let trimmed = line.trim_start();
        let origin = ["source = ", "\"resolved\": "].iter().any(|key| trimmed.starts_with(key));
        let public = PUBLIC_ORIGINS.iter().any(|origin| line.contains(origin));
        if origin && line.contains("://") && !public {
            findings.push(file.finding(at + 1, "the package is not from a public registry"));
        }
    }
    findings
}

pub(super) fn header_length(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    let header = file.path.starts_with("abi/include/") && file.path.ends_with(".h");
    let message = || format!("{lines} lines; this header has at most {HEADER_LINES}");
    (header && lines > HEADER_LINES).then(|| file.finding(HEADER_LINES + 1, message()))
}

/// The top-level folders that ARCHITECTURE.md does not mention.
pub(super) fn unmentioned_folders(architecture: &File, tree: &BTreeSet<String>) -> Vec<Finding> {
    let tops: BTreeSet<&str> =
        tree.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
    tops.into_iter()
        .filter(|top| !top.starts_with('.') && !mentions(&architecture.text, top))
        .map(|top| architecture.finding(1, format!("does not mention the folder `{top}/`")))
        .collect()
}

fn mentions(text: &str, folder: &str) -> bool {
    text.match_indices(&format!("{folder}/")).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| is_word(c) || c == '-' || c == '/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    fn tree() -> BTreeSet<String> {
        ["README.md", "docs", "docs/a.md", "docs/b.md", "host", "host/src", ".ci/run"]
            .map(String::from)
            .into()
    }

    #[test]
    fn no_file_names_a_machine() {
        let check = |text: &str, expected: usize| {
            let machine = ["/srv/clone/".to_owned()];
            let found = machine_names(&file("README.md", text), &machine);
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check(concat!("cd /wor", "k/main"), 1);
        check(concat!("at `/roo", "t/.cargo`"), 1);
        check("see /srv/clone/x", 1);
        check(concat!("/hom", "e/alice"), 1);
        check("target/home/x, ~/home/x, $X/home/y, ${X}/home/y", 0);
        check("/home/u/.local and /home/you", 0);
        check(concat!("/hom", "e/ursula"), 1);
        check("https://example.org/home/x and /home/ alone", 0);
        check("network/", 0);
    }

    #[test]
    fn no_file_configures_a_registry() {
        let check = |path: &str, text: &str, expected: usize| {
            let found = machine_names(&file(path, text), &[]);
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check("a.toml", concat!("registry ", "= \"x\""), 1);
        check(".npmrc", concat!("Registry", "=https://x"), 1);
        check("a.toml", concat!("unknown-registry ", "= \"deny\""), 0);
        check("a.rs", concat!("let registry ", "= x;"), 0);
        check("a.sh", concat!("pip --index", "-url https://x"), 1);
        check("a.sh", concat!("NPM_CONFIG_REGISTRY", "=https://x PIP_INDEX", "_URL=y"), 1);
        check("a.md", "the registry is crates.io", 0);
        let git = "source = \"git+https://example.org/x\"";
        check("Cargo.lock", git, 1);
        check("a.toml", git, 0);
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        check("Cargo.lock", public, 0);
        check(
            "host/server/web/package-lock.json",
            "  \"resolved\": \"https://mirror.example/x.tgz\"",
            1,
        );
        check("host/server/web/package-lock.json", "  \"resolved\": \"packages/x\"", 0);
    }

    #[test]
    fn every_top_level_folder_is_mentioned() {
        let check = |text: &str, expected: &[&str]| {
            let found = unmentioned_folders(&file("ARCHITECTURE.md", text), &tree());
            assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
            assert!(
                found.iter().zip(expected).all(|(f, top)| f.message.contains(top)),
                "{found:?}"
            );
        };
        check("`docs/` and host/src", &[]);
        check("docs/", &["host/"]);
        check("my-docs/ and ghost/ and x/host/ and docs", &["docs/", "host/"]);
    }

    #[test]
    fn the_header_stays_short() {
        let check = |path: &str, lines: usize, expected: bool| {
            assert_eq!(header_length(&file(path, &"x\n".repeat(lines))).is_some(), expected);
        };
        check("abi/include/a.h", 200, false);
        check("abi/include/a.h", 201, true);
        check("sdk/include/a.h", 201, false);
    }
}
