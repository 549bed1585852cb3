//! Rules over one file of any kind: nothing in it names a machine or a package
//! registry, links in Markdown lead somewhere, the C header stays readable.

use std::collections::BTreeSet;

use super::mask::is_word;
use super::{File, Finding};

const HEADER_LINES: usize = 200;

/// Folders that belong to one machine or person.
const MACHINE_FOLDERS: &[&str] =
    &[concat!("/wor", "k/"), concat!("/roo", "t/"), "/home/", "/Users/", "C:\\Users\\"];

/// Names in examples and tests, not people's.
const NOBODY: &[&str] = &["u", "user", "you", "name"];

/// How a package manager is told of a registry of one's own. Put together
/// here, so that this file does not name what it looks for.
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

/// Where lock files may say that a package came from.
const PUBLIC_ORIGINS: &[&str] =
    &["https://github.com/rust-lang/crates.io-index", "https://registry.npmjs.org/"];

/// `machine`: folders of the machine that runs this, beside those that are known to be bad.
pub fn machine_names(file: &File, machine: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // In source code a registry is just a word for a table of things.
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
    // Variables of the environment write the same words their own way. deny.toml's key is
    // for refusing registries.
    let line = line.to_ascii_lowercase().replace('_', "-").replace("unknown-registry", "");
    REGISTRY_WORDS.iter().copied().find(|word| line.contains(word))
}

fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let after = &line[at + folder.len()..];
        let name = after.split(|c| !is_word(c)).next().unwrap_or_default();
        if MACHINE_FOLDERS.contains(&folder) && NOBODY.contains(&name) {
            return false;
        }
        // `target/home/x` and `https://host/home/x` are other folders.
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
            findings.push(file.finding(at + 1, "a package from elsewhere than a public registry"));
        }
    }
    findings
}

pub fn header_length(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    let header = file.path.starts_with("abi/include/") && file.path.ends_with(".h");
    let what = || format!("{lines} lines; a header for readers has at most {HEADER_LINES}");
    (header && lines > HEADER_LINES).then(|| file.finding(HEADER_LINES + 1, what()))
}

/// `tree`: every file and folder of the repository, relative to its root.
pub fn dead_links(file: &File, tree: &BTreeSet<String>) -> Vec<Finding> {
    if !file.path.ends_with(".md") {
        return Vec::new();
    }
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    let mut fenced = false;
    for (at, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for target in link_targets(line) {
            let path = target.split(['#', '?']).next().unwrap_or_default();
            let external = target.contains("://") || target.starts_with("mailto:");
            if external || path.is_empty() {
                continue;
            }
            if !resolve(folder, path).is_some_and(|path| tree.contains(&path)) {
                findings.push(file.finding(at + 1, format!("the link to `{target}` is dead")));
            }
        }
    }
    findings
}

/// What `[text](target)` and `[name]: target` point to; code between back-ticks holds no links.
fn link_targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let inline = prose.match_indices("](").filter_map(|(at, _)| {
        let target = &prose[at + 2..];
        Some(target[..target.find(')')?].to_owned())
    });
    let definition = prose
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        .filter(|(name, _)| !name.contains(']'))
        .map(|(_, target)| target.to_owned());
    inline
        .chain(definition)
        .filter_map(|target| target.split_whitespace().next().map(str::to_owned))
        .map(|target| target.trim_matches(['<', '>']).to_owned())
        .collect()
}

/// A relative link as a path from the root; none if it leaves the repository.
fn resolve(folder: &str, link: &str) -> Option<String> {
    let base = if link.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(link.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// ARCHITECTURE.md speaks of every folder at the top.
pub fn folders_unspoken_of(architecture: &File, tree: &BTreeSet<String>) -> Vec<Finding> {
    let tops: BTreeSet<&str> =
        tree.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
    tops.into_iter()
        .filter(|top| !top.starts_with('.') && !speaks_of(&architecture.text, top))
        .map(|top| architecture.finding(1, format!("says nothing of the folder `{top}/`")))
        .collect()
}

fn speaks_of(text: &str, folder: &str) -> bool {
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
        check("host/web/package-lock.json", "  \"resolved\": \"https://mirror.example/x.tgz\"", 1);
        check("host/web/package-lock.json", "  \"resolved\": \"https://registry.npmjs.org/x\"", 0);
        check("host/web/package-lock.json", "  \"resolved\": \"packages/x\"", 0);
    }

    #[test]
    fn links_lead_somewhere() {
        let check = |path: &str, text: &str, expected: usize| {
            let found = dead_links(&file(path, text), &tree());
            assert_eq!(found.len(), expected, "{text}: {found:?}");
        };
        check("README.md", "[a](docs/a.md) [b](docs/b.md#x) [h](host/) [r](.ci/run)", 0);
        check("README.md", "[a](docs/c.md) and [a](a.md)", 2);
        check("docs/a.md", "[b](b.md) [r](../README.md \"title\") [self](#x) [c](./b.md)", 0);
        check("docs/a.md", "[out](../../x) [r](README.md)", 2);
        check("docs/a.md", "[w](https://example.org/x) [m](mailto:a@b)", 0);
        check("docs/a.md", "[b]: b.md\n[c]: c.md", 1);
        check("docs/a.md", "```\n[x](y)\n```\n`[x](y)` and a[i](j", 0);
        check("docs/a.rs", "[x](y)", 0);
    }

    #[test]
    fn every_folder_is_spoken_of() {
        let check = |text: &str, expected: &[&str]| {
            let found = folders_unspoken_of(&file("ARCHITECTURE.md", text), &tree());
            assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
            assert!(found.iter().zip(expected).all(|(f, top)| f.what.contains(top)), "{found:?}");
        };
        check("`docs/` and host/src", &[]);
        check("docs/", &["host/"]);
        check("my-docs/ and ghost/ and x/host/ and docs", &["docs/", "host/"]);
    }

    #[test]
    fn the_header_stays_readable() {
        let check = |path: &str, lines: usize, expected: bool| {
            assert_eq!(header_length(&file(path, &"x\n".repeat(lines))).is_some(), expected);
        };
        check("abi/include/a.h", 200, false);
        check("abi/include/a.h", 201, true);
        check("sdk/include/a.h", 201, false);
    }
}
