//! Rules over the dependency graph: who may use whom, where packages come from,
//! under which licences. Reads what cargo says, never a manifest itself.

use super::Finding;
use sandboard_forge::metadata::{Metadata, Package};

use crate::workspace::Workspace;

/// Who may depend on which other package of the workspace, in any way: normal,
/// build or for tests. A package that is not listed may not exist.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("sandboard-abi", &[]),
    ("sandboard-evolution", &[]),
    ("sandboard-games", &[]),
    ("sandboard-sdk", &["sandboard-abi", "sandboard-games"]),
    ("sandboard-forge", &[]),
    ("sandboard-double-dummy", &["sandboard-games"]),
    ("sandboard-reversi-endings", &["sandboard-games"]),
    ("sandboard-tournament", &[]),
    (
        "sandboard-host",
        &[
            "sandboard-abi",
            "sandboard-double-dummy",
            "sandboard-evolution",
            "sandboard-forge",
            "sandboard-games",
            "sandboard-reversi-endings",
            "sandboard-tournament",
        ],
    ),
    (
        "sandboard-tests",
        &["sandboard-abi", "sandboard-forge", "sandboard-games", "sandboard-sdk", "sandboard-host"],
    ),
    ("xtask", &["sandboard-forge"]),
];

/// What the packages under `sample-engines/` may use.
const SAMPLE_ENGINES_USE: &[&str] = &["sandboard-sdk", "sandboard-double-dummy"];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// One package as the rules see it.
pub struct Node {
    pub name: String,
    pub manifest: String,
    pub sample_engine: bool,
    pub uses: Vec<String>,
}

pub fn members(workspace: &Workspace) -> Vec<Node> {
    let node = |package: &Package| {
        let manifest = workspace.relative(&package.manifest_path);
        Node {
            name: package.name.clone(),
            sample_engine: manifest.starts_with("sample-engines/"),
            manifest,
            uses: package.dependencies.iter().map(|d| d.name.clone()).collect(),
        }
    };
    workspace.members().map(node).collect()
}

pub fn directions(members: &[Node]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // A misspelt name in the table would allow everything: every name must be a package.
    let names =
        DIRECTIONS.iter().flat_map(|(name, uses)| [*name].into_iter().chain(uses.iter().copied()));
    let mut names: Vec<&str> = names.chain(SAMPLE_ENGINES_USE.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if !members.iter().any(|member| member.name == name) {
            findings.push(Finding::new("Cargo.toml", 1, format!("there is no package `{name}`")));
        }
    }
    for member in members {
        let listed =
            DIRECTIONS.iter().find(|(name, _)| *name == member.name).map(|(_, uses)| *uses);
        let allowed = if member.sample_engine { Some(SAMPLE_ENGINES_USE) } else { listed };
        let Some(allowed) = allowed else {
            let what = format!("`{}` has no row in xtask's table of directions", member.name);
            findings.push(Finding::new(&member.manifest, 1, what));
            continue;
        };
        let inner = member.uses.iter().filter(|name| members.iter().any(|m| m.name == **name));
        for name in inner.filter(|name| !allowed.contains(&name.as_str())) {
            let what = format!("`{}` may not depend on `{name}`", member.name);
            findings.push(Finding::new(&member.manifest, 1, what));
        }
    }
    findings
}

/// Every package of the lock file comes from crates.io under a licence that deny.toml allows.
pub fn origins(metadata: &Metadata, deny: &str) -> Vec<Finding> {
    let allowed = allowed_licences(deny);
    if allowed.is_empty() {
        return vec![Finding::new("deny.toml", 1, "its [licenses] allow nothing".to_owned())];
    }
    let mut findings = Vec::new();
    for package in &metadata.packages {
        let name = format!("`{}` {}", package.name, package.version);
        let mut found = |what| findings.push(Finding::new("Cargo.lock", 1, what));
        match package.source.as_deref() {
            None if metadata.workspace_members.contains(&package.id) => {}
            Some(CRATES_IO) => {}
            None => found(format!("{name} is a path outside the workspace")),
            Some(source) => found(format!("{name} comes from {source}, not from crates.io")),
        }
        match package.license.as_deref() {
            None => found(format!("{name} names no licence")),
            Some(licence) if !satisfied(licence, &allowed) => {
                found(format!("{name} is under {licence}, which deny.toml does not allow"));
            }
            Some(_) => {}
        }
    }
    findings
}

/// The quoted words of `allow = […]` in the section `[licenses]`.
pub fn allowed_licences(deny: &str) -> Vec<&str> {
    let lines = deny.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let section = lines.skip_while(|line| *line != "[licenses]").skip(1);
    let section = section.take_while(|line| !line.starts_with('['));
    let list = section.skip_while(|line| !line.starts_with("allow"));
    let mut words = Vec::new();
    for line in list {
        words.extend(line.split('"').skip(1).step_by(2));
        if line.contains(']') {
            break;
        }
    }
    words
}

/// Whether an SPDX expression can be met by licences of the list alone: one side
/// of `OR` (old crates write `/`), both sides of `AND`.
pub fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.either() == Some(true) && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.take("OR") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.either()?;
            return self.take(")").then_some(met);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        if self.take("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            return Some(self.allowed.contains(&format!("{name} WITH {exception}").as_str()));
        }
        Some(self.allowed.contains(name))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, uses: &[&str]) -> Node {
        Node {
            name: name.into(),
            manifest: format!("{name}/Cargo.toml"),
            sample_engine: name.starts_with("engine"),
            uses: uses.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn check_directions(extra: Node, expected: &[&str]) {
        let mut members: Vec<Node> =
            DIRECTIONS.iter().map(|(name, uses)| node(name, uses)).collect();
        members.retain(|member| member.name != extra.name);
        members.push(extra);
        let found = directions(&members);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(f, words)| f.what.contains(words)), "{found:?}");
    }

    #[test]
    fn dependencies_point_one_way() {
        check_directions(node("engine-x", &["sandboard-sdk", "serde"]), &[]);
        check_directions(node("engine-x", &["sandboard-host"]), &["depend on `sandboard-host`"]);
        check_directions(node("sandboard-host", &["sandboard-sdk"]), &["on `sandboard-sdk`"]);
        check_directions(node("sandboard-games", &["sandboard-abi"]), &["on `sandboard-abi`"]);
        check_directions(node("sandboard-hots", &[]), &["`sandboard-hots` has no row"]);
    }

    #[test]
    fn a_missing_package_is_noticed() {
        let found = directions(&[node("xtask", &["sandboard-forge"])]);
        assert_eq!(found.len(), DIRECTIONS.len() - 1);
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
        let check = |expression, expected| {
            assert_eq!(satisfied(expression, &allowed), expected, "{expression}");
        };
        check("MIT", true);
        check("MIT/Apache-2.0", true);
        check("MIT OR GPL-3.0", true);
        check("MIT AND GPL-3.0", false);
        check("(MIT OR GPL-3.0) AND Apache-2.0", true);
        check("MIT OR GPL-3.0 AND GPL-2.0", true);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("MIT WITH LLVM-exception", false);
        check("MIT-0", false);
        check("", false);
        check("(MIT", false);
        check("MIT OR", false);
        check("MIT Apache-2.0", false);
    }

    #[test]
    fn the_list_is_denys_own() {
        let deny = "[bans]\nallow = [\"x\"]\n[licenses]\n# \"GPL\"\nallow = [\n  \"MIT\", # \"c\"\n  \"ISC\",\n]\nother = [\"y\"]\n";
        assert_eq!(allowed_licences(deny), ["MIT", "ISC"]);
        assert_eq!(allowed_licences("[bans]\nallow = [\"x\"]"), [""; 0]);
    }
}
